"""A literal: one test on one column, with its answer for a missing value built in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, Condition, Scalar, missing_in, value_text

Value = Scalar | tuple[Scalar, ...] | None

NEGATED = {
    "<=": ">",
    ">": "<=",
    "<": ">=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
    "in": "not-in",
    "not-in": "in",
    "missing": "not-missing",
    "not-missing": "missing",
}
OPERATORS = tuple(NEGATED)
ORDERED = ("<=", "<", ">=", ">")
EQUALITIES = ("==", "!=", "in", "not-in")


@dataclass(frozen=True, slots=True)
class Literal(Condition):
    """One test on one column.

    Parameters
    ----------
    feature : str
        Name of the column.
    op : {"<=", "<", ">=", ">", "==", "!=", "in", "not-in", "missing", "not-missing"}
        The test.
    value : float, str, bool, tuple of these, or None
        What the column is compared with: a finite number for the four order tests, one value for
        ``==`` and ``!=``, a non-empty tuple for ``in`` and ``not-in`` (kept sorted and without
        repeats, so that equal sets are equal literals), None for the two tests of missingness.
    missing : bool, default=False
        The answer where the value is missing. Fixed by the two tests of missingness.

    Raises
    ------
    RuleError
        If operator and value do not go together.

    Notes
    -----
    `negated` flips operator and `missing`: the negation of ``x > 5`` is "x <= 5, or missing", so
    that De Morgan's laws hold on every row.

    Examples
    --------
    >>> import numpy as np
    >>> high = Literal("Glucose", ">", 127.5)
    >>> high.mask({"Glucose": np.array([120.0, 130.0, np.nan])})
    array([False,  True, False])
    >>> high.negated()
    Literal(feature='Glucose', op='<=', value=127.5, missing=True)
    >>> print(high.negated(), Literal("colour", "in", ("red", "blue")), sep="; ")
    Glucose <= 127.5 or missing; colour in {blue, red}
    """

    feature: str
    op: str
    value: Value = None
    missing: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.feature, str):
            raise RuleError(f"A literal's column name must be text, got {self.feature!r}.")
        if self.op not in NEGATED:
            raise RuleError(f"A literal's operator must be one of {OPERATORS}, got {self.op!r}.")
        object.__setattr__(self, "value", _checked_value(self.op, self.value))
        answer = {"missing": True, "not-missing": False}.get(self.op, bool(self.missing))
        object.__setattr__(self, "missing", answer)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read: here, one."""
        return (self.feature,)

    @property
    def tests(self) -> tuple["Literal", ...]:
        """The tests it is made of: itself."""
        return (self,)

    @property
    def n_conditions(self) -> int:
        """How many literals this counts for: one."""
        return 1

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values it compares with, none for the two tests of missingness."""
        if self.value is None:
            return ()
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def types(self) -> Mapping[str, frozenset[type]]:
        """The types of `values`."""
        return {self.feature: frozenset(map(type, self.values))}

    @property
    def comparison(self) -> tuple[str, Value]:
        """Operator and value."""
        return self.op, self.value

    @property
    def sort_key(self) -> tuple[str, str, str, bool]:
        """A total order over literals that does not depend on how a table is laid out."""
        return (self.feature, self.op, repr(self.value), self.missing)

    def negated(self) -> "Literal":
        """Return the literal that holds exactly where this one does not."""
        return Literal(self.feature, NEGATED[self.op], self.value, not self.missing)

    def renamed(self, names: Mapping[str, str]) -> "Literal":
        """Return the literal with its column called otherwise."""
        return replace(self, feature=names.get(self.feature, self.feature))

    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Give the numbers it compares its column with, whatever the row."""
        own = feature == self.feature
        return tuple(float(v) for v in self.values if own and not isinstance(v, str))

    def trend(self, feature: str) -> int | None:
        """Read the test's direction; a test of truth values has one, too: false is below true."""
        if feature != self.feature or self.op in ("missing", "not-missing"):
            return 0
        if self.op in ORDERED:
            return 1 if self.op in (">", ">=") else -1
        if self.op not in EQUALITIES or not all(isinstance(v, bool) for v in self.values):
            return None
        low, high = ((v in self.values) == (self.op in ("==", "in")) for v in (False, True))
        return int(high) - int(low)

    def written(self, writer: Any) -> Any:
        """Hand the literal to the writer's method for one."""
        return writer.literal(self)

    def compared(self, columns: Columns) -> NDArray[Any]:
        """Give the column: shape (n,); RuleError if it is not there."""
        try:
            return columns[self.feature]
        except KeyError:
            raise RuleError(
                f"The rule tests column {self.feature!r}, which the table does not have; "
                f"its columns are {_shortened(list(columns))}."
            ) from None

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Say for each row whether the test holds.

        Parameters
        ----------
        columns : mapping of str to ndarray of shape (n,)
            The table, see `rulekit.rules`.

        Returns
        -------
        ndarray of bool, shape (n,)

        Raises
        ------
        RuleError
            If the column is not there, or holds text where a number is compared.
        """
        column = self.compared(columns)
        absent = missing_in(column)
        return np.where(absent, self.missing, self._holds(column, absent))

    def _holds(self, column: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Answer the test where a value is present; what stands elsewhere is not used."""
        if self.op in ("missing", "not-missing"):
            return np.full(len(column), self.op == "not-missing")
        if self.op in ORDERED:
            return self._compared(column, absent)
        found = np.zeros(len(column), dtype=bool)
        for value in self.values:
            found |= np.asarray(column == value, dtype=bool)
        return ~found if self.op in ("!=", "not-in") else found

    def _compared(self, column: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if column.dtype == object and any(isinstance(v, str) for v in column[~absent]):
            raise RuleError(
                f"The rule compares column {self.feature!r} with a number, but the column holds "
                "text; give numbers, as in the table the rule was learned from."
            )
        numbers = np.where(absent, np.nan, column).astype(float)
        with np.errstate(invalid="ignore"):
            if self.op == "<=":
                return numbers <= self.value
            if self.op == "<":
                return numbers < self.value
            return numbers >= self.value if self.op == ">=" else numbers > self.value

    def __str__(self) -> str:
        """Name the test in one line; names and values stand as they are, nothing is escaped."""
        if self.op in ("missing", "not-missing"):
            return f"{self.feature} is {'missing' if self.op == 'missing' else 'present'}"
        text = ", ".join(value_text(v) for v in self.values)
        if self.op in ("in", "not-in"):
            text = f"{{{text}}}"
        tail = " or missing" if self.missing else ""
        return f"{self.feature} {self.op.replace('-', ' ')} {text}{tail}"


def _checked_value(op: str, value: Value) -> Value:
    if op in ("missing", "not-missing"):
        if value is not None:
            raise RuleError(f"A literal with operator {op!r} takes no value, got {value!r}.")
        return None
    if op in ("in", "not-in"):
        if not isinstance(value, tuple) or not value:
            raise RuleError(
                f"A literal with operator {op!r} needs a non-empty tuple, got {value!r}."
            )
        return tuple(sorted({_scalar(v) for v in value}, key=lambda v: (type(v).__name__, v)))
    if isinstance(value, tuple) or value is None:
        raise RuleError(f"A literal with operator {op!r} needs one value, got {value!r}.")
    value = _scalar(value)
    if op in ORDERED and not (isinstance(value, float) and math.isfinite(value)):
        raise RuleError(f"A literal with operator {op!r} needs a finite number, got {value!r}.")
    return value


def _scalar(value: Any) -> Scalar:
    """Turn NumPy's scalars and whole numbers into str, bool or float."""
    if isinstance(value, (str, np.str_)):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        number = float(value)
        if math.isnan(number):
            raise RuleError("A literal cannot be compared with NaN; use the operator 'missing'.")
        return number + 0.0  # -0.0 becomes 0.0: equal numbers, equal literals
    raise RuleError(f"A literal compares with text, a number or a truth value, got {value!r}.")


def _shortened(names: list[str], limit: int = 5) -> str:
    shown = ", ".join(repr(n) for n in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
