"""The first paper's methods for rules of several clauses.

What belongs here: set covering, block coordinate descent, alternating minimisation, the two-level
linear program and its exact twin, and local search. May import `one_level`, `columns`
and `lp`.
"""
