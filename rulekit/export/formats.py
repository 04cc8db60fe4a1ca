"""The table of export formats, read by the page, the verification and the tests."""

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rulekit.exceptions import ExportError, RulekitError
from rulekit.explain.subject import columns_for, value_at
from rulekit.export import engines
from rulekit.export.code.dialects import DIALECTS, TYPED
from rulekit.export.code.javascript import to_javascript
from rulekit.export.code.python import to_python, to_script
from rulekit.export.code.sql import to_sql
from rulekit.export.documents.app import to_app
from rulekit.export.documents.html import to_html
from rulekit.export.documents.latex import to_latex
from rulekit.export.documents.markdown import to_markdown
from rulekit.export.documents.report import to_report
from rulekit.export.documents.sheet import to_sheet
from rulekit.export.documents.text import from_text, to_text
from rulekit.export.exchange.dmn import to_dmn, to_dmn_cases
from rulekit.export.exchange.json import from_json, to_json
from rulekit.export.exchange.pmml import to_pmml
from rulekit.export.sheets.frame import to_cases, to_csv
from rulekit.export.sheets.workbook import to_xlsx
from rulekit.export.subject import ClauseNumbers, rule_to_export
from rulekit.rules import RuleSet, make_cases
from rulekit.rules.analysis.row_search import columns_of_rows
from rulekit.rules.condition import ReadColumns

CASES = "cases"  # the table of rows in scoring SQL
#: MIME type of files and language of their text, by the usual end of their suffix.
TYPES = {
    "md": ("text/markdown", "markdown"),
    "txt": ("text/plain", None),
    "html": ("text/html", "html"),
    "json": ("application/json", "json"),
    "sql": ("application/sql", "sql"),
    "py": ("text/x-python", "python"),
    "js": ("text/javascript", "javascript"),
    "csv": ("text/csv", None),
    **dict.fromkeys(("pmml", "dmn", "xml"), ("application/xml", "xml")),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", None),
    "tex": ("text/x-tex", "latex"),
}


@dataclass(frozen=True)
class Format:
    """One way to write a rule.

    Attributes
    ----------
    name, purpose : str
        Its display name, and its purpose.
    write : callable
        From a rule set or a fitted model to text, or to the bytes of a workbook. A report also
        needs rows, a script the path of the table.
    suffix, mime : str
        Suffix and type of its files; no two formats have the same suffix.
    run : callable or None
        Returns the predictions of the text on rows; None if nothing can execute it.
    how : str
        How it is checked, as the end of a sentence; if `run` is None, why it is not, in sentences.
    engine : str
        What runs it for the check: a library, a database, a reader of ours; empty if `run` is None.
    program : str
        The program that the engine is, if it is no Python package.
    counted : bool
        Whether it can show `numbers`, see `clause_numbers`.
    learned : bool
        Whether it needs a model that was learned from the table.
    language : str or None
    """

    name: str
    purpose: str
    write: Callable[..., Any]
    suffix: str
    run: engines.Run | None = None
    how: str = "Not checked: this format is for reading, and nothing executes it."
    engine: str = ""
    program: str = ""
    counted: bool = False
    learned: bool = False

    @property
    def mime(self) -> str:
        """The MIME type of its files."""
        return TYPES[self.suffix.rpartition(".")[2]][0]

    @property
    def language(self) -> str | None:
        """The language of its text, for colours; None for plain text and bytes."""
        return TYPES[self.suffix.rpartition(".")[2]][1]

    @property
    def why_unchecked(self) -> str:
        """Why it is not checked on this machine, in sentences; empty if it can be."""
        if self.run is None:
            return self.how
        if not self.program or shutil.which(self.program):
            return ""
        return f"Not checked, because that takes {self.engine}, which this machine does not have."


def _sql(
    run: Callable[..., Any], engine: str = "SQLite", sql: str = "SELECT {} FROM t", table: str = "t"
) -> tuple[engines.Run, str, str]:
    """Return what runs SQL in the place of `{}` in a query, how that is checked, and the engine."""
    return (lambda text, rows, n: run(sql.format(text), table, rows, n), "this SQL is run", engine)


# what runs a format, how it is checked, and the engine's name
TEXT = (engines.read_back(from_text), "this text is read back", "a reader of its grammar")
JSON = (engines.read_back(from_json), "this JSON is loaded", "our reader")
SQL = _sql(engines.run_standard_sql)
PYTHON = (engines.run_python, "this function is executed", "Python")
NODE = (engines.run_javascript, "this function is executed in Node", "Node", "node")
IN_TESTS = "Not checked on this table. The tests of this library "
PMML = f"{IN_TESTS}compare such documents with the rule in two engines, JPMML and PMML4S."
FEEL = "in the FEEL engine feelin."
POSTGRES = (
    "Not checked on this table, because that takes a PostgreSQL server. The tests of this library "
    "compare such SQL with the rule in one."
)
TRANSLATED = (
    "Not checked on this table, nor in the tests of this library, which have no such server. "
    "sqlglot translates the SQL for PostgreSQL; compare a few rows before you rely on it."
)
FORMATS = {
    "markdown": Format("Markdown", "for a document or a ticket", to_markdown, "md", counted=True),
    "text": Format("Text", "for an e-mail or a page", to_text, "txt", *TEXT, counted=True),
    "report": Format(
        "Report",
        "one page for readers without training in logic: the rule, its figures, single cases with "
        "a person's verdicts on Explain, and the run record; it needs no network",
        to_report,
        "report.html",
    ),
    "json": Format("JSON", "to load the rule again, here or elsewhere", to_json, "json", *JSON),
    "sql": Format("SQL", "a CASE expression for any database", to_sql, "sql", *SQL),
    "sqlite": Format(
        "SQL for SQLite",
        "the same, with truth values as numbers and with infinities",
        partial(to_sql, dialect="sqlite"),
        "sqlite.sql",
        *_sql(engines.run_in_sqlite),
    ),
    "duckdb": Format(
        "SQL for DuckDB",
        "the same, where NaN and NULL differ",
        partial(to_sql, dialect="duckdb"),
        "duckdb.sql",
        *_sql(engines.run_in_duckdb, "DuckDB"),
    ),
    "scoring": Format(
        "SQL that scores a table",
        "a SELECT with each row's answer, and the clause or the total of points that decided",
        partial(to_sql, part="score", table=CASES),
        "score.sql",
        *_sql(engines.run_standard_sql, "SQLite", 'SELECT "prediction" FROM ({})', CASES),
    ),
    **{
        name: Format(
            f"SQL for {DIALECTS[name].name}",
            "the same in its own grammar, numbers and gaps as it has them",
            partial(to_sql, dialect=name),
            f"{name}.sql",
            how=TRANSLATED if DIALECTS[name].grammar else POSTGRES,
        )
        for name in TYPED
    },
    "python": Format("Python", "a function without dependencies", to_python, "py", *PYTHON),
    "javascript": Format(
        "JavaScript",
        "a function without dependencies, for a web page or Node",
        to_javascript,
        "js",
        *NODE,
    ),
    "script": Format(
        "Script",
        "a program that reads the same file, learns this rule again and stops if it differs",
        to_script,
        "script.py",
        how="Not checked on this table. The script learns the rule again and stops if the result "
        "differs; it needs this library, and the table's file in the same folder.",
        learned=True,
    ),
    "html": Format("HTML", "one self-contained page", to_html, "html", counted=True),
    "app": Format(
        "One page that answers",
        "a form that answers a case with its reasons and scores a file, in any browser, offline",
        to_app,
        "app.html",
        how="Not checked on this table. Its logic is the JavaScript export; the tests of this "
        "library compare such pages with the rule in Node and in a browser.",
    ),
    "sheet": Format(
        "Sheet to fill in",
        "one printed page for a case: conditions to tick, points to add up, what to read off",
        to_sheet,
        "sheet.html",
    ),
    "csv": Format("CSV", "a table for a spreadsheet", to_csv, "csv", counted=True),
    "cases": Format(
        "Test cases",
        "rows with their answers, of which any small change of the rule turns one",
        to_cases,
        "cases.csv",
        how="Not checked: these are rows with the rule's answers, for tests of other programs.",
    ),
    "pmml": Format(
        "PMML", "a rule set for a scoring engine, by PMML 4.4", to_pmml, "pmml", how=PMML
    ),
    "dmn": Format(
        "DMN",
        "a decision table for a decision service, by DMN 1.3",
        to_dmn,
        "dmn",
        how=f"{IN_TESTS}compare such tables with the rule {FEEL}",
    ),
    "dmn-cases": Format(
        "DMN test cases",
        "rows with their answers for a decision service, as the test kit of DMN (TCK) reads them",
        to_dmn_cases,
        "dmn-cases.xml",
        how=f"{IN_TESTS}run such cases on the DMN table {FEEL}",
    ),
    "xlsx": Format(
        "Excel",
        "a workbook that computes itself: type a case, and its answer appears; no macros",
        to_xlsx,
        "xlsx",
        how=f"{IN_TESTS}compare such workbooks with the rule in LibreOffice.",
    ),
    "latex": Format("LaTeX", "a table for a paper", to_latex, "tex", counted=True),
}
CHECKED = tuple(name for name, form in FORMATS.items() if form.run is not None)
MAX_BASES = 3


@dataclass(frozen=True)
class VerifiedExport:
    """An export and the result of running it.

    Attributes
    ----------
    format : str
    text : str
    n_rows, n_equal : int
        Rows of the table, and how many got the same label.
    n_probes, n_probes_equal : int
        Generated rows at, just below and just above every threshold and with missing values, the
        test cases of the rule among them, and how many of these got the same label.
    sentence : str
        The result in words.
    """

    format: str
    text: str
    n_rows: int
    n_equal: int
    n_probes: int
    n_probes_equal: int
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether every row and every probe got the same label."""
        return self.n_equal == self.n_rows and self.n_probes_equal == self.n_probes


def verify_export(
    model: Any, X: Any, format: str, *, numbers: Sequence[ClauseNumbers] | None = None
) -> VerifiedExport:
    r"""Export a rule, run the export on a table, and compare every row with `predict`.

    Parameters
    ----------
    model : RuleSet or fitted model
    X : DataFrame, array or mapping of column name to array
    format : str
        One of the formats that can be run: "text", "json", "python", "sql" (standard SQL, run by
        sqlite3), "sqlite", "duckdb" (needs that package) and others listed in the error for an
        unknown one. Python source is executed, JSON is loaded, and text is parsed.
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown beside the clauses in text; other formats cannot show them.

    Raises
    ------
    ExportError
        If the format cannot express the rule, or its engine cannot run it or is not installed.
    ValueError
        If `format` is unknown.

    Notes
    -----
    Missing values are None and NaN in turn, since engines distinguish them.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> verify_export(rule, {"age": np.array([40.0, 50.0, 60.0, np.nan])}, "json").sentence
    'Checked: 4/4 rows give the same class when this JSON is loaded (and 18/18 at the limits).'
    """
    form = FORMATS.get(format) if isinstance(format, str) else None
    if form is None or form.run is None:
        raise ValueError(f"`format` must be one of {CHECKED}, got {format!r}.")
    rule, columns = rule_to_export(model), columns_for(model, X)
    rows = {f: columns[f] for f in rule.features}
    n = len(next(iter(columns.values()), ()))
    expected = rule.predict(columns).tolist()
    if not isinstance(model, RuleSet):
        expected = np.asarray(model.predict(X)).tolist()
    probes = _probes(rule, rows)
    made = columns_of_rows([case.row for case in make_cases(rule)], rule.features)
    for f, column in rows.items():
        cells = made[f] if column.dtype == object else made[f].astype(float)
        if column.dtype == object and cells.dtype != object:  # of text, any value replaces a number
            present = next((v for v in column if v is not None), None)
            cells = np.array([None if np.isnan(v) else present for v in cells], dtype=object)
        probes[f] = np.concatenate([probes[f], cells])
    text = form.write(model, numbers=numbers) if form.counted else form.write(model)
    equal = _count_equal(expected, _run(form, text, rows, n))
    sentence = f"{equal:,}/{n:,} rows give the same class when {form.how}"
    n_probes = probes_equal = len(next(iter(probes.values()), ()))
    if n_probes:
        answers = _run(form, text, probes, n_probes)
        probes_equal = _count_equal(rule.predict(probes).tolist(), answers)
        sentence += f" (and {probes_equal}/{n_probes} at the limits)"
    same = (equal, probes_equal) == (n, n_probes)
    sentence = f"{'Checked' if same else 'Not the same'}: {sentence}."
    return VerifiedExport(format, text, n, equal, n_probes, probes_equal, sentence)


def _run(form: Format, text: Any, rows: engines.Rows, n: int) -> list[Any]:
    """Run an export on rows; ExportError if its engine cannot."""
    assert form.run is not None
    try:
        return form.run(text, rows, n)
    except RulekitError:
        raise
    except Exception as error:  # each engine has errors of its own
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ExportError(
            f"{form.engine} cannot run this rule as {form.name} ({reason}), so it is not checked. "
            "Take another format, or a shorter rule."
        ) from error


def _count_equal(expected: list[Any], answers: list[Any]) -> int:
    """Count equal labels; engines without truth values return 0 and 1."""
    if len(expected) != len(answers):
        raise ExportError(
            f"The export predicted {len(answers)} rows of {len(expected)}; please report this."
        )
    pairs = zip(expected, answers, strict=True)
    return sum(isinstance(a, str) == isinstance(b, str) and bool(a == b) for a, b in pairs)


def _probes(rule: RuleSet, rows: engines.Rows) -> engines.Rows:
    """Vary a few rows: each column at, below and above its thresholds, and missing."""
    probes = []
    for base in range(min(MAX_BASES, len(next(iter(rows.values()), ())))):
        values = {f: value_at(column, base) for f, column in rows.items()}
        for feature, column in rows.items():
            if column.dtype != object:
                numbers = [v for c in rule.conditions for v in c.limits(feature, values)]
                near = [math.nextafter(v, end) for end in (-math.inf, math.inf) for v in numbers]
                tried: list[Any] = [*near, *numbers, None, None]
            else:
                named = [v for x in rule.tests if x.feature == feature for v in x.turning]
                kind = bool if any(isinstance(v, bool) for v in (*named, *column)) else str
                tried = [*(v for v in named if isinstance(v, kind)), None]
            probes += [values | {feature: v} for v in tried]
    types = {f: float if column.dtype != object else object for f, column in rows.items()}
    return ReadColumns((f, np.array([p[f] for p in probes], dtype=of)) for f, of in types.items())
