from .analysis.compare import ChangedThreshold as ChangedThreshold
from .analysis.compare import RuleComparison as RuleComparison
from .analysis.compare import compare_rules as compare_rules
from .analysis.monotonicity import MonotonicityCheck as MonotonicityCheck
from .analysis.monotonicity import check_monotonicity as check_monotonicity
from .analysis.monotonicity import monotonicity_checks as monotonicity_checks
from .analysis.simplify import implies as implies
from .analysis.simplify import simplify as simplify
from .analysis.simplify import simplify_clause as simplify_clause
from .analysis.statistics import ClauseStatistics as ClauseStatistics
from .analysis.statistics import RuleStatistics as RuleStatistics
from .analysis.statistics import clause_statistics as clause_statistics
from .analysis.statistics import rule_statistics as rule_statistics
from .analysis.statistics import wilson_interval as wilson_interval
from .analysis.tree import Branch as Branch
from .analysis.tree import Leaf as Leaf
from .analysis.tree import Tree as Tree
from .analysis.tree import paths_to_leaves as paths_to_leaves
from .analysis.tree import rule_of_tree as rule_of_tree
from .analysis.tree import tree_of_rule as tree_of_rule
from .clause import Clause as Clause
from .codec import rule_from_dict as rule_from_dict
from .codec import rule_to_dict as rule_to_dict
from .column_test import FeatureTest as FeatureTest
from .column_test import feature_test as feature_test
from .column_test import intervals as intervals
from .condition import Columns as Columns
from .condition import Condition as Condition
from .condition import Scalar as Scalar
from .condition import absent_in as absent_in
from .condition import missing_in as missing_in
from .condition import number_text as number_text
from .condition import value_text as value_text
from .constraints import Constraints as Constraints
from .linear_split import LinearSplit as LinearSplit
from .literal import OPERATORS as OPERATORS
from .literal import Literal as Literal
from .points_split import PointsSplit as PointsSplit
from .points_split import scorecard_of as scorecard_of
from .power_law import Factor as Factor
from .power_law import PowerLaw as PowerLaw
from .power_law_split import PowerLawSplit as PowerLawSplit
from .reading import Interval as Interval
from .reading import Reading as Reading
from .reading import ReadingWriter as ReadingWriter
from .reading import clause_line as clause_line
from .reading import readings as readings
from .reading import rule_lines as rule_lines
from .rule_set import RuleSet as RuleSet
from .rule_set import rule_of as rule_of
from .scales import DAYS_SINCE as DAYS_SINCE
from .scales import GAPS as GAPS
from .scales import NAMES as NAMES
from .scales import ORDERED as ORDERED
from .scales import SEPARATORS as SEPARATORS
from .scales import WORDS as WORDS
from .scales import moment as moment
from .scales import since_of as since_of
from .scales import spelled as spelled
from .scales import words_of as words_of
from .writer import KINDS as KINDS
from .writer import ConditionWriter as ConditionWriter

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
    "MonotonicityCheck",
    "PointsSplit",
    "PowerLaw",
    "PowerLawSplit",
    "Reading",
    "ReadingWriter",
    "RuleComparison",
    "RuleSet",
    "RuleStatistics",
    "Scalar",
    "Tree",
    "absent_in",
    "check_monotonicity",
    "clause_line",
    "clause_statistics",
    "compare_rules",
    "feature_test",
    "implies",
    "intervals",
    "missing_in",
    "moment",
    "monotonicity_checks",
    "number_text",
    "paths_to_leaves",
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
