"""Tables: reading, types, quality, folds.

What belongs here: from a file or a data frame to a `Table` with kinds and roles, notes on its
quality, its drift against a second table, folds, sample tables. What does not: learning, and
rules. May import NumPy, pandas, scikit-learn's splitters, pyarrow, python-calamine and
`rulekit.exceptions`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
