"""Splits by weighted sums of power laws: which columns, which exponents, which weights.

What belongs here: structures, the exact lower level, the constructive upper level. Imports no other
solver.
"""
