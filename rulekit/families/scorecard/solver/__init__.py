"""Integer points: few conditions, small whole numbers, chosen together for the logistic loss.

What belongs here: the problem in cells, the kernels that fit, rank and round, and the search over
conditions. Imports no other solver.
"""
