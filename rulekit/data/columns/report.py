"""What `conform` met: cells that do not fit, and what training rows never had."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.headers import few, quote
from rulekit.exceptions import DataWarning, UnseenValuesWarning
from rulekit.rules.condition import missing_in, moment
from rulekit.rules.schema import NUMERIC, ColumnSchema

FEW_ROWS = 32
LISTED = 100  # unseen levels that a report counts one by one
WORDS = dict.fromkeys(NUMERIC, "numbers") | dict.fromkeys(("level", "grade", "words"), "text")
WORDS |= {"truth value": "truth values", "date": "dates"}
WORDS["duration"] = "durations or numbers of days"


@dataclass(frozen=True)
class Misfit:
    """Cells of one column that are not of its kind and count as missing."""

    name: str
    kind: str
    n_present: int
    rows: NDArray[np.intp]
    first: Any

    def sentence(self, positions: NDArray[np.intp] | None = None) -> str:
        """Describe the cells; `positions` maps rows to rows of the whole table, both from 0."""
        row = int(self.rows[0]) if positions is None else int(positions[self.rows[0]])
        n = len(self.rows)
        verbs = "does not fit and counts" if n == 1 else "do not fit and count"
        return (
            f"Column {quote(self.name)} is read as {WORDS[self.kind]}: {n} of {self.n_present} "
            f"values {verbs} as missing (first: row {row + 1}, {quote(self.first)})."
        )


@dataclass(frozen=True)
class Unseen:
    """What one column holds that no training row held."""

    column: str
    kind: str  # "level", "range", "gap", or "zone": dates with one where there was none, or without
    n_rows: int
    first: int  # of the rows, from 0
    values: Mapping[str, int] = field(default_factory=dict)  # rows of the 100 commonest new levels
    respelled: Mapping[str, str] = field(default_factory=dict)  # differ in case and spaces only
    detail: str = ""  # the end of the sentence
    # Whether `predict` warns: of a range only if a value lies farther outside than the range is
    # wide, since held-out rows always have some values that are just outside.
    warns: bool = True

    @property
    def sentence(self) -> str:
        """The finding in words, with figures and the first row."""
        rows = f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}"
        return f"Column {quote(self.column)} {self.detail.format(rows=rows, row=self.first + 1)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {
            "column": self.column,
            "kind": self.kind,
            "rows": self.n_rows,
            "values": dict(self.values),
            "respelled": dict(self.respelled),
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Report:
    """What `conform` met: cells that do not fit, and what training rows never held."""

    misfits: tuple[Misfit, ...] = ()
    unseen: tuple[Unseen, ...] = ()

    @property
    def sentence(self) -> str:
        """What was never seen in training, in words; empty if nothing was."""
        return " ".join(each.sentence for each in self.unseen)

    def drop(self, columns: Collection[str]) -> "Report":
        """Return the report without what some columns hold that was never seen."""
        return Report(self.misfits, tuple(u for u in self.unseen if u.column not in columns))

    def warn(self, stacklevel: int) -> None:
        """Warn of cells that count as missing, and once of the rest that `Unseen.warns` of."""
        for misfit in self.misfits:
            warnings.warn(DataWarning(misfit.sentence()), stacklevel=stacklevel + 1)
        if sentences := [each.sentence for each in self.unseen if each.warns]:
            warnings.warn(UnseenValuesWarning(" ".join(sentences)), stacklevel=stacklevel + 1)


NOTHING = Report()


def find_unseen(column: ColumnSchema, values: NDArray[Any], zone: str | None) -> list[Unseen]:
    """List what one column holds that no training row held."""
    numeric = column.kind in NUMERIC and column.low is not None and len(values)
    if numeric and column.low <= values.min() and values.max() <= column.high:
        return []  # nor a gap: NaN is not within
    low: Any = column.low
    high: Any = column.high
    findings = []
    absent = missing_in(values)
    if absent.any() and not column.gaps:
        text = "had a value in every training row and is missing in {rows} (first: row {row})."
        findings.append(_finding(column, "gap", absent, text))
    if zone is not None:
        findings.append(_finding(column, "zone", ~absent, zone))
    if column.kind in NUMERIC and low is not None:
        outside = (values < low) | (values > high)
        if outside.any():
            beyond = values[outside].tolist()
            far = max(low - min(beyond), max(beyond) - high) > high - low
            text = _outside(f"{low:.6g} to {high:.6g}", f"{beyond[0]:.6g}")
            findings.append(_finding(column, "range", outside, text, warns=far))
    elif column.kind == "date" and low is not None:
        findings += _late_dates(column, values)
    elif column.kind in ("level", "grade") and column.levels is not None:
        findings += _strange_levels(column, values)
    return findings


def _finding(
    column: ColumnSchema, kind: str, rows: NDArray[np.bool_], detail: str, **more: Any
) -> Unseen:
    return Unseen(column.name, kind, int(rows.sum()), int(rows.argmax()), detail=detail, **more)


def _outside(ends: str, first: str) -> str:
    return f"lies outside the training range {ends} in {{rows}} (first: row {{row}}, {first})."


def _late_dates(column: ColumnSchema, values: NDArray[Any]) -> list[Unseen]:
    codes, distinct = pd.factorize(values)
    low, high = moment(str(column.low)), moment(str(column.high))
    if low is None or high is None:
        return []
    dates = [moment(date) for date in distinct]
    beyond = [date is not None and not low <= date <= high for date in dates]
    outside = np.array([*beyond, False], dtype=bool)[codes]
    if not outside.any():
        return []
    far = any(max(low - date, date - high) > high - low for date in dates if date is not None)
    text = _outside(f"{column.low} to {column.high}", str(values[int(outside.argmax())]))
    return [_finding(column, "range", outside, text, warns=far)]


def _strange_levels(column: ColumnSchema, values: NDArray[Any]) -> list[Unseen]:
    """Count the levels that no training row had, with those that differ in spelling only."""
    known = {*(column.levels or ()), None}
    if len(values) < FEW_ROWS and known.issuperset(values.tolist()):
        return []
    codes, distinct = pd.factorize(values)
    strange = np.array([v not in known for v in distinct] + [False], dtype=bool)
    rows = strange[codes]
    if not rows.any():
        return []
    counts = np.bincount(codes[rows], minlength=len(distinct))
    order = [k for k in np.argsort(-counts, kind="stable").tolist() if strange[k]]
    levels = {str(distinct[k]): int(counts[k]) for k in order[:LISTED]}
    respelled = respell(levels, column.levels or ())
    n_levels = int(strange[:-1].sum())
    names = few([f"{quote(v)} ({n:,})" for v, n in [*levels.items()][:5]])
    more = f" and {n_levels - 5} more" if n_levels > 5 else ""
    text = f"holds levels that no training row had in {{rows}}: {_enclose(names + more)}."
    if respelled:
        pairs = few([f"{quote(a)} for {quote(b)}" for a, b in respelled.items()])
        text += f" Only case or spaces differ in {_enclose(pairs)}."
    return [_finding(column, "level", rows, text, values=levels, respelled=respelled)]


def _enclose(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def respell(unknown: Collection[str], levels: Sequence[str]) -> dict[str, str]:
    """Return unknown levels that equal one known level but for case and spaces."""
    plain, new = (["".join(v.casefold().split()) for v in side] for side in (levels, unknown))
    by_plain = {p: v for p, v in zip(plain, levels, strict=True) if plain.count(p) == 1}
    return {v: by_plain[p] for v, p in zip(unknown, new, strict=True) if p in by_plain}
