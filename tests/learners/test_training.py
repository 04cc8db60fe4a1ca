"""What one fit works on: rows checked once, work done once, and an end to it."""

import time

import numpy as np
import pandas as pd
import pytest

from rulekit import (
    LPSVM,
    Binarizer,
    Constraints,
    FixedRuleClassifier,
    HyperplaneRuleClassifier,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
)
from rulekit.binning.binned_table import row_order
from rulekit.data import columns_of
from rulekit.exceptions import DataError
from rulekit.learners import training
from rulekit.learners.training import Clock, learning_problem, read_training_table
from tests.learners.tables import mixed_table


def test_tables_of_any_size_predict_like_their_rows():
    X, y = mixed_table(n=60)
    model = OneLevelRuleClassifier(theta=0.5).fit(X, y)
    for requested in (model, FixedRuleClassifier(model.rule_set_)):
        rows = requested.read_columns(X)
        assert requested.read_columns(rows) is rows
        np.testing.assert_array_equal(requested.predict(rows), requested.predict(X))
        np.testing.assert_array_equal(requested.predict_proba(rows), requested.predict_proba(X))
        np.testing.assert_array_equal(requested.clauses_fired(rows), requested.clauses_fired(X))
    X, y = pd.DataFrame({"dose": np.arange(40.0)}), np.arange(40) > 20
    for unit in (1e306, 1e-310):
        model = OneLevelRuleClassifier().fit(X * unit, y)
        np.testing.assert_array_equal(
            model.predict(X * unit), OneLevelRuleClassifier().fit(X, y).predict(X)
        )


def test_work_and_randomness_are_shared_once_per_table():
    X, y = mixed_table(n=30)
    table, made = read_training_table(OneLevelRuleClassifier(), X, y, None), []
    for key in ("a", "b", "a"):
        assert table.once(key, lambda key=key: made.append(key) or key.upper()) == key.upper()
    assert made == ["a", "b"]
    table, other = (read_training_table(OneLevelRuleClassifier(), X, y, None) for _ in range(2))
    first, second = (table.generator(None).integers(2**60) for _ in range(2))
    assert first == second != other.generator(None).integers(2**60)
    assert table.generator(7).integers(2**60) == np.random.default_rng(7).integers(2**60)


def test_clock_distinguishes_timeout_from_a_stop(monkeypatch):
    late, stopped = Clock(time.monotonic() - 1.0), Clock(None, lambda: True)
    assert (late(), late.ran_out, late.is_stopped()) == (True, True, False)
    assert (stopped(), stopped.ran_out, stopped.is_stopped()) == (True, False, True)
    assert not any(Clock.from_seconds(limit)() for limit in (None, 1e6))
    now = [0.0]
    monkeypatch.setattr(training, "load", lambda name: now.append(now.pop() + 30.0))
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    assert Clock.from_seconds(10.0, None, ["slow to compile"]).end == 40.0


@pytest.mark.parametrize(
    "learner", [HyperplaneRuleClassifier(), LPSVM(), PowerLawTreeClassifier(max_depth=1)]
)
@pytest.mark.parametrize("unit", [1e307, 1e-310, 1e200])
def test_numbers_that_cannot_be_computed_with_are_reported_by_column(learner, unit):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"dose": rng.uniform(0.1, 1, 40) * unit, "age": rng.uniform(0.1, 1, 40)})
    y = (X["dose"] / unit > X["age"]).astype(int)
    with pytest.raises(DataError, match=r"Column .dose. holds numbers up to .* in another unit"):
        learner.fit(X, y)


WORDS = np.array(["red", "blue", "green", "cold", "warm", "old"])


def everything(seed, n=120):
    """Make a table with every kind of column, two of which are read in several ways."""
    rng = np.random.default_rng(seed)
    hours = pd.to_timedelta(24 * rng.integers(0, 900, n) + rng.integers(0, 24, n), "h")
    X = pd.DataFrame(
        {
            "opened": pd.Timestamp("2024-01-01") + hours,
            "b.": rng.normal(size=n).round(1),
            "b": rng.integers(0, 3, n),
            "level": rng.choice(list("uvwxyz"), n),
            "flag": rng.integers(0, 2, n).astype(float),
            "text": [f"{' '.join(rng.choice(WORDS, 5))} no{i}" for i in range(n)],
        }
    )
    if seed % 2:
        for j, name in enumerate(X):
            X.loc[X.index[j :: 7 + j], name] = None
    return X, rng.integers(0, 3 if seed % 3 == 0 else 2, n), rng.choice([1.0, 2.0], n)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_columns_and_sums_equal_the_matrix(form, seed):
    X, y, weight = everything(seed)
    cuts = Binarizer(n_thresholds=(5, None)[seed % 2]).fit(X, y)
    limits_given = (
        Constraints(forbidden=["b"], allow_not_equal=False) if seed % 4 == 0 else Constraints()
    )
    labelled = cuts.transform(X).with_labels(y == 1, weight)
    problem = learning_problem(labelled, columns_of(X), form=form, constraints=limits_given)
    matrix = cuts.transform(X)
    place = {literal: j for j, literal in enumerate(matrix.literals)}
    literals = [one if form == "dnf" else one.negate() for one in problem.table.literals]
    decided = matrix.values[:, [place[literal] for literal in literals]] ^ (form == "dnf")
    np.testing.assert_array_equal(
        problem.rows, row_order(decided, (y == 1) ^ (form == "dnf"), weight)
    )
    table, A = problem.table, ~decided[problem.rows]
    np.testing.assert_array_equal(table.values, A)
    np.testing.assert_array_equal(table.opposite.values, ~A)
    np.testing.assert_array_equal(table.y, (y == 1)[problem.rows] ^ (form == "cnf"))
    for j, literal in enumerate(table.literals):
        np.testing.assert_array_equal(literal.mask(problem.columns), A[:, j])
    np.testing.assert_array_equal(table.weight, weight[problem.rows])
    values = np.arange(len(y), dtype=float)
    np.testing.assert_array_equal(table.sums(values), values @ A)
    chosen = np.random.default_rng(seed).random((3, len(A[0]))) < 2 / len(A[0])
    held = [any(row[clause].all() for clause in chosen) for row in A]
    np.testing.assert_array_equal(table.evaluate_dnf(chosen), held)
