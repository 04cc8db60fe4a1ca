"""Pictures: results in, Plotly figures out.

What belongs here: functions that take plain results (a data frame, a rule, columns) and return
a `plotly.graph_objects.Figure`, each with a twin that says the takeaway in one sentence, for
readers who cannot see the picture. What does not: learning, measuring, widgets. May import the
learners' results and everything below them; nothing here may import streamlit or the dashboard.

Every text that comes from a table is escaped before it reaches a figure, because Plotly reads a
subset of HTML in titles, ticks and hover boxes.
"""

from rulekit.families.hyperplane.plots.hypercubes import (
    Projection,
    coverage_figure,
    coverage_sentence,
    interval_figure,
    interval_sentence,
    projection_figure,
    projection_sentence,
)
from rulekit.families.ideal_dnf.plots import validation_figure, validation_sentence
from rulekit.families.power_law.plots.bspace import bspace_figure, bspace_sentence, columns_figure
from rulekit.families.power_law.plots.bspace_points import SplitPoints, log_helps, split_points
from rulekit.families.power_law.plots.tree import tree_figure, tree_sentence
from rulekit.plots.case import case_figure, case_sentence
from rulekit.plots.groups import gap_figure, gap_sentence, group_figure, group_sentence
from rulekit.plots.operating import (
    operating_figure,
    operating_sentence,
    reliability_figure,
    reliability_sentence,
)
from rulekit.plots.pareto import Baseline, front_figure, front_sentence
from rulekit.plots.rules import (
    clause_figure,
    clause_sentence,
    outcome_figure,
    outcome_sentence,
)
from rulekit.plots.screening import screening_figure, screening_sentence, screening_table
from rulekit.plots.stability import (
    band_figure,
    band_sentence,
    returned_figure,
    returned_sentence,
)

__all__ = [
    "Baseline",
    "Projection",
    "SplitPoints",
    "band_figure",
    "band_sentence",
    "bspace_figure",
    "bspace_sentence",
    "case_figure",
    "case_sentence",
    "clause_figure",
    "clause_sentence",
    "columns_figure",
    "coverage_figure",
    "coverage_sentence",
    "front_figure",
    "front_sentence",
    "gap_figure",
    "gap_sentence",
    "group_figure",
    "group_sentence",
    "interval_figure",
    "interval_sentence",
    "log_helps",
    "operating_figure",
    "operating_sentence",
    "outcome_figure",
    "outcome_sentence",
    "projection_figure",
    "projection_sentence",
    "reliability_figure",
    "reliability_sentence",
    "returned_figure",
    "returned_sentence",
    "screening_figure",
    "screening_sentence",
    "screening_table",
    "split_points",
    "tree_figure",
    "tree_sentence",
    "validation_figure",
    "validation_sentence",
]
