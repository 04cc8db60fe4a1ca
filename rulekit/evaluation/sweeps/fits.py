"""Fits of one fold, measured: the work of one call of a worker."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rulekit.data import Costs
from rulekit.data.costs import COST
from rulekit.data.folds import Fold
from rulekit.evaluation import metrics
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.learners.base import BaseRuleClassifier, Setting
from rulekit.learners.training import ShouldStop
from rulekit.rules import Columns
from rulekit.rules.codec import rule_to_dict

Part = tuple[Any, NDArray[Any], NDArray[np.float64] | None]  # features, classes, weights


class FoldMeasures:
    """Measures models of one fold; equal rules of learners that share their work only once."""

    def __init__(self, estimator: Any, train: Part, test: Part, costs: Costs | None) -> None:
        self.train, self.test, self.costs = train, test, costs
        self._estimator, self._shares_work = estimator, isinstance(estimator, BaseRuleClassifier)
        self._errors_by_rule: dict[Any, dict[str, Any]] = {}
        self._columns: tuple[Columns, Columns] | None = None

    def measure(self, model: Any) -> dict[str, Any]:
        """Measure one fitted model on both parts of the fold."""
        rule = getattr(model, "rule_set_", None)
        errors = self._errors_by_rule.get(rule) if self._shares_work and rule is not None else None
        if errors is None:
            errors = self._errors(model)
            errors["rule"] = None if rule is None else rule_to_dict(rule)
            self._errors_by_rule[rule] = errors
        size = getattr(model, "n_conditions_", None) if rule is None else rule.n_conditions
        figures = {
            "n_conditions": size,  # a tree's count differs from the count of its rule
            "n_clauses_used": getattr(model, "n_rules_", None),
            "objective": getattr(model, "objective_", None),
        }
        return errors | {name: v if v is None else float(v) for name, v in figures.items()}

    def _errors(self, model: Any) -> dict[str, Any]:
        X_test, y, weight = self.test
        X_train, y_train, weight_train = self.train
        if self._shares_work:
            if self._columns is None:
                self._columns = model.read_columns(X_test), model.read_columns(X_train)
            X_test, X_train = self._columns
        predicted = model.predict(X_test)
        scores = model.predict_proba(X_test) if hasattr(model, "predict_proba") else None
        measured = {
            "test_error": metrics.error_rate(y, predicted, weight),
            "train_error": metrics.error_rate(y_train, model.predict(X_train), weight_train),
            "test_balanced_error": metrics.balanced_error_rate(y, predicted, weight),
        }
        if self.costs is not None:
            measured[COST] = metrics.cost_per_100(y, predicted, self.costs, weight)
        if len(model.classes_) != 2:
            return measured
        positive = getattr(model, "positive_label_", model.classes_[-1])
        if hasattr(self._estimator, "positive_label"):
            label = self._estimator.positive_label
            positive = model.classes_[-1] if label is None else label
        counts = metrics.confusion_counts(y, predicted, positive, weight)
        measured |= {f"test_{name}": count for name, count in counts.items()}
        measured["test_f1"] = metrics.f1_score(counts)
        if scores is not None:
            column = int(np.flatnonzero(model.classes_ == positive)[0])
            measured["test_auc"] = metrics.area_under_roc(y, scores[:, column], positive, weight)
        return measured


@dataclass(frozen=True)
class FoldTask:
    """The work of one worker call: some settings of a learner on one fold."""

    estimator: Any
    fold: int
    settings: Mapping[int, Setting]  # by number
    costs: Costs | None


@dataclass(eq=False)
class Caller:
    """The caller, as seen by tasks; in another process a copy without its functions."""

    land: Callable[[int, int, dict[str, Any]], None] | None  # of setting, fold and measures
    should_stop: ShouldStop
    until: float  # when tasks in other processes end, as `time.time()`
    error: Exception | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without functions."""
        return {"land": None, "should_stop": None, "until": self.until, "error": None}

    def report(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Pass on a result in the caller's process; its first error stops the tasks."""
        if self.land is not None:
            try:
                self.land(setting, fold, measured)
            except Exception as error:
                self.error = self.error or error

    def is_stopped(self) -> bool:
        """Return whether tasks should end; in the caller's process."""
        try:
            return self.error is not None or self.should_stop()
        except Exception as error:
            self.error = error
            return True


def fit_fold(
    table: Part, fold: Fold, task: FoldTask, caller: Caller
) -> tuple[list[tuple[int, dict[str, Any]]], Exception | None]:
    """Fit and measure every setting of a task; report each at once in the caller's process."""
    rows: list[tuple[int, dict[str, Any]]] = []
    X, y, weight = table
    parts: list[Part] = []
    for at in fold:
        part = X.iloc[at] if isinstance(X, pd.DataFrame) else np.asarray(X)[at]
        parts.append((part, y[at], None if weight is None else weight[at]))
    measures = FoldMeasures(task.estimator, parts[0], parts[1], task.costs)
    here = caller.land is not None  # in the caller's process
    should_stop = caller.is_stopped if here else lambda: time.time() >= caller.until
    X, y, weight = parts[0]
    if task.costs is not None and "costs" not in task.estimator.get_params(deep=False):
        by_class = task.costs.class_weight(np.unique(table[1]))
        factors = np.array([by_class[label] for label in y.tolist()])
        weight = factors if weight is None else factors * weight
    with threadpool_limits(1):
        fits = fit_settings(task.estimator, X, y, list(task.settings.values()), weight, should_stop)
        for number, setting in task.settings.items():
            if should_stop():
                break
            start = time.perf_counter()
            try:
                model = next(fits, None)
                if model is None:  # stopped
                    break
                seconds = time.perf_counter() - start
                rows.append((number, measures.measure(model) | {"seconds": seconds}))
            except Exception as error:
                error.add_note(f"This happened in fold {task.fold} with the setting {setting}.")
                if caller.land is None:  # pickling on the way back to the caller would lose it
                    error.add_note(traceback.format_exc())
                return rows, error
            caller.report(number, task.fold, rows[-1][1])
    return rows, None


def with_costs(estimator: Any, costs: Costs | None) -> Any:
    """Return a copy of a learner with costs, where it accepts them."""
    if costs is None or "costs" not in estimator.get_params(deep=False):
        return estimator
    return clone(estimator).set_params(costs=costs)


def settle_costs(costs: Costs | None, estimators: Sequence[Any], y: NDArray[Any]) -> Costs | None:
    """Return the costs for the comparison as a matrix over the classes, or None."""
    common, pairs = None, [(costs, estimators[0])]
    pairs += [(getattr(estimator, "costs", None), estimator) for estimator in estimators]
    for given, estimator in pairs:
        if given is None:
            continue
        settled = given.to_matrix(np.unique(y), getattr(estimator, "positive_label", None))
        if common is not None and settled != common:
            raise ValueError(
                f"All learners must have the same costs; {type(estimator).__name__} has {settled} "
                f"instead of {common}. Set its `costs` to None."
            )
        common = settled
    return common
