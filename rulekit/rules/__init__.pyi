from .analysis.cases import RuleCase as RuleCase
from .analysis.cases import make_cases as make_cases
from .analysis.compare import RuleComparison as RuleComparison
from .analysis.compare import compare_rules as compare_rules
from .analysis.monotonicity import MonotonicityCheck as MonotonicityCheck
from .analysis.monotonicity import check_monotonicity as check_monotonicity
from .analysis.monotonicity import monotonicity_checks as monotonicity_checks
from .analysis.statistics import ClauseStatistics as ClauseStatistics
from .analysis.statistics import clause_statistics as clause_statistics
from .analysis.statistics import rule_statistics as rule_statistics
from .analysis.statistics import wilson_interval as wilson_interval
from .analysis.tree import Branch as Branch
from .analysis.tree import Tree as Tree
from .analysis.tree import tree_of_rule as tree_of_rule
from .analysis.verification import Finding as Finding
from .analysis.verification import RuleCheck as RuleCheck
from .analysis.verification import verify_rule as verify_rule
from .condition import Columns as Columns
from .condition import Condition as Condition
from .constraints import Constraints as Constraints
from .literal import Literal as Literal
from .points_split import PointsSplit as PointsSplit
from .points_split import scorecard_of as scorecard_of
from .rule_set import Clause as Clause
from .rule_set import RuleSet as RuleSet
from .schema import ColumnSchema as ColumnSchema
from .schema import Schema as Schema
from .simplification import simplify as simplify
from .sums import Factor as Factor
from .sums import LinearSplit as LinearSplit
from .sums import PowerLaw as PowerLaw
from .sums import PowerLawSplit as PowerLawSplit

__all__ = [
    "Branch",
    "Clause",
    "ClauseStatistics",
    "ColumnSchema",
    "Columns",
    "Condition",
    "Constraints",
    "Factor",
    "Finding",
    "LinearSplit",
    "Literal",
    "MonotonicityCheck",
    "PointsSplit",
    "PowerLaw",
    "PowerLawSplit",
    "RuleCase",
    "RuleCheck",
    "RuleComparison",
    "RuleSet",
    "Tree",
    "check_monotonicity",
    "clause_statistics",
    "compare_rules",
    "make_cases",
    "monotonicity_checks",
    "rule_statistics",
    "scorecard_of",
    "simplify",
    "tree_of_rule",
    "verify_rule",
    "wilson_interval",
]
