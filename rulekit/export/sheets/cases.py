"""Scored cases as files: every row of the new table with its prediction."""

import io
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

from rulekit.explain import Scored
from rulekit.export.sheets.frame import csv_text, spreadsheet_safe


class CaseFile(NamedTuple):
    """A file type with its description and writer."""

    mime: str
    write: Callable[[pd.DataFrame], bytes]


def cases_frame(
    scored: Scored, *, changes: bool = True, progress: Callable[[float], Any] | None = None
) -> pd.DataFrame:
    """Return the new table with the prediction for each case."""
    frame = scored.X.reset_index(drop=True)
    added = scored.table(changes=changes, progress=progress).reset_index(drop=True)
    return frame.join(added.rename(columns=lambda name: _free(name, frame)))


def _free(name: str, frame: pd.DataFrame) -> str:
    """Return a name that no column of the table has."""
    while name in frame.columns:
        name = f"{name} (rule)"
    return name


def _csv(frame: pd.DataFrame) -> bytes:
    return csv_text(frame).encode()


def _xlsx(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    spreadsheet_safe(frame).to_excel(file, index=False)
    return file.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    mixed = {c: frame[c].map(str, na_action="ignore") for c in frame if frame[c].dtype == object}
    frame.assign(**mixed).to_parquet(file, index=False)
    return file.getvalue()


#: How scored cases are written, by how their files end.
CASE_FILES = {
    "csv": CaseFile("text/csv", _csv),
    "xlsx": CaseFile("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _xlsx),
    "parquet": CaseFile("application/octet-stream", _parquet),
}
