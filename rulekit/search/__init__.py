"""The mathematics: NumPy arrays in, NumPy arrays out.

What belongs here: programs, bounds and search over Boolean matrices. What does not: names, data
frames, scikit-learn, rules in words (see `rulekit.rules`; `rulekit.learners` joins the two). May
import NumPy, SciPy, highspy (in `lp` only), `rulekit.binning.binned_table`,
`rulekit._sums`, `rulekit.exceptions` and, in `box_search.problem` alone, `rulekit.rules`.

Every two-level solver states its problem for a CNF, as the paper does: rows with ``y`` true are to
be covered by *every* clause, and a clause is an OR of columns of ``A``. The table comes in the
orientation of the rule, with its form: `BinnedTable.as_cnf` makes ``A`` and ``y`` of it.
"""
