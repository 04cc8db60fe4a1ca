"""Points to add up as a learner of Models: asked for conditions, on the curve with the others."""

import pytest

from rulekit import load_sample
from rulekit.evaluation import compare_learners
from ui.learners.offered import families, settings_of_run
from ui.learners.spec import RunSpec
from ui.state import AppState

SPEC = RunSpec(learners=("scorecard",), limits=(1, 2, 3), folds=5, thorough=True)


@pytest.mark.slow
def test_one_search_a_fold_answers_every_number_of_conditions():
    state = AppState(table=load_sample("credit"))
    found = compare_learners(*state.training, learners=families(SPEC, state), cv=5)
    assert [s["max_conditions"] for s in settings_of_run(SPEC)] == [1, 2, 3]
    points = found.points()
    assert points["folds"].tolist() == [5, 5, 5]
    assert (points["n_conditions"] <= [1, 2, 3]).all()
