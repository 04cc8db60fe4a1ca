"""Learning from a table that stays where it is: the very model of memory, and what goes wrong."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rulekit import Binarizer, IdealDNFClassifier
from rulekit.data.tables import open_table
from rulekit.exceptions import DataError, StoppedError
from rulekit.families.ideal_dnf import engine_conditions
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


def assert_same(one, other, X):
    assert one.rule_set_ == other.rule_set_
    assert one.history_ == other.history_
    assert one.conditions_ == other.conditions_
    assert (one.n_held_out_, one.n_rows_) == (other.n_held_out_, other.n_rows_)
    pd.testing.assert_frame_equal(one.types_, other.types_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(one.seen(X), other.seen(X))
    assert one.predict(X).dtype == other.predict(X).dtype


@pytest.mark.slow
@everywhere
def test_an_engine_gives_the_very_model_of_its_rows_in_memory(put):
    X, y = hostile_table(0, 1200)
    model = IdealDNFClassifier(tolerance=0.0, positive_label="l'un", random_state=0)
    memory = IdealDNFClassifier(**model.get_params(deep=False)).fit(X, y)
    assert_same(memory, fitted(model, placed(put, X, y)), X)
    assert len(memory.conditions_) > 2


@pytest.mark.slow
@in_memory
@pytest.mark.parametrize(
    "settings",
    [
        {"random_state": 1, "tolerance": 0.0},
        {"random_state": 2},
        {"class_weight": "balanced", "positive_label": 'l"autre', "mode": "paper"},
        {"constraints": {"forbidden": [HOSTILE[0]]}, "random_state": 3},
        {"max_variables": 12, "tolerance": 0.0, "random_state": 4},
        {"binarizer": Binarizer(n_thresholds=4), "random_state": 5},
        {"binarizer": Binarizer("entropy", n_thresholds=None), "random_state": 6},
        {"binarizer": Binarizer("median", max_levels=3), "random_state": 7},
        {"binarizer": Binarizer("uniform", n_thresholds=3), "random_state": 8},
    ],
)
def test_no_setting_makes_a_difference_to_that(put, settings):
    X, y = hostile_table(3)
    model = IdealDNFClassifier(**{"random_state": 0} | settings)
    memory = IdealDNFClassifier(**model.get_params(deep=False)).fit(X, y)
    assert_same(memory, fitted(model, placed(put, X, y)), X)


@pytest.mark.slow
@in_memory
@pytest.mark.parametrize("method", [None, "quantile", "median"])
def test_a_table_larger_than_a_sample_is_cut_by_its_engine(put, monkeypatch, method):
    X, y = hostile_table(9)
    two = np.arange(len(X)) % 2
    X = X.assign(two=two * 1.0, rare=np.where(np.arange(len(X)) == 7, 0.5, two))
    monkeypatch.setattr(engine_conditions, "SAMPLE_ROWS", 500)
    monkeypatch.setattr(engine_conditions, "LEAST_SHARE", 0)
    binarizer = None if method is None else Binarizer(method, n_thresholds=3)
    model = IdealDNFClassifier(binarizer=binarizer, random_state=0)
    memory = IdealDNFClassifier(**model.get_params(deep=False)).fit(X, y)
    assert_same(memory, fitted(model, placed(put, X, y)), X)


@pytest.mark.slow
@in_memory
def test_types_of_many_conditions_are_counted_in_a_query_each(put, monkeypatch):
    X, y = hostile_table(2, 600)
    found = []
    for most in (0, 16):
        monkeypatch.setattr("rulekit.families.ideal_dnf.engine_counts.TOGETHER", most)
        found.append(fitted(IdealDNFClassifier(random_state=0), placed(put, X, y)))
    assert_same(*found, X)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [(0, 1), (False, True), (2.0, 7.0)])
@in_memory
def test_classes_of_any_kind_come_back_as_they_were(put, classes):
    X, y = hostile_table(4, n=500)
    y = np.where(y == "l'un", *classes[::-1])
    memory = IdealDNFClassifier(random_state=0).fit(X, y)
    assert_same(memory, fitted(IdealDNFClassifier(random_state=0), placed(put, X, y)), X)


@pytest.mark.slow
@in_memory
def test_without_a_key_equal_rows_stay_together(put):
    X, y = hostile_table(4)
    table = placed(put, X, y)
    model = IdealDNFClassifier(random_state=0).fit_table(table, "the class", list(X.columns))
    assert abs(model.n_held_out_ / len(X) - 0.3) < 0.05
    twice = np.r_[X["b"], X["b"]]
    again = put(as_arrow({"x": twice, "y": np.r_[y, y]}))
    assert IdealDNFClassifier(random_state=0).fit_table(again, "y").n_held_out_ % 2 == 0


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
        ({"y": [0, 1] * 100, "x": [f"n{i}" for i in range(200)]}, "'x' holds 200 different texts"),
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


@pytest.mark.slow
def test_a_parquet_file_whose_rows_are_numbered_gives_the_very_model(tmp_path):
    X, y = hostile_table(1)
    X.assign(**{"the class": y}).to_parquet(tmp_path / "rows.parquet", row_group_size=700)
    model = IdealDNFClassifier(random_state=0)
    memory = IdealDNFClassifier(random_state=0).fit(X, y)
    assert_same(memory, fitted(model, open_table(tmp_path / "rows.parquet", row_number=ROW)), X)
