"""Learners with mathematics of their own: solver, estimator, plots and wording in one folder each.

What belongs here: one folder a family, `RuleClassifier`, which may choose one of them, and the
table `FAMILIES` of all learners. Solvers are in the folder `solver/` of a family: arrays in and
out, no tables. A family may import `rulekit.rules`, `rulekit.binarize`, `rulekit.solvers`,
`rulekit.learners` and `rulekit.style`, and nothing of another family.
"""

from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.lp_svm import LPSVM
from rulekit.families.ideal_dnf.guarantee import SampleGuarantee
from rulekit.families.ideal_dnf.ideal_dnf import IdealDNFClassifier
from rulekit.families.power_law.tree import PowerLawTreeClassifier
from rulekit.families.rule_classifier import RuleClassifier
from rulekit.families.scorecard.scorecard import ScorecardClassifier
from rulekit.families.table import FAMILIES

__all__ = [
    "FAMILIES",
    "LPSVM",
    "HyperplaneRuleClassifier",
    "IdealDNFClassifier",
    "PowerLawTreeClassifier",
    "RuleClassifier",
    "SampleGuarantee",
    "ScorecardClassifier",
]
