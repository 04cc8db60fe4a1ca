"""The bridge: scikit-learn classifiers that join the language of rules and the mathematics.

What belongs here: learners, each from a table to a `RuleSet`. What does not: mathematics (that is
`rulekit.solvers`), and what is done with a rule afterwards. May import `rulekit.binarize` and
everything below it; families of learners do not import each other, `RuleClassifier` stands above
them.
"""

from rulekit.learners.fixed import FixedRuleClassifier
from rulekit.learners.ideal.guarantee import SampleGuarantee
from rulekit.learners.ideal.ideal_dnf import IdealDNFClassifier
from rulekit.learners.inner_choice import Choice, search_grid
from rulekit.learners.literal.box_search import BoxSearchClassifier
from rulekit.learners.literal.certificate import Certificate, certify
from rulekit.learners.literal.column_generation import ColumnGenerationClassifier
from rulekit.learners.literal.one_level import OneLevelRuleClassifier, screen_conditions
from rulekit.learners.literal.screening import ConditionScreening
from rulekit.learners.literal.two_level import TwoLevelRuleClassifier
from rulekit.learners.plane.hyperplane import HyperplaneRuleClassifier
from rulekit.learners.plane.lp_svm import LPSVM
from rulekit.learners.points.scorecard import ScorecardClassifier
from rulekit.learners.power_law.tree import PowerLawTreeClassifier
from rulekit.learners.rule_classifier import RuleClassifier
from rulekit.learners.rule_path import PathEntry, RulePath

__all__ = [
    "LPSVM",
    "BoxSearchClassifier",
    "Certificate",
    "Choice",
    "ColumnGenerationClassifier",
    "ConditionScreening",
    "FixedRuleClassifier",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "OneLevelRuleClassifier",
    "PathEntry",
    "PowerLawTreeClassifier",
    "RuleClassifier",
    "RulePath",
    "SampleGuarantee",
    "ScorecardClassifier",
    "TwoLevelRuleClassifier",
    "certify",
    "screen_conditions",
    "search_grid",
]
