from .fixed import FixedRuleClassifier as FixedRuleClassifier
from .inner_choice import Choice as Choice
from .inner_choice import search_grid as search_grid
from .literal.box_search import BoxSearchClassifier as BoxSearchClassifier
from .literal.certificate import Certificate as Certificate
from .literal.certificate import certify as certify
from .literal.column_generation import ColumnGenerationClassifier as ColumnGenerationClassifier
from .literal.one_level import OneLevelRuleClassifier as OneLevelRuleClassifier
from .literal.one_level import screen_conditions as screen_conditions
from .literal.one_level import ConditionScreening as ConditionScreening
from .literal.two_level import TwoLevelRuleClassifier as TwoLevelRuleClassifier
from .rule_path import PathEntry as PathEntry
from .rule_path import RulePath as RulePath

__all__ = [
    "BoxSearchClassifier",
    "Certificate",
    "Choice",
    "ColumnGenerationClassifier",
    "ConditionScreening",
    "FixedRuleClassifier",
    "OneLevelRuleClassifier",
    "PathEntry",
    "RulePath",
    "TwoLevelRuleClassifier",
    "certify",
    "screen_conditions",
    "search_grid",
]
