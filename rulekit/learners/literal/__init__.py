"""Learners of rules made of literals.

What belongs here: this family, and nothing that another one uses. May import the modules beside
this folder and everything below; never another family.
"""
