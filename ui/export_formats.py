"""The formats a rule can be taken away in: how each is called, shown and saved."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.base import ClassifierMixin

from rulekit.export import (
    to_csv,
    to_html,
    to_json,
    to_latex,
    to_markdown,
    to_python,
    to_sql,
    to_text,
)
from ui.run_record import run_record
from ui.state import AppState


@dataclass(frozen=True)
class Format:
    """One way to write a rule.

    `verified` is the format's name for `verify_export`; empty where nothing can be executed.
    """

    name: str
    purpose: str
    write: Callable[[Any], str]
    suffix: str
    mime: str
    language: str | None = None
    verified: str = ""


FORMATS = {
    "markdown": Format(
        "Markdown",
        "for a document or a ticket",
        to_markdown,
        "md",
        "text/markdown",
        "markdown",
        "markdown",
    ),
    "text": Format("Text", "for an e-mail or a page", to_text, "txt", "text/plain", None, "text"),
    "json": Format(
        "JSON",
        "to load the rule again, here or elsewhere",
        to_json,
        "json",
        "application/json",
        "json",
        "json",
    ),
    "sql": Format(
        "SQL",
        "a CASE expression for any database",
        to_sql,
        "sql",
        "application/sql",
        "sql",
        "sql",
    ),
    "duckdb": Format(
        "SQL for DuckDB",
        "the same, where NaN and NULL differ",
        partial(to_sql, dialect="duckdb"),
        "duckdb.sql",
        "application/sql",
        "sql",
        "duckdb",
    ),
    "python": Format(
        "Python",
        "a function without dependencies",
        to_python,
        "py",
        "text/x-python",
        "python",
        "python",
    ),
    "html": Format("HTML", "one self-contained page", to_html, "html", "text/html", "html", "html"),
    "csv": Format("CSV", "a table for a spreadsheet", to_csv, "csv", "text/csv"),
    "latex": Format("LaTeX", "a table for a paper", to_latex, "tex", "text/x-tex", "latex"),
}


def record_text(state: AppState, model: ClassifierMixin) -> str:
    """Return the run record as JSON text."""
    return json.dumps(run_record(state, model), indent=2, ensure_ascii=False, allow_nan=False)


def bundle(state: AppState, model: ClassifierMixin) -> bytes:
    """Return a zip file with the rule in every format and the run record.

    Parameters
    ----------
    state : AppState
    model : fitted rule classifier

    Returns
    -------
    bytes
        Names inside are ours alone (``rule.md``, ``rule.sql``, ..., ``run-record.json``), and all
        dates are the same, so that equal rules give equal files.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for form in FORMATS.values():
            _add(archive, f"rule.{form.suffix}", form.write(model))
        _add(archive, "run-record.json", record_text(state, model))
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode("utf-8"))
