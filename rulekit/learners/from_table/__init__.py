"""Learning from a table in a database: samples and counts come from its engine.

What belongs here: which rows are drawn, what is counted of a rule on all of them, how its cuts
are moved by what was counted. What does not: how a rule is found in a sample.
"""
