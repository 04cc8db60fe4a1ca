"""A literal: one test of one column, with a defined result for missing values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import (
    DAY,
    EPOCH,
    GAPS,
    ORDERED,
    SEPARATORS,
    WORDS,
    Columns,
    Condition,
    Scalar,
    as_numbers,
    check_order,
    check_part,
    missing_in,
    moment,
    positions_in,
    spell_part,
    turning_dates,
    value_at,
    value_text,
    words_of,
)

Value = Scalar | tuple[Scalar, ...] | None

EQUALITIES = ("==", "!=", "in", "not-in")
FALSE_FOR_GAPS = (*ORDERED, "==", "in")  # without a value they fail as they are evaluated
OPERATORS = ("<=", ">", "<", ">=", *EQUALITIES, *GAPS, *WORDS)  # each beside its negation
NEGATED = {op: OPERATORS[k ^ 1] for k, op in enumerate(OPERATORS)}
COMPARED = {"<=": le, "<": lt, ">=": ge, ">": gt}


@dataclass(frozen=True, slots=True, repr=False)
class Literal(Condition):
    """One test on one column.

    Parameters
    ----------
    feature : str
    op : {"<=", "<", ">=", ">", "==", "!=", "in", "not-in", "missing", "not-missing", "contains", \
"not-contains"}
        The test.
    value : float, str, bool, tuple of these, or None
        What the column is compared with: a finite number for the four order tests, one value for
        ``==`` and ``!=``, a non-empty tuple for ``in`` and ``not-in`` (kept sorted and without
        repeats, so that equal sets are equal literals), None for the two tests of missingness, one
        word for the two tests of a text's words, whose case does not matter.
    missing : bool, default=False
        The answer where the value is missing. Fixed by the two tests of missingness.
    part : str, optional
        The column holds dates as ISO text and is read as "date" (values are dates such as
        "2024-03-01"), "year", "month" (1 to 12), "weekday" (Monday is 1), "hour", or "days since
        2024-01-01", a number.
    order : tuple of str, optional
        Every level of the column, the lowest first; then values are levels, and may be ordered. A
        level that is not among them counts as a missing value.

    Raises
    ------
    RuleError
        If operator and value do not go together.

    Notes
    -----
    `negate` flips operator and `missing`: the negation of ``x > 5`` is "x <= 5, or missing", so
    that De Morgan's laws hold on every row.

    Examples
    --------
    >>> import numpy as np
    >>> high = Literal("Glucose", ">", 127.5)
    >>> high.mask({"Glucose": np.array([120.0, 130.0, np.nan])})
    array([False,  True, False])
    >>> high.negate()
    Literal(feature='Glucose', op='<=', value=127.5, missing=True)
    >>> print(high.negate(), Literal("colour", "in", ("red", "blue")), sep="; ")
    Glucose <= 127.5 or missing; colour in {blue, red}
    >>> print(Literal("opened", ">=", "2024-03-01", part="date"))
    opened >= 2024-03-01
    """

    kind: ClassVar[str] = "literal"
    n_conditions: ClassVar[int] = 1
    feature: str
    op: str
    value: Value = None
    missing: bool = False
    part: str | None = None
    order: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.feature, str):
            raise RuleError(f"A literal's column name must be text, got {self.feature!r}.")
        if self.op not in OPERATORS:
            raise RuleError(f"A literal's operator must be one of {OPERATORS}, got {self.op!r}.")
        if self.is_plain:
            object.__setattr__(self, "value", check_value(self.op, self.value))
        else:
            if self.part is not None and self.order is not None:
                raise RuleError(
                    f"Column {self.feature!r} is read as a date or by an order of levels, not both."
                )
            if self.op in (*GAPS, *WORDS):
                raise RuleError(
                    f"A literal with operator {self.op!r} reads the column as it is. Remove "
                    "`part` and `order`."
                )
            if self.part is not None:
                object.__setattr__(self, "part", check_part(self.part))
            else:
                object.__setattr__(self, "order", check_order(self.order))
            several = check_number(self.op, self.value)
            positions = sorted({position(scalar(v), self.part, self.order) for v in self.values})
            value = tuple(value_at(v, self.part, self.order) for v in positions)
            object.__setattr__(self, "value", value if several else value[0])
            levels = self.order or ()
            if levels and {self.meets_level(v) for v in levels} == {self.missing}:
                answered = "every" if self.missing else "no"
                raise RuleError(
                    f"A test of an order must divide its levels {levels}, but {answered} level "
                    f"meets {self}; compare with another level."
                )
        answer = {"missing": True, "not-missing": False}.get(self.op, bool(self.missing))
        object.__setattr__(self, "missing", answer)

    @property
    def is_plain(self) -> bool:
        """Whether it compares the column's own values, not dates, their parts or an order."""
        return self.part is None and self.order is None

    @property
    def scale(self) -> tuple[Any, ...]:
        """How the column is read; literals of one column and scale compare the same values."""
        return (self.part, self.order, self.value if self.op in WORDS else None)

    @property
    def positions(self) -> tuple[Scalar, ...]:
        """The values as compared: days since 1970 for a date, positions in an order."""
        if self.is_plain:
            return self.values
        return tuple(position(v, self.part, self.order) for v in self.values)

    @property
    def turning(self) -> tuple[Scalar, ...]:
        """Cells of the column at or beside which its result may change: texts, dates, levels."""
        if self.op in WORDS:
            return tuple(f"{a}{self.value}{b}" for a, b in (("", ""), ("(", ")."), ("", "s")))
        if self.order is not None:
            return self.order
        if self.part is None:
            return self.values
        return turning_dates(self.part, [float(v) for v in self.positions])

    def position_of(self, cell: Any) -> Any:
        """Convert one cell to a position; None if it is missing or no level of the order."""
        if cell is None or self.is_plain:
            return cell
        (position,) = self.compute_values({self.feature: np.array([cell], dtype=object)}).tolist()
        return None if position != position else position

    def value_at(self, number: float) -> Any:
        """Convert a position to a value of this test: a date, a level, or the number itself."""
        return value_at(number, self.part, self.order)

    def as_set(self) -> "Literal":
        """Return a test of an order as a set test, for formats without orders; others unchanged.

        The set, ``in`` or ``not-in``, gives the same answer for every value, named or not.
        """
        if self.order is None:
            return self
        listed = tuple(v for v in self.order if self.meets_level(v) != self.missing)
        return Literal(self.feature, "not-in" if self.missing else "in", listed, self.missing)

    def meets_level(self, level: str) -> bool:
        """Return whether a level of its order meets the test."""
        assert self.order is not None
        return holds(self, float(self.order.index(level)))

    @property
    def features(self) -> tuple[str, ...]:
        """The column read."""
        return (self.feature,)

    @property
    def tests(self) -> tuple["Literal", ...]:
        """The tests it consists of: itself."""
        return (self,)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values it compares with; none for the two tests of missingness."""
        if self.value is None:
            return ()
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def types(self) -> Mapping[str, frozenset[type]]:
        """The types of the column: those of `values`, text where it is read otherwise."""
        types = frozenset(map(type, self.values)) if self.is_plain else frozenset((str,))
        return {self.feature: types}

    @property
    def comparison(self) -> tuple[str, Value]:
        """Operator and value."""
        return self.op, self.value

    @property
    def sort_key(self) -> tuple[str, str, str, bool, str, str]:
        """A total order of literals that does not depend on the layout of a table."""
        value, order = repr(self.value), repr(self.order)
        return (self.feature, self.op, value, self.missing, self.part or "", order)

    def negate(self) -> "Literal":
        """Return the literal that holds exactly where this one does not."""
        twin = object.__new__(Literal)  # nothing is checked anew: tables have many literals
        for name in ("feature", "value", "part", "order"):
            object.__setattr__(twin, name, getattr(self, name))
        object.__setattr__(twin, "op", NEGATED[self.op])
        object.__setattr__(twin, "missing", not self.missing)
        return twin

    def rename(self, names: Mapping[str, str]) -> "Literal":
        """Return the literal with a renamed column."""
        return replace(self, feature=names.get(self.feature, self.feature))

    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the numbers it compares its column with; none for another scale."""
        is_bound = feature == self.feature and self.is_plain
        return tuple(float(v) for v in self.values if is_bound and not isinstance(v, str))

    def trend(self, feature: str) -> int | None:
        """Return the test's direction; false counts as below true."""
        if feature != self.feature or self.op in ("missing", "not-missing"):
            return 0
        if not self.is_plain:
            return None  # the month of a date does not rise with the date
        if self.op in ORDERED:
            return 1 if self.op in (">", ">=") else -1
        if self.op not in EQUALITIES or not all(isinstance(v, bool) for v in self.values):
            return None
        low, high = ((v in self.values) == (self.op in ("==", "in")) for v in (False, True))
        return int(high) - int(low)

    def compute_values(self, columns: Columns) -> NDArray[Any]:
        """Return the column as compared, shape (n,).

        A date is days since 1970, a level its place in the order; NaN where there is none.
        RuleError if the column is missing, or has no dates.
        """
        try:
            column = columns[self.feature]
        except KeyError:
            more = f" and {len(columns) - 5} more" * (len(columns) > 5)
            raise RuleError(
                f"The rule tests column {self.feature!r}, which the table does not have; its "
                f"columns are {', '.join(map(repr, list(columns)[:5]))}{more}."
            ) from None
        if self.is_plain:
            return column
        return positions_in(self.feature, column, self.part, self.order)

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the test holds, for each row, shape (n,).

        RuleError if the column is missing, or holds text where a number is compared.
        """
        return self.mask_of(self.compute_values(columns))

    def mask_of(self, compared: NDArray[Any]) -> NDArray[np.bool_]:
        """Return where the test holds for compared values, see `compute_values`, shape (n,)."""
        return mask_table([self], compared)[0]

    @property
    def edge(self) -> float:
        """The position up to which ``<=`` and ``<`` hold, and beyond which ``>`` and ``>=`` do.

        Of an order of levels it lies half-way between two of them, whichever of them is named.
        """
        edge = float(self.positions[0])
        if self.order is not None:
            return edge + (0.5 if self.op in ("<=", ">") else -0.5)
        return edge if self.op in ("<=", ">") else float(np.nextafter(edge, -np.inf))

    def _holds(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Evaluate the test where a value is present; other entries are not used."""
        if self.op in GAPS:
            return np.full(len(column), self.op == "not-missing")
        if self.op in ORDERED:
            numbers = as_numbers(column, f"compares column {self.feature!r} with a number")
            return np.asarray(COMPARED[self.op](numbers, self.positions[0]))
        if self.op in WORDS:
            if column.dtype != object:
                raise RuleError(
                    f"The rule looks for a word in column {self.feature!r}, but the column holds "
                    "numbers. Give text, as in the table the rule was learned from."
                )
            return contains(column, str(self.value)) == (self.op == "contains")
        holds = np.zeros(len(column), dtype=bool)
        for value in self.positions:
            # NumPy would strip NULs from the end of a bare text before it compares.
            one = np.array(value, dtype=object) if column.dtype == object else value
            holds |= np.asarray(column == one, dtype=bool)
        return ~holds if self.op in ("!=", "not-in") else holds

    def __repr__(self) -> str:
        """Return the constructor call; the scale only where it was given."""
        parts = [f"{n}={getattr(self, n)!r}" for n in ("feature", "op", "value", "missing")]
        parts += [f"{n}={v!r}" for n in ("part", "order") if (v := getattr(self, n)) is not None]
        return f"Literal({', '.join(parts)})"

    @property
    def subject(self) -> str:
        """The compared quantity in words: the column, or "weekday of opened"."""
        return self.feature if self.part in (None, "date") else f"{self.part} of {self.feature}"

    def __str__(self) -> str:
        """Return the test as one line; names and values are not escaped."""
        if self.op in GAPS:
            return f"{self.feature} is {'missing' if self.op == 'missing' else 'present'}"
        text = ", ".join(value_text(spell_part(v, self.part)) for v in self.values)
        if self.op in ("in", "not-in"):
            text = f"{{{text}}}"
        tail = " or missing" if self.missing else ""
        return f"{self.subject} {self.op.replace('-', ' ')} {text}{tail}"


def mask_table(literals: Sequence[Literal], compared: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where literals hold for the compared values of one column, shape (literals, n)."""
    masks, absent = np.empty((len(literals), len(compared)), dtype=bool), None
    for row, literal in zip(masks, literals, strict=True):
        row[:] = literal._holds(compared)
        if literal.missing or literal.op not in FALSE_FOR_GAPS:
            absent = missing_in(compared) if absent is None else absent
            row[absent] = literal.missing
    return masks


def group_by_scale(
    literals: Iterable[Literal],
) -> dict[object, list[tuple[Literal, tuple[Scalar, ...]]]]:
    """Group literals, with their positions, by the column and the scale that they compare."""
    groups: dict[object, list[tuple[Literal, tuple[Scalar, ...]]]] = {}
    for literal in literals:
        groups.setdefault((literal.feature, literal.scale), []).append((literal, literal.positions))
    return groups


def build_literals(tests: Iterable[Sequence[Any]]) -> list[Literal]:
    """Build a literal from the arguments of each."""
    return [Literal(*test) for test in tests]


def sort_keys(literals: Iterable[Literal]) -> list[tuple[str, str, str, bool, str, str]]:
    """Return the key of each literal in the order that no layout of a table changes."""
    return [literal.sort_key for literal in literals]


def holds(literal: Literal, value: Scalar) -> bool:
    """Return whether a present position meets a literal; a text meets no order test."""
    if literal.op in GAPS:
        return literal.op == "not-missing"
    if literal.op in WORDS:
        return value is (literal.op == "contains")
    if literal.op in ORDERED:
        (limit,) = literal.positions
        return not isinstance(value, str) and bool(COMPARED[literal.op](value, limit))
    return (value in literal.positions) == (literal.op in ("==", "in"))


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


def position(value: Any, part: str | None, order: Sequence[str] | None) -> float:
    """Convert a test value to a position: days since 1970, place in an order, or the number."""
    if order is not None:
        if value not in order:
            raise RuleError(
                f"A level must be one of its order {tuple(order)}, got {value!r}; add it to the "
                "order or compare with another."
            )
        return float(order.index(value))
    if part == "date":
        date = moment(value) if isinstance(value, str) else None
        if date is None:
            raise RuleError(
                f"A date must be written as '2024-03-01' or '2024-03-01 12:30:00', got {value!r}."
            )
        return (date - EPOCH).total_seconds() / DAY
    if isinstance(value, (bool, str)) or not np.isfinite(value):
        raise RuleError(f"The {part} of a date is compared with a finite number, got {value!r}.")
    return float(value)


def check_number(op: str, value: Any) -> bool:
    """Return whether an operator takes several values; RuleError if it gets another number."""
    several = op in ("in", "not-in")
    if isinstance(value, tuple) != several or value is None or (several and not value):
        needs = "a non-empty tuple" if several else "one value"
        raise RuleError(f"A literal with operator {op!r} needs {needs}, got {value!r}.")
    return several


def check_value(op: str, value: Any) -> Any:
    """Return the normalised test value of a column; RuleError if it does not fit."""
    if op in GAPS:
        if value is not None:
            raise RuleError(f"A literal with operator {op!r} takes no value, got {value!r}.")
        return None
    if check_number(op, value):
        return tuple(sorted({scalar(v) for v in value}, key=lambda v: (type(v).__name__, v)))
    if op in WORDS:
        word = value.lower() if isinstance(value, str) else ""
        if not word or words_of(value).split(" ") != ["", word, ""]:
            raise RuleError(
                "A test of a word needs one word, without blanks or the marks "
                f"{SEPARATORS.strip()!r}, got {value!r}."
            )
        return word
    value = scalar(value)
    if op in ORDERED and not (isinstance(value, float) and math.isfinite(value)):
        raise RuleError(f"A test by {op!r} needs a finite number, got {value!r}.")
    return value


def contains(column: NDArray[Any], word: str) -> NDArray[np.bool_]:
    """Return whether the text of each cell contains a word, shape (n,); False for non-text."""
    wanted = f" {word} "
    cells = column.tolist()
    holds = {v: wanted in words_of(v) for v in set(cells) if isinstance(v, str)}
    return np.array([holds.get(v, False) for v in cells], dtype=bool)
