"""Screen, restrict, lift: remove columns with proof, solve with the rest, answer for all.

The tests and why they are safe stand in `removal_tests`; how removals are checked
without trusting them, in `check`.

References
----------
.. [1] S. Dash, D. M. Malioutov, K. R. Varshney, "Screening for learning classification rules via
   Boolean compressed sensing" (2014), section 3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns import PricedColumns
from rulekit.search.screening.bounds import Bounds, greedy_bounds
from rulekit.search.screening.removal_tests import (
    Outcome,
    across_test,
    chain_test,
    consecutive_test,
    duality_test,
    simple_test,
)

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

COUNTING = ("simple", "chain")
BASIC = ("simple", "consecutive", "duality basic")
ENHANCED = ("simple", "chain", "duality enhanced")

#: Every test by name; "duality given" takes the bounds that `screen` is handed.
TESTS: dict[str, Callable[[PricedColumns], Outcome]] = {
    "simple": simple_test,
    "consecutive": consecutive_test,
    "chain": chain_test,
    "across": across_test,
    "duality basic": lambda p: duality_test(p, greedy_bounds(p, enhanced=False)),
    "duality enhanced": lambda p: duality_test(p, greedy_bounds(p, enhanced=True)),
}


@dataclass(frozen=True)
class Removal:
    """Why one column was removed, in numbers."""

    column: int
    test: str
    price: float
    worth: float
    by: int | None = None
    floor: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class Screening:
    """What several tests removed."""

    problem: PricedColumns = field(repr=False)
    outcomes: tuple[Outcome, ...]
    in_sequence: bool

    @property
    def removed(self) -> Bools:
        """The columns that at least one test removed: shape (d,)."""
        gone = np.zeros(len(self.problem.wrong), dtype=bool)
        for outcome in self.outcomes:
            gone |= outcome.removed
        return gone

    @property
    def kept(self) -> Ints:
        """The columns that no test removed, ascending."""
        return np.flatnonzero(~self.removed)

    def restricted(self) -> PricedColumns:
        """Return the problem over the columns kept, in their order."""
        return self.problem.take_columns(self.kept)

    def first_test(self) -> Ints:
        """Index of the first test that removed each column, -1 for those kept: shape (d,)."""
        found = np.full(len(self.problem.wrong), -1, dtype=np.intp)
        for k, outcome in reversed(list(enumerate(self.outcomes))):
            found[outcome.removed] = k
        return found

    def removal(self, column: int) -> Removal | None:
        """Return why a column was removed, by the first test that did; None for a kept column."""
        k = int(self.first_test()[column])
        if k < 0:
            return None
        found = self.outcomes[k]
        known = found.bounds is not None
        return Removal(
            column,
            found.test,
            float(self.problem.price[column]),
            float(self.problem.worth[column]),
            int(found.by[column]) if found.by[column] >= 0 else None,
            float(found.floor[column]) if known else None,
            found.bounds.upper if found.bounds is not None else None,
        )


def screen(
    problem: PricedColumns,
    tests: Sequence[str] = COUNTING,
    *,
    in_sequence: bool = False,
    bounds: Bounds | None = None,
) -> Screening:
    """Remove columns that some best clause does without."""
    for name in tests:
        if name not in TESTS and name != "duality given":
            known = ", ".join([*TESTS, "duality given"])
            raise ValueError(f"`tests` must be some of {known}; got {name!r}.")
        if name == "duality given" and bounds is None:
            raise ValueError("The test 'duality given' needs `bounds`; pass them.")
    outcomes: list[Outcome] = []
    present = np.arange(len(problem.wrong))
    for name in tests:
        part = problem.take_columns(present) if in_sequence else problem
        if name == "duality given":
            assert bounds is not None
            found = duality_test(part, bounds)
        else:
            found = TESTS[name](part)
        if in_sequence:
            found = _spread(found, present, len(problem.wrong), bounds)
            present = present[~found.removed[present]]
        outcomes.append(found)
    return Screening(problem, tuple(outcomes), in_sequence)


def _spread(found: Outcome, present: Ints, d: int, given: Bounds | None) -> Outcome:
    """Write what a test found among some columns for all of them."""
    removed, by = np.zeros(d, dtype=bool), np.full(d, -1, dtype=np.intp)
    removed[present] = found.removed
    by[present] = np.where(found.by >= 0, present[found.by], -1)
    if found.bounds is None:
        return Outcome(found.test, removed, by, found.floor)
    floor = np.full(d, np.nan)
    floor[present] = found.floor
    known = found.bounds
    if known is not given:
        known = replace(known, clause=present[known.clause])
    return Outcome(found.test, removed, by, floor, known)
