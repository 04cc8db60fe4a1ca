"""Costs of a run: one for each pair of answers, in the order of the labels."""

import pytest

from ui.learners.spec import RunSpec


def test_costs_match_the_labels_and_survive_json():
    spec = RunSpec.from_dict(
        RunSpec(costs=(5.0, 1.0), cost_unit="EUR").to_dict() | {"costs": [5, 1]}
    )
    costs = spec.error_costs(["bad", "good"])
    assert costs.matrix == {("bad", "good"): 5.0, ("good", "bad"): 1.0}
    assert costs.unit == "EUR"
    assert spec.shared != RunSpec().shared
    assert RunSpec().error_costs(["bad", "good"]) is None


def test_costs_of_three_labels_are_six_and_others_are_refused():
    spec = RunSpec(costs=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    found = spec.error_costs(["a", "b", "c"]).matrix
    assert (found["a", "b"], found["a", "c"], found["b", "a"], found["c", "b"]) == (1, 2, 3, 6)
    with pytest.raises(ValueError, match="for each pair of 2 outcomes, 2 in all; this run has 6"):
        spec.error_costs(["a", "b"])
