"""One clause: which columns make the best OR of columns, for one price or along all prices.

What belongs here: the linear program of one clause, its integer program, and the path of theta.
May import `columns` and `lp`.
"""
