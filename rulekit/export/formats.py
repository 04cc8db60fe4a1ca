"""The formats a rule can be taken away in: one table, which the page, the check and tests read.

To add a format, write its function in a file of its own and enter it in `FORMATS`. Tests go through
the table: they ask for recorded text, for cells no spreadsheet takes for a formula, for a file name
of its own, and run what can be run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rulekit.export.code.python import to_python
from rulekit.export.code.script import to_script
from rulekit.export.code.sql import to_sql
from rulekit.export.documents.html import from_html, to_html
from rulekit.export.documents.latex import to_latex
from rulekit.export.documents.markdown import from_markdown, to_markdown
from rulekit.export.documents.report import to_report
from rulekit.export.documents.text import to_text
from rulekit.export.documents.text_parser import from_text
from rulekit.export.exchange.json import from_json, to_json
from rulekit.export.runners import Run, read_back, run_ansi, run_duckdb, run_python, run_sqlite
from rulekit.export.sheets.frame import to_csv


@dataclass(frozen=True)
class Format:
    """One way to write a rule.

    Attributes
    ----------
    name, purpose : str
        What people call it, and what it is for.
    write : callable
        From a rule set or a fitted model to text. A report needs rows as well, a script the place
        of the table.
    suffix, mime : str
        How its files end and what they are; no two formats have one suffix.
    run : callable or None
        Gives the answers of the text on rows; None where nothing can execute it.
    how : str
        What is done to check it, to end a sentence; where `run` is None a sentence with the reason.
    counted : bool
        Whether it has a place for `numbers`, see `clause_numbers`.
    learned : bool
        Whether it needs a model that was learned from the table.
    language : str or None
        What editors call it.
    """

    name: str
    purpose: str
    write: Callable[..., str]
    suffix: str
    mime: str
    run: Run | None = None
    how: str = "This format is for reading only: nothing can execute it, so it is not checked."
    counted: bool = False
    learned: bool = False
    language: str | None = None


READ_BACK, SQL_RUN = "this text is read back", "this SQL is run"
FORMATS = {
    "markdown": Format(
        "Markdown",
        "for a document or a ticket",
        to_markdown,
        "md",
        "text/markdown",
        read_back(lambda text: from_text(from_markdown(text))),
        READ_BACK,
        counted=True,
        language="markdown",
    ),
    "text": Format(
        "Text",
        "for an e-mail or a page",
        to_text,
        "txt",
        "text/plain",
        read_back(from_text),
        READ_BACK,
        counted=True,
    ),
    "report": Format(
        "Report",
        "one page for readers without training in logic: the rule, its figures, single cases with "
        "what was said of them on Explain, and the run record; it needs no network",
        to_report,
        "report.html",
        "text/html",
        language="html",
    ),
    "json": Format(
        "JSON",
        "to load the rule again, here or elsewhere",
        to_json,
        "json",
        "application/json",
        read_back(from_json),
        "this JSON is loaded",
        language="json",
    ),
    "sql": Format(
        "SQL",
        "a CASE expression for any database",
        to_sql,
        "sql",
        "application/sql",
        run_ansi,
        SQL_RUN,
        language="sql",
    ),
    "sqlite": Format(
        "SQL for SQLite",
        "the same, with truth values as numbers and with infinities",
        partial(to_sql, dialect="sqlite"),
        "sqlite.sql",
        "application/sql",
        run_sqlite,
        SQL_RUN,
        language="sql",
    ),
    "duckdb": Format(
        "SQL for DuckDB",
        "the same, where NaN and NULL differ",
        partial(to_sql, dialect="duckdb"),
        "duckdb.sql",
        "application/sql",
        run_duckdb,
        SQL_RUN,
        language="sql",
    ),
    "python": Format(
        "Python",
        "a function without dependencies",
        to_python,
        "py",
        "text/x-python",
        run_python,
        "this function is executed",
        language="python",
    ),
    "script": Format(
        "Script",
        "a program that reads the same file, learns this rule again and stops if it differs",
        to_script,
        "script.py",
        "text/x-python",
        how="Not run here: it learns the rule anew, and says so itself if it comes out different. "
        "It needs this library, and the table's file beside it.",
        learned=True,
        language="python",
    ),
    "html": Format(
        "HTML",
        "one self-contained page",
        to_html,
        "html",
        "text/html",
        read_back(lambda page: from_text(from_html(page))),
        READ_BACK,
        counted=True,
        language="html",
    ),
    "csv": Format("CSV", "a table for a spreadsheet", to_csv, "csv", "text/csv", counted=True),
    "latex": Format(
        "LaTeX",
        "a table for a paper",
        to_latex,
        "tex",
        "text/x-tex",
        counted=True,
        language="latex",
    ),
}
