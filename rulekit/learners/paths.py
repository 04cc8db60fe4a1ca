"""Paths: the rules of one search, for every setting that only selects one of them."""

# Settings that differ in the parameters `_looked_up` of a learner alone are of one kind: one search
# answers them all, so that comparing settings costs a search for each kind and table.

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rulekit.learners.training import ShouldStop, TrainingTable
from rulekit.rules import RuleSet

Setting = dict[str, Any]
PLAIN = (str, int, float, type(None))
FIT_ATTRIBUTES = (  # what reading a table sets
    "n_features_in_", "feature_names_in_", "ignored_columns_", "_data_notes", "_schema"
)  # fmt: skip


def identity(setting: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a key of a setting: plain values by value, other objects by identity."""
    return tuple(
        (name, type(value).__name__, value if isinstance(value, PLAIN) else id(value))
        for name, value in sorted(setting.items())
    )


@dataclass(eq=False)
class LearnedPath:
    """The rules of one search by values of `_looked_up`; this base class has one fitted model."""

    learner: Any

    def rule(self, values: Mapping[str, Any]) -> RuleSet:
        """Return the rule for some values."""
        rule: RuleSet = self.learner.rule_set_
        return rule

    def fit(self, model: Any) -> None:
        """Set the fitted attributes of a model (here a copy of the fitted one) for its values."""

    def model(self, values: Mapping[str, Any]) -> Any:
        """Return the fitted model for some values."""
        model = copy(self.learner)
        vars(model).update(values)
        model._check()
        self.fit(model)
        return model


@dataclass(eq=False)
class Paths:
    """The paths of a learner on one table, each searched when it is first needed."""

    learner: Any
    table: TrainingTable
    paths: dict[tuple[Any, ...], LearnedPath] = field(default_factory=dict)

    def path(self, setting: Setting) -> LearnedPath:
        """Return the path that has the rule of a setting."""
        kind = self.learner._kind_of(setting)
        key = identity(kind)
        if key not in self.paths:
            learner = clone(self.learner).set_params(**setting)
            learner._check()
            learner.set_params(**kind)
            attributes = vars(self.learner)
            vars(learner).update({k: attributes[k] for k in FIT_ATTRIBUTES if k in attributes})
            self.paths[key] = learner._path(self.table)
        return self.paths[key]

    def rule(self, setting: Setting) -> RuleSet:
        """Return the rule of a setting."""
        return self.path(setting).rule(self.values(setting))

    def score(
        self,
        settings: Sequence[Setting],
        measure: Callable[[RuleSet], Sequence[float]],
        n_figures: int,
        stop: ShouldStop = lambda: False,
    ) -> NDArray[np.float64]:
        """Measure the rule of each setting until `stop` is True, shape (settings, figures)."""
        scores = np.full((len(settings), n_figures), np.nan)
        figures: dict[RuleSet, Sequence[float]] = {}  # neighbours mostly end in the same rule
        kinds: dict[tuple[Any, ...], list[int]] = {}
        for position, setting in enumerate(settings):
            kinds.setdefault(identity(self.learner._kind_of(setting)), []).append(position)
        for first, position in [(of_kind[0], k) for of_kind in kinds.values() for k in of_kind]:
            if stop():
                break
            if position == first:
                path = self.path(settings[position])
            rule = path.rule(self.values(settings[position]))
            if rule not in figures:
                figures[rule] = measure(rule)
            scores[position] = figures[rule]
        return scores

    def model(self, setting: Setting) -> Any:
        """Return the fitted model of a setting."""
        return self.path(setting).model(self.values(setting))

    def values(self, setting: Setting) -> Setting:
        """Return the values that select the rule of a setting from its path."""
        names = self.learner._looked_up
        return {name: setting.get(name, getattr(self.learner, name)) for name in names}
