"""Learning from a Parquet file: the very result of learning in memory, and what goes wrong."""

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit import Binarizer, IdealDNFClassifier
from rulekit.exceptions import DataError, StoppedError
from rulekit.learners.ideal import parquet_medians
from rulekit.learners.ideal.columns import lower_median
from rulekit.learners.ideal.database import Database, ParquetSettings, duckdb_module
from rulekit.learners.ideal.parquet_medians import MedianFinder, Split, around_median, between

pytestmark = [
    pytest.mark.skipif(duckdb_module() is None, reason="needs the extra 'app'"),
    pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning"),
]
HOSTILE = ('a"; DROP TABLE t; --', "c1", "it's", "Ä ::INTEGER", "A", "a", "rn")


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
    return X, np.where(y ^ (rng.random(n) < 0.1), "l'un", 'l"autre')


def written(folder, X, y, name="rows.parquet"):
    path = folder / name
    X.assign(**{"the class": y}).to_parquet(path, row_group_size=700)
    return path


def assert_same(one, other, X):
    assert one.rule_set_ == other.rule_set_
    assert one.history_ == other.history_
    assert one.conditions_ == other.conditions_
    assert (one.n_held_out_, one.n_rows_) == (other.n_held_out_, other.n_rows_)
    pd.testing.assert_frame_equal(one.types_, other.types_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(one.seen(X), other.seen(X))
    assert one.predict(X).dtype == other.predict(X).dtype


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_file_gives_the_very_model_of_its_rows_in_memory(tmp_path, seed):
    X, y = hostile_table(seed)
    model = IdealDNFClassifier(tolerance=0.0, positive_label="l'un", random_state=seed)
    path = written(tmp_path, X, y, "what[a]*name?'.parquet")
    before = pd.read_parquet(path)
    memory = IdealDNFClassifier(**model.get_params()).fit(before[X.columns], before["the class"])
    assert_same(memory, model.fit_parquet(path, "the class"), before)
    assert len(memory.conditions_) > 2


def test_class_weights_and_another_class_make_no_difference_to_that(tmp_path):
    X, y = hostile_table(3)
    model = IdealDNFClassifier(
        class_weight="balanced", positive_label='l"autre', mode="paper", random_state=1
    )
    path = written(tmp_path, X, y)
    before = pd.read_parquet(path)
    memory = IdealDNFClassifier(**model.get_params()).fit(before[X.columns], before["the class"])
    assert_same(memory, model.fit_parquet(path, "the class", threads=2), before)


def test_a_forbidden_column_is_not_asked_in_a_file_either(tmp_path):
    X, y = hostile_table(5)
    model = IdealDNFClassifier(constraints={"forbidden": [HOSTILE[0]]}, random_state=0)
    path = written(tmp_path, X, y)
    before = pd.read_parquet(path)
    memory = IdealDNFClassifier(**model.get_params()).fit(before[X.columns], before["the class"])
    assert_same(memory, model.fit_parquet(path, "the class"), before)
    assert HOSTILE[0] not in {c.feature for c in model.conditions_}


@pytest.mark.parametrize("classes", [(0, 1), (False, True), (2.0, 7.0)])
def test_classes_of_any_kind_come_back_as_they_were(tmp_path, classes):
    X, y = hostile_table(4, n=500)
    y = np.where(y == "l'un", *classes[::-1])
    path = written(tmp_path, X, y)
    memory = IdealDNFClassifier(random_state=0).fit(X, y)
    assert_same(memory, IdealDNFClassifier(random_state=0).fit_parquet(path, "the class"), X)


def test_only_the_features_asked_for_are_read(tmp_path):
    X, y = hostile_table()
    path = written(tmp_path, X.assign(names=[f"n{i}" for i in range(len(X))]), y)
    model = IdealDNFClassifier(random_state=0).fit_parquet(path, "the class", ["A", "c1"])
    assert list(model.feature_names_in_) == ["A", "c1"]
    assert {c.feature for c in model.conditions_} <= {"A", "c1"}


def test_progress_never_goes_back_and_ends_at_one(tmp_path):
    X, y = hostile_table()
    shares = []
    IdealDNFClassifier(random_state=0).fit_parquet(
        written(tmp_path, X, y), "the class", on_progress=lambda share, what: shares.append(share)
    )
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


def test_work_that_is_told_to_stop_stops(tmp_path):
    X, y = hostile_table()
    path = written(tmp_path, X, y)
    model, told = IdealDNFClassifier(random_state=0), []

    def stop():
        told.append(threading.current_thread())
        return True

    def slow(database, sql, asked):
        asked.done.wait(0.3)
        return ask(database, sql, asked)

    ask, Database._ask = Database._ask, slow
    try:
        with pytest.raises(StoppedError, match="stopped before the rule was learned"):
            model.fit_parquet(path, "the class", should_stop=stop)
    finally:
        Database._ask = ask
    assert told
    assert not hasattr(model, "rule_set_")


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 2**16), st.sampled_from(("normal", "ties", "few", "top", "gaps")))
def test_medians_are_exact_from_a_sample_that_helps_or_misleads(seed, kind):
    rng = np.random.default_rng(seed)
    n = 3000
    values = {
        "normal": rng.normal(size=n),
        "ties": rng.integers(0, 30, n) / 3,
        "few": rng.choice([1.0, 2.0, 5.0], n),
        "top": np.where(rng.random(n) < 0.8, 7.0, rng.random(n)),
        "gaps": np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n)),
    }[kind]
    judges = rng.random(n) < 0.3
    found = found_median(values, judges)
    present = values[~np.isnan(values)]
    assert found == (
        lower_median(values[~judges & ~np.isnan(values)]),
        lower_median(present),
    )


def found_median(values, judges):
    """Find the cuts of one column with a sample of 400 rows, and no room for many values."""
    rows = pa.table({"v": pa.array(values, from_pandas=True), "h": judges})
    before = parquet_medians.SAMPLE_ROWS, parquet_medians.FETCHED
    parquet_medians.SAMPLE_ROWS, parquet_medians.FETCHED = 400, 200
    try:
        with Database(ParquetSettings()) as database:
            database._connection.register("given", rows)
            database._connection.execute(
                "CREATE TABLE kept AS SELECT v, h AS held, "
                "row_number() OVER () - 1 AS rn FROM given"
            )
            split = Split("kept", "false", "held", len(values))
            finder = MedianFinder(database, split, {"v": "v"})
            return finder.find((0.0, 1.0))["v"]
    finally:
        parquet_medians.SAMPLE_ROWS, parquet_medians.FETCHED = before


def test_a_sample_that_misses_the_median_is_replaced_by_counting(monkeypatch):
    values = np.random.default_rng(0).normal(size=2000)
    monkeypatch.setattr(parquet_medians, "around_median", lambda sample: (5.0, 6.0))
    judges = np.arange(2000) % 3 == 0
    assert found_median(values, judges) == (lower_median(values[~judges]), lower_median(values))


def test_a_bracket_holds_the_median_of_what_the_sample_was_drawn_from():
    rng = np.random.default_rng(0)
    for _ in range(50):
        low, high = around_median(rng.normal(size=2000))
        assert low < 0 < high
        assert high - low < 0.5


def test_a_small_sample_tells_nothing():
    assert around_median(np.arange(10.0)) == (-np.inf, np.inf)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_bracket_is_divided_strictly_inside(low, high):
    low, high = sorted((low, high))
    steps = between(low, high, 16)
    assert steps == sorted(set(steps))
    assert all(low < step < high or step == 0.0 for step in steps)


def broken(tmp_path, **columns):
    path = tmp_path / "broken.parquet"
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [0, 1, 2], "x": [1.0, 2.0, 3.0]}, "'y' must take two values; it takes 3 classes"),
        ({"y": [0.5, 1.0, 0.5], "x": [1.0, 2.0, 3.0]}, "whole numbers, text or truth values"),
        ({"y": [0, 0, 0], "x": [1.0, 2.0, 3.0]}, "it takes 1 classes"),
        ({"y": [0, 1, None], "x": [1.0, 2.0, 3.0]}, "it is missing in 1 of 3 rows"),
        ({"y": [0, 1, 0], "x": [[1], [2], [3]]}, "Column 'x' must hold numbers, text"),
        ({"y": [0, 1, 0], "x": [1.0, np.inf, 3.0]}, "Column 'x' must hold finite numbers"),
        ({"y": [0, 1, 0]}, "no column but the class"),
        ({"x": [0, 1, 0]}, "The file has no column 'y'; it has 'x'"),
        ({"y": [0, 1], "file_row_number": [1, 2]}, "may be called 'file_row_number'"),
        ({"y": pa.array([], pa.int8()), "x": pa.array([], pa.int8())}, "it holds 0"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(tmp_path, columns, message):
    with pytest.raises(DataError, match=message):
        IdealDNFClassifier().fit_parquet(broken(tmp_path, **columns), "y")


def test_a_column_of_names_in_a_file_is_refused(tmp_path):
    path = broken(tmp_path, y=[0, 1] * 100, x=[f"n{i}" for i in range(200)])
    with pytest.raises(DataError, match="Column 'x' holds 200 different texts"):
        IdealDNFClassifier().fit_parquet(path, "y")


def test_the_class_is_not_learned_from_itself(tmp_path):
    with pytest.raises(DataError, match="'y' cannot be learned from itself"):
        IdealDNFClassifier().fit_parquet(broken(tmp_path, y=[0, 1], x=[1, 2]), "y", ["y"])


def test_a_file_that_is_none_is_named(tmp_path):
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(DataError, match=r"'text.parquet' is no Parquet file"):
        IdealDNFClassifier().fit_parquet(tmp_path / "text.parquet", "y")
    with pytest.raises(DataError, match=r"There is no file '.*none.parquet'"):
        IdealDNFClassifier().fit_parquet(tmp_path / "none.parquet", "y")


def test_a_file_is_cut_at_medians_only(tmp_path):
    model = IdealDNFClassifier(binarizer=Binarizer())
    with pytest.raises(ValueError, match="cannot use a `binarizer`"):
        model.fit_parquet(broken(tmp_path, y=[0, 1], x=[1, 2]), "y")


def test_limits_that_the_database_cannot_read_are_refused(tmp_path):
    path = broken(tmp_path, y=[0, 1], x=[1, 2])
    with pytest.raises(ValueError, match="`memory_limit` must be a size such as '500MB'"):
        IdealDNFClassifier().fit_parquet(path, "y", memory_limit="much")
