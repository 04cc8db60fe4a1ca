"""Tables: read them, type them, judge them, split them.

What belongs here: from a file or a data frame to a `Table` with kinds and roles, notes on its
quality, its drift against a second table, folds, sample tables. What does not: learning, and
rules. May import NumPy, pandas, scikit-learn's splitters, pyarrow, openpyxl and
`rulekit.exceptions`.
"""

from rulekit.data.folds import make_folds
from rulekit.data.limits import Limits
from rulekit.data.samples import SampleInfo, list_samples, load_sample, sample_info
from rulekit.data.schema import Column, Table
from rulekit.data.synthetic import Planted, credit, planted_two_level
from rulekit.data.typed import columns_of

__all__ = [
    "Column",
    "Limits",
    "Planted",
    "SampleInfo",
    "Table",
    "columns_of",
    "credit",
    "list_samples",
    "load_sample",
    "make_folds",
    "planted_two_level",
    "sample_info",
]
