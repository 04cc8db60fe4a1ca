"""The language every learner ends in: literals, clauses, rule sets.

What belongs here: immutable, hashable symbols that know column names and values, what they
mean on a table (`mask`), how they are negated, simplified, counted and compared. What does
not: learning, table libraries, text in any format (that is `rulekit.export`). May import
NumPy and `rulekit.exceptions` only.

*Columns.* Rules are evaluated on a mapping from column name to a one-dimensional array, all
of one length. Numbers are `float64` with NaN for a missing value; anything else is an object
array of `str` or `bool` with None for a missing value. `rulekit.data.columns_of` makes such a
mapping from a data frame.
"""

from rulekit.rules.clause import Clause
from rulekit.rules.codec import rule_from_dict, rule_to_dict
from rulekit.rules.compare import RuleComparison, compare
from rulekit.rules.constraints import Constraints
from rulekit.rules.intervals import FeatureTest, feature_test, intervals
from rulekit.rules.linear_split import LinearSplit
from rulekit.rules.literal import OPERATORS, Columns, Literal
from rulekit.rules.reading import literal_name, number_text, value_text
from rulekit.rules.rule_set import RuleSet
from rulekit.rules.simplify import implies, simplify, simplify_clause
from rulekit.rules.statistics import (
    ClauseStatistics,
    RuleStatistics,
    clause_statistics,
    rule_statistics,
    wilson_interval,
)

__all__ = [
    "OPERATORS",
    "Clause",
    "ClauseStatistics",
    "Columns",
    "Constraints",
    "FeatureTest",
    "LinearSplit",
    "Literal",
    "RuleComparison",
    "RuleSet",
    "RuleStatistics",
    "clause_statistics",
    "compare",
    "feature_test",
    "implies",
    "intervals",
    "literal_name",
    "number_text",
    "rule_from_dict",
    "rule_statistics",
    "rule_to_dict",
    "simplify",
    "simplify_clause",
    "value_text",
    "wilson_interval",
]
