"""Learners with mathematics of their own, one folder each, and the table of all, `FAMILIES`.

What belongs here: solver/ (arrays only), estimator, plots and wording of a family, and
`RuleClassifier`, which may choose one. No family may import another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
