"""How one column is read: levels, an order, dates and their parts, words; and in which sets."""

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Binarizer
from rulekit.binning.encodings import LevelColumn, OrderedColumn, WordColumn
from rulekit.binning.views import rounded_date
from rulekit.data import columns_of
from rulekit.exceptions import DataError
from rulekit.rules import Literal

DAYS = pd.date_range("2021-01-01", periods=800, freq="D")


def literals_on(frame, y=None, **parameters):
    return Binarizer(**parameters).fit(frame, y).literals_


def test_dates_are_read_as_the_date_and_its_parts():
    frame = pd.DataFrame({"opened": DAYS + pd.to_timedelta(np.arange(800) % 24, unit="h")})
    fitted = Binarizer(n_thresholds=3).fit(frame, np.arange(800) % 2)
    assert {e.part for e in fitted.encodings_} == {"date", "year", "month", "weekday", "hour"}
    dates = [x for x in fitted.literals_ if x.part == "date"]
    assert {x.op for x in dates} == {"<", ">="}
    assert {x.value[5:] for x in dates} <= {"01-01", "04-01", "07-01", "10-01"}
    assert Literal("opened", ">", 5, part="weekday") in fitted.literals_
    matrix, columns = fitted.transform(frame), columns_of(frame)
    for j, literal in enumerate(matrix.literals):
        assert (matrix.values[:, j] == literal.mask(columns)).all()
    days = fitted.set_params(read_as={"opened": "days since 2021-01-01"}).fit(frame).literals_
    assert {x.part for x in days} == {"days since 2021-01-01"}


def test_text_of_dates_is_a_date_and_levels_on_request():
    frame = pd.DataFrame({"opened": ["2021-03-01", "2021-03-02", None, "2022-05-01 10:00"]})
    assert {x.part for x in literals_on(frame)} >= {"date", "year"}
    assert {x.part for x in literals_on(frame, read_as={"opened": "levels"})} == {None}
    one = literals_on(frame, read_as={"opened": ("year",)})
    assert {x.part for x in one if x.op != "missing" and x.op != "not-missing"} == {"year"}
    assert sum(x.op == "missing" for x in literals_on(frame)) == 1


def test_cut_points_of_dates_are_given_as_text():
    frame = pd.DataFrame({"opened": DAYS})
    found = literals_on(frame, thresholds={"opened": ["2021-06-15"]})
    dates = [x for x in found if x.part == "date"]
    assert [str(x) for x in dates] == ["opened < 2021-06-15", "opened >= 2021-06-15"]
    with pytest.raises(ValueError, match="of column 'opened': A date must be written as"):
        literals_on(frame, thresholds={"opened": ["15.6.2021"]})


def test_order_comes_with_the_column_or_names_every_level():
    grades = ["good", "bad", "good", "great"]
    frame = pd.DataFrame({"grade": pd.Categorical(grades, ["bad", "good", "great"], ordered=True)})
    found = literals_on(frame)
    assert found == literals_on(frame.astype(str), orders={"grade": ("bad", "good", "great")})
    assert [str(x) for x in found] == [
        "grade <= bad", "grade <= good", "grade >= good", "grade >= great",
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"must name every level; 'great' \(1 rows\) is not in it"):
        literals_on(frame.astype(str), orders={"grade": ("bad", "good")})
    with pytest.raises(DataError, match="'bad' is listed twice"):
        literals_on(frame.astype(str), orders={"grade": ("bad", "good", "bad")})
    with pytest.raises(ValueError, match="is in both `orders` and `read_as`"):
        literals_on(frame, orders={"grade": grades[1:]}, read_as={"grade": "levels"})
    with pytest.raises(ValueError, match="`orders` names column 'age', which the table does not"):
        literals_on(frame, orders={"age": grades[1:]})
    with pytest.raises(ValueError, match="'levels', 'words', or parts of dates"):
        literals_on(frame, read_as={"grade": "week"})


def test_cells_that_are_no_dates_are_named():
    frame = pd.DataFrame({"opened": ["2021-03-01", "31.12.2021"]})
    with pytest.raises(DataError, match=r"row 2 holds '31.12.2021'.*set `read_as`"):
        literals_on(frame, read_as={"opened": "date"})


@given(
    st.lists(st.integers(0, 8), min_size=5, max_size=6).filter(lambda h: 0 < sum(h) < 8 * len(h))
)
def test_best_set_of_levels_is_a_prefix_of_the_order_of_shares(hits):
    """All levels have eight rows; all sets are tried (Breiman's theorem)."""
    levels = [f"l{k}" for k in range(len(hits))]
    town = np.repeat(levels, 8).astype(object)
    y = np.concatenate([np.arange(8) < h for h in hits])
    frame = pd.DataFrame({"town": town})
    fitted = Binarizer().fit(frame, y)
    sets = [x for x in fitted.literals_ if fitted.encodings_[0].place(x)[0]]

    def wrong(mask):
        return min((mask != y).sum(), (mask == y).sum())

    columns = columns_of(frame)
    every = chain.from_iterable(combinations(levels, n) for n in range(1, len(levels)))
    best = min(wrong(np.isin(town, some)) for some in every)
    assert min(wrong(x.mask(columns)) for x in sets) == best


def test_set_condition_lists_the_shorter_side():
    shares = {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}
    frame = pd.DataFrame({"town": np.repeat(list(shares), 4)})
    y = np.concatenate([np.arange(4) < n for n in shares.values()])
    encoding = Binarizer().fit(frame, y).encodings_[0]
    assert isinstance(encoding, LevelColumn)
    assert [str(encoding.cut_literal(k, -1)) for k in range(4)] == [
        "town == a", "town in {a, b}", "town not in {d, e}", "town != e",
    ]  # fmt: skip
    columns = columns_of(frame)
    for k in range(4):
        below, above = encoding.cut_literal(k, -1), encoding.cut_literal(k, 1)
        assert (below.mask(columns) == ~above.mask(columns)).all()
        assert encoding.place(below) == (-1, k)
        assert encoding.place(above) == (1, k)
    assert not any(x.op in ("in", "not-in") for x in literals_on(frame, y, sets=False))
    assert not any(x.op in ("in", "not-in") for x in literals_on(frame))


def test_each_of_several_classes_has_its_own_order_of_levels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(list("abcdef"), 300)})
    fitted = Binarizer().fit(frame, rng.integers(0, 3, 300))
    assert len(fitted.encodings_) == 3
    assert len(set(fitted.literals_)) == len(fitted.literals_)
    assert any(x.op == "in" for x in fitted.literals_)


def test_phrases_are_read_as_words_and_names_are_refused():
    rng = np.random.default_rng(0)
    words = ["paid", "late", "twice", "call", "again"]
    notes = [" ".join(rng.permutation(words)[:3]) + f" {k}" for k in range(200)]
    frame = pd.DataFrame({"note": notes})
    fitted = Binarizer().fit(frame, [("late" in n) for n in notes])
    assert all(isinstance(e, WordColumn) for e in fitted.encodings_)
    assert {e.word for e in fitted.encodings_} == set(words)
    matrix, columns = fitted.transform(frame), columns_of(frame)
    for j, literal in enumerate(matrix.literals):
        assert (matrix.values[:, j] == literal.mask(columns)).all()
    with pytest.raises(DataError, match="200 different texts in 200 rows"):
        Binarizer().fit(pd.DataFrame({"name": [f"name{k}" for k in range(200)]}))


@given(st.floats(-30_000, 60_000), st.floats(0.1, 900))
def test_rounded_date_stays_within_its_gap_and_is_roundest(low, width):
    found = rounded_date(low, low + width, low)
    every = [d for d in range(int(low) - 1, int(low + width) + 2) if low < d <= low + width]
    dates = [(np.datetime64("1970-01-01") + d).item() for d in every]
    firsts = [(d, day) for d, day in zip(every, dates, strict=True) if day.day == 1]
    if not firsts:
        assert found is None
        return
    rank = {d: (day.month == 1) + (day.month % 3 == 1) for d, day in firsts}
    assert rank[found] == max(rank.values())
    assert abs(found - low) == min(abs(d - low) for d in rank if rank[d] == rank[found])


def test_an_ordered_column_of_dates_cuts_between_any_two_values():
    column = OrderedColumn("d", np.empty(0), False, "date")
    for low, high in ((1.25, 1.5), (1.0, 2.0), (1.5, 9.0)):
        edge = column.edge_between((low + high) / 2, low, high)
        below = column.edge_literal(edge, -1)
        assert low <= edge < high
        assert below.edge == edge
        assert below.negated().op == ">="
