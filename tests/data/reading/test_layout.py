"""Where a table begins and ends: a corpus of small files of each kind, with what is expected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import ParseOptions, read_table
from rulekit.data.reading.layout import find_layout, kind_of_cell
from rulekit.data.reading.loading import read_with_layout
from rulekit.exceptions import DataError
from tests.data.reading.files import WRITERS, csv_file, xlsx_file

HEADER = ["region", "sales", "y"]
BODY = [[f"r{i % 4}", i * 10 + 1, ("no", "yes")[i % 2]] for i in range(12)]
WIDE = ["town", "age", "size", "done"]
WIDE_BODY = [[("Ulm", "Rom")[i % 2], i + 20.5, i * i, ("a", "b", "c")[i % 3]] for i in range(14)]
IRIS = [[5 + i % 9 / 10, 3.5 - i % 5 / 10, ("setosa", "virginica")[i % 2]] for i in range(20)]


def total(rows, how, *cells):
    """A last row with the sum, or mean, of the second column."""
    numbers = [row[1] for row in rows]
    value = sum(numbers) / (1 if how == "sum" else len(numbers))
    return [*rows, [cells[0], value, *cells[1:]]]


#: by kind: variants of (rows, expected names, expected rows)
ABOVE = {
    "title": [
        ([["Sales report 2020"], HEADER, *BODY], HEADER, BODY),
        ([["Sales report 2020"], [None, None, None], HEADER, *BODY], HEADER, BODY),
        ([["Sales"], ["by region, in euros"], ["of 2020"], WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
    ],
    "notes of several cells": [
        ([["Author", "Anna"], WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
        ([["Report"], ["By", "Anna"], ["Date", "2020-01-01"], WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
        ([["Made on 3 May", None, None, None], WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
    ],
    "comments": [
        ([["# made by x"], ["# 3 columns, 12 rows"], HEADER, *BODY], HEADER, BODY),
        ([["% from the laboratory"], HEADER, *BODY], HEADER, BODY),
        ([["// export"], ["// of May"], [None], WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
    ],
    "names behind a comment mark": [
        ([["# region", "sales", "y"], *BODY], HEADER, BODY),
        ([["# made by x"], ["#region", "sales", "y"], *BODY], HEADER, BODY),
        ([["#town", "age", "size", "done"], *WIDE_BODY], WIDE, WIDE_BODY),
    ],
}
ORANGE = ["string", "continuous", "continuous", "d"]
YEARS = ("region", 2015, 2016, "y")
STEPS = [[k, k + 1, "n"] for k in range(9)]
ASKED = [[11000 + k, "yn"[k % 2], "A" if k % 3 else None, "B"] for k in range(9)]
PARTS = [[f"p{k}", k + 0.5, k, k % 4] for k in range(9)]
DOSES, DOSED = [["x", 1, 2, "u"]] * 8, ["who id", "dose a", "dose b", "who y"]
HEADERS = {
    "units": [
        ([WIDE, [None, "years", "cm", None], *WIDE_BODY], WIDE, WIDE_BODY),
        ([WIDE, ["-", "(kg)", "[m/s]", "-"], *WIDE_BODY], WIDE, WIDE_BODY),
        ([["Measured"], HEADER, ["text", "EUR", "text"], *BODY], HEADER, BODY),
    ],
    "a survey's second row": [
        ([WIDE, ["Response"] * 4, *WIDE_BODY], WIDE, WIDE_BODY),
        ([WIDE, ["Open-Ended Response", *["Response"] * 3], *WIDE_BODY], WIDE, WIDE_BODY),
        ([WIDE, [f"Question {k} of the ward?" for k in range(4)], *WIDE_BODY], WIDE, WIDE_BODY),
        (
            [["id", "Ill?", "Which?", None], [None, "Response", "A", "Other"], *ASKED],
            ["id", "Ill?", "Which? A", "Which? Other"],
            ASKED,
        ),
        ([WIDE, [f'{{"ImportId":"QID{k}"}}' for k in range(4)], *WIDE_BODY], WIDE, WIDE_BODY),
        ([HEADER, ["Where?", "How?", "Done?"], ['{"ImportId":"QID1"}'] * 3, *BODY], HEADER, BODY),
    ],
    "types and roles": [
        ([WIDE, ORANGE, ["meta", "", "", "class"], *WIDE_BODY], WIDE, WIDE_BODY),
        ([HEADER, ["d", "continuous", "d"], [None, None, "class"], *BODY], HEADER, BODY),
        ([HEADER, ["discrete", "continuous", "discrete"], *BODY], HEADER, BODY),
    ],
    "groups of columns": [
        ([["who", "dose", "dose", "who"], ["id", "a", "b", "y"], *DOSES], DOSED, DOSES),
        (
            [["id", "2019", None, "y"], [None, "cost", "gain", None], *[["x", 1, 2, "a"]] * 8],
            ["id", "2019 cost", "2019 gain", "y"],
            [["x", 1, 2, "a"]] * 8,
        ),
        (
            [["May", None, "June", None], ["cost", "gain"] * 2, *[[1, 2, 3, k] for k in range(8)]],
            ["May cost", "May gain", "June cost", "June gain"],
            [[1, 2, 3, k] for k in range(8)],
        ),
        (
            [["Report"], ["A", None, "y"], ["low", "high", "y"], *STEPS],
            ["A low", "A high", "y"],
            STEPS,
        ),
        (
            [["who", 2019, 2019, 2020], [None, "m", "f", "m"], *PARTS],
            ["who", "2019 m", "2019 f", "2020 m"],
            PARTS,
        ),
        (
            [
                [None, "dose", "dose", "n"],
                [None, "mean", "std", "sum"],
                ["id", *[None] * 3],
                *PARTS,
            ],
            ["id", "dose mean", "dose std", "n sum"],
            PARTS,
        ),
        (
            [
                ["Results"],
                [None, "Blood", None, "Urine"],
                ["id", "Na", "K", "Na"],
                [None, "mmol/L", "mmol/L", "g"],
                *PARTS,
            ],
            ["id", "Blood Na", "Blood K", "Urine Na"],
            PARTS,
        ),
    ],
    "years as names": [
        ([[*YEARS], *WIDE_BODY], list(map(str, YEARS)), WIDE_BODY),
        ([["Report"], [*YEARS], *WIDE_BODY], list(map(str, YEARS)), WIDE_BODY),
        ([["town", 1, 2, "y"], *WIDE_BODY], ["town", "1", "2", "y"], WIDE_BODY),
    ],
}
NUMBERED = [f"column {k}" for k in range(1, 6)]
DAYS = [[f"2020-01-{k:02}", k, "no"] for k in range(2, 20)]
PROTEINS = [[f"A_{k}", k / 7, 0.3, ("cp", "im")[k % 2]] for k in range(1, 20)]
VOTES = [[("rep", "dem")[k % 2], "ny"[k % 3 > 1], "yn"[k % 2]] for k in range(13)]
WITHOUT = {
    "no header": [
        (IRIS, NUMBERED[:3], IRIS),
        ([["A title"], *IRIS], NUMBERED[:3], IRIS),
        (PROTEINS, NUMBERED[:4], PROTEINS),
        (VOTES, NUMBERED[:3], VOTES),
    ],
    "no header, and a first cell that is no number": [
        ([[None, 3.5, "setosa"], *IRIS], NUMBERED[:3], [[None, 3.5, "setosa"], *IRIS]),
        ([["?", 3.5, "setosa"], *IRIS], NUMBERED[:3], [[None, 3.5, "setosa"], *IRIS]),
        (DAYS, NUMBERED[:3], DAYS),
        ([["40.", 0.5, 7], *[[k, k / 8, k % 3] for k in range(50, 60)]], NUMBERED[:3],
         [[40, 0.5, 7], *[[k, k / 8, k % 3] for k in range(50, 60)]]),
        ([[40, "?", 7], *[[k, k / 8, k % 3] for k in range(50, 60)]], NUMBERED[:3],
         [[40, None, 7], *[[k, k / 8, k % 3] for k in range(50, 60)]]),
    ],
}  # fmt: skip
BELOW = {
    "totals": [
        ([HEADER, *total(BODY, "sum", "Total", None)], HEADER, BODY),
        ([HEADER, *total(BODY, "sum", "Grand total:", None)], HEADER, BODY),
        ([HEADER, *total(BODY, "mean", "Average", None)], HEADER, BODY),
        ([HEADER, *total(BODY, "sum", "Итого", None), ["Aantal", 12, None]], HEADER, BODY),
        (
            [HEADER, *total(BODY, "mean", "Mean", None), ["SD", 3, None], ["Max", 5, None]],
            HEADER,
            BODY,
        ),
        ([HEADER, *total(BODY, "sum", None, None)], HEADER, BODY),
        ([HEADER, *BODY, [None] * 3, [None, 7, "Endsaldo"]], HEADER, BODY),
    ],
    "source notes": [
        ([HEADER, *BODY, ["Source: the bank"]], HEADER, BODY),
        ([HEADER, *BODY, [None] * 3, ["Anna"], ["Note", "fees"], ["Source:", "us"]], HEADER, BODY),
        ([WIDE, *WIDE_BODY, [None] * 4, ["* estimated"], ["Note: in euros"]], WIDE, WIDE_BODY),
        ([HEADER, *total(BODY, "sum", "Sum", None), ["Exported 2020-01-01"]], HEADER, BODY),
    ],
    "empty rows at the end": [
        ([HEADER, *BODY, [None] * 3], HEADER, BODY),
        ([WIDE, *WIDE_BODY, [None] * 4, [None] * 4], WIDE, WIDE_BODY),
        ([["Report"], [None], HEADER, *BODY, [None] * 3], HEADER, BODY),
    ],
    "a repeated header": [
        ([HEADER, *BODY[:6], HEADER, *BODY[6:]], HEADER, BODY),
        ([WIDE, *WIDE_BODY, WIDE], WIDE, WIDE_BODY),
        ([WIDE, *WIDE_BODY, ["TOWN", " Age", "Size ", "done"]], WIDE, WIDE_BODY),
        ([["Report"], HEADER, *BODY[:3], HEADER, *BODY[3:6], HEADER, *BODY[6:]], HEADER, BODY),
    ],
}
MARKED = [[k + 0.5, "ab"[k % 2], k % 3] for k in range(12)]
TAGGED = [[f"#{k}", k * 3, "ab"[k % 2]] for k in range(12)]
INSIDE = {
    "comments inside": [
        ([WIDE, *WIDE_BODY[:5], ["# checked to here"], *WIDE_BODY[5:]], WIDE, WIDE_BODY),
        ([["x", "s", "y"], ["% cm"], *MARKED[:3], ["#9.5", "b", 1], *MARKED[3:]],
         ["x", "s", "y"], MARKED),
        ([["tag", "n", "y"], *TAGGED], ["tag", "n", "y"], TAGGED),
    ],
}  # fmt: skip
INDEXED = [[k, *row] for k, row in enumerate(BODY)]
CALLED = [[f"a{k}", *row] for k, row in enumerate(BODY)]
BESIDE = {
    "empty columns": [
        ([[*row, None] for row in [HEADER, *BODY]], HEADER, BODY),
        ([[None, *row] for row in [HEADER, *BODY]], HEADER, BODY),
        ([[None, *row, None, None] for row in [WIDE, *WIDE_BODY]], WIDE, WIDE_BODY),
    ],
    "an index without a name": [
        ([["", *HEADER], *INDEXED], ["column 1", *HEADER], INDEXED),
        ([["", *HEADER], *CALLED], ["column 1", *HEADER], CALLED),
        ([["Report"], ["", *HEADER], *INDEXED], ["column 1", *HEADER], INDEXED),
    ],
    "a header a cell short": [
        ([[*HEADER[1:], "z", None], *CALLED], ["row name", *HEADER[1:], "z"], CALLED),
        ([["a", "b", "c", None], *[[k, 2, 3, "x"] for k in range(1, 9)]],
         ["row name", "a", "b", "c"], [[k, 2, 3, "x"] for k in range(1, 9)]),
        ([["name", *HEADER[1:], None], *CALLED], ["name", *HEADER[1:], "column 4"], CALLED),
    ],
}  # fmt: skip
OTHER_TOTAL = [*BODY, ["Total", 5, "no"]]
SPARSE = [*WIDE_BODY, ["Ulm", None, None, None]]
LEVELS = [["all", 3, "no"], *BODY, ["all", 669, "no"]]
WORDS = [["none yet", "soon", "no"], *BODY]
LETTERS = [["yn"[k % 2], "ab"[k % 2]] for k in range(9)]
#: tables as they are: no repair may touch them
PLAIN = {
    "ordinary": [
        ([HEADER, *BODY], HEADER, BODY),
        ([WIDE, *WIDE_BODY], WIDE, WIDE_BODY),
        ([["a", "b"], [1, "x"], [2, "y"]], ["a", "b"], [[1, "x"], [2, "y"]]),
    ],
    "a last row that looks like an end": [
        ([HEADER, *OTHER_TOTAL], HEADER, OTHER_TOTAL),
        ([WIDE, *SPARSE], WIDE, SPARSE),
        ([HEADER, *LEVELS], HEADER, LEVELS),
        ([HEADER, *BODY, ["Max", 999, "no"]], HEADER, [*BODY, ["Max", 999, "no"]]),
        ([HEADER, *BODY, [None, 7, "no"]], HEADER, [*BODY, [None, 7, "no"]]),
    ],
    "a first row of words": [
        ([HEADER, *WORDS], HEADER, WORDS),
        ([["y", "n"], *LETTERS], ["y", "n"], LETTERS),
        ([WIDE, ["kg", 1, 2, "c"], *WIDE_BODY], WIDE, [["kg", 1, 2, "c"], *WIDE_BODY]),
    ],
}
KINDS = {**ABOVE, **HEADERS, **WITHOUT, **BELOW, **INSIDE, **BESIDE, **PLAIN}
CASES = [
    pytest.param(suffix, *variant, id=f"{kind} {number} {suffix}")
    for kind, variants in KINDS.items()
    for number, variant in enumerate(variants, start=1)
    for suffix in WRITERS
]


def same(cell, value):
    """Whether a cell of a frame is what a file holds."""
    if value is None:
        return cell is None or cell != cell
    return (
        np.isclose(float(cell), value)
        if isinstance(value, (int, float))
        else str(cell)[:10] == value
    )


def check(table, names, rows):
    """Compare a table with its names and cells."""
    assert list(table.frame.columns) == names, table.notes
    assert table.n_rows == len(rows), table.notes
    for row, cells in zip(rows, table.frame.astype(object).itertuples(index=False), strict=True):
        assert all(map(same, cells, row)), (row, cells, table.notes)


@pytest.mark.parametrize(("suffix", "rows", "names", "expected"), CASES)
def test_layout_of_each_kind_is_read(suffix, rows, names, expected):
    check(read_table(WRITERS[suffix](rows)), names, expected)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("title", "above the header"),
        ("comments", "as comments"),
        ("units", "read as units"),
        ("a survey's second row", "further words of the header|takes two rows"),
        ("types and roles", "types and roles"),
        ("groups of columns", "takes two rows"),
        ("no header", "looks like data"),
        ("totals", "totals"),
        ("source notes", "at the end"),
        ("empty rows at the end", "row"),
        ("a repeated header", "repeat"),
        ("a header a cell short", "row names|column 4"),
        ("empty columns", "has no name and no cells|without name"),
    ],
)
def test_each_decision_is_noted(kind, word):
    for rows, _, _ in KINDS[kind]:
        notes = " ".join(read_table(csv_file(rows)).notes)
        assert any(part in notes for part in word.split("|")), notes


SMALL = ["mpg", "name", "y"], [[18.5 + k, f"car {k}", k % 2] for k in range(9)]


def text(separator, end="", quote='"', begin=""):
    """The small table as text."""
    header = separator.join(SMALL[0]) + end
    rows = [f"{begin}{a}{separator}{quote}{b}{quote}{separator}{c}{end}" for a, b, c in SMALL[1]]
    return "\n".join([header, *rows]) + "\n"


TEXTS = {
    "delimiter at the end of rows": [
        text(",", end=","),
        text(",", end=",").replace("y,", "y", 1),
        text(";", end=";").replace("y;", "y", 1),
    ],
    "runs of blanks": [text("   "), text(" \t "), "Title\n" + text("  ", begin="  ")],
    "blanks before quotes": [text(", "), text("; "), text(" , ")],
    "Markdown": [
        text(" | ", " |", "").replace("y |\n", "y |\n|---|:-:|--:|\n", 1),
        text("|", "|", "", "|").replace("mpg", "|mpg", 1).replace("y|\n", "y|\n|---|---|---|\n", 1),
        "Some words\n\n" + text(" | ", "", "").replace("y\n", "y\n--- | --- | ---\n", 1),
    ],
    "a database's terminal": [
        text(" | ", "", "").replace("y\n", "y\n-----+-----+---\n", 1) + "(9 rows)\n",
        f"+--+--+--+\n{text(' | ', ' |', '', '| ').replace('mpg', '| mpg', 1)}+--+--+--+\n",
        text(" | ", " |", "", "| ").replace("mpg", "| mpg", 1).replace("y |", "y |\n+==+==+==+", 1),
        "+--+--+--+\n"
        + text(" | ", " |", "", "| ")
        .replace("mpg", "| mpg", 1)
        .replace("y |", "y |\n+--+--+--+", 1)
        + "+--+--+--+\n",
    ],
    "rows in quotation marks": [
        "".join('"' + line.replace('"', '""') + '"\n' for line in text(",").splitlines()),
    ],
    "blanks, and a tab before the last cell": [
        "\n".join("\t".join(line.rsplit("    ", 1)) for line in text("    ").split("\n"))
    ],
    "title with quotes": [
        '"The" report\n' + text(","),
        'Report, "quoted" and\n' + text(","),
        'Cars; 5" wheels\n' + text(";"),
    ],
    "empty cells beyond the last column": [
        text(",").replace("0\n", "0,,\n", 1),
        text(",").replace("1\n", "1,\n"),
        text("\t").replace("0\n", "0\t\n", 1),
    ],
}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(raw, id=f"{kind} {k}")
        for kind, raws in TEXTS.items()
        for k, raw in enumerate(raws)
    ],
)
def test_layout_of_text_files_is_read(content):
    check(read_table(content.encode()), *SMALL)


@pytest.mark.parametrize("begin", ["", '"'])
@pytest.mark.parametrize("separator", [",", " ", "\t"])
def test_row_names_without_a_name_are_read(separator, begin):
    names = [f"{begin}{name}{begin}" for name in ("age", "y")]
    rows = [
        [f"{begin}r {k}{begin}" if begin else f"r{k}", str(k * 3), str(k % 2)] for k in range(8)
    ]
    content = "\n".join(map(separator.join, [names, *rows]))
    table = read_table(content.encode())
    assert list(table.frame.columns) == ["row name", "age", "y"]
    assert table.frame["age"].tolist() == [k * 3 for k in range(8)]


def test_merged_cells_are_filled_downwards():
    rows = [HEADER, *[[f"r{i // 3}" if i % 3 == 0 else None, i, "n"] for i in range(12)]]
    spans = [f"A{2 + 3 * k}:A{4 + 3 * k}" for k in range(4)]
    table = read_table(xlsx_file(rows, merged=spans))
    assert table.frame["region"].tolist() == [f"r{i // 3}" for i in range(12)]
    assert "8 cells below merged ones got their value." in table.notes
    titled = read_table(xlsx_file([["Report of May"], HEADER, *BODY], merged=["A1:C1"]))
    check(titled, HEADER, BODY)


@pytest.mark.parametrize(
    "before",
    [
        [("notes", [["Made by Anna"], ["in May"]], "visible")],
        [("lists", [["a", "b"]] * 9, "hidden")],
        [("key", [["code", "words"], ["r1", "north"]], "visible"), ("x", [], "visible")],
    ],
)
def test_the_sheet_with_the_table_is_read(before):
    table = read_table(xlsx_file([HEADER, *BODY], before=before, after=[("z", BODY, "visible")]))
    check(table, HEADER, BODY)
    assert any("'table' was read" in note for note in table.notes)


@pytest.mark.parametrize("suffix", WRITERS)
def test_decisions_can_be_set_and_apply_to_another_file(suffix):
    rows = [["Report"], WIDE, ["x", 1, 2, "b"], *WIDE_BODY, ["Source: a"], ["more"]]
    options = ParseOptions(header_row=2, skip_rows=(1, 3), skip_last=2)
    check(read_table(WRITERS[suffix](rows), options=options), WIDE, WIDE_BODY)
    later = [["Report"], WIDE, ["x", 1, 2, "b"], *WIDE_BODY[:5], ["Source: a"], ["more"]]
    check(read_table(WRITERS[suffix](later), options=options), WIDE, WIDE_BODY[:5])
    units = [HEADER, ["text", "EUR", "text"], *BODY]
    table = read_table(WRITERS[suffix](units), options=ParseOptions(skip_rows=(2, 4)))
    assert (dict(table.units), table.n_rows) == ({HEADER[1]: "EUR"}, len(BODY) - 1)
    kept = ParseOptions(header=True, skip_rows=(), skip_last=0)
    units = [HEADER, ["text", "EUR", "text"], *BODY, [None] * 3]
    names, n = HEADER, len(units) - 1 - (suffix != "csv")
    table = read_table(WRITERS[suffix](units), options=kept)
    assert (list(table.frame.columns), table.n_rows) == (names, n)


def test_repeated_headers_are_counted_and_absent_rows_refused():
    table = read_table(b"a,b\n1,2\n" + b"a,b\n" * 2_500 + b"3,4\n")
    assert table.frame["a"].tolist() == [1, 3]
    assert "2500 lines repeat the header and are not read." in table.notes
    rows = [["Report"], ["of May"], WIDE, [None, "years", "cm", None], *WIDE_BODY]
    table, _, layout = read_with_layout(csv_file(rows))
    assert (layout.header, layout.first, layout.skipped) == (3, 5, (1, 2, 4))
    assert dict(table.units) == {"age": "years", "size": "cm"}
    with pytest.raises(DataError, match="The file is empty"):
        find_layout([(1, ["", ""])], ParseOptions())


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b\n1,2,3,4\n2,3,4,5\n3,4,5,6\n4,5,6,7\n", {}, "Line 1, the header, has 2 cells"),
        ("a,b\n1,2\n", {"header_row": 9}, "Line 9 cannot be the header"),
        ("a,b\n1,2\n3,4\n\nTable 2\n5,6,7\n", {}, "line 6 has 3: '5,6,7'"),
        ("a,b,c\n1,2,3\n4,5,6\n7,8\n", {}, "line 4 has 2: '7,8'"),
    ],
)
def test_unclear_layout_is_refused_with_the_cause(content, options, message):
    with pytest.raises(DataError, match=message):
        read_table(content.encode(), options=ParseOptions(**options))


def test_settings_of_the_layout_are_checked():
    for settings in ({"header_row": 0}, {"header_row": 1, "header": False}):
        with pytest.raises(ValueError, match="`header_row` must be from 1"):
            ParseOptions(**settings)
    for settings in ({"skip_rows": (0,)}, {"skip_last": -1}):
        with pytest.raises(ValueError, match="from 1, those at the end from 0"):
            ParseOptions(**settings)


@st.composite
def mutated(draw):
    """A sound table with lines around it that are no part of it, as text or spreadsheet."""
    n = draw(st.integers(6, 30))
    body = [[f"t{k % 3}", k + 0.5, draw(st.integers(0, 99)), "ab"[k % 2]] for k in range(n)]
    above = draw(st.lists(st.sampled_from([["# a comment"], ["A title"], [None] * 4]), max_size=3))
    below = draw(st.lists(st.sampled_from([["Source: x"], ["* a note"], [None] * 4]), max_size=2))
    inside = draw(st.lists(st.sampled_from([WIDE, ["# checked, twice"]]), max_size=2))
    return [*above, WIDE, *body[:3], *inside, *body[3:], *below], body


@given(mutated(), st.sampled_from(sorted(WRITERS)))
def test_mutated_layouts_are_read(case, suffix):
    rows, body = case
    check(read_table(WRITERS[suffix](rows)), WIDE, body)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("", ["", None, "NA"]),
        ("number", ["1,5", "(5)", 2.5, "€ 3"]),
        ("text", [True]),
        ("date", ["[1/Oct/2000:13:55:36 -0700]", "2020-01-05", "12:30"]),
    ],
)
def test_kinds_of_cells(kind, cells):
    assert [kind_of_cell(cell) for cell in cells] == [kind] * len(cells)
