"""A clause: conditions joined by AND (in a DNF) or by OR (in a CNF)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, Condition
from rulekit.rules.literal import Literal


@dataclass(frozen=True, slots=True)
class Clause:
    """Conditions joined by AND or by OR.

    Parameters
    ----------
    conditions : tuple of Condition
        In the order they are read out. Repeats are dropped, the first one stays.
    op : {"and", "or"}, default="and"
        How they are joined. No condition at all is always true under "and", never under "or".

    Examples
    --------
    >>> import numpy as np
    >>> clause = Clause((Literal("age", ">", 50), Literal("bmi", ">", 30)))
    >>> clause.mask({"age": np.array([60.0, 60.0]), "bmi": np.array([31.0, 25.0])})
    array([ True, False])
    >>> clause.negated().op
    'or'
    """

    conditions: tuple[Condition, ...] = ()
    op: str = "and"

    def __post_init__(self) -> None:
        if self.op not in ("and", "or"):
            raise RuleError(f"A clause's `op` must be 'and' or 'or', got {self.op!r}.")
        object.__setattr__(self, "conditions", tuple(dict.fromkeys(self.conditions)))

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, each once, in order of first use."""
        return tuple(dict.fromkeys(f for c in self.conditions for f in c.features))

    @property
    def n_conditions(self) -> int:
        """Number of literals; an interval counts two."""
        return sum(c.n_conditions for c in self.conditions)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The conditions that are literals."""
        return tuple(c for c in self.conditions if isinstance(c, Literal))

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the clause matches, for each row; see `Literal.mask`."""
        answer = np.full(n_rows(columns), self.op == "and")
        for condition in self.conditions:
            if self.op == "and":
                answer &= condition.mask(columns)
            else:
                answer |= condition.mask(columns)
        return answer

    def condition_masks(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether each condition holds, shape (n, number of conditions)."""
        masks = [c.mask(columns) for c in self.conditions]
        return np.array(masks, dtype=bool).reshape(len(masks), n_rows(columns)).T

    def negated(self) -> "Clause":
        """Return the clause that matches exactly where this one does not (De Morgan)."""
        swapped = "or" if self.op == "and" else "and"
        return Clause(tuple(c.negated() for c in self.conditions), swapped)


def n_rows(columns: Columns) -> int:
    """Count the rows of a table given as columns; a table without columns has none."""
    return next((len(column) for column in columns.values()), 0)
