"""The bridge: scikit-learn classifiers that join the language of rules and the mathematics.

What belongs here: the base class, and learners whose conditions are literals, each from a table to
a `RuleSet`. What does not: mathematics (`rulekit.solvers`), learners with mathematics of their own
and `RuleClassifier`, which may choose one of them (`rulekit.families`; their names can be imported
from here, too). May import `rulekit.binarize` and everything below it.
"""

from importlib import import_module
from typing import Any

from rulekit.learners.fixed import FixedRuleClassifier
from rulekit.learners.inner_choice import Choice, search_grid
from rulekit.learners.literal.box_search import BoxSearchClassifier
from rulekit.learners.literal.certificate import Certificate, certify
from rulekit.learners.literal.column_generation import ColumnGenerationClassifier
from rulekit.learners.literal.one_level import OneLevelRuleClassifier, screen_conditions
from rulekit.learners.literal.screening import ConditionScreening
from rulekit.learners.literal.two_level import TwoLevelRuleClassifier
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


def __getattr__(name: str) -> Any:
    """Return a learner of `rulekit.families`, which is imported when one is first used."""
    if name in __all__:
        return getattr(import_module("rulekit.families"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
