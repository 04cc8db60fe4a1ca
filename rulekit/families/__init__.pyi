from .hyperplane.hyperplane import HyperplaneRuleClassifier as HyperplaneRuleClassifier
from .hyperplane.lp_svm import LPSVM as LPSVM
from .ideal_dnf.ideal_dnf import IdealDNFClassifier as IdealDNFClassifier
from .power_law.tree import PowerLawTreeClassifier as PowerLawTreeClassifier
from .rule_classifier import RuleClassifier as RuleClassifier
from .scorecard.scale import scale_points as scale_points
from .scorecard.scorecard import ScorecardClassifier as ScorecardClassifier
from .table import FAMILIES as FAMILIES

__all__ = [
    "FAMILIES",
    "LPSVM",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "PowerLawTreeClassifier",
    "RuleClassifier",
    "ScorecardClassifier",
    "scale_points",
]
