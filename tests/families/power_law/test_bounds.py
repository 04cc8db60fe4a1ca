"""Bounds of a last split: no others have fewer rows wrong, tried one by one."""

import numpy as np
import pandas as pd
import pytest

from rulekit import PowerLawTreeClassifier
from rulekit.families.power_law.growing import with_least_wrong
from rulekit.rules import Factor, PowerLaw, PowerLawSplit
from tests.reference.power_laws import least_wrong, wrong_of

SUM = (PowerLaw(1.0, (Factor("a"),)), PowerLaw(-2.0, (Factor("b", 2),)))


def rows(seed, n=40, n_classes=2, ties=False):
    """Draw columns with gaps, classes that lean on their sum, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    columns = {"a": rng.normal(size=n), "b": rng.normal(size=n)}
    if ties:
        columns = {name: np.round(values) for name, values in columns.items()}
    total = columns["a"] - 2 * columns["b"] ** 2
    codes = np.digitize(total + rng.normal(size=n), np.linspace(-3, 1, n_classes + 1)[1:-1])
    columns["a"][rng.random(n) < 0.1] = np.nan
    return columns, codes, rng.integers(0, 4, n) * 0.5


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_no_cut_has_fewer_rows_wrong(missing, n_classes, ties):
    for seed in range(6):
        table = rows(seed, n_classes=n_classes, ties=ties)
        split = PowerLawSplit(SUM, -2.0, None, bool(seed % 2), missing)
        found = with_least_wrong(split, *table)
        assert wrong_of(found, *table) == pytest.approx(
            min(wrong_of(split, *table), least_wrong(split, *table))
        )
        assert (found.terms, found.inside, found.missing) == (SUM, split.inside, missing)


@pytest.mark.parametrize("inside", [False, True])
def test_no_move_of_one_bound_of_a_band_saves_a_row(inside):
    moved = 0
    for seed in range(12):
        table = rows(seed, n_classes=3)
        split = PowerLawSplit(SUM, -0.5, -4.0, inside)
        found = with_least_wrong(split, *table)
        assert wrong_of(found, *table) <= wrong_of(split, *table)
        assert wrong_of(found, *table) <= least_wrong(found, *table)
        moved += found != split
    assert moved > 3


def test_a_split_that_is_best_stays_as_it_was():
    columns = {"a": np.array([1.0, 2.0, 3.0, 4.0]), "b": np.zeros(4)}
    split = PowerLawSplit(SUM, 2.3)
    codes = np.array([0, 0, 1, 1])
    assert with_least_wrong(split, columns, codes, np.ones(4)) is split
    same = {name: np.ones(4) for name in "ab"}
    assert with_least_wrong(split, same, codes, np.ones(4)) is split


def test_tree_predicts_a_rare_class_if_that_saves_rows():
    """Impurity alone sets the cut where both sides answer the same, and nothing would be left."""
    rng = np.random.default_rng(0)
    a = np.sort(rng.uniform(1.0, 2.0, 400))
    chance = np.where(np.arange(400) >= 390, 0.8, np.where(np.arange(400) >= 250, 0.3, 0.0))
    y = rng.random(400) < chance
    model = PowerLawTreeClassifier(max_depth=0, max_exponents=1, inner_folds=None)
    model.fit(pd.DataFrame({"a": a}), y)
    assert model.n_splits_ == 1
    best = min(((a > cut) != y).mean() for cut in a)
    assert model.training_error_ == pytest.approx(best)
    assert best < y.mean()
