"""The language every learner ends in: literals, clauses, rule sets.

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

from rulekit.rules.analysis.compare import ChangedThreshold, RuleComparison, compare_rules
from rulekit.rules.analysis.promises import PromiseCheck, check_promise, promises_of
from rulekit.rules.analysis.simplify import implies, simplify, simplify_clause
from rulekit.rules.analysis.statistics import (
    ClauseStatistics,
    RuleStatistics,
    clause_statistics,
    rule_statistics,
    wilson_interval,
)
from rulekit.rules.analysis.tree import (
    Branch,
    Leaf,
    Tree,
    paths_to_leaves,
    rule_of_tree,
    tree_of_rule,
)
from rulekit.rules.clause import Clause
from rulekit.rules.codec import rule_from_dict, rule_to_dict
from rulekit.rules.condition import (
    Columns,
    Condition,
    Scalar,
    absent_in,
    missing_in,
    number_text,
    value_text,
)
from rulekit.rules.constraints import Constraints
from rulekit.rules.intervals import FeatureTest, feature_test, intervals
from rulekit.rules.linear_split import LinearSplit
from rulekit.rules.literal import OPERATORS, Literal
from rulekit.rules.points_split import PointsSplit, scorecard_of
from rulekit.rules.power_law import Factor, PowerLaw
from rulekit.rules.power_law_split import PowerLawSplit
from rulekit.rules.reading import (
    Interval,
    Reading,
    ReadingWriter,
    clause_line,
    readings,
    rule_lines,
)
from rulekit.rules.rule_set import RuleSet, rule_of
from rulekit.rules.scales import (
    DAYS_SINCE,
    GAPS,
    NAMES,
    ORDERED,
    SEPARATORS,
    WORDS,
    moment,
    since_of,
    spelled,
    words_of,
)
from rulekit.rules.writer import KINDS, ConditionWriter

__all__ = [
    "DAYS_SINCE",
    "GAPS",
    "KINDS",
    "NAMES",
    "OPERATORS",
    "ORDERED",
    "SEPARATORS",
    "WORDS",
    "Branch",
    "ChangedThreshold",
    "Clause",
    "ClauseStatistics",
    "Columns",
    "Condition",
    "ConditionWriter",
    "Constraints",
    "Factor",
    "FeatureTest",
    "Interval",
    "Leaf",
    "LinearSplit",
    "Literal",
    "PointsSplit",
    "PowerLaw",
    "PowerLawSplit",
    "PromiseCheck",
    "Reading",
    "ReadingWriter",
    "RuleComparison",
    "RuleSet",
    "RuleStatistics",
    "Scalar",
    "Tree",
    "absent_in",
    "check_promise",
    "clause_line",
    "clause_statistics",
    "compare_rules",
    "feature_test",
    "implies",
    "intervals",
    "missing_in",
    "moment",
    "number_text",
    "paths_to_leaves",
    "promises_of",
    "readings",
    "rule_from_dict",
    "rule_lines",
    "rule_of",
    "rule_of_tree",
    "rule_statistics",
    "rule_to_dict",
    "scorecard_of",
    "simplify",
    "simplify_clause",
    "since_of",
    "spelled",
    "tree_of_rule",
    "value_text",
    "wilson_interval",
    "words_of",
]
