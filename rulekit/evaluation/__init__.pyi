from .calibration import brier_score as brier_score
from .calibration import reliability as reliability
from .groups import GroupMetrics as GroupMetrics
from .groups import group_metrics as group_metrics
from .operating import clause_points as clause_points
from .operating import operating_points as operating_points
from .operating import threshold_rule as threshold_rule
from .sweeps.baselines import Baseline as Baseline
from .sweeps.baselines import baselines as baselines
from .sweeps.compare import Comparison as Comparison
from .sweeps.compare import Progress as Progress
from .sweeps.compare import compare_learners as compare_learners
from .sweeps.family import Family as Family
from .sweeps.family import rule_learners as rule_learners
from .sweeps.grid import THETA_GRID as THETA_GRID
from .sweeps.result import SweepResult as SweepResult
from .sweeps.result import fit_setting as fit_setting
from .sweeps.result import pareto_front as pareto_front
from .sweeps.result import suggest as suggest
from .sweeps.result import summarise as summarise
from .sweeps.store import SweepStore as SweepStore
from .sweeps.sweep import sweep as sweep
from .trust.alternatives import alternatives as alternatives
from .trust.alternatives_found import Alternatives as Alternatives
from .trust.stability import stability as stability
from .trust.stability_found import Stability as Stability

__all__ = [
    "THETA_GRID",
    "Alternatives",
    "Baseline",
    "Comparison",
    "Family",
    "GroupMetrics",
    "Progress",
    "Stability",
    "SweepResult",
    "SweepStore",
    "alternatives",
    "baselines",
    "brier_score",
    "clause_points",
    "compare_learners",
    "fit_setting",
    "group_metrics",
    "operating_points",
    "pareto_front",
    "reliability",
    "rule_learners",
    "stability",
    "suggest",
    "summarise",
    "sweep",
    "threshold_rule",
]
