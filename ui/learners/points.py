"""Scorecards as a learner of Models: one search finds every number of conditions."""

from ui.learners.learner import Cards, Dial, Learner
from ui.learners.points_cards import points_of_case, scorecard

POINTS_TO_ADD_UP = Learner.of(
    "scorecard",
    grid=lambda spec: {"max_conditions": list(spec.limits)},
    dials=lambda setting, n_rows: [Dial("max_conditions", "Conditions allowed")],
    cards=Cards(pictures=scorecard, explain=points_of_case),
)
