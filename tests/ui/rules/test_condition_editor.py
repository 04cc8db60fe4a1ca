"""The slider of a cut point covers a column in steps that can be read."""

import numpy as np
import pytest

from rulekit.rules import Literal
from ui.rules.condition_editor import digits_of, obstacle, slider_range


@pytest.mark.parametrize(
    ("values", "limit", "expected"),
    [
        (np.arange(101.0), 50.5, (0.0, 100.0, 1.0)),
        (np.linspace(0, 1, 1001), 0.25, (0.005, 0.995, 0.005)),
        (np.linspace(0, 1e-4, 1001), 2.5e-5, (5e-7, 1e-4, 5e-7)),
        (np.arange(101.0), 200.0, (0.0, 200.0, 1.0)),
        (np.array([3.0, 3.0]), 3.0, (3.0, 3.0, 1.0)),
        (np.array([]), 3.0, (3.0, 3.0, 1.0)),
    ],
)
def test_slider_covers_the_column_and_the_limit(values, limit, expected):
    assert slider_range(values, limit) == pytest.approx(expected, abs=1e-12)


def test_far_values_do_not_stretch_the_slider():
    values = np.append(np.linspace(0, 1, 999), 1e9)
    _, high, _ = slider_range(values, 0.5)
    assert high <= 1.1


@pytest.mark.parametrize(("number", "digits"), [(5.0, 0), (0.25, 2), (1e-7, 7), (1 / 3, 12)])
def test_digits_of_a_cut_point(number, digits):
    assert digits_of(number) == digits


def test_conditions_without_an_editor_have_a_sentence():
    assert obstacle(Literal("a", ">", 1.0)) == ""
    assert "no cut point" in obstacle(Literal("a", "missing"))
