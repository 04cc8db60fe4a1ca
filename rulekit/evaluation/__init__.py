"""How good, how simple: sweeps over settings, fronts, baselines, and the store that keeps them.

What belongs here: cross-validation of any learner over a grid, measures, the trade-off between
error and size, comparison with well-known learners, and finished work on disk. What does not:
learning, drawing, explaining one row. May import `rulekit.learners` and what lies below it.
"""

from rulekit.evaluation.groups import Gap, GroupMetrics, group_metrics
from rulekit.evaluation.operating import clause_points, operating_points, threshold_rule
from rulekit.evaluation.reliability import brier_score, reliability
from rulekit.evaluation.sweeps.baselines import Baseline, baseline_models, baselines
from rulekit.evaluation.sweeps.compare import compare_learners
from rulekit.evaluation.sweeps.comparison import Comparison, Progress
from rulekit.evaluation.sweeps.family import Family, rule_learners
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.evaluation.sweeps.pareto import front_steps, pareto_front
from rulekit.evaluation.sweeps.result import SweepResult, fit_setting, suggest, summarise
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.evaluation.sweeps.sweep import sweep
from rulekit.evaluation.trust.alternatives import alternatives
from rulekit.evaluation.trust.alternatives_found import Alternatives
from rulekit.evaluation.trust.stability import stability
from rulekit.evaluation.trust.stability_found import Stability
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
    "clause_points",
    "compare_learners",
    "fit_setting",
    "front_steps",
    "group_metrics",
    "operating_points",
    "pareto_front",
    "reliability",
    "rule_learners",
    "search_grid",
    "stability",
    "suggest",
    "summarise",
    "sweep",
    "threshold_rule",
]
