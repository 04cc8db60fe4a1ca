"""The mathematics: arrays in, arrays out. Names, data frames and scikit-learn do not belong here.

What belongs here: programs, bounds and search. May import `rulekit.binning.binned_table`.

Solvers get a table and learn a DNF for its rows ``y``. Inside, linear programs and local search
state their problem for a CNF, as the paper does: rows to be covered by *every* clause, which is an
OR of columns of ``A``. They read `BinnedTable.opposite`, of which the DNF is such a CNF.
"""
