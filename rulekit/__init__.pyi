from . import explain as explain
from .binning import Binarizer as Binarizer
from .data import Costs as Costs
from .data import Table as Table
from .data import load_sample as load_sample
from .data import read_table as read_table
from .evaluation import alternatives as alternatives
from .evaluation import compare_learners as compare_learners
from .evaluation import group_metrics as group_metrics
from .evaluation import stability as stability
from .evaluation import suggest as suggest
from .evaluation import sweep as sweep
from .exceptions import DataError as DataError
from .exceptions import ExportError as ExportError
from .exceptions import RuleError as RuleError
from .exceptions import RulekitError as RulekitError
from .exceptions import SolverError as SolverError
from .export import from_json as from_json
from .export import from_text as from_text
from .export import to_json as to_json
from .export import to_python as to_python
from .export import to_sql as to_sql
from .export import to_text as to_text
from .export import verify_export as verify_export
from .families import LPSVM as LPSVM
from .families import HyperplaneRuleClassifier as HyperplaneRuleClassifier
from .families import IdealDNFClassifier as IdealDNFClassifier
from .families import PowerLawTreeClassifier as PowerLawTreeClassifier
from .families import RuleClassifier as RuleClassifier
from .families import ScorecardClassifier as ScorecardClassifier
from .learners import BoxSearchClassifier as BoxSearchClassifier
from .learners import ColumnGenerationClassifier as ColumnGenerationClassifier
from .learners import FixedRuleClassifier as FixedRuleClassifier
from .learners import OneLevelRuleClassifier as OneLevelRuleClassifier
from .learners import TwoLevelRuleClassifier as TwoLevelRuleClassifier
from .learners import certify as certify
from .plots import plot_curve as plot_curve
from .plots import plot_rule as plot_rule
from .rules import Clause as Clause
from .rules import Constraints as Constraints
from .rules import Literal as Literal
from .rules import RuleSet as RuleSet
from .rules import compare_rules as compare_rules
from .rules import rule_statistics as rule_statistics

__all__ = [
    "LPSVM",
    "Binarizer",
    "BoxSearchClassifier",
    "Clause",
    "ColumnGenerationClassifier",
    "Constraints",
    "Costs",
    "DataError",
    "ExportError",
    "FixedRuleClassifier",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "Literal",
    "OneLevelRuleClassifier",
    "PowerLawTreeClassifier",
    "RuleClassifier",
    "RuleError",
    "RuleSet",
    "RulekitError",
    "ScorecardClassifier",
    "SolverError",
    "Table",
    "TwoLevelRuleClassifier",
    "alternatives",
    "certify",
    "compare_learners",
    "compare_rules",
    "explain",
    "from_json",
    "from_text",
    "group_metrics",
    "load_sample",
    "plot_curve",
    "plot_rule",
    "read_table",
    "rule_statistics",
    "stability",
    "suggest",
    "sweep",
    "to_json",
    "to_python",
    "to_sql",
    "to_text",
    "verify_export",
]
