"""Learners of rules made of literals: from table to Boolean problem to rule set.

What belongs here: this family, and nothing that another one uses. May import the modules beside
this folder and everything below; never another family.
"""
