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
from rulekit.rules.formula import law_text, split_text, sum_text
from rulekit.rules.intervals import FeatureTest, feature_test, intervals
from rulekit.rules.linear_split import LinearSplit
from rulekit.rules.literal import OPERATORS, Columns, Literal
from rulekit.rules.power_law_split import Factor, PowerLaw, PowerLawSplit
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
from rulekit.rules.tree import Branch, Leaf, Tree, paths_to_leaves, rule_of_tree, tree_of_rule

__all__ = [
    "OPERATORS",
    "Branch",
    "Clause",
    "ClauseStatistics",
    "Columns",
    "Constraints",
    "Factor",
    "FeatureTest",
    "Leaf",
    "LinearSplit",
    "Literal",
    "PowerLaw",
    "PowerLawSplit",
    "RuleComparison",
    "RuleSet",
    "RuleStatistics",
    "Tree",
    "clause_statistics",
    "compare",
    "feature_test",
    "implies",
    "intervals",
    "law_text",
    "literal_name",
    "number_text",
    "paths_to_leaves",
    "rule_from_dict",
    "rule_of_tree",
    "rule_statistics",
    "rule_to_dict",
    "simplify",
    "simplify_clause",
    "split_text",
    "sum_text",
    "tree_of_rule",
    "value_text",
    "wilson_interval",
]
