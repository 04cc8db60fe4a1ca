"""The ideal DNF: learned by counting the types of rows.

What belongs here: this family, and nothing that another one uses. May import the modules beside
this folder and everything below; never another family.
"""
