"""A second table against the first."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, compare_tables
from rulekit.data.drift import match_levels
from rulekit.exceptions import DataError

N = 40
FIRST = pd.DataFrame(
    {
        "age": np.linspace(20, 60, N),
        "town": ["u", "v"] * 20,
        "truth": [True, False] * 20,
        "grade": [1, 2, 3, 4] * 10,
    }
)
REFERENCE = Table.from_frame(FIRST)


def drift(**changes):
    """Kinds of differences but moved values, after some columns are changed (None: dropped)."""
    second = FIRST.drop(columns=[c for c, v in changes.items() if v is None])
    second = second.assign(**{c: v for c, v in changes.items() if v is not None})
    notes = compare_tables(REFERENCE, second)
    return {(n.column, n.kind): n for n in notes if n.kind != "moved"}


def test_tables_are_compared_in_any_order_by_what_matters():
    shuffled = FIRST.iloc[::-1, ::-1]
    assert compare_tables(REFERENCE, Table.from_frame(shuffled)) == ()
    assert compare_tables(REFERENCE, FIRST.head(1)) == ()
    frame = pd.DataFrame({"age": np.arange(50.0), "town": ["Ulm", "Bonn"] * 25})
    expected = compare_tables(Table.from_frame(frame), frame.head(40))
    assert compare_tables(frame, frame.head(40)) == expected
    notes = compare_tables(REFERENCE, FIRST.drop(columns="grade").assign(age=99.0))
    assert [note.blocks for note in notes] == [True, False, False]
    empty = Table.from_frame(FIRST.assign(age=np.nan))
    assert compare_tables(empty, FIRST, columns=("age",)) == ()  # no number was seen before
    second = FIRST.assign(age=99.0, extra=1)
    assert compare_tables(REFERENCE, second, columns=("town",)) == ()
    with pytest.raises(DataError, match="no column 'ages'; did you mean 'age'"):
        compare_tables(REFERENCE, FIRST, columns=("ages",))


@pytest.mark.parametrize(
    ("column", "values", "kind", "says", "n_rows", "blocks"),
    [
        ("age", None, "missing column", "is not in the new table", N, True),
        ("extra", 1.5, "new column", "is new, and is not used", N, False),
        ("age", [f"{i} y" for i in range(N)], "retyped", "numbers and now holds text", N, True),
        ("truth", [1, 2] * 20, "retyped", "held truth values and now holds numbers", N, True),
        ("town", ["u", "w"] * 20, "unseen level", "in 20 rows: 'w' (first: row 2)", 20, False),
        ("age", [19.0] + [30.5] * 38 + [99], "out of range", "2 rows (first: row 1, 19)", 2, False),
        ("age", [None] * 3 + [30.5] * 37, "gaps", "now misses 3 of 40", 3, False),
        ("town", [None] * N, "gaps", "missing in every row", N, False),
    ],
)
def test_each_difference_is_reported_with_its_rows(column, values, kind, says, n_rows, blocks):
    (note,) = drift(**{column: values}).values()
    assert (note.column, note.kind, note.n_rows, note.blocks) == (column, kind, n_rows, blocks)
    assert says in note.sentence


RNG = np.random.default_rng(0)
LARGE = pd.DataFrame(
    {
        **{f"number {k}": RNG.normal(size=3000) for k in range(8)},
        **{f"level {k}": RNG.choice(list("abcd"), 3000, p=[0.4, 0.3, 0.2, 0.1]) for k in range(8)},
    }
)


@pytest.mark.parametrize("seed", range(20))
def test_a_resample_of_the_same_rows_has_not_moved(seed):
    rows = np.random.default_rng(seed).choice(3000, 1000)
    comparison = compare_tables(Table.from_frame(LARGE), LARGE.iloc[rows].reset_index(drop=True))
    assert [note.kind for note in comparison if note.kind == "moved"] == []


@pytest.mark.parametrize("seed", range(20))
def test_a_made_shift_is_reported_of_its_column_and_of_no_other(seed):
    rng = np.random.default_rng(100 + seed)
    second = LARGE.iloc[rng.choice(3000, 1000)].reset_index(drop=True)
    name = LARGE.columns[seed % 16]
    if name.startswith("number"):
        second[name] = second[name] * 0.8 + 0.5
    else:
        second[name] = np.where(rng.random(1000) < 0.4, "d", second[name])
    comparison = compare_tables(Table.from_frame(LARGE), second)
    assert [note.column for note in comparison if note.kind == "moved"] == [name]


GRADES = ["low", "fair", "good", "best", "never"]
DAYS = pd.DataFrame(
    {
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 365, 3000), unit="D"),
        "moment": pd.Timestamp("2024-01-01")
        + pd.to_timedelta(RNG.integers(0, 365 * 86_400, 3000), unit="s"),
        "grade": pd.Categorical(RNG.choice(GRADES[:4], 3000), GRADES, ordered=True),
    }
)
DAYS["written"] = DAYS["day"].dt.strftime("%d.%m.%Y")
WITH_DAYS = Table.from_frame(DAYS)


def resampled(seed, n=1000):
    return DAYS.iloc[np.random.default_rng(seed).choice(3000, n)].reset_index(drop=True)


@pytest.mark.parametrize("seed", range(20))
def test_a_resample_of_dates_and_ordered_levels_does_not_differ(seed):
    names = tuple(DAYS.columns)
    assert compare_tables(WITH_DAYS, resampled(seed), columns=names) == ()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["day", "moment", "written"])
def test_later_dates_are_reported_as_outside_and_as_moved(seed, name):
    second = resampled(seed)
    shift, source = pd.Timedelta(days=120), "day" if name == "written" else name
    later = second[source] + shift
    second[name] = later.dt.strftime("%d.%m.%Y") if name == "written" else later
    result = compare_tables(WITH_DAYS, second, columns=tuple(DAYS.columns))
    kinds = [(note.column, note.kind) for note in result]
    assert kinds == [(name, "out of range"), (name, "moved")]
    outside = later > DAYS[source].max()
    assert result[0].n_rows == outside.sum()
    first = int(outside.argmax())
    assert f"(first: row {first + 1}, {later[first]:%Y-%m-%d}" in result[0].sentence


def test_dates_are_compared_unless_they_are_ambiguous():
    second = resampled(0)
    second.loc[[4, 7], "day"] = [pd.Timestamp("2025-03-01 06:30"), pd.Timestamp("2023-12-31")]
    (note,) = compare_tables(WITH_DAYS, second, columns=("day",))
    assert note.sentence == (
        "Column 'day' is outside its former dates, 2024-01-01 to 2024-12-30, in 2 rows "
        "(first: row 5, 2025-03-01 06:30:00)."
    )
    assert not note.blocks
    first = Table.from_frame(pd.DataFrame({"day": ["01/02/2024", "03/04/2024", "05/06/2024"] * 9}))
    second = pd.DataFrame({"day": ["01/02/2031", "03/04/2031", "05/06/2031"] * 9})
    assert compare_tables(first, second, columns=("day",)) == ()


def test_unseen_ordered_levels_are_reported_by_the_order():
    second = resampled(1)
    grades = second["grade"].astype(object)
    grades[[2, 5]], grades[8], grades[9] = "superb", "never", None
    notes = compare_tables(WITH_DAYS, second.assign(grade=grades), columns=("grade",))
    reported = {note.n_rows: note.sentence for note in notes if note.kind == "unseen level"}
    assert reported == {
        2: "Column 'grade' holds levels that its order does not have in 2 rows: 'superb' (first: "
        "row 3); they have no place in it and count as missing.",
        1: "Column 'grade' holds levels of its order that no row had before in 1 row: 'never' "
        "(first: row 9); rules answer them by their place alone.",
    }


def remarks(n, seed, share_of_late):
    """Texts that hardly repeat; "late" stands in a share of them, in any case and punctuation."""
    rng = np.random.default_rng(seed)
    rest = [" ".join(f"w{v}" for v in rng.integers(0, 5000, 6)) for _ in range(n)]
    late = rng.random(n) < share_of_late
    return [
        f"{text}, paid LATE." if hit else f"{text} paid"
        for text, hit in zip(rest, late, strict=True)
    ]


def test_changed_words_and_spellings_are_reported():
    first, second = (pd.DataFrame({"note": remarks(800, *case)}) for case in ((1, 0.2), (2, 0.4)))
    (note,) = compare_tables(Table.from_frame(first), second, columns=("note",))
    shares = [100 * frame["note"].str.contains("LATE").mean() for frame in (second, first)]
    assert note.kind == "moved"
    assert "the word 'late'" in note.sentence
    assert f"is in {shares[0]:.1f} % of its texts, formerly in {shares[1]:.1f} %" in note.sentence
    first = Table.from_frame(
        pd.DataFrame({"sex": ["male", "female"] * 20, "x": ["a b", "AB"] * 20})
    )
    second = pd.DataFrame(
        {"sex": ["MALE", " Female", "other", None], "x": ["ab", "a b", "AB", "c"]}
    )
    result = match_levels(first, second, columns=("sex", "x"))
    assert result == {"sex": {"MALE": "male", " Female": "female"}}  # "ab" fits two levels of x
    assert match_levels(first, second[["x"]], columns=("sex",)) == {}


@pytest.mark.parametrize("seed", range(5))
def test_other_texts_with_the_same_words_have_not_moved(seed):
    first, second = (pd.DataFrame({"note": remarks(800, k, 0.3)}) for k in (seed, 50 + seed))
    assert compare_tables(Table.from_frame(first), second, columns=("note",)) == ()
