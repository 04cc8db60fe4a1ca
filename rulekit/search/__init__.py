"""The mathematics: NumPy arrays in, NumPy arrays out.

What belongs here: programs, bounds and search over Boolean matrices. What does not: names,
tables, scikit-learn, rules in words (that is `rulekit.rules`; `rulekit.learners` joins the
two). May import NumPy, SciPy, highspy (in `lp` only) and `rulekit.exceptions`.

Every two-level solver learns a CNF, as the paper does: rows with ``y`` true are to be covered
by *every* clause, and a clause is an OR of columns of ``A``. A DNF of a class is learned as the
CNF of its complement over the negated columns.
"""
