from .fixed import FixedRuleClassifier as FixedRuleClassifier
from .inner_choice import search_grid as search_grid
from .literal.box_search import BoxSearchClassifier as BoxSearchClassifier
from .literal.certificate import Certificate as Certificate
from .literal.certificate import certify as certify
from .literal.column_generation import ColumnGenerationClassifier as ColumnGenerationClassifier
from .literal.one_level import ConditionScreening as ConditionScreening
from .literal.one_level import OneLevelRuleClassifier as OneLevelRuleClassifier
from .literal.one_level import screen_conditions as screen_conditions
from .literal.two_level import TwoLevelRuleClassifier as TwoLevelRuleClassifier

__all__ = [
    "BoxSearchClassifier",
    "Certificate",
    "ColumnGenerationClassifier",
    "ConditionScreening",
    "FixedRuleClassifier",
    "OneLevelRuleClassifier",
    "TwoLevelRuleClassifier",
    "certify",
    "screen_conditions",
    "search_grid",
]
