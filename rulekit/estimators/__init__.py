"""The bridge: scikit-learn classifiers that join the language of rules and the mathematics.

What belongs here: learners, each from a table to a `RuleSet`. What does not: mathematics (that is
`rulekit.solvers`), and what is done with a rule afterwards. May import `rulekit.binarize` and
everything below it; learners do not import each other.
"""

from rulekit.estimators.certificate import Certificate, certify
from rulekit.estimators.condition_screening import ConditionScreening
from rulekit.estimators.fixed_rule import FixedRuleClassifier
from rulekit.estimators.hyperplane import HyperplaneRuleClassifier
from rulekit.estimators.ideal_dnf import IdealDNFClassifier
from rulekit.estimators.ideal_guarantee import SampleGuarantee
from rulekit.estimators.lp_svm import LPSVM
from rulekit.estimators.one_level import OneLevelRuleClassifier
from rulekit.estimators.power_law_tree import PowerLawTreeClassifier
from rulekit.estimators.rule_path import PathEntry, RulePath
from rulekit.estimators.screening import screen_conditions
from rulekit.estimators.two_level import TwoLevelRuleClassifier

__all__ = [
    "LPSVM",
    "Certificate",
    "ConditionScreening",
    "FixedRuleClassifier",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "OneLevelRuleClassifier",
    "PathEntry",
    "PowerLawTreeClassifier",
    "RulePath",
    "SampleGuarantee",
    "TwoLevelRuleClassifier",
    "certify",
    "screen_conditions",
]
