"""Sorting scans against the slow twins: cuts, intervals, steps; ties and weights included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.power_law.solver.split_search import (
    best_band_step,
    best_cut,
    best_interval,
    best_step,
)
from rulekit.families.power_law.solver.split_task import ClassMass
from tests.reference import power_laws as reference


@st.composite
def problems(draw):
    """Projections with ties, classes, and weights or none."""
    n, n_classes = draw(st.integers(3, 14)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = np.round(rng.normal(size=(3, n)), draw(st.sampled_from((0, 1, 6))))
    codes = np.r_[np.arange(n_classes) % 2 if n < n_classes else np.arange(n_classes), 0, 0][:n]
    codes = np.r_[codes, rng.integers(0, n_classes, max(0, n - len(codes)))]
    weight = rng.uniform(0.5, 3.0, n) if draw(st.booleans()) else None
    return values, ClassMass(codes.astype(np.int64), weight, n_classes), rng


@given(problems())
def test_best_cut_is_the_best_of_all_and_has_its_stated_value(problem):
    values, mass, _ = problem
    cut = best_cut(values, mass)
    for k, row in enumerate(values):
        if len(np.unique(row)) > 1:
            expected = reference.best_cut(row, mass.codes, mass.weight)
            assert cut.impurity[k] == pytest.approx(expected, abs=1e-9)
            assert not np.isin(cut.high[k], row)
        left = row <= cut.high[k]
        worth = reference.impurity(left, mass.codes, mass.weight)
        assert worth == pytest.approx(cut.impurity[k], abs=1e-9)
        assert mass.compute_impurity(left[None])[0] == pytest.approx(worth, abs=1e-9)


@given(problems())
def test_interval_has_its_stated_value_and_is_never_worse(problem):
    values, mass, _ = problem
    result = best_interval(values, mass)
    for k, row in enumerate(values):
        left = (row >= result.low[k]) & (row <= result.high[k])
        worth = reference.impurity(left, mass.codes, mass.weight)
        assert worth == pytest.approx(result.impurity[k], abs=1e-9)
        assert worth <= mass.gini + 1e-9


@pytest.mark.slow
def test_intervals_are_within_thousandths_of_the_best():
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(30):
        n = 40
        codes = rng.integers(0, 2, n)
        values = rng.normal(size=(1, n)) * np.where(codes == 1, 0.4, 1.3) + 0.3 * codes
        result = best_interval(values, ClassMass(codes, None, 2)).impurity[0]
        gaps.append(result - reference.best_interval(values[0], codes))
    assert min(gaps) > -1e-9
    assert np.mean(np.array(gaps) < 1e-9) >= 0.85
    assert np.mean(gaps) <= 0.002


@given(problems())
def test_a_step_is_the_best_of_all_steps(problem):
    values, mass, rng = problem
    values, along = values + 0.1, rng.normal(size=values.shape)
    result = best_step(values, along, mass)
    for k in range(len(values)):
        expected = reference.best_step(values[k], along[k], mass.codes, mass.weight)
        assert result.impurity[k] == pytest.approx(expected, abs=1e-9)
        left = values[k] + result.high[k] * along[k] <= 0
        worth = reference.impurity(left, mass.codes, mass.weight)
        assert worth == pytest.approx(expected, abs=1e-9)


@given(problems())
def test_a_step_of_a_band_is_the_best_of_all_steps(problem):
    values, mass, rng = problem
    along = rng.normal(size=values.shape)
    low, high = np.full(len(values), -0.55), np.full(len(values), 0.75)
    result = best_band_step(values, along, (low, high), mass)
    for k in range(len(values)):
        expected = reference.best_band_step(
            values[k], along[k], -0.55, 0.75, mass.codes, mass.weight
        )
        assert result.impurity[k] == pytest.approx(expected, abs=1e-9)


def test_cut_in_the_widest_gap_wins_among_equal_ones():
    mass = ClassMass(np.array([0, 1, 0, 1]), None, 2)
    cut = best_cut(np.array([[0.0, 1.0, 1.5, 9.5]]), mass)
    assert cut.high[0] == pytest.approx(5.5)
