"""Learning from a table that stays where it lives: samples drawn, counts made, by its engine.

What belongs here: which rows are drawn, what is counted of a rule on all of them, how its cuts
are moved by what was counted. What does not: how a rule is found in a sample.
"""
