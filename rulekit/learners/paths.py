"""Paths: the rules of one search, for every setting that only selects one of them."""

# Settings that differ in the parameters `_looked_up` of a learner alone are of one kind: one search
# answers them all, so that comparing settings costs a search for each kind and table.

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


def identify(settings: Iterable[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return a key of each setting: plain values by value, other objects by identity."""
    return [
        tuple(
            (name, type(value).__name__, value if isinstance(value, PLAIN) else id(value))
            for name, value in sorted(setting.items())
        )
        for setting in settings
    ]


@dataclass(eq=False)
class LearnedPath:
    """The rules of one search by values of `_looked_up`; this base class has one fitted model."""

    learner: Any

    def rules_for(self, values: Sequence[Mapping[str, Any]]) -> Iterable[RuleSet]:
        """Return the rule for each of several values."""
        return [self.learner.rule_set_] * len(values)

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
        (kind,) = self.learner._kinds_of([setting])
        (key,) = identify([kind])
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
        return next(iter(self.path(setting).rules_for([self.values(setting)])))

    def score(
        self,
        settings: Sequence[Setting],
        measure: Callable[[RuleSet], Sequence[float]],
        n_figures: int,
        stop: ShouldStop | None = None,
    ) -> NDArray[np.float64]:
        """Measure the rule of each setting until `stop` is True, shape (settings, figures)."""
        scores = np.full((len(settings), n_figures), np.nan)
        figures: dict[RuleSet, Sequence[float]] = {}  # neighbours mostly end in the same rule
        rules = self._list_rules(settings)
        for _ in settings:
            if stop is not None and stop():
                break
            position, rule = next(rules)
            if rule not in figures:
                figures[rule] = measure(rule)
            scores[position] = figures[rule]
        return scores

    def _list_rules(self, settings: Sequence[Setting]) -> Iterator[tuple[int, RuleSet]]:
        """Yield the position and the rule of each setting, kind by kind."""
        kinds: dict[tuple[Any, ...], list[int]] = {}
        for position, key in enumerate(identify(self.learner._kinds_of(settings))):
            kinds.setdefault(key, []).append(position)
        for positions in kinds.values():
            values = [self.values(settings[k]) for k in positions]
            path = self.path(settings[positions[0]])
            yield from zip(positions, path.rules_for(values), strict=True)

    def model(self, setting: Setting) -> Any:
        """Return the fitted model of a setting."""
        return self.path(setting).model(self.values(setting))

    def values(self, setting: Setting) -> Setting:
        """Return the values that select the rule of a setting from its path."""
        names = self.learner._looked_up
        return {name: setting.get(name, getattr(self.learner, name)) for name in names}
