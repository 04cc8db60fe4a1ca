"""Collection of the results of a sweep from all threads."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data import Costs
from rulekit.evaluation.sweeps import keys
from rulekit.evaluation.sweeps.result import SweepResult, table_of
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.learners.choice import Setting
from rulekit.rules import RuleSet, rule_from_dict


@dataclass(frozen=True)
class Work:
    """Everything a sweep has to do."""

    estimator: Any
    settings: tuple[Setting, ...]
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    costs: Costs | None = None


class Collector:
    """Keeps each result once, stores it, and reports it to the caller."""

    def __init__(
        self,
        work: Work,
        store: SweepStore | None,
        on_result: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self._work, self._store, self._on_result = work, store, on_result
        self._lock = threading.RLock()
        self._rows: dict[tuple[int, int], dict[str, Any]] = {}
        self._total = len(work.settings) * len(work.folds)
        self.data = keys.data_digest(work.X, work.y, work.weights, work.costs)
        self.folds = keys.folds_digest(work.folds)
        self._rules: dict[int, tuple[Any, RuleSet]] = {}
        self._names = {} if store is None else self._names_of_work()

    def has(self, setting: int, fold: int) -> bool:
        """Return whether this result is known."""
        return (setting, fold) in self._rows

    def look_up(self) -> None:
        """Load everything the store already holds, fold by fold."""
        if self._store is None:
            return
        found = self._store.get(self._names.values())
        for (setting, fold), name in sorted(self._names.items(), key=lambda item: item[0][::-1]):
            if name in found:
                self._land(setting, fold, found[name], from_store=True)

    def land(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Record a fresh result; a duplicate is ignored."""
        self._land(setting, fold, measured, from_store=False)

    def kept(self) -> str:
        """Return what an interruption now would keep, as a sentence."""
        done = f"{len(self._rows)} of {self._total} fits were finished"
        return f"{done}, and are kept in the store." if self._store else f"{done}; give a `store`."

    def result(self) -> SweepResult:
        """Return all recorded results as one table."""
        with self._lock:
            rows = list(self._rows.values())
        names = list(dict.fromkeys(k for s in self._work.settings for k in s))
        n_settings = len(self._work.settings)
        return SweepResult(
            table=table_of(rows, names),
            settings=self._work.settings,
            estimators=(self._work.estimator,) * n_settings,
            n_folds=len(self.folds),
            complete=len(rows) == self._total,
            folds_digest=_joined(self.data, self.folds),
        )

    def _land(self, setting: int, fold: int, measured: dict[str, Any], *, from_store: bool) -> None:
        with self._lock:
            if self.has(setting, fold):
                return
            row = {
                "setting": setting,
                "learner": _name_of(self._work.estimator),
                **self._work.settings[setting],
                "fold": fold,
                **measured,
                "rule": self._rule(measured.get("rule")),
            }
            self._rows[setting, fold] = row
            if self._store is not None and not from_store:
                self._store.put(self._names[setting, fold], self.data, measured)
            if self._on_result is not None:
                progress = {"done": len(self._rows), "total": self._total, "from_store": from_store}
                self._on_result(row | progress)

    def _rule(self, plain: Any) -> RuleSet | None:
        """Read a rule; settings of one fold often share the same dictionary."""
        if plain is None:
            return None
        if id(plain) not in self._rules:
            self._rules[id(plain)] = plain, rule_from_dict(plain)  # kept, so that its id stays its
        return self._rules[id(plain)][1]

    def _names_of_work(self) -> dict[tuple[int, int], str]:
        """Compute the key of every fit; the learner is serialised once per setting."""
        return {
            (number, fold): keys.work_key(self.data, self._work.estimator, setting, digest)
            for number, setting in enumerate(self._work.settings)
            for fold, digest in enumerate(self.folds)
        }


def fingerprint(X: Any, y: Any, weights: Any, folds: Any, costs: Costs | None = None) -> str:
    """Return a text that is equal for results that are comparable on one curve."""
    return _joined(keys.data_digest(X, y, weights, costs), keys.folds_digest(folds))


def _joined(data: str, folds: Sequence[str]) -> str:
    return "-".join((data[:16], *(fold[:8] for fold in folds)))


def _name_of(estimator: Any) -> str:
    """Return a learner's display name, else its class name."""
    return str(getattr(estimator, "name", type(estimator).__name__))
