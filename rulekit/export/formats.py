"""The table of export formats, read by the page, the verification and the tests.

To add a format, write its function in a file of its own and enter it in `FORMATS`. Tests go through
the table: they ask for recorded text, for cells no spreadsheet takes for a formula, for a file name
of its own, and run what can be run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rulekit.export.code.dialects import DATABASES, to_sql
from rulekit.export.code.python import to_python
from rulekit.export.code.script import to_script
from rulekit.export.documents.html import to_html
from rulekit.export.documents.latex import to_latex
from rulekit.export.documents.markdown import to_markdown
from rulekit.export.documents.report import to_report
from rulekit.export.documents.sheet import to_sheet
from rulekit.export.documents.text import to_text
from rulekit.export.documents.text_parser import from_text
from rulekit.export.exchange.dmn import to_dmn
from rulekit.export.exchange.json import from_json, to_json
from rulekit.export.exchange.pmml import to_pmml
from rulekit.export.runners import (
    CASES,
    Run,
    read_back,
    run_ansi,
    run_duckdb,
    run_python,
    run_scoring,
    run_sqlite,
)
from rulekit.export.sheets.frame import to_csv
from rulekit.export.sheets.workbook import to_xlsx


@dataclass(frozen=True)
class Format:
    """One way to write a rule.

    Attributes
    ----------
    name, purpose : str
        What people call it, and what it is for.
    write : callable
        From a rule set or a fitted model to text, or to the bytes of a workbook. A report needs
        rows as well, a script the place of the table.
    suffix, mime : str
        How its files end and what they are; no two formats have one suffix.
    run : callable or None
        Gives the answers of the text on rows; None where nothing can execute it.
    how : str
        What is done to check it, to end a sentence; where `run` is None a sentence with the reason.
    engine : str
        Who runs it for the check: a library, a database, a reader of ours; empty where `run` is
        None.
    counted : bool
        Whether it has a place for `numbers`, see `clause_numbers`.
    learned : bool
        Whether it needs a model that was learned from the table.
    language : str or None
        What editors call it.
    """

    name: str
    purpose: str
    write: Callable[..., Any]
    suffix: str
    mime: str
    run: Run | None = None
    how: str = "This format is for reading only: nothing can execute it, so it is not checked."
    counted: bool = False
    learned: bool = False
    language: str | None = None
    engine: str = ""


SQL_RUN = "this SQL is run"
POSTGRES = (
    "Not run here: the tests of this library run such SQL in a PostgreSQL server, and compare "
    "every answer."
)
TRANSLATED = (
    "Not run here, nor by the tests of this library, which have no such server: sqlglot turns what "
    "is run in PostgreSQL into this grammar. Compare a few rows before you rely on it."
)
FORMATS = {
    "markdown": Format(
        "Markdown",
        "for a document or a ticket",
        to_markdown,
        "md",
        "text/markdown",
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
        "this text is read back",
        counted=True,
        engine="a reader of its grammar",
    ),
    "report": Format(
        "Report",
        "one page for readers without training in logic: the rule, its figures, single cases with "
        "a person's verdicts on Explain, and the run record; it needs no network",
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
        engine="our reader",
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
        engine="SQLite",
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
        engine="SQLite",
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
        engine="DuckDB",
    ),
    "scoring": Format(
        "SQL that scores a table",
        "a SELECT with each row's answer and the clause that decided",
        partial(to_sql, part="score", table=CASES),
        "score.sql",
        "application/sql",
        run_scoring,
        SQL_RUN,
        language="sql",
        engine="SQLite",
    ),
    **{
        name: Format(
            f"SQL for {database.name}",
            "the same in its own grammar, numbers and gaps as it has them",
            partial(to_sql, dialect=name),
            f"{name}.sql",
            "application/sql",
            how=TRANSLATED if database.grammar else POSTGRES,
            language="sql",
        )
        for name, database in DATABASES.items()
    },
    "python": Format(
        "Python",
        "a function without dependencies",
        to_python,
        "py",
        "text/x-python",
        run_python,
        "this function is executed",
        language="python",
        engine="Python",
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
        counted=True,
        language="html",
    ),
    "sheet": Format(
        "Sheet to fill in",
        "one printed page for a case: conditions to tick, points to add up, what to read off",
        to_sheet,
        "sheet.html",
        "text/html",
        language="html",
    ),
    "csv": Format("CSV", "a table for a spreadsheet", to_csv, "csv", "text/csv", counted=True),
    "pmml": Format(
        "PMML",
        "a rule set for a scoring engine, by PMML 4.4",
        to_pmml,
        "pmml",
        "application/xml",
        how="Not run here: the tests of this library let two engines, JPMML and PMML4S, run such "
        "documents, and compare every answer.",
        language="xml",
    ),
    "dmn": Format(
        "DMN",
        "a decision table for a decision service, by DMN 1.3",
        to_dmn,
        "dmn",
        "application/xml",
        how="Not run here: the tests of this library let the FEEL engine feelin run the cells of "
        "such tables, and compare every answer.",
        language="xml",
    ),
    "xlsx": Format(
        "Excel",
        "a workbook that computes itself: type a case, and its answer appears; no macros",
        to_xlsx,
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        how="Not run here: the tests of this library let LibreOffice compute such workbooks, and "
        "compare every answer.",
    ),
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
