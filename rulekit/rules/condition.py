"""Interface of all kinds of conditions, and helpers they share."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError

Columns = Mapping[str, NDArray[Any]]
Scalar = float | str | bool
NUMBERS = (int, float, np.integer, np.floating, Decimal)
TRUTH = (bool, np.bool_)


class Condition(ABC):
    """Base class of the parts of a clause; `Literal` is the most common kind.

    A new kind implements these methods, is added to `rulekit.rules.writer`, and is written by
    every `ConditionWriter`; nothing else has to know it.
    """

    __slots__ = ()
    missing: bool

    @property
    @abstractmethod
    def features(self) -> tuple[str, ...]:
        """The columns read, each once."""

    @property
    @abstractmethod
    def n_conditions(self) -> int:
        """Number of conditions this counts for in the size of a rule."""

    @property
    def tests(self) -> tuple[Any, ...]:
        """The single-column tests (`Literal`) it consists of; a sum of columns has none."""
        return ()

    @property
    @abstractmethod
    def types(self) -> Mapping[str, frozenset[type]]:
        """The types of the values each column is compared with; none for tests of missingness."""

    @property
    @abstractmethod
    def comparison(self) -> tuple[str, Any]:
        """The operator and the value compared with."""

    @abstractmethod
    def compared(self, columns: Columns) -> NDArray[Any]:
        """Compute the compared value of each row, a column value or a sum, shape (n,)."""

    @abstractmethod
    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row."""

    @abstractmethod
    def negated(self) -> "Condition":
        """Return the condition that holds exactly where this one does not."""

    def shorter(self) -> "Condition":
        """Return an equivalent condition with fewer parts, or this one."""
        return self

    def implies(self, other: "Condition") -> bool:
        """Return whether another condition surely holds wherever this one does."""
        return self == other

    @abstractmethod
    def renamed(self, names: Mapping[str, str]) -> "Condition":
        """Return the condition with renamed columns; columns not listed keep their name."""

    @abstractmethod
    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Find the values of one column where the result may change, other columns fixed."""

    def trend(self, feature: str) -> int | None:
        """Return how the result can change as one column rises, other columns fixed.

        1 if it can only come to hold, -1 if it can only cease to, 0 if neither, None where both
        happen or nothing is known; for present values.
        """
        return None if feature in self.features else 0

    @abstractmethod
    def written(self, writer: Any) -> Any:
        """Call the method of a `ConditionWriter` for this kind of condition."""


def missing_in(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a column has no value: NaN among numbers, None or NaN among objects."""
    if column.dtype == object:
        gaps = np.equal(column, np.array(None)) | (column != column)
        return np.asarray(gaps, dtype=bool)
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.zeros(len(column), dtype=bool)


def absent_in(features: Iterable[str], columns: Columns) -> NDArray[np.bool_]:
    """Return where at least one of some columns has no value, shape (n,)."""
    return np.asarray(np.any([missing_in(columns[f]) for f in features], axis=0))


def numbers_in(name: str, columns: Columns) -> NDArray[np.float64]:
    """Read a column as numbers, NaN where it has no value, shape (n,)."""
    try:
        column = columns[name]
    except KeyError:
        raise RuleError(f"The rule reads column {name!r}, which the table does not have.") from None
    if column.dtype != object:
        return np.asarray(column, dtype=float)
    absent = missing_in(column)
    if any(isinstance(v, str) for v in column[~absent]):
        raise RuleError(
            f"The rule computes with column {name!r}, but the column holds text. Give numbers, as "
            "in the table the rule was learned from."
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
    """Write a number so that reading it gives the same number; whole ones without a point.

    >>> number_text(40.0), number_text(0.1), number_text(1e22)
    ('40', '0.1', '1e+22')
    """
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


def value_text(value: Scalar) -> str:
    """Write a value: numbers by `number_text`, truth values as true and false, text unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else value


def scalar(value: Any) -> Scalar:
    """Convert NumPy scalars and whole numbers to str, bool or float."""
    if isinstance(value, (str, np.str_)):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        number = float(value)
        if math.isnan(number):
            raise RuleError("A literal cannot be compared with NaN. Use the operator 'missing'.")
        return number + 0.0  # -0.0 becomes 0.0: equal numbers, equal literals
    raise RuleError(f"A literal compares with text, a number or a truth value, got {value!r}.")


def columns_in(table: Any, features: Iterable[str]) -> Columns:
    """Read the columns that a rule needs from a table of any library; shape of the result: (n,)."""
    if isinstance(table, Mapping):
        return table
    if not hasattr(table, "columns"):
        raise RuleError(
            "A rule reads columns by name. Give a data frame or a mapping of column names to "
            f"arrays, not {type(table).__name__}."
        )
    columns = {name: _column(table, name) for name in features}
    return columns or {"": np.zeros(len(table))}


def _column(table: Any, name: str) -> NDArray[Any]:
    try:
        values = table[name]
    except Exception as error:  # every library has its own error for a column that is not there
        raise RuleError(
            f"The rule reads column {name!r}, which the table does not have. Give the columns the "
            "rule was learned from."
        ) from error
    levels = hasattr(getattr(values, "dtype", None), "categories")
    given = np.asarray(list(values), dtype=object) if levels else np.asarray(values)
    if given.ndim != 1:
        raise RuleError(f"Column names must differ; {name!r} occurs twice. Rename one.")
    if given.dtype.kind in "fiu":
        return given.astype(np.float64)
    if given.dtype.kind == "M":
        written = np.datetime_as_string(given, unit="s").tolist()
        cells = [None if v == "NaT" else v.replace("T", " ") for v in written]
        return np.array(cells, dtype=object)
    return _objects([None if _is_gap(v) else v for v in given.astype(object)], levels)


def _is_gap(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN, or a library's missing value."""
    same = value == value
    return value is None or not isinstance(same, TRUTH) or not same


def _objects(cells: list[Any], levels: bool) -> NDArray[Any]:
    """Convert a column to the type of its present cells: bool, number, else text or levels."""
    present = [v for v in cells if v is not None]
    if present and not levels:
        if all(isinstance(v, TRUTH) for v in present):
            return np.array([None if v is None else bool(v) for v in cells], dtype=object)
        if all(isinstance(v, NUMBERS) and not isinstance(v, TRUTH) for v in present):
            return np.array([np.nan if v is None else float(v) for v in cells], dtype=float)
    return np.array([None if v is None else str(v) for v in cells], dtype=object)
