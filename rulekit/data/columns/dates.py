"""Texts that are dates: the one test for it, and how they are read."""

import re
from collections.abc import Iterable, Sequence

import pyarrow as pa

from rulekit.data.cells import dates as cells
from rulekit.data.headers import quote
from rulekit.exceptions import DataError
from rulekit.rules.condition import ISO, moment, moment_text

_TIME = r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?( ?(Z|[+-]\d{2}:?\d{2}))?)?"
_SHAPE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}[- ][A-Za-z]{{3,9}}[- ]\d{{4}}){_TIME}"
)
_ENDS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.]\d")
ENOUGH = 1_000  # texts from which a column is judged


def has_date_shape(text: str) -> bool:
    """Return whether a text has the shape of a date, in whatever order of its parts."""
    return _SHAPE.fullmatch(text.strip()) is not None


def order_of_days(texts: Iterable[str]) -> bool | None:
    """Return whether days come before months; None if no text decides it, or texts disagree."""
    first, second = False, False
    for text in texts:
        if (ends := _ENDS.match(text.strip())) is not None:
            first |= int(ends[1]) > 12
            second |= int(ends[2]) > 12
    return first if first != second else None


def needs_order(texts: Iterable[str]) -> bool:
    """Return whether the dates depend on the order of day and month."""
    ends = (_ENDS.match(text.strip()) for text in texts)
    return any(end is not None and int(end[1]) != int(end[2]) for end in ends)


def has_offset(text: str) -> bool:
    """Return whether ISO text names a time zone."""
    found = ISO.fullmatch(text)
    return found is not None and found["zone"] is not None


def read_dates(texts: Sequence[str], name: str, day_first: bool | None) -> list[str | None]:
    """Read texts as ISO dates (UTC with an offset), else None; DataError if their order is open."""
    dates = [None if (date := moment(text)) is None else moment_text(date) for text in texts]
    others = [
        k
        for k, (text, date) in enumerate(zip(texts, dates, strict=True))
        if date is None and has_date_shape(text) and not ISO.fullmatch(text)
    ]
    if not others:
        return dates
    rest = [texts[k].strip() for k in others]
    order = order_of_days(rest) if day_first is None else day_first
    if order is None and needs_order(rest):
        text = next(t for t in rest if needs_order([t]))
        raise DataError(
            f"In column {quote(name)} day and month are ambiguous ({quote(text)}). Write dates as "
            "2024-03-01, or convert the column."
        )
    read = cells.read_dates(pa.array(rest), day_first=bool(order)).moments.astype("datetime64[s]")
    for k, date in zip(others, read.tolist(), strict=True):
        dates[k] = None if date is None else moment_text(date)
    return dates
