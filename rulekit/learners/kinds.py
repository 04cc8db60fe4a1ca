"""Column kinds, inferred once from the training rows; cells that do not fit; unused columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning import Binarizer
from rulekit.binning.encodings import UNIQUE_SHARE
from rulekit.binning.views import PARTS
from rulekit.binning.words import chosen_words, holds_words
from rulekit.data import columns_of
from rulekit.data.headers import shown
from rulekit.exceptions import DataError
from rulekit.rules import Columns
from rulekit.rules.scales import moment

MAX_LEVELS = 50  # of text, where no binarizer sets another limit
SHARE = 0.9  # of the present cells that must be of one kind
WORDS = {"number": "numbers", "boolean": "truth values", "date": "dates", "text": "text"}
_NUMBERS = (int, float, Decimal, np.integer, np.floating)
_TRUTH = (bool, np.bool_)


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
            f"Column {shown(self.name)} is read as {WORDS[self.kind]}: {n} of {self.n_present} "
            f"values {verbs} as missing (first: row {row + 1}, {shown(str(self.first))})."
        )


@dataclass(frozen=True)
class TableReader:
    """How a learner reads text and dates."""

    binarizer: Binarizer | None = None
    share: float = UNIQUE_SHARE

    def fixed_kinds(self, frame: pd.DataFrame) -> dict[str, str]:
        """Return the kinds that follow from `read_as` and `orders`, and from ordered categories."""
        kinds = {str(n): "text" for n in frame.columns if getattr(frame[n].dtype, "ordered", False)}
        if self.binarizer is None:
            return kinds
        for name, read_as in dict(self.binarizer.read_as or {}).items():
            numeric = str(name) in frame and pd.api.types.is_numeric_dtype(frame[str(name)].dtype)
            if not numeric:  # else the binarizer refuses the entry
                kinds[str(name)] = "text" if read_as in ("levels", "words") else "date"
        return kinds | {str(name): "text" for name in dict(self.binarizer.orders or {})}

    def readings(
        self,
        frame: pd.DataFrame,
        columns: Columns,
        kinds: Mapping[str, str],
        codes: NDArray[np.intp],
    ) -> dict[str, Any]:
        """Return how each column of text or dates is read; None if no condition can use it."""
        named = set(self.fixed_kinds(frame))
        readings: dict[str, Any] = {}
        for name, values in columns.items():
            if kinds[name] == "text" and name not in named:
                readings[name] = self._reading(values, codes)
            elif kinds[name] == "date" and name not in named:
                levels = self.binarizer is None
                readings[name] = self._reading(values, codes) if levels else PARTS
        return readings

    def _reading(self, values: NDArray[Any], codes: NDArray[np.intp]) -> str | None:
        """Return "levels", "words" or None for a column of text."""
        there = np.array([v is not None for v in values.tolist()], dtype=bool)
        present = values[there].tolist()
        distinct = set(present)
        most = MAX_LEVELS if self.binarizer is None else self.binarizer.max_levels
        if len(distinct) <= max(most, self.share * len(present)):
            return "levels"
        phrases = self.binarizer is not None and holds_words(sorted(distinct))
        return "words" if phrases and chosen_words(present, codes[there]) else None


def about_ignored(names: Sequence[str], kinds: Mapping[str, str]) -> str:
    """Describe columns that are left out: dates first, then texts."""
    dates = [name for name in names if kinds.get(name) == "date"]
    texts = [name for name in names if name not in dates]
    parts = [
        (dates, "dates, which this learner does not compare in time"),
        (texts, "texts, as names and identifiers do"),
    ]
    return " ".join(_about_unused(part, cause) for part, cause in parts if part)


def _about_unused(names: Sequence[str], cause: str) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    several = len(names) > 1
    return (
        f"Column{'s' if several else ''} {', '.join(map(shown, names[:5]))}{more} "
        f"{'hold' if several else 'holds'} too many different {cause}; "
        f"{'they are' if several else 'it is'} not used."
    )


def without(
    frame: pd.DataFrame, columns: Columns, misfits: Sequence[Misfit], ignored: tuple[str, ...]
) -> pd.DataFrame:
    """Return the frame without ignored columns and without values that do not fit."""
    cleaned = {m.name: columns[m.name] for m in misfits}
    remaining = frame.drop(columns=list(ignored)) if ignored else frame
    return (
        remaining.assign(**{k: v for k, v in cleaned.items() if k in remaining})
        if cleaned
        else remaining
    )


def cleaned(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Make values that do not fit their column missing; a sentence for each such column.

    Rows are numbered by the frame's index, from 0.
    """
    columns, misfits = columns_as(frame, kinds_in(frame, {}))
    sentences = [misfit.sentence(frame.index.to_numpy()) for misfit in misfits]
    return without(frame, columns, misfits, ()), sentences


def kinds_in(frame: pd.DataFrame, fixed: Mapping[str, str]) -> dict[str, str]:
    """Return "number", "boolean", "date" or "text" for each column.

    A column of objects is of the kind that nine of ten present cells have, else text. Kinds in
    `fixed` are kept.
    """
    return {str(name): fixed.get(str(name)) or _kind(frame[name]) for name in frame.columns}


def columns_as(
    frame: pd.DataFrame, kinds: Mapping[str, str], *, exact: bool = False
) -> tuple[dict[str, NDArray[Any]], list[Misfit]]:
    """Read the columns named in `kinds` as `columns_of` does; cells of another kind are missing."""
    columns, misfits = {}, []
    for name, kind in kinds.items():
        columns[name], misfit = _read(frame[name], name, kind, exact)
        misfits += [] if misfit is None else [misfit]
    return columns, misfits


def _kind(series: pd.Series) -> str:
    """Infer the kind of one column."""
    dtype = series.dtype
    if not isinstance(dtype, pd.CategoricalDtype):
        if pd.api.types.is_bool_dtype(dtype):
            return "boolean"
        if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
            return "number"
        if pd.api.types.is_datetime64_any_dtype(dtype):
            return "date"
    present = series.dropna()
    if _is_mixed(series):
        types = present.map(type).value_counts()
        for kind, test in (("boolean", _is_truth), ("number", _is_number)):
            n = sum(int(k) for t, k in types.items() if test(t))
            if n and n >= SHARE * len(present):
                return kind
    return "date" if _mostly_dates(present) else "text"


def _is_truth(kind: Any) -> bool:
    return issubclass(kind, _TRUTH)


def _is_number(kind: Any) -> bool:
    return issubclass(kind, _NUMBERS) and not issubclass(kind, _TRUTH)


def _is_mixed(series: pd.Series) -> bool:
    """Return whether a column holds objects that are not all text."""
    if series.dtype != object:
        return False
    return pd.api.types.infer_dtype(series, skipna=True) not in ("string", "empty")


def _mostly_dates(present: pd.Series) -> bool:
    """Return whether nine of ten texts are dates; looks no further than the answer needs."""
    others = 0
    for text, n in present.astype(str).value_counts().items():
        others += 0 if moment(str(text)) is not None else int(n)
        if others > (1.0 - SHARE) * len(present) + 1e-9:
            return False
    return len(present) > 0


def _read(
    series: pd.Series, name: str, kind: str, exact: bool
) -> tuple[NDArray[Any], Misfit | None]:
    """Read one column as its kind: float64 for numbers, else objects with None for missing."""
    mixed = _is_mixed(series)
    if mixed:
        given = series.tolist()
    else:
        (values,) = columns_of(series.to_frame(name), exact=exact and kind == "number").values()
        if _kind_of_values(values) == kind:
            return values, None
        given = values.tolist()
    convert = _FROM_ANY[kind] if mixed else _FROM_ONE[kind]
    present = np.array([not _is_gap(v) for v in given], dtype=bool)
    converted = [convert(v) if there else None for v, there in zip(given, present, strict=True)]
    bad = np.flatnonzero(np.array([v is None for v in converted], dtype=bool) & present)
    misfit = _misfit(name, kind, int(present.sum()), bad, given) if len(bad) else None
    objects = np.empty(len(converted), dtype=object)
    objects[:] = converted
    if kind != "number":
        return objects, misfit
    if any(isinstance(v, Decimal) for v in converted):  # one type, so that it is read as numbers
        objects[:] = [None if v is None else Decimal(v) for v in converted]
    (numbers,) = columns_of(pd.Series(objects).to_frame(name), exact=exact).values()
    return numbers.astype(float), misfit


def _kind_of_values(values: NDArray[Any]) -> str | None:
    """Return the kind of a column that needs no conversion; None for dates and for gaps alone."""
    if values.dtype != object:
        return "number"
    first = next((v for v in values.tolist() if v is not None), None)
    return {bool: "boolean", str: "text"}.get(type(first))


def _is_gap(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _number(value: Any) -> int | float | Decimal | None:
    """Convert numbers and truth values; whole numbers and decimals stay exact."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    return float(value) if isinstance(value, (*_NUMBERS, *_TRUTH)) else None


def _truth(value: Any) -> bool | None:
    is_truth_value = isinstance(value, _TRUTH) or (isinstance(value, _NUMBERS) and value in (0, 1))
    return bool(value) if is_truth_value else None


def _date(value: Any) -> str | None:
    text = str(value)
    return text if moment(text) is not None else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_FROM_ANY: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "boolean": _truth,
    "date": _date,
    "text": str,
}
_FROM_ONE = {**_FROM_ANY, "text": _text}  # a column of numbers alone is no text


def _misfit(name: str, kind: str, n_present: int, bad: NDArray[np.intp], given: Any) -> Misfit:
    """Describe cells that do not fit; DataError if several are present and none fits."""
    first = given[bad[0]]
    if len(bad) == n_present > 1:
        raise DataError(
            f"Column {shown(name)} must hold {WORDS[kind]}, as when the rule was learned; none of "
            f"its {n_present} values fits (first: row {bad[0] + 1}, {shown(str(first))}). Convert "
            "the column."
        )
    return Misfit(name, kind, n_present, bad, first)
