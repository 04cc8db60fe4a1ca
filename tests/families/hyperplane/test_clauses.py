"""Boxes and planes as clauses: faces at the table's edge ask for nothing."""

import numpy as np
import pandas as pd
import pytest

from rulekit import LPSVM
from rulekit.exceptions import DataError
from rulekit.families.hyperplane.clauses import box_clauses, face_literals, plane_condition
from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.numeric_design import Number
from rulekit.rules import Literal, RuleSet


def test_face_is_a_bound_and_infinite_faces_give_no_condition():
    age = Number("age")
    assert face_literals(age, 1.0, 30.0, np.inf) == (Literal("age", ">", 30.0),)
    assert face_literals(age, -1.0, -np.inf, -30.0) == (Literal("age", ">=", 30.0),)
    assert face_literals(age, 1.0, -np.inf, np.inf) == ()


@pytest.fixture
def model():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    return HyperplaneRuleClassifier(max_rules=4).fit(X, X["a"] + X["b"] > 0.2), X


def test_clauses_of_boxes_match_the_boxes(model):
    fitted, X = model
    boxes = fitted.boxes_[fitted.positive_label_]
    clauses = tuple(box_clauses(fitted.plane_, boxes))
    assert len(clauses) == len(boxes.lower)
    fired = RuleSet(clauses, (1,) * len(clauses), "dnf", 0).clauses_fired(X)
    v = X.to_numpy()[:, boxes.half.columns] * boxes.half.signs
    lower = np.where(boxes.lower < boxes.half.low, -np.inf, boxes.lower)
    upper = np.where(boxes.upper >= boxes.half.high, np.inf, boxes.upper)
    held = ((v[:, None] > lower) & (v[:, None] <= upper)).all(axis=2)
    np.testing.assert_array_equal(fired, held)


def test_the_two_sides_of_a_plane_are_each_other_s_negation(model):
    fitted, X = model
    columns = {name: X[name].to_numpy() for name in X}
    above = plane_condition(fitted.plane_, above=True).mask(columns)
    below = plane_condition(fitted.plane_, above=False).mask(columns)
    np.testing.assert_array_equal(above, ~below)


def test_a_plane_over_levels_of_text_is_no_sum_of_columns():
    X = pd.DataFrame({"town": ["Ulm", "Bonn"] * 20, "a": np.arange(40.0)})
    learner = HyperplaneRuleClassifier(LPSVM(nu=10.0), uncovered="hyperplane")
    with pytest.raises(DataError, match="needs a plane over columns of numbers"):
        learner.fit(X, X["town"] == "Ulm")
