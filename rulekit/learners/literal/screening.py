"""Screening of conditions, with reasons."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.learners.literal.problems.cell_problem import CellProblem
from rulekit.rules import Literal
from rulekit.search.screening import Screening, unproved

Bools = NDArray[np.bool_]

#: What each test says of a condition.
TEST_NAMES = {
    "simple": "costs as much as it saves",
    "pairs": "another condition does the same for no more",
    "duality": "every rule with it is worse than a known one",
}


@dataclass(frozen=True)
class ConditionScreening:
    """Removed conditions of a one-clause rule, with certificates.

    Attributes
    ----------
    problem : CellProblem
        The training table.
    screening : Screening
        The tests' outcomes over the candidates.
    theta : float
        Price of a literal.
    """

    problem: CellProblem = field(repr=False)
    screening: Screening = field(repr=False)
    theta: float

    @property
    def n_conditions(self) -> int:
        """Number of candidate conditions."""
        return len(self.screening.removed)

    @property
    def n_removed(self) -> int:
        """Number of removed conditions."""
        return int(self.screening.removed.sum())

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Count the conditions removed by each test.

        A row a test: `test` ("simple", "pairs", "duality"), `reason`, `alone` (removed by this
        test, whatever the others do), `first` (removed by it and by none before it).
        """
        first = self.screening.first_test()
        rows = [
            {
                "test": outcome.test,
                "reason": TEST_NAMES[outcome.test],
                "alone": int(outcome.removed.sum()),
                "first": int((first == k).sum()),
            }
            for k, outcome in enumerate(self.screening.outcomes)
        ]
        return pd.DataFrame(rows)

    def per_column(self) -> pd.DataFrame:
        """Count candidates by source column and result: one row per column."""
        first = self.screening.first_test()
        source = self.problem.origin[:, 0]
        names = [c.column.name for c in self.problem.conditions]
        parts = {"column": names, "conditions": np.bincount(source, minlength=len(names))}
        for k, outcome in enumerate(self.screening.outcomes):
            parts[outcome.test] = np.bincount(source[first == k], minlength=len(names))
        parts["kept"] = np.bincount(source[first < 0], minlength=len(names))
        return pd.DataFrame(parts)

    def kept(self) -> tuple[Literal, ...]:
        """List the remaining conditions."""
        return tuple(self.problem.literal(int(j)) for j in self.screening.kept)

    def certificates(self, limit: int | None = None) -> pd.DataFrame:
        """Return the reason for each removed condition.

        Parameters
        ----------
        limit : int, optional
            How many at most; they come in the order of the candidates.

        Returns
        -------
        DataFrame
            `condition`, `test`, `price` (its own and that of the rows it decides wrongly), `worth`
            (weight of the rows it decides rightly), `by` (the condition that does the same for no
            more), `floor` (what every rule with it costs at least), `upper` (what a known one
            costs), `sentence`.
        """
        gone = np.flatnonzero(self.screening.removed)[:limit]
        return pd.DataFrame([self._certificate(int(j)) for j in gone])

    def unproved(self) -> list[tuple[str, Literal]]:
        """Check every certificate on the raw table; list the invalid ones (none expected).

        Returns
        -------
        list of (str, Literal)
            Test and condition.
        """
        flip = self.problem.flipped

        def column(j: int) -> Bools:
            return self.problem.literal(j).mask(self.problem.columns) ^ flip

        found = unproved(self.screening, column, self.problem.y, self.theta, self.problem.weight)
        return [(test, self.problem.literal(j)) for test, j in found]

    def _certificate(self, j: int) -> dict[str, Any]:
        found = self.screening.removal(j)
        assert found is not None
        by = None if found.by is None else str(self.problem.literal(found.by))
        row = {
            "condition": str(self.problem.literal(j)),
            "test": found.test,
            "price": found.price,
            "worth": found.worth,
            "by": by,
            "floor": found.floor,
            "upper": found.upper,
        }
        return row | {"sentence": _sentence(row)}


def _sentence(row: dict[str, Any]) -> str:
    if row["test"] == "simple":
        return (
            f"It costs {row['price']:.6g} (its price and the rows it decides wrongly) and can save "
            f"{row['worth']:.6g} at most."
        )
    if row["test"] == "pairs":
        return f"In every rule {row['by']} can stand in its place, and the rule costs no more."
    return (
        f"Every rule with it costs {row['floor']:.6g} or more; a rule is known that costs "
        f"{row['upper']:.6g}."
    )
