"""How good, how simple: sweeps over settings, fronts, baselines, and the store that keeps them.

What belongs here: cross-validation of any learner over a grid, measures, the trade-off between
error and size, comparison with well-known learners, and finished work on disk. What does not:
learning, drawing, explaining one row. May import `rulekit.learners` and what lies below it.
"""

from rulekit.evaluation.alternatives import alternatives
from rulekit.evaluation.alternatives_found import Alternatives
from rulekit.evaluation.baselines import Baseline, baseline_models, baselines
from rulekit.evaluation.compare import compare_learners
from rulekit.evaluation.comparison import Comparison, Progress
from rulekit.evaluation.family import Family, plane_prices, rule_learners
from rulekit.evaluation.grid import THETA_GRID
from rulekit.evaluation.groups import Gap, GroupMetrics, group_metrics
from rulekit.evaluation.pareto import front_steps, pareto_front
from rulekit.evaluation.reliability import brier_score, reliability
from rulekit.evaluation.result import SweepResult, fit_setting, suggest, summarise
from rulekit.evaluation.stability import stability
from rulekit.evaluation.stability_found import Stability
from rulekit.evaluation.store import SweepStore
from rulekit.evaluation.sweep import sweep
from rulekit.learners import search_grid

__all__ = [
    "THETA_GRID",
    "Alternatives",
    "Baseline",
    "Comparison",
    "Family",
    "Gap",
    "GroupMetrics",
    "Progress",
    "Stability",
    "SweepResult",
    "SweepStore",
    "alternatives",
    "baseline_models",
    "baselines",
    "brier_score",
    "compare_learners",
    "fit_setting",
    "front_steps",
    "group_metrics",
    "pareto_front",
    "plane_prices",
    "reliability",
    "rule_learners",
    "search_grid",
    "stability",
    "suggest",
    "summarise",
    "sweep",
]
