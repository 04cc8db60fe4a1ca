"""The paper's controlled tables have the shape and the classes it describes."""

import numpy as np
import pytest

from benchmarks.papers.power_law_tables import curve_table, pareto_table


@pytest.mark.parametrize(
    ("name", "on", "off"), [("DS1", 100, 100), ("DS2", 10, 200), ("DS3", 100, 100)]
)
def test_one_class_lies_on_the_curve_and_the_other_beyond_it(name, on, off):
    made = curve_table(name, random_state=3)
    x1, x2 = made.frame["x1"], made.frame["x2"]
    is_on = made.labels == "on"
    assert (is_on.sum(), (~is_on).sum()) == (on, off)
    above = x1**2 + x2 - 1 if name == "DS3" else 2 * x1 + x2 - 3
    assert above[is_on].between(0, 0.0301).all()
    assert (above[~is_on] > 0.02).all()


def test_the_fourth_table_has_the_other_class_on_both_sides():
    made = curve_table("DS4")
    above = 2 * made.frame["x1"] + made.frame["x2"] - 3
    off = above[made.labels == "off"]
    assert ((off > 0).sum(), (off < 0).sum()) == (50, 50)


@pytest.mark.parametrize(("problem", "first"), [("m-ZDT", 2), ("m-DTLZ", 4)])
def test_pareto_points_have_pairs_that_sum_to_one(problem, first):
    made = pareto_table(problem, 9, n_rows=50)
    X = made.frame.to_numpy()
    good, bad = X[made.labels == "pareto"], X[made.labels == "other"]
    pairs = np.arange(first - 1, 8, 2)
    np.testing.assert_allclose(good[:, pairs] + good[:, pairs + 1], 1.0)
    assert (np.abs(bad[:, pairs] + bad[:, pairs + 1] - 1.0) > 1e-9).all()


def test_only_the_first_of_hundreds_of_variables_are_moved():
    made = pareto_table("m-DTLZ", 500, n_rows=20)
    X = made.frame.to_numpy()[made.labels == "other"]
    pairs = np.arange(3, 499, 2)
    moved = np.abs(X[:, pairs] + X[:, pairs + 1] - 1.0).max(axis=0) > 1e-9
    assert moved[:13].all()
    assert not moved[14:].any()


def test_a_seed_gives_one_table_and_another_seed_another():
    a, b, c = (curve_table("DS1", random_state=s).frame for s in (1, 1, 2))
    assert a.equals(b)
    assert not a.equals(c)


def test_unknown_names_and_too_few_variables_are_refused():
    with pytest.raises(ValueError, match="`name` must be one of"):
        curve_table("DS5")
    with pytest.raises(ValueError, match="`problem` must be 'm-ZDT' or 'm-DTLZ'"):
        pareto_table("ZDT1")
    with pytest.raises(ValueError, match="`n_features` must be at least 6"):
        pareto_table("m-ZDT", 5)
