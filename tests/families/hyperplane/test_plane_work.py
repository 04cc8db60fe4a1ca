"""A plane that rows lie on."""

import numpy as np
import pandas as pd
import pytest

from rulekit import LPSVM, HyperplaneRuleClassifier, load_sample
from rulekit.families.hyperplane.numeric_design import Number
from rulekit.families.hyperplane.plane_work import off_the_rows, plane_condition
from rulekit.families.hyperplane.solver.half_space import plane_values
from rulekit.rules import Literal


def test_faces_and_planes_are_bounds_that_miss_no_row(model):
    assert off_the_rows(np.array([1.0, 2.0, 4.0]), 3.0) == 3.0
    age = Number("age")
    assert age.literals(1.0, 30.0, np.inf) == (Literal("age", ">", 30.0),)
    assert age.literals(-1.0, -np.inf, -30.0) == (Literal("age", ">=", 30.0),)
    assert age.literals(1.0, -np.inf, np.inf) == ()
    fitted, X = model
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


@pytest.fixture
def model():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    return HyperplaneRuleClassifier(max_rules=4).fit(X, X["a"] + X["b"] > 0.2), X
