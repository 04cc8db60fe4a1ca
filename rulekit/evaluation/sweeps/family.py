"""What is compared: a learner with the settings of it that are tried, and which there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rulekit.evaluation.sweeps.grid import Grid, settings_of
from rulekit.families import (
    LPSVM,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    PowerLawTreeClassifier,
)
from rulekit.learners import BoxSearchClassifier, OneLevelRuleClassifier, search_grid
from rulekit.learners.choice import Setting

PLANE_PRICES = (1, 1.5, 2, 3, 5, 8, 15, 30)  # times 1 / rows of the smaller class: 0 to 10 columns
IMPURITIES = (0.02, 0.05, 0.1, 0.2)
FORMULAS = (1, 2, 3)
CONDITIONS = tuple(range(1, 11))
CLAUSES = (1, 2, 3, 4, 5)


@dataclass(frozen=True, eq=False)
class Family:
    """A learner that is compared with others, and the settings of it that are tried.

    Parameters
    ----------
    name : str
        What it is called in tables and figures.
    estimator : classifier
        Left as it is.
    grid : mapping of str to list, or several of these
        As for `rulekit.evaluation.sweep`.
    whole_front : bool, default=False
        Whether one fit costs what all settings of a fold cost, as with the box search.
    keep_models : bool, default=False
        Whether each setting is also fitted on all rows, to pick from.
    n_jobs : int, default=None
        Workers; None is what the comparison is given.
    """

    name: str
    estimator: Any
    grid: Grid
    whole_front: bool = False
    keep_models: bool = False
    n_jobs: int | None = None

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The settings, in the grid's order."""
        return settings_of(self.grid, self.estimator.get_params(deep=True))


def rule_learners(y: ArrayLike, *, random_state: int | None = 0) -> list[Family]:
    """List the learners of rules with the settings that suit a table: what is compared by default.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes; their number and their rows set prices. The ideal DNF knows two only.
    random_state : int, default=0
        Seed of those that draw.

    Returns
    -------
    list of Family
        The box search, the ideal DNF, one clause, boxes from a plane, power-law trees.

    Examples
    --------
    >>> [family.name for family in rule_learners(["ill"] * 20 + ["well"] * 30)]
    ['box search', 'ideal DNF', 'one clause', 'boxes from a plane', 'power-law tree']
    """
    counts = np.unique(np.asarray(y), return_counts=True)[1]
    shape: dict[str, Sequence[Any]] = {
        "max_power_laws": FORMULAS,
        "max_depth": (0, 2),
        "tau_impurity": IMPURITIES,
    }
    alone = PowerLawTreeClassifier(inner_folds=None, random_state=random_state)
    tree = Family("power-law tree", alone, shape)
    grid = search_grid(y)
    search = BoxSearchClassifier(random_state=random_state)
    one = OneLevelRuleClassifier(random_state=random_state)
    ideal = IdealDNFClassifier(random_state=random_state)
    plane = HyperplaneRuleClassifier(LPSVM(), confidence_folds=0)
    boxes: dict[str, Sequence[Any]] = {
        "max_rules": list(CLAUSES),
        "linear__nu": plane_prices(counts.min()),
    }
    lists = [
        Family("box search", search, grid, whole_front=True),
        Family("one clause", one, {"theta": grid["theta"]}),
        Family("boxes from a plane", plane, boxes),
        tree,
    ]
    if len(counts) != 2:
        return lists
    return [
        Family("box search", search, grid, whole_front=True),
        Family("ideal DNF", ideal, {"max_features": list(CONDITIONS)}),
        Family("one clause", one, {"theta": grid["theta"]}),
        Family("boxes from a plane", plane, boxes),
        tree,
    ]


def plane_prices(n_least: float) -> list[float]:
    """List prices of a plane's errors, by the rows of the smaller class, with two digits.

    With standardised columns the plane reads none up to about one, divided by these rows.
    """
    return sorted({float(f"{multiple / max(1, n_least):.2g}") for multiple in PLANE_PRICES})
