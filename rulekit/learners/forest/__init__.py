"""A random forest over cells: what it says of rows that its trees were grown without.

What belongs here: growing trees on the codes of a table, and nothing that keeps them. Imports no
other solver.
"""
