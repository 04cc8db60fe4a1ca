"""What the settings of a run offer, and of which learners they are read."""

import pytest

from ui.learners.offered import LEARNERS
from ui.learners.spec import NUS, RunSpec
from ui.models.form import fold_choices, unread


@pytest.mark.parametrize(
    ("n_rows", "n_least", "offered"),
    [(500, 80, [10, 5]), (500, 7, [5]), (500, 3, [3]), (500, 1, [2]), (60, 30, [10, 5, 60])],
)
def test_folds_offered_fit_the_rarest_class(n_rows, n_least, offered):
    assert list(fold_choices(n_rows, n_least)) == offered


def test_settings_without_a_reading_learner_are_unread():
    assert unread("rounding", ["search"])
    assert not unread("rounding", ["search", "alternating"])
    assert not unread("rounding", [])
    assert {name for name in LEARNERS if not unread("thetas", [name])} == {
        name for name, learner in LEARNERS.items() if "thetas" in learner.reads
    }


def test_prices_and_costs_of_all_labels_survive_json():
    spec = RunSpec.from_dict(
        RunSpec(costs=(5.0, 1.0), cost_unit="EUR").to_dict() | {"costs": [5, 1]}
    )
    costs = spec.error_costs(["bad", "good"])
    assert costs.matrix == {("bad", "good"): 5.0, ("good", "bad"): 1.0}
    assert costs.unit == "EUR"
    assert spec.shared != RunSpec().shared
    assert RunSpec().error_costs(["bad", "good"]) is None
    spec = RunSpec(nus=(0.01, 0.1), clauses=(1, 3))
    assert RunSpec.from_dict(spec.to_dict()) == spec
    assert RunSpec().nus == NUS
    spec = RunSpec(costs=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    result = spec.error_costs(["a", "b", "c"]).matrix
    assert (result["a", "b"], result["a", "c"], result["b", "a"], result["c", "b"]) == (1, 2, 3, 6)
    with pytest.raises(ValueError, match="for each pair of 2 outcomes, 2 in all; this run has 6"):
        spec.error_costs(["a", "b"])
