"""Learning the ideal DNF from a table in a database: exact counts, and errors."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rulekit import Binarizer, IdealDNFClassifier
from rulekit.exceptions import DataError, StoppedError
from tests.engine_tables import as_arrow, everywhere, in_memory

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
ROW = "row; --"
HOSTILE = ('a"; DROP TABLE t; --', "c1", "it's", "Ä ::INTEGER", "A", "b", "rn")


def hostile_table(seed=0, n=3000):
    """Every kind of column, under names that mean something to a database."""
    rng = np.random.default_rng(seed)
    names = iter(HOSTILE)
    X = pd.DataFrame(
        {
            next(names): rng.normal(size=n).astype(np.float32),
            next(names): rng.integers(0, 5, n).astype(np.int8),
            next(names): rng.choice(["o'clock", "::INTEGER", "", "Ünal"], n),
            next(names): rng.choice([3.5, -1.0], n),
            next(names): rng.random(n) < 0.2,
            next(names): np.where(rng.random(n) < 0.7, 9.0, rng.integers(0, 9, n)),
            next(names): rng.normal(size=n),
        }
    )
    y = (X[HOSTILE[0]] > 0.3) & (X[HOSTILE[1]] > 1) | (X[HOSTILE[2]] == "o'clock") & X["A"]
    X.loc[rng.random(n) < 0.1, HOSTILE[6]] = np.nan
    X.loc[rng.random(n) < 0.05, HOSTILE[2]] = None
    return X, np.where(y ^ (rng.random(n) < 0.1), "l'un", 'l"autre').astype(object)


def placed(put, X, y):
    """Load a table with numbered rows into an engine, and return it in memory too."""
    rows = pa.Table.from_pandas(X.assign(**{"the class": y}), preserve_index=False)
    return put(rows.append_column(ROW, pa.array(np.arange(len(X)))))


def fitted(model, table, **options):
    return model.fit_table(table, "the class", key=ROW, **options)


def assert_counted(model, X, y):
    """Compare the counts with those of the rows in memory, to the row."""
    columns = model.read_columns(X)
    answers = [condition.mask(columns) for condition in model.conditions_]
    described = y == model.positive_label_
    kinds = pd.DataFrame(np.array(answers).T).groupby(list(range(len(answers)))) if answers else ()
    expected = {}
    for answer, rows in kinds.indices.items() if answers else ():
        counts = int(described[rows].sum()), int((~described[rows]).sum())
        expected[answer if isinstance(answer, tuple) else (answer,)] = counts
    k = len(model.conditions_)
    result = {tuple(row[:k]): tuple(row[k : k + 2]) for row in model.types_.itertuples(index=False)}
    assert result == expected
    wrong = model.predict(X) != y
    factors = dict(zip(model.classes_, weights_of(model, y), strict=True))
    weight = np.array([factors[label] for label in y])
    assert model.training_error_ == pytest.approx(np.average(wrong, weights=weight))
    assert model.n_rows_ == len(X)
    assert model.has_seen(X).all()


def weights_of(model, y):
    if model.class_weight is None:
        return [1.0, 1.0]
    return [1 / (y == label).sum() for label in model.classes_]


@pytest.mark.slow
@everywhere
@pytest.mark.parametrize("rows", [100_000, 400])
def test_an_engine_counts_every_row(put, rows):
    X, y = hostile_table(0, 1200)
    model = IdealDNFClassifier(tolerance=0.0, positive_label="l'un", random_state=0)
    fitted(model, placed(put, X, y), sample_rows=rows)
    assert len(model.conditions_) > 2
    assert_counted(model, X, y)


@pytest.mark.slow
@in_memory
@pytest.mark.parametrize(
    "settings",
    [
        {"random_state": 1, "tolerance": 0.0},
        {"class_weight": "balanced", "positive_label": 'l"autre', "mode": "paper"},
        {"constraints": {"forbidden": [HOSTILE[0]]}, "random_state": 3},
        {"max_variables": 12, "tolerance": 0.0, "random_state": 4},
        {"binarizer": Binarizer(n_thresholds=4), "random_state": 5},
        {"binarizer": Binarizer("entropy", n_thresholds=None), "random_state": 6},
    ],
)
def test_a_formula_of_a_sample_is_counted_on_all_rows(put, settings):
    X, y = hostile_table(3)
    model = IdealDNFClassifier(**{"random_state": 0} | settings)
    fitted(model, placed(put, X, y), sample_rows=500)
    assert 0 < model.n_held_out_ < 700  # of a sample of about 500
    assert_counted(model, X, y)


@in_memory
def test_gaps_and_levels_outside_the_sample_are_counted(put):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=4000), "c": rng.choice(["a", "b"], 4000)})
    y = np.where((X["x"] > 0) & (X["c"] == "a"), "yes", "no").astype(object)
    X.loc[X.index % 500 == 7, "x"] = np.nan  # eight gaps, four of them with a third level
    X.loc[X.index % 1000 == 7, "c"] = "rare"
    sampled = []
    for seed in range(20):
        model = IdealDNFClassifier(random_state=seed, positive_label="yes")
        fitted(model, placed(put, X, y), sample_rows=200)
        assert_counted(model, X, y)
        plain = IdealDNFClassifier(random_state=seed).fit(X[X["x"].notna()], y[X["x"].notna()])
        sampled.append(str(plain.conditions_) != str(model.conditions_))
    assert any(sampled)


@in_memory
def test_a_sample_without_one_class_raises(put):
    table = put(as_arrow({"x": np.arange(20_000.0), "y": np.arange(20_000) == 77}))
    with pytest.raises(DataError, match=r"it holds 1 rows of the other\. Raise `sample_rows`"):
        IdealDNFClassifier(random_state=0).fit_table(table, "y", sample_rows=100)
    with pytest.raises(ValueError, match=r"`sample_rows` must be .* got 5"):
        IdealDNFClassifier(random_state=0).fit_table(table, "y", sample_rows=5)


@pytest.mark.parametrize("classes", [(0, 1), (False, True), (2.0, 7.0)])
@in_memory
def test_classes_of_any_kind_come_back_as_they_were(put, classes):
    X, y = hostile_table(4, n=500)
    y = np.where(y == "l'un", *classes[::-1])
    model = fitted(IdealDNFClassifier(random_state=0), placed(put, X, y))
    assert model.predict(X).dtype == y.dtype
    assert_counted(model, X, y)


@in_memory
def test_only_the_features_requested_are_read(put):
    X, y = hostile_table()
    table = placed(put, X.assign(names=[f"n{i}" for i in range(len(X))]), y)
    model = fitted(IdealDNFClassifier(random_state=0), table, features=["A", "c1"])
    assert list(model.feature_names_in_) == ["A", "c1"]
    assert {c.feature for c in model.conditions_} <= {"A", "c1"}


@pytest.mark.slow
@in_memory
def test_progress_is_monotonic_and_its_errors_end_the_work(put):
    X, y = hostile_table(n=300)
    table, shares = placed(put, X, y), []
    model = IdealDNFClassifier(random_state=0)
    fitted(model, table, on_progress=lambda share, what: shares.append(share))
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)

    def stop(share, what):
        raise StoppedError("enough")

    fresh = IdealDNFClassifier(random_state=0)
    with pytest.raises(StoppedError, match="enough"):
        fitted(fresh, table, on_progress=stop)
    assert not hasattr(fresh, "rule_set_")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [0, 1, 2] * 9, "x": np.arange(27.0)}, "'y' must take two values; it takes 3"),
        ({"y": [0.5, 1.0, 0.5], "x": [1.0, 2.0, 3.0]}, "whole numbers, text or truth values"),
        ({"y": [0, 0, 0], "x": [1.0, 2.0, 3.0]}, "must take 2 to 100 values; it takes 1"),
        ({"y": [0, 1, None], "x": [1.0, 2.0, 3.0]}, "is missing in 1 rows"),
        ({"y": [0, 1, 0], "x": [[1], [2], [3]]}, "Column 'x' must hold numbers, text"),
        ({"y": [0, 1, 0] * 9, "x": [*range(26), np.inf]}, "'x' must hold finite numbers"),
        ({"y": [0, 1, 0]}, "no column except the class"),
        ({"x": [0, 1, 0]}, "The table has no column 'y'; it has 'x'"),
        ({"y": [0, 1] * 100, "x": [*map(str, range(200))]}, "Column 'x' holds too many different"),
    ],
)
@in_memory
def test_unusable_tables_raise_with_the_reason(put, columns, message):
    with pytest.raises(DataError, match=message):
        IdealDNFClassifier(random_state=0).fit_table(put(pa.table(columns)), "y")


@in_memory
def test_the_class_is_not_learned_from_itself(put):
    table = put(pa.table({"y": [0, 1], "x": [1, 2]}))
    with pytest.raises(DataError, match="'y' cannot be a feature"):
        IdealDNFClassifier().fit_table(table, "y", ["y"])
    with pytest.raises(ValueError, match="`table` must be a table of ibis, got str"):
        IdealDNFClassifier().fit_table("rows.parquet", "y")
