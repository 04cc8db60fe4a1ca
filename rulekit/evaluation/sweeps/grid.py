"""Grids of settings, learners with the settings to compare, and the order of their fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from rulekit._validation import check_arguments
from rulekit.data.typed import read_labels
from rulekit.families import FAMILIES
from rulekit.learners.base import Setting, identify

Grid = Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Sequence[Any]]]

#: The 18 prices of a literal that the two-level paper sweeps: 1, 2, 5 times 0.0001 ... 10.
THETA_GRID: tuple[float, ...] = tuple(float(f"{a}e{b}") for b in range(-4, 2) for a in (1, 2, 5))


def settings_of(grid: Grid, estimator: Any = None) -> tuple[Setting, ...]:
    """List the settings of a grid; with an estimator, check that they name its parameters."""
    check_arguments("sweep", grid=(grid, [Iterable]))
    parts = [grid] if isinstance(grid, Mapping) else list(grid)
    settings: dict[tuple[Any, ...], Setting] = {}
    allowed = None if estimator is None else set(estimator.get_params(deep=True))
    for part in parts:
        if not isinstance(part, Mapping):
            raise ValueError(
                "`grid` must be a dictionary of lists, or a list of such dictionaries; found "
                f"{part!r}."
            )
        for name, values in part.items():
            if allowed is not None and name not in allowed:
                raise ValueError(
                    f"`grid` varies {name!r}, which the learner does not have; "
                    f"it has {', '.join(sorted(map(repr, allowed)))}."
                )
            if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
                raise ValueError(f"`grid` needs a list of values for {name!r}, found {values!r}.")
            if len(values) == 0:
                raise ValueError(
                    f"`grid` needs at least one value for {name!r}; its list is empty."
                )
        listed = [dict(zip(part, values, strict=True)) for values in product(*part.values())]
        for key, setting in zip(identify(listed), listed, strict=True):
            settings.setdefault(key, setting)
    if not settings:
        raise ValueError("`grid` must hold at least one setting; it is empty.")
    return tuple(settings.values())


def units_of(
    estimator: Any, settings: Sequence[Setting], *, split: bool = False
) -> list[list[int]]:
    """Group the positions of settings that share work on a fold, in fitting order."""
    # A rule learner shares the table among all its settings, and a search among those of one kind,
    # which are the groups with `split`; other classifiers share nothing.
    shares = hasattr(estimator, "_fit_settings")
    kinds = getattr(estimator, "_kinds_of", list)(settings)
    groups: dict[Any, list[int]] = {}
    for position, key in enumerate(identify(kinds)):
        groups.setdefault(None if shares and not split else key, []).append(position)
    # the middle price first, then both ends, then gaps: the whole curve is sampled early
    prices = [p if isinstance(p := s.get("theta"), (int, float)) else None for s in settings]
    values = sorted({p for p in prices if p is not None})
    order = [values[i] for i in spread_order(len(values))]
    rank = [0 if price is None else order.index(price) for price in prices]
    return [sorted(g, key=lambda i: (rank[i], i)) for g in groups.values()]


def spread_order(n: int) -> list[int]:
    """List 0 .. n-1: the middle, both ends, then the middle of each gap, breadth first."""
    order = [n // 2, n - 1, 0] if n else []
    gaps = [(0, n // 2), (n // 2, n - 1)] if n else []
    while gaps:
        low, high = gaps.pop(0)
        if (middle := (low + high) // 2) not in (low, high):
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return list(dict.fromkeys(order))


@dataclass(frozen=True, eq=False)
class LearnerGrid:
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


def rule_learners(y: ArrayLike) -> list[LearnerGrid]:
    """List the rule learners with settings that suit a table: the default comparison."""
    labels = read_labels(y)
    two = len(np.unique(labels)) == 2
    listed = []
    for one in FAMILIES.values():
        if one.default_grid is not None and (two or one.many_classes):
            model = clone(one.model)
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            listed.append(LearnerGrid(one.title, model, one.default_grid(labels), one.whole_front))
    return listed
