"""How good, how simple: sweeps over settings, fronts, baselines, and the store that keeps them.

What belongs here: cross-validation of any learner over a grid, measures, the trade-off between
error and size, comparison with well-known learners, and finished work on disk. What does not:
learning, drawing, explaining one row. May import `rulekit.estimators` and what lies below it.
"""

from rulekit.evaluation.baselines import Baseline, baseline_models, baselines
from rulekit.evaluation.grid import THETA_GRID, search_grid
from rulekit.evaluation.pareto import front_steps, pareto_front
from rulekit.evaluation.result import SweepResult, fit_setting, summarise
from rulekit.evaluation.store import SweepStore
from rulekit.evaluation.sweep import sweep

__all__ = [
    "THETA_GRID",
    "Baseline",
    "SweepResult",
    "SweepStore",
    "baseline_models",
    "baselines",
    "fit_setting",
    "front_steps",
    "pareto_front",
    "search_grid",
    "summarise",
    "sweep",
]
