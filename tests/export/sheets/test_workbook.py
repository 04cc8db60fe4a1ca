"""A workbook computes what `predict` answers, to the last digit, in a spreadsheet program."""

import io
import shutil
import subprocess
import zipfile
from dataclasses import replace

import numpy as np
import openpyxl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import ExportError
from rulekit.export import to_xlsx
from rulekit.export.sheets.cell_formulas import SMALLEST
from rulekit.export.sheets.workbook import MOST_COLUMNS, Exact, ProtectedSheet, column_name
from rulekit.rules import Clause, LinearSplit, Literal, PointsSplit, RuleSet
from rulekit.style.phrases import Wording
from tests.explain.tables import NAMES, TEXTS, patients
from tests.export.jobs import drawn, of_readings, of_samples
from tests.export.outside import differing, needed


@pytest.mark.parametrize(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (16384, "XFD")])
def test_columns_are_named_as_in_a_spreadsheet(number, name):
    assert column_name(number) == name


def test_numbers_are_written_with_all_their_digits():
    assert f"{Exact(0.1 + 0.2):.16G}" == "0.30000000000000004"
    cut = 0.1 + 0.2
    rule = RuleSet((Clause((Literal("x", ">", cut),)),), (1,), "dnf", 0)
    with zipfile.ZipFile(io.BytesIO(to_xlsx(rule, n_cases=1))) as archive:
        text = "".join(archive.read(n).decode() for n in archive.namelist() if "sheet" in n)
    assert f"<v>{cut!r}</v>" in text


def test_a_column_beyond_the_last_is_refused(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = ProtectedSheet(book, "S")
        sheet.value(1, MOST_COLUMNS, "last", "heading")
        with pytest.raises(ExportError, match="at most 16384 columns"):
            sheet.value(1, MOST_COLUMNS + 1, "beyond", "heading")


MOST = 60  # workbooks handed to the program at once


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Return a function that lets LibreOffice compute workbooks and gives them opened."""
    program = needed(shutil.which("soffice"), "install LibreOffice, Debian's `libreoffice-calc`")
    folder = tmp_path_factory.mktemp("books")
    own = f"-env:UserInstallation=file://{folder / 'profile'}"
    command = [program, own, "--headless", "--convert-to", "xlsx", "--outdir"]

    def compute(books):
        opened = []
        for start in range(0, len(books), MOST):
            paths = []
            for k, book in enumerate(books[start : start + MOST]):
                paths.append(folder / f"{k}.xlsx")
                paths[-1].write_bytes(book)
            out = folder / f"out {start}"
            subprocess.run([*command, out, *paths], check=True, capture_output=True, timeout=300)
            opened += [openpyxl.load_workbook(out / p.name, data_only=True) for p in paths]
        return opened

    return compute


def answers(book, n):
    sheet = book["Cases"]
    headings = [cell.value for cell in sheet[3]]
    place = headings.index("decided by")  # a column of the table may be called "answer"
    return [sheet.cell(4 + k, place).value for k in range(n)]


def strange(value):
    return isinstance(value, float) and (np.isinf(value) or 0 < abs(value) < SMALLEST)


def requested(job):
    """A job as a spreadsheet can hold it: no empty text, no infinities, no tiniest numbers."""
    columns = {}
    for name, column in job.columns.items():
        held = [None if v is None or v != v or v == "" or strange(v) else v for v in column]
        columns[name] = np.array(held, dtype=column.dtype)
    return replace(job, columns=columns)


def named(rule):
    """Every text and number that a rule compares with or answers."""
    tests = [t for k in rule.clauses for c in k.conditions for t in c.tests]
    return [*rule.labels, rule.default, *(v for t in tests for v in t.values)]


def compare(jobs, computed):
    """Compute every job that a spreadsheet can hold; return the number of rows."""
    books = []
    for job in map(requested, jobs):
        if any(v == "" or v in (np.inf, -np.inf) for v in named(job.rule)):
            with pytest.raises(ExportError, match=r"an empty text is|cannot hold the number"):
                to_xlsx(job.rule)
        else:
            books.append((job, to_xlsx(job.rule, cases=job.columns, n_cases=max(1, job.n))))
    opened = computed([book for _, book in books])
    kept = [job for job, _ in books]
    results = [answers(book, job.n) for job, book in zip(kept, opened, strict=True)]
    assert not differing(kept, results)
    return sum(job.n for job in kept)


@pytest.mark.slow
def test_spreadsheets_answer_every_rule_and_row_as_they_do(computed):
    assert compare(of_samples(100), computed) > 3_000
    assert compare(drawn(12), computed) > 1_000
    # each third of the eight ways to write a test: every test as literal, points, and negated
    assert compare(list(of_readings())[::3], computed) > 3_000


def card():
    tests = (Literal("age", ">", 60), Literal("town", "in", ("Bonn", "Ulm")), Literal("bp", ">", 9))
    bands = (Clause((PointsSplit(tests, (3, 2, -1), total),)) for total in (4, 2))
    return RuleSet(tuple(bands), ("ill", "watch"), "dnf", "well")


def filled(book, cells, sheet="Scorecard"):
    """Type into a workbook, as a person does."""
    opened = openpyxl.load_workbook(io.BytesIO(book))
    for cell, value in cells.items():
        opened[sheet][cell] = value
    saved = io.BytesIO()
    opened.save(saved)
    return saved.getvalue()


@pytest.mark.slow
def test_scorecard_points_add_up_and_a_slip_is_named(computed):
    book = to_xlsx(card(), n_cases=3)
    typed = [
        {"B4": 70, "B5": "Ulm", "B6": 10},
        {"B4": 70, "B5": "Rom", "B6": 10},
        {"B4": 60, "B6": 1},
        {"B4": "old", "B5": "Ulm"},
        {},
    ]
    result = []
    for opened in computed([filled(book, cells) for cells in typed]):
        sheet = opened["Scorecard"]
        given = [[cell.value for cell in row] for row in sheet["C9:D11"]]
        result.append((given, sheet["B18"].value, sheet["C4"].value or ""))
    assert [sheet.cell(row, 1).value for row in (8, 18)] == ["condition", "answer"]
    assert result[0] == ([[3, 3], [2, 5], [-1, 4]], "ill", "")
    assert result[1] == ([[3, 3], [0, 3], [-1, 2]], "watch", "")
    assert result[2] == ([[0, 0], [0, 0], [0, 0]], "well", "")
    assert result[3][1:] == ("mend the values above", "must be a number")
    assert (result[4][1] or "") == ""


@pytest.mark.slow
def test_a_row_waits_until_it_is_typed_and_names_what_is_mistyped(computed):
    flag = RuleSet((Clause((Literal("on", "==", True), Literal("x", ">", 1))),), (1,), "dnf", 0)
    cells = {"B4": True, "C4": 2, "B5": "yes", "C5": 2, "C6": "2,5", "A7": "nothing known"}
    (opened,) = computed([filled(to_xlsx(flag, n_cases=6), cells, "Cases")])
    result = [[cell.value for cell in row] for row in opened["Cases"]["D4:E8"]]
    assert result[0] == [1, "clause 1"]
    assert result[1][0] == "on must be TRUE or FALSE"
    assert result[2][0] == "x must be a number"
    assert result[3] == [0, "otherwise"]
    assert not any(result[4])


def formulas(book):
    opened = openpyxl.load_workbook(io.BytesIO(book))
    return [c.value for s in opened for row in s.iter_rows() for c in row if c.data_type == "f"]


@pytest.mark.slow
@given(
    st.sampled_from(NAMES), st.sampled_from(sorted({*TEXTS} - {""})), st.sampled_from(TEXTS[1:7])
)
def test_no_name_level_or_label_is_in_a_formula(name, level, label):
    rule = RuleSet((Clause((Literal(name, "==", level),)),), (label,), "dnf", f"not {label}")
    plain = RuleSet((Clause((Literal("n", "==", "v"),)),), ("a",), "dnf", "b")
    assert formulas(to_xlsx(rule, n_cases=2)) == formulas(to_xlsx(plain, n_cases=2))


@pytest.mark.slow
def test_prediction_is_in_words_beside_every_digit():
    rule, _ = patients()
    book = to_xlsx(rule, wording=Wording(names={"age": "Age in years"}, units={"age": "y"}))
    opened = openpyxl.load_workbook(io.BytesIO(book))
    sheet, (hint, *names) = opened["Rule"], (c.value for c in opened["Workings"][3])
    assert (hint, names[1:3]) == ("glucose must be a number", ["clause 1", "clause 2"])
    assert sheet["B4"].value == "glucose > 126.5 AND Age in years > 50 y"
    assert [sheet["C4"].value, sheet["C6"].value] == ["ill", "well"]
    assert sheet["D4"].value == "glucose > 126.5 AND age > 50"
    bands = openpyxl.load_workbook(io.BytesIO(to_xlsx(card())))["Scorecard"]["A"]
    assert {"at least 4 points", "at least 2 points"} < {cell.value for cell in bands}


def test_only_input_cells_are_open_and_files_are_reproducible():
    book = to_xlsx(card(), n_cases=2)
    assert book == to_xlsx(card(), n_cases=2)
    opened = openpyxl.load_workbook(io.BytesIO(book))
    assert all(sheet.protection.sheet for sheet in opened)
    places = ((sheet.title, c) for sheet in opened for row in sheet.iter_rows() for c in row)
    free = {(title, c.coordinate) for title, c in places if not c.protection.locked}
    cases = {("Cases", f"{column}{row}") for column in "ABCD" for row in (4, 5)}
    assert free == cases | {("Scorecard", f"B{row}") for row in (4, 5, 6)}


def clause(*conditions):
    return RuleSet((Clause(conditions),), ("a",), "dnf", "b")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (clause(Literal("x", "==", "")), "an empty text is a missing value"),
        (clause(Literal("x", "==", np.inf)), "cannot hold the number inf"),
        (clause(Literal("x", ">", 5e-324)), "cannot hold the number 5e-324"),
        (clause(Literal("x\0", ">", 1)), "a NUL character or a lone surrogate"),
        (clause(Literal("x", "==", "\ud800")), "a NUL character or a lone surrogate"),
        (clause(Literal("x", "==", "a" * 40_000)), "holds at most 32767 characters"),
        (clause(Literal("x", ">", 1), Literal("x", "==", "a")), "'x' is compared with text and"),
        (clause(LinearSplit(tuple((f"c{k}", 1.0) for k in range(300)), ">", 0)), "most 8192 ch"),
        (
            clause(Literal("x", "==", "a"), Literal("x", ">", 3, part="month")),
            "'x' is read as a date and as text",
        ),
        (RuleSet((), (), "dnf", (1, 2)), r"predicts \(1, 2\)"),
    ],
)
def test_tables_beyond_a_spreadsheet_are_refused(rule, message):
    with pytest.raises(ExportError, match=message):
        to_xlsx(rule, n_cases=1)


def test_dates_and_cases_beyond_a_spreadsheet_are_refused():
    rule = clause(Literal("x", ">", "1800-01-01", part="date"))
    with pytest.raises(ExportError, match="must be 1900-03-01 or later, got '1899-05-01'"):
        to_xlsx(rule, cases={"x": np.array(["1899-05-01"], dtype=object)})
    rule, frame = patients()
    with pytest.raises(ValueError, match="at least 1 and the number of cases, 4; got 3"):
        to_xlsx(rule, cases=frame, n_cases=3)
