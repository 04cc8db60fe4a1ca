"""Interface of all kinds of conditions, and how they read, check and write values of columns."""

# Dates and their parts, ordered levels and words are read before comparison. Positions are
# ascending numbers, NaN without a value; dates are ISO text, to whole seconds.

import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError

Columns = Mapping[str, NDArray[Any]]


class ReadColumns(dict[str, NDArray[Any]]):
    """Columns as conditions read them: `RuleSet` does not convert them again."""


Scalar = float | str | bool
NUMBERS = (int, float, np.integer, np.floating, Decimal)
TRUTH = (bool, np.bool_)
ORDERED = ("<=", "<", ">=", ">")
GAPS = ("missing", "not-missing")
WORDS = ("contains", "not-contains")
DATE_PARTS = ("date", "year", "month", "weekday", "hour")
WHOLE_PARTS = DATE_PARTS[1:]  # their positions are whole numbers
DAYS_SINCE = "days since "
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
NAMES = {"weekday": WEEKDAYS, "month": MONTHS}  # positions from 1, Monday the first day
ISO = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?:[T ](?P<time>\d{2}:\d{2}(?::\d{2})?)"
    r"(?:(?<=:\d{2}:\d{2})\.\d+)?(?: ?(?P<zone>Z|[+-]\d{2}:?\d{2}))?)?"
)
EPOCH = datetime(1970, 1, 1)
LATEST = datetime(9999, 12, 31, 23, 59, 59)
DAY = 86_400.0
SEPARATORS = " \t\n\r\u00a0.,;:!?()[]\"'/\\-+*=&%#"
_BLANKS = str.maketrans(SEPARATORS, " " * len(SEPARATORS))
_SIGMA = "\u03a3"  # the one letter whose lower case depends on the letters beside it


class Condition(ABC):
    """Base class of the parts of a clause; `Literal` is the most common kind."""

    # A new kind implements these methods, is added to `rulekit.rules.writer`, and is written by
    # every `ConditionWriter`; nothing else has to know it.

    __slots__ = ()
    kind: ClassVar[str]  # the name of the method of a `ConditionWriter`
    missing: bool

    @property
    def tests(self) -> tuple[Any, ...]:
        """The single-column tests (`Literal`) it consists of; a sum of columns has none."""
        return ()

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, each once, in order of first use."""
        return tuple(dict.fromkeys(test.feature for test in self.tests))

    @property
    def n_conditions(self) -> int:
        """Number of conditions this counts for in the size of a rule."""
        return len(self.tests or self.features)

    @property
    def types(self) -> Mapping[str, frozenset[type]]:
        """The types of the values each column is compared with; none for tests of missingness."""
        types: dict[str, frozenset[type]] = {}
        for test in self.tests:
            types[test.feature] = types.get(test.feature, frozenset()) | test.types[test.feature]
        return types or dict.fromkeys(self.features, frozenset({float}))

    @property
    @abstractmethod
    def comparison(self) -> tuple[str, Any]:
        """The operator and the value compared with."""

    @abstractmethod
    def compute_values(self, columns: Columns) -> NDArray[Any]:
        """Compute the compared value of each row, a column value or a sum, shape (n,)."""

    @abstractmethod
    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row."""

    @abstractmethod
    def negate(self) -> "Condition":
        """Return the condition that holds exactly where this one does not."""

    def shorter(self) -> "Condition":
        """Return an equivalent condition with fewer parts, or this one."""
        return self

    def implies(self, other: "Condition") -> bool:
        """Return whether another condition surely holds wherever this one does."""
        return self == other

    @abstractmethod
    def rename(self, names: Mapping[str, str]) -> "Condition":
        """Return the condition with renamed columns; columns not listed keep their name."""

    @abstractmethod
    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Find the values of one column where the result may change, other columns fixed."""

    @abstractmethod
    def trend(self, feature: str) -> int | None:
        """Return how the result can change as one column rises, other columns fixed."""
        # 1 if it can only come to hold, -1 if it can only cease to, 0 if neither, None where both
        # happen or nothing is known; for present values.

    @staticmethod
    def join_trends(trends: Iterable[int | None]) -> int | None:
        """Return the one direction of several trends, 0 if they have none, None if unknown."""
        signs = {*trends} - {0}
        return None if len(signs) > 1 else next(iter(signs), 0)


def missing_in(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a column has no value: NaN among numbers, None or NaN among objects."""
    if column.dtype == object:
        return np.asarray(np.equal(column, np.array(None)) | (column != column), dtype=bool)
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.zeros(len(column), dtype=bool)


def as_column(values: Sequence[Any]) -> NDArray[Any]:
    """Build a column of values: float64 if all present ones are numbers, else objects."""
    present = [v for v in values if v is not None]
    if present and all(isinstance(v, float) for v in present):
        return np.array([np.nan if v is None else v for v in values])
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def take_rows(columns: Columns, rows: Any) -> ReadColumns:
    """Return some rows of columns, by number or by a mask."""
    return ReadColumns((name, values[rows]) for name, values in columns.items())


def absent_in(features: Iterable[str], columns: Columns) -> NDArray[np.bool_]:
    """Return where at least one of some columns has no value, shape (n,)."""
    return np.asarray(np.any([missing_in(columns[f]) for f in features], axis=0))


def numbers_in(name: str, columns: Columns) -> NDArray[np.float64]:
    """Read a column as numbers, NaN where it has no value, shape (n,)."""
    try:
        column = columns[name]
    except KeyError:
        raise RuleError(f"The rule reads column {name!r}, which the table does not have.") from None
    return as_numbers(column, f"computes with column {name!r}")


def as_numbers(column: NDArray[Any], use: str) -> NDArray[np.float64]:
    """Convert a column to numbers, NaN where it has no value; RuleError with its use for text."""
    if column.dtype != object:
        return np.asarray(column, dtype=float)
    absent = missing_in(column)
    if any(isinstance(v, str) for v in column[~absent]):
        raise RuleError(
            f"The rule {use}, but the column holds text. Give numbers, as in the table the rule "
            "was learned from."
        )
    return np.where(absent, np.nan, column).astype(float)


def finite(number: Any, quantity: str) -> float:
    """Return a finite float; -0.0 becomes 0.0."""
    try:
        value = float(number)
    except (TypeError, ValueError):
        value = np.nan
    if isinstance(number, (str, bool)) or not np.isfinite(value):
        raise RuleError(f"The {quantity} must be a finite number, got {number!r}.")
    return value + 0.0


def number_text(number: float) -> str:
    """Write a number so that reading it gives the same number; whole ones without a point."""
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


def list_numbers(named: Iterable[Any]) -> list[float]:
    """List each number in some tests, and one below, between and above them, ascending."""
    numbers = {float(v) for v in named if not isinstance(v, str)}
    cuts = sorted(filter(math.isfinite, numbers))
    if not cuts:
        return sorted({0.0, *numbers})
    between = [v for a, b in pairwise(cuts) if a < (v := a / 2 + b / 2) < b]
    steps = ((cuts[0], -1.0), (cuts[-1], 1.0))
    ends = [c + s if c + s != c else math.nextafter(c, s * math.inf) for c, s in steps]
    return sorted({*numbers, *between, *filter(math.isfinite, ends)})


def value_text(value: Scalar) -> str:
    """Write a value: numbers by `number_text`, truth values as true and false, text unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else value


@lru_cache(maxsize=100_000)
def moment(text: str) -> datetime | None:
    """Parse ISO text as a moment to whole seconds, in UTC if it has an offset, else None."""
    parts = ISO.fullmatch(text)
    if parts is None:
        return None
    try:
        date = datetime.fromisoformat(f"{parts['day']} {parts['time'] or '00:00'}")
        zone = (parts["zone"] or "Z").replace(":", "")
        if zone == "Z":
            return date
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
        return date + offset if zone[0] == "-" else date - offset
    except (ValueError, OverflowError):  # the 30th of February, the last hours of year 9999
        return None


def moment_text(date: datetime) -> str:
    """Format a moment, midnight as the day alone: "2024-03-01", "2024-03-01 12:30:00"."""
    return date.isoformat(sep=" ").removesuffix(" 00:00:00")


def check_part(part: Any) -> str:
    """Return the normalised name of a part of a date; RuleError if it is unknown."""
    if isinstance(part, str) and part.startswith(DAYS_SINCE):
        if (since := moment(part.removeprefix(DAYS_SINCE))) is not None:
            return DAYS_SINCE + moment_text(since)
    elif part in DATE_PARTS:
        return str(part)
    raise RuleError(
        f"A date is read as one of {DATE_PARTS} or as 'days since 2024-01-01', got {part!r}."
    )


def check_order(order: Any) -> tuple[str, ...]:
    """Return an order of levels, lowest first; RuleError unless two or more differ."""
    levels = tuple(order) if isinstance(order, (tuple, list)) else ()
    if not all(isinstance(v, str) for v in levels) or len(levels) < 2:
        raise RuleError(
            f"An order must list two or more levels as text, the lowest first, got {order!r}."
        )
    if (twice := next((v for k, v in enumerate(levels) if v in levels[:k]), None)) is not None:
        raise RuleError(f"The level {twice!r} is listed twice in an order. Remove one.")
    return levels


def value_at(number: float, part: str | None, order: Sequence[str] | None) -> Any:
    """Convert a position to a test value; the nearest second, the nearest level."""
    if order is not None:
        return order[int(min(max(round(number), 0), len(order) - 1))]
    if part == "date":
        return moment_text(shift_moment(EPOCH, number * DAY))
    return number


def positions_in(
    name: str, column: NDArray[Any], part: str | None, order: Sequence[str] | None
) -> NDArray[np.float64]:
    """Read a column as positions, shape (n,): NaN for missing values and levels without a place."""
    cells = column.tolist()
    if order is not None:
        position_of = {level: float(k) for k, level in enumerate(order)}
        return np.array([position_of.get(v, np.nan) for v in cells], dtype=float)
    assert part is not None
    read = {v: _read_date(v, part) for v in set(cells) if v is not None and v == v}
    if wrong := [v for v, read_value in read.items() if read_value is None]:
        row = next(i for i, v in enumerate(cells) if v in wrong)
        raise RuleError(
            f"The rule reads column {name!r} as dates, but row {row + 1} holds {cells[row]!r}; "
            "write dates as 2024-03-01 or 2024-03-01 12:30:00, or leave the cell empty."
        )
    return np.array([read.get(v, np.nan) for v in cells], dtype=float)


def _read_date(cell: Any, part: str) -> float | None:
    date = moment(cell) if isinstance(cell, str) else None
    if date is None:
        return None
    if part == "weekday":
        return float(date.isoweekday())
    if part in ("year", "month", "hour"):
        return float(getattr(date, part))
    return (date - since_of(part)).total_seconds() / DAY


def turning_dates(part: str, positions: Sequence[float]) -> tuple[str, ...]:
    """List dates, as text, around which a test of a part of a date may change its result."""
    if part in ("month", "weekday", "hour"):
        days = [datetime(2024, 1 + k, 28) for k in range(12)]
        days += [datetime(2024, 3, 1 + k, 3 * k) for k in range(7)]
        days += [datetime(2023, 12, 31, k, 59, 59) for k in range(24)]
        return tuple(map(moment_text, days))
    if part == "year":
        years = [int(v) + k for v in positions for k in (0, 1)]
        dates = [datetime(year, 1, 1) for year in years if 1 <= year <= LATEST.year]
    else:
        since = since_of(part)
        dates = [shift_moment(since, v * DAY) for v in positions]
    near = [shift_moment(t, k) for t in dates for k in (-1, 0, 1)]
    return tuple(map(moment_text, dict.fromkeys(near)))


def shift_moment(date: datetime, seconds: float) -> datetime:
    """Return the moment some seconds later, within the years 1 to 9999 that dates can have."""
    least, most = ((end - date).total_seconds() for end in (datetime.min, LATEST))
    return date + timedelta(seconds=round(min(max(seconds, least), most)))


def since_of(part: str) -> datetime:
    """Return the reference date of a part such as "days since 2024-01-01", of dates 1970."""
    date = EPOCH if part == "date" else moment(part.removeprefix(DAYS_SINCE))
    assert date is not None
    return date


def spell_part(value: Any, part: str | None) -> Any:
    """Return weekdays and months by their name; other values unchanged."""
    names = NAMES.get(part or "", ())
    is_level = isinstance(value, float) and value.is_integer() and 1 <= value <= len(names)
    return names[int(value) - 1] if is_level else value


def words_of(text: str) -> str:
    """Fold a text to lower-case words, split at blanks and `SEPARATORS`, enclosed by blanks."""
    return f" {text.translate(_BLANKS).lower()} "


def foldings(word: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return letters and texts to replace, in this order, in a text with a blank at both ends.

    The text then contains the word between blanks if and only if `words_of` of the text does.

    >>> letters, texts = foldings("k\u03c2")
    >>> letters["K"], letters["\u212a"], letters["."], texts
    ('k', 'k', ' ', [(' k\u03a3', ' k\u03c2')])
    """
    folds = {large: small for large, small in _lower_case().items() if small in word}
    letters = {large: small for large, small in folds.items() if len(small) == 1}
    texts = [(large, small) for large, small in folds.items() if len(small) > 1]
    for i, letter in enumerate(word):
        if (word[:i] + _SIGMA + word[i + 1 :]).lower() == word:
            texts.append((f" {word[:i]}{_SIGMA}", f" {word[:i]}{letter}"))
    return dict.fromkeys(SEPARATORS[1:], " ") | letters, texts


@lru_cache(maxsize=1)
def _lower_case() -> dict[str, str]:
    """Return the lower case of each letter that has another one, whatever is beside it."""
    letters = map(chr, range(sys.maxunicode + 1))
    return {c: c.lower() for c in letters if c.lower() != c and c != _SIGMA}


def unseen_text(values: Iterable[Any]) -> str:
    """Invent a text that differs from all of the values."""
    taken, name = set(values), "another value"
    while name in taken:
        name += "'"
    return name
