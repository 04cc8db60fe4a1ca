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
    """Kinds of differences after some columns are changed (None: dropped)."""
    second = FIRST.drop(columns=[c for c, v in changes.items() if v is None])
    second = second.assign(**{c: v for c, v in changes.items() if v is not None})
    return {(n.column, n.kind): n for n in compare_tables(REFERENCE, second)}


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
    assert [note.blocks for note in notes] == [True, False]


def test_only_the_columns_that_matter_are_compared():
    second = FIRST.assign(age=99.0, extra=1)
    assert compare_tables(REFERENCE, second, columns=("town",)) == ()


def test_a_column_the_first_table_lacks_is_refused():
    with pytest.raises(DataError, match="no column 'ages'; did you mean 'age'"):
        compare_tables(REFERENCE, FIRST, columns=("ages",))


def test_one_row_can_be_compared():
    assert compare_tables(REFERENCE, FIRST.head(1)) == ()
