"""Tables: read them, type them, judge them, split them.

What belongs here: from a file or a data frame to a `Table` with kinds and roles, notes on its
quality, its drift against a second table, folds, sample tables. What does not: learning, and
rules. May import NumPy, pandas, scikit-learn's splitters, pyarrow, openpyxl and
`rulekit.exceptions`.
"""

from rulekit.data.column import KINDS, ROLES, Column
from rulekit.data.costs import Costs
from rulekit.data.drift import DriftNote, compare_tables, respelled_levels
from rulekit.data.folds import equal_rows, hold_out, joined_groups, make_folds
from rulekit.data.groups import GROUP_MEASURES, RowGroups, row_groups
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.quality import QualityNote, quality_notes
from rulekit.data.reading.loading import read_table, read_with_options, unpacked
from rulekit.data.samples.bundled import SampleInfo, list_samples, load_sample, sample_info
from rulekit.data.samples.power_law_tables import Generated, curve_table, pareto_table
from rulekit.data.samples.synthetic import Planted, credit, planted_two_level
from rulekit.data.schema import Table
from rulekit.data.target import (
    check_target,
    class_counts,
    likely_target,
    suggest_positive,
    suggest_target,
    target_notes,
)
from rulekit.data.typed import columns_of

__all__ = [
    "GROUP_MEASURES",
    "KINDS",
    "ROLES",
    "Column",
    "Costs",
    "DriftNote",
    "Generated",
    "Limits",
    "ParseOptions",
    "Planted",
    "QualityNote",
    "RowGroups",
    "SampleInfo",
    "Table",
    "check_target",
    "class_counts",
    "columns_of",
    "compare_tables",
    "credit",
    "curve_table",
    "equal_rows",
    "hold_out",
    "joined_groups",
    "likely_target",
    "list_samples",
    "load_sample",
    "make_folds",
    "pareto_table",
    "planted_two_level",
    "quality_notes",
    "read_table",
    "read_with_options",
    "respelled_levels",
    "row_groups",
    "sample_info",
    "suggest_positive",
    "suggest_target",
    "target_notes",
    "unpacked",
]
