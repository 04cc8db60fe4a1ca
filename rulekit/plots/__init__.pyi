from .case import case_figure as case_figure
from .case import case_sentence as case_sentence
from .flow import flow_sentence as flow_sentence
from .flow import flow_table as flow_table
from .flow import plot_rule as plot_rule
from .groups import gap_figure as gap_figure
from .groups import gap_sentence as gap_sentence
from .groups import group_figure as group_figure
from .groups import group_sentence as group_sentence
from .months import month_figure as month_figure
from .months import month_sentence as month_sentence
from .operating import operating_figure as operating_figure
from .operating import operating_sentence as operating_sentence
from .operating import reliability_figure as reliability_figure
from .operating import reliability_sentence as reliability_sentence
from .pareto import Baseline as Baseline
from .pareto import front_sentence as front_sentence
from .pareto import plot_curve as plot_curve
from .screening import screening_figure as screening_figure
from .screening import screening_sentence as screening_sentence
from .screening import screening_table as screening_table
from .stability import band_figure as band_figure
from .stability import band_sentence as band_sentence
from .stability import describe_returned as describe_returned
from .stability import plot_returned as plot_returned

__all__ = [
    "Baseline",
    "band_figure",
    "band_sentence",
    "case_figure",
    "case_sentence",
    "describe_returned",
    "flow_sentence",
    "flow_table",
    "front_sentence",
    "gap_figure",
    "gap_sentence",
    "group_figure",
    "group_sentence",
    "month_figure",
    "month_sentence",
    "operating_figure",
    "operating_sentence",
    "plot_curve",
    "plot_returned",
    "plot_rule",
    "reliability_figure",
    "reliability_sentence",
    "screening_figure",
    "screening_sentence",
    "screening_table",
]
