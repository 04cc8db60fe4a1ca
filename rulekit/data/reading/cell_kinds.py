"""Kinds of cells and rows of a file, before anything is known of its table."""

import datetime
import re
from collections.abc import Sequence
from typing import Any

from rulekit.data.options import MISSING, MISSING_AMONG_NUMBERS

MARKS = ("#", "%", "//")
COMMENT = re.compile(rf"\s*({'|'.join(MARKS)})")
_NUMBER = re.compile(
    r"[<>≤≥]?[(+\-−–]?\s*[$€£¥₹]?\s*[+\-−]?(\d[\d.,'’\u00a0\u202f]*|[.,]\d+)([eE][+-]?\d+)?"
    r"\s*[%€$£¥₹]?\)?-?"
)
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}-?Q[1-4]"
    r"|\[?\d{1,2}[-/ ][A-Za-z]{3,9}\.?[-/ ]\d{2,4}|\d{1,2}:\d{2}(:\d{2})?)([T :]\d{1,2}:\d{2}.*)?"
)
_GAPS = {text.lower() for text in (*MISSING, *MISSING_AMONG_NUMBERS)}


def kind_of_cell(cell: Any) -> str:
    """Return "number", "date", "text", or "" for an empty or missing cell."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, (int, float)):
        return "text" if isinstance(cell, bool) else "number"
    if isinstance(cell, (datetime.date, datetime.time, datetime.timedelta)):
        return "date"
    text = str(cell).strip()
    if text.lower() in _GAPS:
        return ""
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def is_empty(cell: Any) -> bool:
    """Return whether a cell holds nothing but blanks."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def count_cells(row: Sequence[Any]) -> int:
    """Return the number of cells that hold something."""
    return sum(not is_empty(cell) for cell in row)


def is_comment(row: Sequence[Any]) -> bool:
    """Return whether a row begins with a comment mark."""
    return bool(row) and isinstance(row[0], str) and COMMENT.match(row[0]) is not None
