"""The mathematics: arrays in, arrays out. Names, data frames and scikit-learn do not belong here.

What belongs here: programs, bounds and search. May import `rulekit.binning.binned_table`.

Every two-level solver states its problem for a CNF, as the paper does: rows with ``y`` true are to
be covered by *every* clause, and a clause is an OR of columns of ``A``. The table comes in the
orientation of the rule, with its form: `BinnedTable.as_cnf` makes ``A`` and ``y`` of it.
"""
