"""The one conversion: what columns are (`infer`), and tables as columns of a rule (`conform`)."""

# No other module looks at the types, texts and gaps of what people bring. A column is converted by
# its distinct values, so that long tables cost little.

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.data.cells.dates import durations_in
from rulekit.data.cells.levels import normal_form
from rulekit.data.cells.numbers import Numbers, read_decorated, read_numbers
from rulekit.data.cells.units import SHARE, multiply, unit_ratio
from rulekit.data.columns import kinds
from rulekit.data.columns.report import NOTHING, WORDS, Misfit, Report, find_unseen
from rulekit.data.headers import few, quote
from rulekit.data.typed import DAY, EXACT, as_pandas, level_text, refuse_inexact
from rulekit.exceptions import DataError
from rulekit.rules.condition import NUMBERS, TRUTH, Columns, ReadColumns, moment_text, number_text
from rulekit.rules.schema import NUMERIC, TEXTUAL, ColumnSchema, Schema

TRUTH_TEXTS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


class RuleColumns(ReadColumns):
    """Rows as rules read them, with a report; other columns are converted when looked up."""

    report: Report = NOTHING
    _frame: pd.DataFrame | None = None
    _rest: Schema | None = None

    @classmethod
    def from_table(cls, table: Any, schema: Schema, rest: Schema | None = None) -> "RuleColumns":
        """Read the columns of a schema, and others (by `rest`, else inferred) when looked up."""
        frame = frame_of(table)
        columns, report = conform(frame, schema)
        read = cls(columns or {"": np.zeros(len(frame))})
        read.report, read._frame, read._rest = report, frame, rest
        return read

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._is_unread(name)

    def _is_unread(self, name: object) -> bool:
        """Return whether a column can be converted when it is looked up."""
        known = self._rest is None or self._rest.column(str(name)) is not None
        return known and name in self._names

    def __missing__(self, name: str) -> NDArray[Any]:
        if not self._is_unread(name) or self._frame is None:
            raise KeyError(name)
        frame = self._frame.iloc[:, [k for k, n in enumerate(self._names) if n == name]]
        rest = kinds.infer_kinds(frame) if self._rest is None else self._rest.take([name])
        columns, _ = conform(frame, rest)
        self.update(columns)
        return columns[name]

    @property
    def _names(self) -> list[str]:
        return [] if self._frame is None else [str(name) for name in self._frame.columns]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, read or not."""
        return tuple(dict.fromkeys([*filter(None, self), *self._names]))

    def complete(self) -> "RuleColumns":
        """Read every column of the table, and return all."""
        for name in self._names:
            if self._rest is None or self._rest.column(name) is not None:
                self[name]
        return self


def infer(table: Any) -> Schema:
    """Find what the columns of a table are.

    Parameters
    ----------
    table : DataFrame of any library, mapping of names to columns, or list of rows as mappings
        n rows.

    Returns
    -------
    Schema
        One entry a column, with levels or range. Objects and texts are what nine in ten present
        values are; texts are dates if nine in ten are, in one order of day and month.

    Raises
    ------
    DataError
        If names repeat, or a column cannot be read.

    Examples
    --------
    >>> infer({"age": [31, None], "town": ["Ulm", "Bonn"]}).column("town").levels
    ('Bonn', 'Ulm')
    """
    frame = frame_of(table)
    schema = kinds.infer_kinds(frame)
    columns, _ = conform(frame, schema)
    return Schema(tuple(kinds.describe_column(c, columns[c.name]) for c in schema.columns))


def conform(table: Any, schema: Schema, *, exact: bool = False) -> tuple[ReadColumns, Report]:
    """Read any table as the columns of a schema.

    Parameters
    ----------
    table : DataFrame of any library, mapping of names to columns, or list of rows as mappings
        n rows; columns that the schema does not have are not looked at.
    schema : Schema
    exact : bool, default=False
        Refuse whole numbers beyond 2^53.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Numbers and durations (as days) as ``float64``, NaN if missing; truth values as objects;
        levels and words as text; dates as ISO text in whole seconds.
    Report
        Cells that do not fit, which count as missing, and what the training rows never held.

    Raises
    ------
    DataError
        If a column is missing, no value of a column fits its kind, or the meaning of its values is
        not certain.

    Examples
    --------
    >>> schema = Schema((ColumnSchema("g", "level", levels=("1", "4"), gaps=False),))
    >>> columns, report = conform({"g": [4.0, None, 7.0]}, schema)
    >>> columns["g"].tolist(), [(u.kind, u.n_rows, u.values) for u in report.unseen]
    (['4', None, '7'], [('gap', 1, {}), ('level', 1, {'7': 1})])
    """
    frame = frame_of(table)
    labels: dict[str, list[Any]] = {}
    for label in frame.columns:
        labels.setdefault(str(label), []).append(label)
    refuse_absent([c.name for c in schema.columns], labels)
    columns, misfits, unseen = ReadColumns(), [], []
    for column in schema.columns:
        label, *others = labels[column.name]
        if others:
            raise DataError(
                f"Column names must differ; {quote(column.name)} occurs twice. Rename one."
            )
        values, misfit, zone = _ColumnReader(column, exact).read(frame[label])
        found = [] if column.gaps is None else find_unseen(column, values, zone)
        if exact or (column.gaps is not None and (found or column.low is None)):
            refuse_infinities({column.name: values})  # no range has an infinite number
        columns[column.name] = values
        misfits += [] if misfit is None else [misfit]
        unseen += found
    return columns, Report(tuple(misfits), tuple(unseen))


def columns_of(table: Any, *, exact: bool = False) -> dict[str, NDArray[Any]]:
    """Return the columns of a table as rules read them, each by what it holds.

    Parameters
    ----------
    table : DataFrame of any library, mapping of names to columns, or list of rows as mappings
        n rows.
    exact : bool, default=False
        Refuse whole numbers beyond 2^53, and infinities.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        See `conform`; warns of values that do not fit their column.

    Raises
    ------
    DataError
        If two columns have one name, or a column cannot be read.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [31, None], "smoker": [True, False], "town": ["Ulm", None]})
    >>> for name, values in columns_of(frame).items():
    ...     print(name, values.tolist())
    age [31.0, nan]
    smoker [True, False]
    town ['Ulm', None]
    """
    frame = frame_of(table)
    columns, report = conform(frame, kinds.infer_kinds(frame), exact=exact)
    report.warn(stacklevel=2)
    return columns


def refuse_infinities(columns: Columns) -> None:
    """Raise DataError for infinite numbers, by column."""
    for name, values in columns.items():
        if values.dtype != object and len(rows := np.flatnonzero(np.isinf(values))):
            raise DataError(
                f"Column {name[:60]!r} must hold finite numbers or gaps; it is infinite (inf) in "
                f"{len(rows)} of {len(values)} rows (first: row {rows[0] + 1}). Replace them."
            )


def frame_of(table: Any) -> pd.DataFrame:
    """Convert a table of any library to a pandas frame; DataError if it is no table."""
    frame = as_pandas(table)
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            "A rule set reads columns by name. Give a data frame or a mapping of column names to "
            f"arrays, not {type(table).__name__}."
        )
    return frame


def refuse_absent(names: Sequence[str], present: Collection[str]) -> None:
    """Raise DataError if columns that a rule reads are absent."""
    if absent := [name for name in names if name not in present]:
        several = "s" if len(absent) > 1 else ""
        held = few([*map(quote, present)]) or "no column"
        raise DataError(
            f"The rule reads column{several} {few([*map(quote, absent)])}, which the table does "
            f"not have; it has {held}. Add or rename the column{several}."
        )


@dataclass
class _ColumnReader:
    """Reads a column as its schema has it."""

    column: ColumnSchema
    exact: bool = False
    has_zone: bool = False
    has_naive: bool = False

    def read(self, series: pd.Series) -> tuple[NDArray[Any], Misfit | None, str | None]:
        """Return the values, the cells that do not fit, and a difference of time zones."""
        kind, dtype = self.column.kind, series.dtype
        plain = isinstance(dtype, np.dtype) and dtype.kind in "fiu"
        if not plain and pd.api.types.is_complex_dtype(dtype):
            raise DataError(f"Column {quote(series.name)} holds complex numbers. Give real ones.")
        if kind == "any":  # what all its values are
            (column,) = kinds.infer_kinds(series.to_frame(self.column.name)).columns
            values, misfit, zone = _ColumnReader(column, self.exact).read(series)
            level = replace(column, kind="level")
            return (values, None, zone) if misfit is None else _ColumnReader(level).read(series)
        if kind in NUMERIC and (plain or pd.api.types.is_any_real_numeric_dtype(dtype)):
            settings = {} if plain else {"dtype": np.float64, "na_value": np.nan}
            values = np.asarray(series.to_numpy(**settings), dtype=np.float64)
            if self.exact:
                refuse_inexact(series, values, self.column.name)
            return values, None, None
        if kind in NUMERIC and dtype.kind == "m" and self._fits(kinds.DURATIONS[0]()):
            seconds = series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
            return np.asarray(seconds) / DAY, None, None
        if kind == "truth value" and dtype == np.bool_:
            return np.asarray(series.to_numpy(), dtype=object), None, None
        values, misfit = self._read_values(series)
        if kind != "date" or self.column.gaps is None:
            return values, misfit, None
        if self.column.zone is None:
            text = "has a time zone, which it had not when the rule was learned; it is read in UTC."
            return values, misfit, text if self.has_zone else None
        text = "has no time zone in some rows; they are read in UTC, as the rule was learned."
        return values, misfit, text if self.has_naive else None

    def _fits(self, value: Any) -> bool:
        """Return whether a duration or a truth value has a certain meaning as a number."""
        column = self.column
        if column.gaps is None:  # not learned from a table: days, and 1 for true
            return True
        if isinstance(value, TRUTH):
            return column.kind == "whole number" and {column.low, column.high} <= {0.0, 1.0}
        return column.kind == "duration"

    def _read_values(self, series: pd.Series) -> tuple[NDArray[Any], Misfit | None]:
        cells = kinds.DistinctCells.from_series(series)
        empty = [] if self.column.kind in TEXTUAL else [""]
        words = {*self.column.missing, *empty} - set(self.column.levels or ())
        missing = [isinstance(v, str) and v.strip() in words for v in cells.values]
        gaps = np.array(missing, dtype=bool)
        if self.column.kind in TEXTUAL:
            pairs = zip(self._levels(cells), gaps, strict=True)
            converted = [None if gap else level for level, gap in pairs]
        else:
            converters: dict[str, Any] = {"truth value": _truth, "date": self._date}
            convert = converters.get(self.column.kind, self._number)
            texts = {k: v for k, v in enumerate(cells.values) if isinstance(v, str) and not gaps[k]}
            read = dict(zip(texts, self._texts([*texts.values()]), strict=True))
            numbered = enumerate(cells.values)
            converted = [read.get(k) if isinstance(v, str) else convert(v) for k, v in numbered]
        bad = np.array([v is None for v in converted], dtype=bool) & ~gaps
        misfit = None
        if bad.any() and len(rows := np.flatnonzero(np.append(bad, False)[cells.codes])):
            column, n_present = self.column, int(cells.counts[~gaps].sum())
            first = cells.values[int(cells.codes[rows[0]])]
            if len(rows) == n_present > 1:
                levels, known = "", "" if self.exact else ", as when the rule was learned"
                if column.kind == "level" and column.levels:
                    levels = f" such as {few([*map(quote, column.levels[:3])])}"
                raise DataError(
                    f"Column {quote(column.name)} must hold {WORDS[column.kind]}{levels}{known}; "
                    f"none of its {n_present} values fits (first: row {rows[0] + 1}, "
                    f"{quote(str(first))}). Convert the column."
                )
            misfit = Misfit(column.name, column.kind, n_present, rows, first)
        dtype = float if self.column.kind in NUMERIC else object  # None becomes NaN
        return np.array([*converted, None], dtype=dtype)[cells.codes], misfit

    def _texts(self, texts: list[str]) -> Sequence[Any]:
        """Read texts of a column of numbers, truth values or dates."""
        column = self.column
        if column.kind == "truth value" or not texts:
            return [TRUTH_TEXTS.get(t.strip().lower()) for t in texts]
        if column.kind == "date":
            dates = kinds.read_dates([t.strip() for t in texts], column.name, column.day_first)
            for text, date in zip(texts, dates, strict=True):
                aware = kinds.has_offset(text.strip())
                self.has_zone |= aware
                self.has_naive |= date is not None and not aware
            return dates
        bare = [t.strip() for t in texts]
        is_share = column.unit == "%" and not column.percent
        for suffix in ("%" if column.percent else None, None if is_share else column.unit):
            bare = [t.removesuffix(suffix).strip() if suffix else t for t in bare]
        cells = pa.array(bare, pa.string())
        numbers = read_numbers(cells, column.decimal or ".")
        comma = numbers if column.decimal is not None else read_numbers(cells, ",")
        if not (numbers.valid & ~comma.valid).any():
            grouped = numbers.valid & numbers.grouped
            if (comma.valid & ~numbers.valid).any():
                numbers = comma
            elif column.decimal is None and grouped.any():
                text = bare[int(np.argmax(grouped))]
                raise DataError(
                    f"In column {quote(column.name)} it is not certain whether {quote(text)} has "
                    "a decimal comma. Convert the column to numbers."
                )
        if column.decimal is not None and not numbers.valid.all():
            numbers = self._read_decorated([t.strip() for t in texts], numbers)
        pairs = zip(numbers.values.tolist(), numbers.valid.tolist(), strict=True)
        values = [value if valid else None for value, valid in pairs]
        if column.kind == "duration" and None in values:
            both = zip(values, durations_in(pd.Series(texts, dtype=object)), strict=True)
            values = [days if n is None and days == days else n for n, days in both]
        return values

    def _read_decorated(self, texts: list[str], plain: Numbers) -> Numbers:
        """Read the other texts as in the file learned, or in units that certainly convert."""
        unit = self.column.unit or ""
        is_share = unit == "%" and not self.column.percent
        stripped = pa.array(texts, pa.string())
        read = read_decorated(stripped, self.column.decimal or ".", share=is_share)
        values, valid = plain.values, plain.valid
        for other in set(read.units):
            known = SHARE if is_share else unit
            ratio = Fraction(1) if other in ("", unit) else unit_ratio(other, known)
            if ratio is not None:
                pick = read.numbers.valid & (read.units == other) & ~valid
                values = np.where(pick, multiply(read.numbers.values, ratio), values)
                valid = valid | pick
        return replace(plain, values=values, valid=valid)

    def _number(self, value: Any) -> float | None:
        """Convert numbers, truth values and durations (to days)."""
        if isinstance(value, (*kinds.DURATIONS, *TRUTH)) and not self._fits(value):
            return None
        if isinstance(value, kinds.DURATIONS):
            return float(pd.Timedelta(value).total_seconds() / DAY)
        if isinstance(value, complex) or not isinstance(value, (*NUMBERS, *TRUTH)):
            return None
        try:
            number = float(value)
        except OverflowError as error:
            raise DataError(
                f"Column {quote(self.column.name)} holds a number beyond 1e308, which is too large "
                "to compute with. Convert identifiers to text."
            ) from error
        if self.exact and not isinstance(value, (float, np.floating)) and abs(number) > EXACT:
            refuse_inexact(pd.Series([value], dtype=object), np.array([number]), self.column.name)
        return number

    def _date(self, value: Any) -> str | None:
        """Convert a date or a moment to ISO text in UTC, to whole seconds."""
        if not isinstance(value, kinds.DATES):
            return None
        stamp = pd.Timestamp(value)
        if stamp.tzinfo is not None:
            self.has_zone, stamp = True, stamp.tz_convert("UTC").tz_localize(None)
        else:
            self.has_naive = True
        return moment_text(stamp.floor("s").to_pydatetime(warn=False))

    def _levels(self, cells: kinds.DistinctCells) -> list[str | None]:
        """Convert each distinct value to a level of the training rows where that is certain."""
        pairs = [(v, level_text(v)) for v in cells.values]
        if self.column.levels is None:
            strict = self.column.kind == "words" and not any(isinstance(v, str) for v, _ in pairs)
            return [None if strict else text for _, text in pairs]
        match = _LevelMatch(self.column.levels, self.column.merged)
        return [match.text(t) if isinstance(v, str) else match.value(v, t) for v, t in pairs]


class _LevelMatch:
    """The known levels of a column, by what else is certain to mean them."""

    def __init__(self, levels: Sequence[str], merged: bool) -> None:
        self.levels = frozenset(levels)
        numbers = [_plain_number(level) for level in levels]
        n_levels = Counter(numbers)  # by number: only those that one level has
        pairs = zip(numbers, levels, strict=True)
        self.by_number = {n: v for n, v in pairs if n is not None and n_levels[n] == 1}
        flags = [TRUTH_TEXTS.get(level.lower()) for level in levels]
        clear = None not in flags and len(set(flags)) == len(flags)  # all are truth values
        self.by_truth = dict(zip(flags, levels, strict=True)) if clear else {}
        self.by_form = {normal_form(level): level for level in levels} if merged else {}

    def text(self, text: str) -> str:
        """Return the level that a text means: itself, or that of the number it spells plainly."""
        # 4 and 4.0 mean the level "4" or "04"; 04 does not mean "4".
        if text in self.levels:
            return text
        if self.by_form and (level := self.by_form.get(normal_form(text))) is not None:
            return level
        number = _plain_number(text)
        if number is not None and text.removesuffix(".0") == number_text(number):
            return self.by_number.get(number, text)
        truth = TRUTH_TEXTS.get(text.lower())
        return self.by_truth.get(truth, text) if truth is not None else text

    def value(self, value: Any, text: str) -> str | None:
        """Return the level that a number, a truth value or a date means; None for another type."""
        if text in self.levels:
            return text
        if isinstance(value, TRUTH):
            return self.by_truth.get(bool(value), text) if self.by_truth else None
        if not isinstance(value, NUMBERS):
            return text
        if self.by_truth and value in (0, 1):
            return self.by_truth.get(bool(value), text)
        return self.by_number.get(float(value), text) if self.by_number else None


def _plain_number(text: str) -> float | None:
    """Return the number that a text of digits spells."""
    if not text or text[-1] not in "0123456789" or text[0] not in "-0123456789":
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if "_" not in text else None


def _truth(value: Any) -> bool | None:
    is_truth_value = isinstance(value, TRUTH) or (isinstance(value, NUMBERS) and value in (0, 1))
    return bool(value) if is_truth_value else None
