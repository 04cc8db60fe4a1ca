"""A table in an engine: its classes, parts and samples, and counts equal to those in memory."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.stats import chi2_contingency, kstest

from rulekit import Clause, DataError, Literal, RuleError, RuleSet
from rulekit.data import columns_of
from rulekit.learners.from_table.rows import WORDS, Parts, RowNumbers, TableRows, limit
from rulekit.learners.shares import Likeness
from tests.learners.tables import in_engine
from tests.strategies.rules import every_row, rule_sets

pytest.importorskip("ibis")
LABELS = ("no", "perhaps", "yes")


def every_frame():
    rows = pd.DataFrame(every_row())
    return rows.assign(answer=np.random.default_rng(1).choice(LABELS, len(rows)))


FRAME = every_frame()
ROWS = TableRows(in_engine(FRAME), "answer", None, Parts(test_share=0.3))


def held_back(rows, frame):
    table = rows.all.select(held=rows.held, i=rows.all["i"]).to_pyarrow().to_pandas()
    return frame["i"].map(table.set_index("i")["held"]).to_numpy()


@pytest.mark.slow
@given(rule_sets())
def test_counts_by_conditions_equal_memory_for_all_literals(rule):
    columns = columns_of(FRAME)
    likeness = Likeness(rule)
    try:
        masks = [c.mask(columns) ^ (rule.form == "cnf") for c in likeness.conditions]
    except RuleError:
        with pytest.raises(RuleError):
            ROWS.count_kinds(rule)
        return
    outcome = ROWS.count_kinds(rule)
    here = np.array(masks, dtype=bool).reshape(len(masks), len(FRAME)).T
    wanted = {}
    for met, label in zip(map(tuple, here.tolist()), FRAME["answer"], strict=True):
        wanted.setdefault(met, np.zeros(3, int))[LABELS.index(label)] += 1
    result = {
        tuple(m): n for m, n in zip(outcome.met.tolist(), outcome.counts.sum(axis=0), strict=True)
    }
    assert {k: v.tolist() for k, v in result.items()} == {k: v.tolist() for k, v in wanted.items()}


@pytest.mark.slow
@given(rule_sets())
def test_engine_expression_equals_predict(rule):
    try:
        answers = rule.predict(columns_of(FRAME))
    except RuleError:
        return
    table = ROWS.all.select(said=ROWS.answer(rule), label=ROWS.label).to_pyarrow().to_pandas()
    pairs = zip(*np.unique(table.to_numpy(), axis=0, return_counts=True), strict=True)
    results = {(LABELS[a], LABELS[y]): n for (a, y), n in pairs}
    assert results == pd.Series(zip(answers, FRAME["answer"], strict=True)).value_counts().to_dict()


def test_classes_are_counted_by_part_and_samples_exclude_held_rows():
    n = 4000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"i": np.arange(n), "x": rng.random(n), "y": rng.integers(0, 3, n)})
    rows = TableRows(in_engine(frame), "y", None, Parts(test_share=0.25, seed=7))
    held = held_back(rows, frame)
    assert rows.classes.tolist() == [0, 1, 2]
    wanted = [frame.loc[part, "y"].value_counts().sort_index().tolist() for part in (~held, held)]
    assert rows.sizes.tolist() == wanted
    drawn, codes, _ = rows.draw(1, np.array([0.1, 0.5, 1.0]))
    assert not held[drawn["i"].astype(int)].any()
    assert (frame["y"].to_numpy()[drawn["i"].astype(int)] == codes).all()
    sizes, shares = rows.sizes[0], np.array([0.1, 0.5, 1.0])
    spread = 4 * np.sqrt(sizes * shares * (1 - shares))
    assert (np.abs(np.bincount(codes) - sizes * shares) <= spread).all()


def test_sample_ignores_row_order_and_keeps_keys_together():
    n = 3000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"i": np.arange(n), "who": rng.integers(0, 300, n), "y": rng.random(n) < 0.4}
    )
    parts = Parts("who", 0.3, 1)
    first, second = (
        TableRows(in_engine(f), "y", None, parts)
        for f in (frame, frame.sample(frac=1, random_state=0))
    )
    assert first.features == ("i",)
    share = np.full(2, 0.2)
    pd.testing.assert_frame_equal(first.draw(1, share)[0], second.draw(1, share)[0])
    assert len(first.draw(2, share)[0]) != len(first.draw(1, share)[0])
    held = held_back(first, frame)
    assert frame.groupby("who")["y"].size().shape == (len(set(frame["who"])),)
    assert (pd.Series(held).groupby(frame["who"]).nunique() == 1).all()
    assert 0.2 < held.mean() < 0.4


@pytest.mark.parametrize("name", ["label", "held", "base", "number", 'a"b; DROP', "c0", "x y", "é"])
def test_a_column_may_be_called_anything(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {name: rng.random(500), "LABEL_": rng.random(500), "wrong": rng.random(500)}
    )
    frame["y"] = frame[name] > 0.5
    rows = TableRows(in_engine(frame), "y", None, Parts(test_share=0.2))
    rule = RuleSet((Clause((Literal(name, ">", 0.5),)),), (True,), "dnf", False)
    drawn, codes, wrong = rows.draw(1, np.ones((2, 2)), rule)
    assert (drawn[name].to_numpy() > 0.5).tolist() == codes.astype(bool).tolist()
    assert not wrong.any()
    assert rows.count_kinds(rule).counts[0].sum() == len(drawn)


def refused(**columns):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]} | columns)
    TableRows(in_engine(frame), "y", columns.pop("features", None), Parts())


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["a", "b", None, "a"], "is missing in 1 rows"),
        (["a"] * 4, "must take 2 to 100 values; it takes 1"),
        ([0.5, 1.0, 0.5, 1.0], r"must hold whole numbers, text or truth values; it holds 0\.5"),
    ],
)
def test_indistinguishable_classes_are_rejected_in_a_sentence(y, said):
    with pytest.raises(DataError, match=said):
        refused(y=y)


def test_missing_columns_and_the_class_are_rejected_by_name():
    table = in_engine(pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}))
    for target, features, key, said in (
        ("z", None, None, "has no column 'z'; it has 'x', 'y'"),
        ("y", ["x", "q"], None, "has no column 'q'"),
        ("y", None, "k", "has no column 'k'"),
        ("y", ["x", "x"], None, "`features` must name each column once; 'x' is named twice"),
        ("y", ["x", "y"], None, "'y' cannot be a feature"),
        ("y", None, "x", "no column except the class"),
    ):
        with pytest.raises(DataError, match=said):
            TableRows(table, target, features, Parts(key))


N = 20_000


def frame(n=N):
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Köln", None], n)
    return pd.DataFrame({"id": np.arange(n), "x": rng.random(n).round(3), "town": town})


def numbers(table, engine, seed=0, purposes=(0,), columns=("id", "x", "town")):
    drawn = RowNumbers(engine, seed)
    made = table.select("id", base=drawn.base(table, columns))
    result = made.select("id", **{f"n{p}": drawn.make_numbers(made.base, p) for p in purposes})
    return result.to_pyarrow().to_pandas().sort_values("id").drop(columns="id").to_numpy()


@pytest.fixture(params=["duckdb", "postgres"], ids=["of values", "of text"])
def engine(request):
    return request.param  # how the hash is made; DuckDB can work out both


def test_numbers_are_uniform_and_independent_between_purposes(engine):
    result = numbers(in_engine(frame()), engine, purposes=(0, 1, 2)) / WORDS
    assert result.min() >= 0
    assert result.max() < 1
    for j, k in ((0, 1), (0, 2), (1, 2)):
        assert kstest(result[:, j], "uniform").pvalue > 1e-4
        assert chi2_contingency(np.histogram2d(result[:, j], result[:, k], 8)[0]).pvalue > 1e-4


def test_row_numbers_follow_content_and_seed(engine):
    rows = frame(2000)
    mixed = rows.sample(frac=1, random_state=3)
    first = numbers(in_engine(rows), engine)
    assert (first == numbers(in_engine(mixed), engine)).all()
    assert (first != numbers(in_engine(rows), engine, seed=1)).mean() > 0.99
    result = numbers(in_engine(frame(2000)), engine, columns=("town",))[:, 0]
    assert [len(set(result[frame(2000)["town"] == t])) for t in ("Ulm", "Köln")] == [1, 1]
    assert len(set(result.tolist())) == 3
    result = numbers(in_engine(frame()), engine)
    assert abs(float((result < limit(0.3)).mean()) - 0.3) < 4 * np.sqrt(0.21 / N)
    assert limit(1.0) == WORDS
