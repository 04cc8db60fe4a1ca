from .metrics import GroupMetrics as GroupMetrics
from .metrics import brier_score as brier_score
from .metrics import group_metrics as group_metrics
from .metrics import reliability as reliability
from .operating import operating_points as operating_points
from .operating import threshold_rule as threshold_rule
from .sweeps.baselines import ReferenceModel as ReferenceModel
from .sweeps.compare import Progress as Progress
from .sweeps.compare import compare_learners as compare_learners
from .sweeps.compare import sweep as sweep
from .sweeps.grid import LearnerGrid as LearnerGrid
from .sweeps.result import Comparison as Comparison
from .sweeps.result import pareto_front as pareto_front
from .sweeps.result import suggest as suggest
from .sweeps.store import SweepStore as SweepStore
from .trust.alternatives import Alternatives as Alternatives
from .trust.alternatives import alternatives as alternatives
from .trust.improve import improve_rule as improve_rule
from .trust.months import errors_by_month as errors_by_month
from .trust.stability import Stability as Stability
from .trust.stability import stability as stability

__all__ = [
    "Alternatives",
    "Comparison",
    "GroupMetrics",
    "LearnerGrid",
    "Progress",
    "ReferenceModel",
    "Stability",
    "SweepStore",
    "alternatives",
    "brier_score",
    "compare_learners",
    "errors_by_month",
    "group_metrics",
    "improve_rule",
    "operating_points",
    "pareto_front",
    "reliability",
    "stability",
    "suggest",
    "sweep",
    "threshold_rule",
]
