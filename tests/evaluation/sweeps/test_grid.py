"""Grids: what they list, what they refuse, and the order in which fits are made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

from rulekit import BoxSearchClassifier
from rulekit.evaluation.sweeps.grid import THETA_GRID, rule_learners, settings_of, units_of
from rulekit.families.hyperplane.hyperplane import plane_price


def test_grids_are_listed_once_with_truth_values_apart():
    assert len(THETA_GRID) == 18
    assert THETA_GRID[:4] == (0.0001, 0.0002, 0.0005, 0.001)
    assert THETA_GRID[-1] == 50.0
    parts = [{"theta": [1, 2]}, {"theta": [2, 3], "n_clauses": [1]}, {"theta": [2]}]
    assert settings_of(parts) == (
        {"theta": 1},
        {"theta": 2},
        {"theta": 2, "n_clauses": 1},
        {"theta": 3, "n_clauses": 1},
    )
    assert len(settings_of({"refine": [True, 1, False]})) == 3


class Learner(BaseEstimator):
    """An estimator with two parameters."""

    def __init__(self, theta=1.0, method="lp"):
        self.theta = theta
        self.method = method


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ({"theta": []}, "at least one value for 'theta'"),
        ({"theta": 1.0}, "needs a list of values for 'theta', found 1.0"),
        ({"method": "set_cover"}, "needs a list of values for 'method'"),
        (
            {"price": [1]},
            "varies 'price', which the learner does not have; it has 'method', 'theta'",
        ),
        ([], "at least one setting; it is empty"),
        ([3], "a dictionary of lists, or a list of such dictionaries; found 3"),
    ],
)
def test_invalid_grids_raise(grid, sentence):
    with pytest.raises(ValueError, match=sentence):
        settings_of(grid, Learner())


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 3))
def test_every_setting_is_in_exactly_one_unit(prices, n_levels):
    settings = [{"theta": p, "robustness": r} for p in prices for r in range(n_levels)]
    whole = units_of(BoxSearchClassifier(), settings)
    assert len(whole) == (len(settings) > 0)
    kinds = units_of(BoxSearchClassifier(), settings, split=True)
    assert all(len({settings[i]["robustness"] for i in g}) == 1 for g in kinds)
    others = units_of(DecisionTreeClassifier(), settings)
    assert all(settings[i] == settings[g[0]] for g in others for i in g)
    for groups in (whole, kinds, others):
        assert sorted(i for g in groups for i in g) == list(range(len(settings)))


def test_the_middle_price_comes_first_and_defaults_take_the_classes():
    settings = settings_of({"theta": [1, 2, 3, 4, 5], "n_clauses": [1, 2]})
    (order,) = units_of(BoxSearchClassifier(), settings)
    assert [settings[i]["theta"] for i in order[:6]] == [3, 3, 5, 5, 1, 1]
    names = [family.name for family in rule_learners(["a", "b"] * 30)]
    assert names[0] == "box search"
    assert len(set(names)) == 5
    for family in rule_learners(["a", "b", "c"] * 30):
        assert family.name != "ideal DNF"
        assert family.estimator.__sklearn_tags__().classifier_tags.multi_class
        names = set(family.estimator.get_params())
        assert {name for name in family.grid if "__" not in name} <= names
    for family in rule_learners(["a", "b"] * 30):
        assert len(family.settings) >= 9


def test_default_learners_scale_and_draw_with_the_seed_0():
    assert plane_price(50) == 0.3
    assert plane_price(0) == plane_price(1)
    families = rule_learners(["a", "b"] * 30)
    assert [family.name for family in families if family.whole_front] == ["box search"]
    assert all(family.settings is family.settings for family in families)
    learners = rule_learners(["ill"] * 20 + ["well"] * 30)
    assert {f.estimator.get_params().get("random_state", 0) for f in learners} == {0}
