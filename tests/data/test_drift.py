"""A second table against the first."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, compare_tables
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


def test_the_same_table_in_another_order_does_not_differ():
    shuffled = FIRST.iloc[::-1, ::-1]
    assert compare_tables(REFERENCE, Table.from_frame(shuffled)) == ()


@pytest.mark.parametrize(
    ("column", "values", "kind", "says", "n_rows", "blocks"),
    [
        ("age", None, "missing column", "is not in the new table", N, True),
        ("extra", 1.5, "new column", "is new, and is not used", N, False),
        (
            "age",
            [f"{i} y" for i in range(N)],
            "retyped",
            "held numbers and now holds text",
            N,
            True,
        ),
        ("truth", [1, 2] * 20, "retyped", "held truth values and now holds numbers", N, True),
        ("town", ["u", "w"] * 20, "unseen level", "in 20 rows: 'w' (first: row 2)", 20, False),
        (
            "age",
            [19.0] + [30.5, 31] * 19 + [99],
            "out of range",
            "in 2 rows (first: row 1, 19)",
            2,
            False,
        ),
        ("age", [None] * 3 + [30.5] * 37, "gaps", "now misses 3 of 40", 3, False),
        ("town", [None] * N, "gaps", "missing in every row", N, False),
    ],
)
def test_each_difference_is_told_with_its_rows(column, values, kind, says, n_rows, blocks):
    (note,) = drift(**{column: values}).values()
    assert (note.column, note.kind, note.n_rows, note.blocks) == (column, kind, n_rows, blocks)
    assert says in note.sentence


def test_what_blocks_comes_first():
    notes = compare_tables(REFERENCE, FIRST.drop(columns="grade").assign(age=99.0))
    assert [note.blocks for note in notes] == [True, False, False]


def test_only_the_columns_that_matter_are_compared():
    second = FIRST.assign(age=99.0, extra=1)
    assert compare_tables(REFERENCE, second, columns=("town",)) == ()


def test_a_column_the_first_table_lacks_is_refused():
    with pytest.raises(DataError, match="no column 'ages'; did you mean 'age'"):
        compare_tables(REFERENCE, FIRST, columns=("ages",))


def test_one_row_can_be_compared():
    assert compare_tables(REFERENCE, FIRST.head(1)) == ()


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
    found = compare_tables(Table.from_frame(LARGE), LARGE.iloc[rows].reset_index(drop=True))
    assert [note.kind for note in found if note.kind == "moved"] == []


@pytest.mark.parametrize("seed", range(20))
def test_a_made_shift_is_told_of_its_column_and_of_no_other(seed):
    rng = np.random.default_rng(100 + seed)
    second = LARGE.iloc[rng.choice(3000, 1000)].reset_index(drop=True)
    name = LARGE.columns[seed % 16]
    if name.startswith("number"):
        second[name] = second[name] * 0.8 + 0.5
    else:
        second[name] = np.where(rng.random(1000) < 0.4, "d", second[name])
    found = compare_tables(Table.from_frame(LARGE), second)
    assert [note.column for note in found if note.kind == "moved"] == [name]
