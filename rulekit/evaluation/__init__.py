"""Evaluation: sweeps over settings, Pareto fronts, baselines, and their store.

What belongs here: cross-validation of any learner over a grid, measures, the trade-off between
error and size, comparison with well-known learners, and stored results. What does not: learning,
drawing, explaining one row. May import `rulekit.learners` and the layers below it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
