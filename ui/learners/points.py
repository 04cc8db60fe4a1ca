"""Points to add up as a learner of Models: one search answers every number of conditions."""

from typing import Any

from sklearn.base import ClassifierMixin

from rulekit.families import ScorecardClassifier
from ui.learners.learner import Cards, Dial, Learner, Setting
from ui.learners.literal import size_words
from ui.learners.points_cards import points_of_case, scorecard
from ui.learners.spec import RunSpec
from ui.state import AppState

BANDS = 4  # of the chances told, at most


def estimator(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return the unfitted estimator."""
    return ScorecardClassifier(
        bands=BANDS,
        positive_label=state.positive,
        class_weight=spec.class_weight,
        costs=spec.error_costs(state.labels),
        binarizer=state.binning.binarizer(),
        constraints=spec.constraints(state.features, state.positive),
    )


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: numbers of conditions."""
    return {"max_conditions": list(spec.limits)}


POINTS_TO_ADD_UP = Learner(
    "scorecard",
    "Points to add up",
    "A few conditions with small whole points; a total decides, as on a bank's or a ward's "
    "scorecard.",
    "ranking as well as deciding, with few conditions that people can add up by heart.",
    estimator,
    grid,
    whole_front=True,
    ways=(
        "Points to add up are asked for a number of conditions; shape, clauses and prices are not "
        "asked of them."
    ),
    shape_words=size_words,
    dials=lambda setting, n_rows: [Dial("max_conditions", "Conditions allowed")],
    cards=Cards(pictures=scorecard, explain=points_of_case),
)
