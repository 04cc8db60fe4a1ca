"""The size of a tree of power laws: what the folds say is what was measured, and what follows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from rulekit import PowerLawTreeClassifier
from rulekit.data import make_folds
from rulekit.families.power_law import tree
from rulekit.families.power_law.growing import GrowthLimits
from rulekit.families.power_law.tree import MANY_ROWS, PRICE, Compared, sizes_of

LIMITS = GrowthLimits.from_parameters(PowerLawTreeClassifier())


def noisy(n=240, seed=0, noise=0.1):
    """A product of two columns decides, but for some rows; the third says nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(1.0, 3.0, (n, 3)), columns=list("abc"))
    return X, np.where((X["a"] * X["b"] > 4.0) ^ (rng.random(n) < noise), "good", "bad")


def compared(inside, length, n_rows, outside=()):
    sizes = sizes_of(LIMITS, n_rows)[: len(inside)]
    errors = np.array(outside, dtype=float).reshape(len(inside), -1)
    return Compared(sizes, np.array(inside), errors, np.array(length, dtype=float), n_rows, None)


def test_an_exponent_must_save_more_than_its_price():
    price = PRICE * np.sqrt(0.2 * 0.8 / 400)
    near, far = 0.2 + 0.9 * price, 0.2 + 1.1 * price
    limits = sizes_of(LIMITS, 400)
    assert compared([near, 0.2], [1, 2], 400).choose_limits() == limits[0]
    assert compared([far, 0.2], [1, 2], 400).choose_limits() == limits[1]
    assert compared([near, 0.2], [1, 3], 400).choose_limits() == limits[0]
    assert compared([0.2 + 2.1 * price, 0.2], [1, 3], 400).choose_limits() == limits[1]
    assert compared([near, 0.2], [1, 2], 40_000).choose_limits() == sizes_of(LIMITS, 40_000)[1]
    shortest = compared([0.1, 0.1, 0.1], [3, 2, 2], 400).choose_limits()
    assert shortest == limits[1]  # the first
    assert compared([0.2 + price, 0.2], [1, 2], 400).choose_limits() == limits[0]  # of equal ones


def test_sizes_weigh_rows_left_out_and_stay_within_limits():
    result = compared([0.2, 0.1], [1, 1], 400, [[0.2, 0.4], [0.3, 0.4]])
    assert result.error == pytest.approx([0.368 * 0.2 + 0.632 * 0.3, 0.368 * 0.1 + 0.632 * 0.35])
    assert result.choose_limits() == result.limits[1]
    result = compared([0.2, 0.1], [1, 1], 400, [[0.2, 0.3], [0.3, 0.4]])
    assert result.choose_limits() == result.limits[0]
    assert compared([0.1, 0.3, 0.2], [0, 2, 4], 400).choose_limits() == sizes_of(LIMITS, 400)[2]
    assert compared([0.1, 0.3], [0, 0], 400).choose_limits() == sizes_of(LIMITS, 400)[0]
    limits = GrowthLimits.from_parameters(PowerLawTreeClassifier(max_depth=1, max_exponents=2))
    results = [(size.max_depth, size.max_exponents) for size in sizes_of(limits, 10**6)]
    assert results == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert len(sizes_of(LIMITS, MANY_ROWS)) > len(sizes_of(LIMITS, MANY_ROWS - 1))


@pytest.mark.slow
def test_error_of_a_size_equals_trees_grown_without_each_fold():
    X, y = noisy()
    model = PowerLawTreeClassifier(max_depth=0, max_exponents=2, random_state=7).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    assert len(model.sizes_) == 2
    for result in model.sizes_:
        own = {"max_depth": result["max_depth"], "max_exponents": result["max_exponents"]}
        alone = PowerLawTreeClassifier(**own, inner_folds=None, random_state=7)
        wrong = [
            np.mean(alone.fit(X.iloc[train], y[train]).predict(X.iloc[test]) != y[test])
            for train, test in make_folds(codes, 3, random_state=7)
        ]
        alone.fit(X, y)
        inside = np.mean(alone.predict(X) != y)
        assert result["length"] == alone.n_conditions_
        # features are scaled by all training rows there, by those of the fold here: weights are
        # written short in either, and a row beside a cut may change sides
        error = 0.368 * inside + 0.632 * np.mean(wrong)
        assert result["error"] == pytest.approx(error, abs=3 / len(y))


@pytest.mark.slow
def test_the_error_of_a_size_is_that_on_all_of_many_rows():
    X, y = noisy(MANY_ROWS)
    model = PowerLawTreeClassifier(max_depth=0, max_exponents=2).fit(X, y)
    assert len(model.sizes_) == 2
    for result in model.sizes_:
        own = {"max_depth": result["max_depth"], "max_exponents": result["max_exponents"]}
        alone = PowerLawTreeClassifier(**own, inner_folds=None).fit(X, y)
        assert result["error"] == pytest.approx(np.mean(alone.predict(X) != y))
        assert result["length"] == alone.n_conditions_


def test_sample_of_very_many_rows_is_used(monkeypatch):
    monkeypatch.setattr(tree, "MANY_ROWS", 200)
    monkeypatch.setattr(tree, "MOST_ROWS", 300)
    X, y = noisy(400)
    model = PowerLawTreeClassifier(max_depth=0, max_exponents=2).fit(X, y)
    wrong = [300 * result["error"] for result in model.sizes_]
    assert wrong == pytest.approx(np.round(wrong))
    assert model.score(X, y) > 0.8


@pytest.mark.slow
def test_the_chosen_tree_is_the_one_grown_at_its_size_and_short():
    X, y = noisy()
    model = PowerLawTreeClassifier().fit(X, y)
    least = min(size["error"] for size in model.sizes_ if size["length"])
    price = PRICE * np.sqrt(least * (1 - least) / len(y))
    with_split = [size for size in model.sizes_ if size["length"]]
    best = min(with_split, key=lambda size: size["error"] + price * size["length"])
    own = {"max_depth": best["max_depth"], "max_exponents": best["max_exponents"]}
    alone = PowerLawTreeClassifier(**own, inner_folds=None).fit(X, y)
    assert model.rule_set_ == alone.rule_set_
    assert model.n_conditions_ <= 3
    assert PowerLawTreeClassifier(inner_folds=None).fit(X, y).n_conditions_ > 6


def test_no_size_is_chosen_without_rows_or_time():
    X, y = noisy(40)
    y = np.where(np.arange(40) == 7, "odd", y)
    model = PowerLawTreeClassifier(max_depth=1, max_exponents=2).fit(X, y)
    assert model.sizes_ == []


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_unfinished_size_choice_keeps_the_given_limits():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = PowerLawTreeClassifier(time_limit=1e-9).fit(X, y)
    assert model.sizes_ == []
