"""Which search finds the splits of a tree, when it has to stop, and with which seed."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rulekit.estimators._clock import Clock
from rulekit.solvers.genetic import genetic_search
from rulekit.solvers.genetic_weights import GeneticLevel
from rulekit.solvers.power_laws import PowerTable
from rulekit.solvers.split_beam import FoundSplit, SplitTask, beam_search


@dataclass
class SharedSplits:
    """Splits found for one table, and who may end the search for more.

    Attributes
    ----------
    memory : dict or None
        Splits by what tells trees apart; None where one tree is grown alone.
    should_stop : callable or None
    """

    memory: dict[Any, dict[Any, Any]] | None = None
    should_stop: Callable[[], bool] | None = None

    def of(self, key: Any) -> dict[Any, Any] | None:
        """Return what trees with one key share."""
        return None if self.memory is None else self.memory.setdefault(key, {})


def search_for(
    upper: str, lower: str, clock: Clock
) -> Callable[[SplitTask, np.random.Generator, dict[Any, Any] | None], FoundSplit | None]:
    """Return the search for one split; when the clock says stop, nothing more is split."""

    def search(
        task: SplitTask, rng: np.random.Generator, memo: dict[Any, Any] | None
    ) -> FoundSplit | None:
        if clock():
            return None
        if upper == "genetic":
            return genetic_search(task, rng, clock, lower_level=lower)
        if lower == "exact":
            return beam_search(task, rng, clock, memo=memo)
        table = PowerTable(task.X, max(map(abs, task.exponents)))
        return beam_search(task, rng, clock, GeneticLevel(table, task.mass, rng))

    return search


def seed_of(random_state: Any) -> int:
    """Draw one seed; None stands for 0."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
