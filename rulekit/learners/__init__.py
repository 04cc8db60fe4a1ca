"""Learners: scikit-learn classifiers whose result is a rule.

What belongs here: the base class, and learners whose conditions are literals, each from a table to
a `RuleSet`. What does not: mathematics (`rulekit.search`), learners with mathematics of their own
and `RuleClassifier`, which may choose one of them (`rulekit.families`; their names can be imported
from here, too). May import `rulekit.binning` and everything below it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
