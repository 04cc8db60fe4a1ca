"""What an analyst asks of a rule: conditions that must not stand in it, or must."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import RuleError
from rulekit.rules.codec import condition_from_dict, condition_to_dict
from rulekit.rules.literal import Literal

Wish = str | Literal
UPWARD, DOWNWARD = (">", ">="), ("<", "<=")
NOT_EQUAL = ("!=", "not-in")


@dataclass(frozen=True)
class Constraints:
    """Wishes about the conditions of a rule, as they read in the rule itself.

    Parameters
    ----------
    forbidden : tuple of str or Literal
        Columns, by name, and single literals that must not appear.
    required : tuple of str or Literal
        Columns, by name, and single literals that must appear in at least one clause.
    allow_not_equal : bool, default=True
        Whether "is not" and "is none of" may appear.
    directions : mapping of str to {">", "<"}
        For columns that may be compared in one direction only: the direction that makes the rule
        hold. "<" allows ``<`` and ``<=``.

    Raises
    ------
    RuleError
        If a wish is neither a name nor a literal, a direction is another word, or two wishes
        contradict each other.

    Examples
    --------
    >>> wishes = Constraints(forbidden=("town",), directions={"age": ">"})
    >>> wishes.allows(Literal("age", ">", 50)), wishes.allows(Literal("age", "<=", 50))
    (True, False)
    """

    forbidden: tuple[Wish, ...] = ()
    required: tuple[Wish, ...] = ()
    allow_not_equal: bool = True
    directions: Mapping[str, str] | tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        pairs = sorted(dict(self.directions).items())
        object.__setattr__(self, "directions", tuple(pairs))  # hashable, and in one order
        for name in ("forbidden", "required"):
            wishes = getattr(self, name)
            if isinstance(wishes, (str, Literal)):
                wishes = (wishes,)
            object.__setattr__(self, name, tuple(wishes))
            for wish in getattr(self, name):
                if not isinstance(wish, (str, Literal)):
                    raise RuleError(
                        f"`{name}` must hold names of columns and literals, got {wish!r}."
                    )
        for feature, direction in pairs:
            if direction not in ("<", ">"):
                raise RuleError(
                    f"The direction of column {feature!r} must be '<' or '>', got {direction!r}."
                )
        self._check_required()

    def _check_required(self) -> None:
        for wish in self.required:
            barred = wish in self.forbidden if isinstance(wish, str) else not self.allows(wish)
            if barred:
                raise RuleError(f"{wish!r} is required and forbidden at once; drop one wish.")

    @property
    def features(self) -> tuple[str, ...]:
        """Every column named in a wish, each once."""
        wishes = (*self.forbidden, *self.required)
        names = [w if isinstance(w, str) else w.feature for w in wishes]
        return tuple(dict.fromkeys((*names, *dict(self.directions))))

    def allows(self, literal: Literal) -> bool:
        """Say whether a literal may stand in the rule."""
        if literal.feature in self.forbidden or literal in self.forbidden:
            return False
        if literal.op in NOT_EQUAL and not self.allow_not_equal:
            return False
        direction = dict(self.directions).get(literal.feature)
        return not (
            (direction == ">" and literal.op in DOWNWARD)
            or (direction == "<" and literal.op in UPWARD)
        )

    def to_dict(self) -> dict[str, Any]:
        """Write the wishes as a plain dictionary, which survives JSON."""
        return {
            "forbidden": [_wish_to_plain(w) for w in self.forbidden],
            "required": [_wish_to_plain(w) for w in self.required],
            "allow_not_equal": self.allow_not_equal,
            "directions": dict(self.directions),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Constraints":
        """Read the wishes from a plain dictionary; parts that are absent wish nothing.

        Raises
        ------
        RuleError
            If a key is unknown or a wish malformed.
        """
        known = ("forbidden", "required", "allow_not_equal", "directions")
        unknown = [key for key in data if key not in known]
        if unknown:
            raise RuleError(f"Constraints have the parts {known}; {unknown[0]!r} is none of them.")
        parts = dict(data)
        for name in ("forbidden", "required"):
            parts[name] = tuple(_wish_from_plain(w) for w in data.get(name, ()))
        return cls(**parts)


def _wish_to_plain(wish: Wish) -> Any:
    if isinstance(wish, str):
        return wish
    return {key: part for key, part in condition_to_dict(wish).items() if key != "kind"}


def _wish_from_plain(wish: Any) -> Any:
    return condition_from_dict({"kind": "literal", **wish}) if isinstance(wish, Mapping) else wish
