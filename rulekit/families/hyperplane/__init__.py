"""Rules from linear classifiers: a plane, and the boxes on its sides.

What belongs here: this family, and nothing that another one uses. May import the modules beside
this folder and everything below; never another family.
"""
