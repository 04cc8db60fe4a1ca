"""The rule model that every learner returns: literals, clauses, rule sets.

What belongs here: immutable, hashable symbols that know column names and values, what they
mean on a table (`mask`), how they are negated, simplified, counted and compared. What does
not: learning, table libraries, text in any format (that is `rulekit.export`). May import
NumPy and `rulekit.exceptions` only.

*Columns.* Rules are evaluated on a mapping from column name to a one-dimensional array, all
of one length. Numbers are `float64` with NaN for a missing value; anything else is an object
array of `str` or `bool` with None for a missing value; a date is ISO text.
`rulekit.data.columns_of` makes such a mapping from a data frame; a `RuleSet` also finds the
columns of a data frame by name itself.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
