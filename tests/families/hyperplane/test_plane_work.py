"""A plane that rows lie on, and rules of few boxes from planes of few columns."""

import numpy as np
import pandas as pd
import pytest

from rulekit import LPSVM, HyperplaneRuleClassifier, Literal, load_sample
from rulekit.exceptions import EmptyRuleWarning
from rulekit.families.hyperplane import explain_with_hyperplane, plane_work
from rulekit.families.hyperplane.plane_work import Number, off_the_rows, plane_condition
from rulekit.families.hyperplane.solver.half_space import plane_values
from tests.learners.planes import blobs, with_levels


def test_faces_and_planes_are_bounds_that_miss_no_row():
    assert off_the_rows(np.array([1.0, 2.0, 4.0]), 3.0) == 3.0
    age = Number("age")
    assert age.literals(1.0, 30.0, np.inf) == (Literal("age", ">", 30.0),)
    assert age.literals(-1.0, -np.inf, -30.0) == (Literal("age", ">=", 30.0),)
    assert age.literals(1.0, -np.inf, np.inf) == ()
    X = pd.DataFrame(np.random.default_rng(4).normal(size=(200, 2)), columns=["a", "b"])
    fitted = HyperplaneRuleClassifier(max_rules=4).fit(X, X["a"] + X["b"] > 0.2)
    columns = {name: X[name].to_numpy() for name in X}
    above = plane_condition(fitted.plane_, above=True).mask(columns)
    below = plane_condition(fitted.plane_, above=False).mask(columns)
    np.testing.assert_array_equal(above, ~below)


@pytest.mark.parametrize("noise", [-1e-15, 0.0, 1e-15])
def test_plane_with_rows_on_it_moves_half_way_to_the_next_row(noise):
    assert off_the_rows(np.array([1.0, 3.0 + noise, 4.0]), 3.0) == pytest.approx(3.5)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_rows_on_a_plane_do_not_depend_on_the_unit(scale):
    values = scale * np.array([-2.0, 3.0, 5.0])
    assert off_the_rows(values, 3.0 * scale) == pytest.approx(4.0 * scale)


@pytest.mark.slow
def test_rows_on_the_plane_get_the_linear_prediction():
    X, y = load_sample("credit").xy()
    model = HyperplaneRuleClassifier(LPSVM()).fit(X, y)
    plane = model.plane_
    values = plane_values(plane.rows, plane.w)
    answers = model.predict(X.dropna())
    low, high = (np.asarray(answers == label) for label in ("low", "high"))
    assert values[low].min() > values[high].max()
    assert values[low].min() - plane.gamma == pytest.approx(plane.gamma - values[high].max())


def few(size=2, **parameters):
    options = {"confidence_folds": 0, "max_rules": 3} | parameters
    return HyperplaneRuleClassifier(LPSVM(nu=1.0), max_columns=size, **options)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_boxes_of_few_columns_are_disjoint_and_never_cross_their_plane(size):
    X, y = blobs()
    model = few(size).fit(X, y)
    used = np.flatnonzero(model.plane_.w)
    assert 1 <= len(used) <= size
    boxes = model.boxes_[model.positive_label_]
    fired = model.clauses_fired(X)
    np.testing.assert_array_equal(fired, boxes.members(boxes.half.orient(model.plane_.rows)))
    assert fired.sum(axis=1).max() == 1
    assert boxes.half.contains(boxes.upper).all()
    assert model.n_rules_ <= 3


def test_a_single_column_gives_the_best_single_cut():
    X, y = load_sample("breast_cancer").xy()
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    best = min(
        min((above != codes).sum(), (above == codes).sum())
        for values in X.to_numpy().T
        for cut in np.unique(values)
        for above in [values > cut]
    )
    model = few(1, max_rules=1).fit(X, y)
    assert model.n_conditions_ == 1
    assert model.training_error_ * len(y) == pytest.approx(best)


def test_either_class_is_described_at_no_fewer_conditions():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((300, 2)), columns=["a", "b"])
    corner = (X["a"] > 0.6) & (X["b"] > 0.6)  # one box holds it, none all the others
    for label in ("in", "out"):
        y = np.where(corner, label, "other")
        model = few(max_rules=1).fit(X, y)
        assert model.positive_label_ == label
        assert model.n_conditions_ == 2
        assert (model.predict(X) == y).mean() > 0.94
        assert few(positive_label="other").fit(X, y).positive_label_ == "other"
    X, y = load_sample("breast_cancer").xy()
    free, named = (few(positive_label=p).fit(X, y) for p in (None, "benign"))
    assert free.training_error_ <= named.training_error_


def test_levels_and_several_classes_are_separated():
    X, y = with_levels()
    model = few(3).fit(X, y)
    assert {c.feature for k in model.rule_set_.clauses for c in k.literals} <= set(X)
    assert model.training_error_ < 0.3
    X, y = load_sample("iris").xy()
    model = few(2).fit(X, y)
    assert model.training_error_ <= 0.06
    assert all(np.count_nonzero(m.plane_.w) <= 2 for m in model.against_rest_.values())


def test_columns_and_place_are_selected_on_a_part_of_many_rows(monkeypatch):
    X, y = blobs(n=1200)
    whole = few().fit(X, y)
    monkeypatch.setattr(plane_work, "ROWS", 400)
    part = few().fit(X, y)
    held = part.clauses_fired(X)[y == part.positive_label_].any(axis=1)
    assert part.boxes_[part.positive_label_].n_points.sum() == held.sum()
    assert part.training_error_ == pytest.approx(whole.training_error_, abs=0.05)


def test_explanations_rest_on_the_plane_that_was_moved():
    X, y = blobs()
    model = few(2, confidence_folds=3).fit(X, y)
    above = plane_values(model.plane_.rows, model.plane_.w) > model.plane_.gamma
    explained = explain_with_hyperplane(model, X)
    assert [e.prediction for e in explained] == np.where(above, *reversed(model.classes_)).tolist()
    assert all(0 < e.confidence < 1 for e in explained)


def test_weights_and_directions_decide_where_the_plane_lies():
    X, y = blobs()
    shy = few(class_weight={"good": 1.0, "bad": 30.0}).fit(X, y)
    assert not ((shy.predict(X) == "good") & (y == "bad")).any()
    assert few(class_weight={"good": 30.0, "bad": 1.0}).fit(X, y).training_error_ < 0.1
    ways = {"directions": {"income": ">", "share": "<"}, "towards": "good"}
    model = few(1, constraints=ways).fit(X, y)
    read = np.flatnonzero(model.plane_.w)
    assert list(model.linear_.directions) == [model.plane_.design.names[j] for j in read]
    with pytest.warns(EmptyRuleWarning, match="the plane reads no column"):
        model = HyperplaneRuleClassifier(LPSVM(nu=1e-6), max_columns=2).fit(X, y)
    assert model.rule_set_.is_constant
