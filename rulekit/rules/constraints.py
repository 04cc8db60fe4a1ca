"""Constraints on a rule: forbidden and required conditions, monotonic directions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rulekit.exceptions import RuleError
from rulekit.rules.codec import condition_from_dict, condition_to_dict
from rulekit.rules.literal import Literal

ColumnOrLiteral = str | Literal
TURNED = {">": "<", "<": ">"}


@dataclass(frozen=True)
class Constraints:
    """Constraints on the conditions of a rule.

    Parameters
    ----------
    forbidden : tuple of str or Literal
        Columns, by name, and single literals that must not appear.
    required : tuple of str or Literal
        Columns, by name, and single literals that must appear in at least one clause.
    allow_not_equal : bool, default=True
        Whether "is not" and "is none of" may appear.
    directions : mapping of str to {">", "<"}
        Monotonic constraints. ">" of a column: as it rises, all others kept, the answer may turn to
        the class `towards` and never away from it; "<": as it falls. Of columns of numbers or of
        truth values, where false is below true. Only conditions that go that way may then appear. A
        value that is missing does not rise: predictions there are not constrained.
    towards : label, default=None
        The class that directions lead to. None for the one the rule describes.

    Raises
    ------
    RuleError
        If an entry is neither a name nor a literal, a direction is another word, or two
        constraints contradict each other.

    Examples
    --------
    >>> limits = Constraints(forbidden=("town",), directions={"age": ">"})
    >>> limits.allows(Literal("age", ">", 50)), limits.allows(Literal("age", "<=", 50))
    (True, False)
    """

    forbidden: tuple[ColumnOrLiteral, ...] = ()
    required: tuple[ColumnOrLiteral, ...] = ()
    allow_not_equal: bool = True
    directions: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    towards: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.directions, (Mapping, tuple)):
            raise RuleError(f"`directions` must map columns to signs, got {self.directions!r}.")
        pairs = sorted(dict(self.directions).items())
        object.__setattr__(self, "directions", tuple(pairs))  # hashable, and in one order
        for name in ("forbidden", "required"):
            object.__setattr__(self, name, _read_entries(name, getattr(self, name)))
        for feature, sign in pairs:
            if sign not in TURNED:
                message = f"The direction of column {feature!r} must be '<' or '>', got {sign!r}."
                raise RuleError(message)
        if self.towards is not None and not pairs:
            raise RuleError(
                f"`towards` is read beside `directions` only; got towards={self.towards!r} and no "
                "direction. Give one, or leave `towards` out."
            )
        undirected = self  # which way a condition may go is known of a class, see `orient`
        if self.towards is not None:
            undirected = replace(self, directions=(), towards=None, required=())
        for entry in self.required:
            barred = isinstance(entry, Literal) and not undirected.allows(entry)
            if barred or entry in self.forbidden:
                raise RuleError(f"{entry!r} is required and forbidden. Remove one of the two.")

    @property
    def features(self) -> tuple[str, ...]:
        """Every column named in a constraint, each once."""
        names = [w if isinstance(w, str) else w.feature for w in (*self.forbidden, *self.required)]
        return tuple(dict.fromkeys((*names, *dict(self.directions))))

    def orient(self, label: Any) -> "Constraints":
        """Return the constraints for clauses that predict a class; directions are relative to it.

        Clauses that give another class turn them: what leads to one class leads away from all
        others. So a list of clauses of any number of classes satisfies one if each clause does.
        """
        if self.towards is None:
            return self
        turned = dict(self.directions)
        if label != self.towards:
            turned = {name: TURNED[sign] for name, sign in turned.items()}
        return replace(self, directions=turned, towards=None)

    def allows(self, literal: Literal) -> bool:
        """Return whether clauses of the class that directions lead to may contain a literal."""
        if literal.feature in self.forbidden or literal in self.forbidden:
            return False
        if literal.op in ("!=", "not-in") and not self.allow_not_equal:
            return False
        direction = dict(self.directions).get(literal.feature)
        if direction is None:
            return True
        return literal.trend(literal.feature) in (0, 1 if direction == ">" else -1)

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints as a plain dictionary for JSON."""
        return {
            "forbidden": [_to_plain(w) for w in self.forbidden],
            "required": [_to_plain(w) for w in self.required],
            "allow_not_equal": self.allow_not_equal,
            "directions": dict(self.directions),
        } | ({} if self.towards is None else {"towards": self.towards})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Constraints":
        """Read the constraints from a plain dictionary; RuleError for wrong entries."""
        fields = ("forbidden", "required", "allow_not_equal", "directions", "towards")
        if not isinstance(data, Mapping):
            raise RuleError(f"Constraints must be a dictionary of {fields}, got {data!r:.60}.")
        if unknown := [key for key in data if key not in fields]:
            raise RuleError(f"{unknown[0]!r} is not a part of constraints. Use {fields}.")
        parts = dict(data)
        for name in ("forbidden", "required"):
            parts[name] = tuple(
                condition_from_dict({"kind": "literal", **w}) if isinstance(w, Mapping) else w
                for w in data.get(name, ())
            )
        return cls(**parts)


def _to_plain(entry: ColumnOrLiteral) -> Any:
    if isinstance(entry, str):
        return entry
    return {key: part for key, part in condition_to_dict(entry).items() if key != "kind"}


def _read_entries(name: str, entries: Any) -> tuple[ColumnOrLiteral, ...]:
    several = isinstance(entries, Iterable) and not isinstance(entries, str)
    read = tuple(entries) if several else (entries,)
    for entry in read:
        if not isinstance(entry, (str, Literal)):
            raise RuleError(f"`{name}` must hold names of columns and literals, got {entry!r}.")
    return read
