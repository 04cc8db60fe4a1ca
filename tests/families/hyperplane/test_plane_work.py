"""A plane that rows lie on."""

import numpy as np
import pytest

from rulekit import LPSVM, HyperplaneRuleClassifier, load_sample
from rulekit.families.hyperplane.plane_work import off_the_rows
from rulekit.families.hyperplane.solver.half_space import plane_values


def test_plane_without_rows_on_it_is_unchanged():
    assert off_the_rows(np.array([1.0, 2.0, 4.0]), 3.0) == 3.0


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
