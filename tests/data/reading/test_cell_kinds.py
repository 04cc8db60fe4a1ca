"""Kinds of cells, whatever the file."""

import pytest

from rulekit.data.reading.cell_kinds import kind_of_cell


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        *[("", ""), (None, ""), ("NA", ""), ("1,5", "number"), ("(5)", "number"), (2.5, "number")],
        *[
            ("€ 3", "number"),
            (True, "text"),
            ("[1/Oct/2000:13:55:36 -0700]", "date"),
            ("2020-01-05", "date"),
            ("12:30", "date"),
        ],
    ],
)
def test_kinds_of_cells(cell, kind):
    assert kind_of_cell(cell) == kind
