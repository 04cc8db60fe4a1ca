"""Learners with mathematics of their own: solver, estimator, plots and wording in one folder each.

What belongs here: one folder a family, `RuleClassifier`, which may choose one of them, and the
table `FAMILIES` of all learners. Solvers are in the folder `solver/` of a family: arrays in and
out, no tables. A family may import `rulekit.rules`, `rulekit.binning`, `rulekit.search`,
`rulekit.learners` and `rulekit.style`, and nothing of another family.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
