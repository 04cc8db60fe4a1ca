"""Learners with the settings to compare."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from rulekit.evaluation.sweeps.grid import Grid, settings_of
from rulekit.families import FAMILIES
from rulekit.learners.choice import Setting


@dataclass(frozen=True, eq=False)
class Family:
    """A learner and its settings in a comparison.

    Parameters
    ----------
    name : str
        Its name in tables and figures.
    estimator : classifier
        Not modified.
    grid : mapping of str to list, or several of these
        As for `rulekit.evaluation.sweep`.
    whole_front : bool, default=False
        Whether one fit costs as much as all settings of a fold, as with the box search.
    keep_models : bool, default=False
        Whether each setting is also fitted on all rows, so that its model can be selected.
    n_jobs : int, default=None
        Workers; None is the comparison's setting.
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
        return settings_of(self.grid, self.estimator)


def rule_learners(y: ArrayLike, *, random_state: int | None = 0) -> list[Family]:
    """List the rule learners with settings that suit a table: the default comparison.

    Examples
    --------
    >>> [family.name for family in rule_learners(["ill"] * 20 + ["well"] * 30)]
    ['box search', 'ideal DNF', 'one clause', 'boxes from a plane', 'power-law tree']
    """
    labels = np.asarray(y)
    two = len(np.unique(labels)) == 2
    listed = []
    for one in FAMILIES.values():
        if one.default_grid is not None and (two or one.many_classes):
            model = clone(one.model)
            if "random_state" in model.get_params():
                model.set_params(random_state=random_state)
            listed.append(Family(one.title, model, one.default_grid(labels), one.whole_front))
    return listed
