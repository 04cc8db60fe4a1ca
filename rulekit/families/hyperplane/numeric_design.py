"""A table as numbers only, and the way back: from a bound on a number to literals."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.learners.training import computable
from rulekit.rules import Columns, Literal

Floats = NDArray[np.float64]
MAX_LEVELS = 50


@dataclass(frozen=True)
class Number:
    """One number of a row: a column of numbers, or whether a column has a level."""

    feature: str
    level: str | bool | None = None
    whole: bool = False

    @property
    def name(self) -> str:
        """The name of the number, for learners and plots."""
        if self.level is None:
            return self.feature
        level = str(self.level).lower() if isinstance(self.level, bool) else self.level
        return f"{self.feature} = {level}"

    def values(self, columns: Columns) -> Floats:
        """Read the number from a table: shape (n,), NaN where the column has no value."""
        column = columns[self.feature]
        if self.level is None:
            return np.asarray(column, dtype=float)
        absent = pd.isna(column)
        return np.where(absent, np.nan, np.asarray(column == self.level, dtype=float))

    def literals(self, sign: float, low: float, high: float) -> tuple[Literal, ...]:
        """Write ``low < sign * value <= high`` as literals; infinite ends give none."""
        low, high, mirrored = (low, high, False) if sign > 0 else (-high, -low, True)
        if self.level is None:
            ends = ((">=", low), ("<", high)) if mirrored else ((">", low), ("<=", high))
            return tuple(Literal(self.feature, op, v) for op, v in ends if np.isfinite(v))
        other, same = (low <= v < high if mirrored else low < v <= high for v in (0.0, 1.0))
        if other and same:
            return ()
        return (Literal(self.feature, "==" if same else "!=", self.level),)


@dataclass(frozen=True)
class NumericDesign:
    """The numbers into which a table is converted."""

    numbers: tuple[Number, ...]

    @classmethod
    def from_columns(cls, columns: Columns, kinds: dict[str, str]) -> "NumericDesign":
        """Select how each column is converted to numbers, in an order that no table may change."""
        # Sums and ties of linear programs depend on the order of columns.
        numbers: list[Number] = []
        for name, values in sorted(columns.items()):
            if kinds[name] == "number":
                computable(name, values)
                present = values[~np.isnan(values)]
                if len(present):
                    numbers.append(Number(name, None, bool((present == np.round(present)).all())))
                continue
            levels = sorted({v for v in values if v is not None})
            if len(levels) > MAX_LEVELS:
                raise DataError(
                    f"Column {name[:60]!r} holds {len(levels)} different texts; a linear model can "
                    f"take at most {MAX_LEVELS} as numbers. Leave the column out (role 'ignore')."
                )
            numbers += [Number(name, v, True) for v in (levels[1:] if len(levels) == 2 else levels)]
        if not numbers:
            raise DataError(
                "A linear model needs at least one column with a value; give numbers, truth values "
                "or text of a few levels."
            )
        return cls(tuple(numbers))

    @property
    def names(self) -> list[str]:
        """The distinct names of the numbers; a column may be called "kind = x"."""
        names: list[str] = []
        for number in self.numbers:
            names.append(number.name)
            while names[-1] in names[:-1]:
                names[-1] += "'"
        return names

    def frame(self, columns: Columns) -> pd.DataFrame:
        """Return the numbers as a data frame of shape (n, p), NaN where a value is missing."""
        values = {f"{j}": number.values(columns) for j, number in enumerate(self.numbers)}
        return pd.DataFrame(values).set_axis(self.names, axis=1)


def plain_numbers(name: str, values: NDArray[Any], cells: pd.Series) -> Floats:
    """Read a column as numbers, truth values as 0 and 1: shape (n,)."""
    absent = pd.isna(values)
    misread = cells[absent & cells.notna().to_numpy()]
    if absent.any() and misread.empty:
        raise DataError(
            f"Column {name[:60]!r} must hold a number in every row; it has a gap (NaN) in "
            f"{int(absent.sum())} of {len(values)} rows (first: row {int(absent.argmax()) + 1}). "
            "Fill the gaps, or leave these rows out."
        )
    if not misread.empty or (values.dtype == object and isinstance(values[0], str)):
        cell = next(v for v in (cells if misread.empty else misread) if not isinstance(v, Real))
        dates = hasattr(cell, "isoformat")
        if not dates and not isinstance(cell, str):
            float(cell)  # says what it is
        raise DataError(
            f"Column {name[:60]!r} must hold numbers; it holds {'dates' if dates else 'text'} "
            f"(first: {str(cell)[:60]!r}). "
            + (
                "Give the days since a day in its place."
                if dates
                else "Write a column of 0 and 1 for each text, as HyperplaneRuleClassifier does."
            )
        )
    return values.astype(np.float64)


def short_faces(faces: Floats, points: Floats, whole: bool) -> Floats:
    """Write upper faces with few digits, without moving a training row across one."""
    distinct = np.unique(points)
    short = {face: _short(face, distinct, whole) for face in np.unique(faces[np.isfinite(faces)])}
    return np.array([short.get(face, face) for face in faces.tolist()])


def _short(face: float, distinct: Floats, whole: bool) -> float:
    if whole:
        return float(np.floor(face))
    bin_index = int(np.searchsorted(distinct, face, side="right"))
    least = distinct[bin_index - 1] if bin_index else -np.inf
    for decimals in range(-6, 16):
        rounded = float(np.floor(face * 10.0**decimals) / 10.0**decimals)
        if least <= rounded <= face:
            return rounded + 0.0
    return face
