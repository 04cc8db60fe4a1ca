"""Learners whose conditions are literals: scikit-learn classifiers from a table to a `RuleSet`.

What belongs here: the base class and these learners; mathematics is in `rulekit.search`, other
learners in `rulekit.families` (importable here, too). May import `rulekit.binning` and below.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
