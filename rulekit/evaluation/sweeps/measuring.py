"""Metrics of fitted models on one fold; a known rule is not measured again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import Costs
from rulekit.evaluation import metrics
from rulekit.learners.base import BaseRuleClassifier
from rulekit.learners.loss import COST
from rulekit.rules import Columns, rule_to_dict

Part = tuple[Any, NDArray[Any], NDArray[np.float64] | None]


@dataclass(frozen=True)
class FoldRows:
    """The rows of one fold.

    Shapes: X (n, k), y (n,), weight (n,).
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    train_rows: NDArray[np.intp]
    test_rows: NDArray[np.intp]
    costs: Costs | None = None

    @cached_property
    def train(self) -> Part:
        """Features, classes and weights of the training rows."""
        return self._part(self.train_rows)

    @cached_property
    def test(self) -> Part:
        """Features, classes and weights of the test rows."""
        return self._part(self.test_rows)

    def _part(self, at: NDArray[np.intp]) -> Part:
        X = self.X.iloc[at] if isinstance(self.X, pd.DataFrame) else np.asarray(self.X)[at]
        return X, self.y[at], None if self.weight is None else self.weight[at]


class Measuring:
    """Measures models of one fold.

    Notes
    -----
    Neighbouring prices mostly end in the same rule, and measuring takes longer than looking a rule
    up. Only learners that share their work, and answer with their rule and nothing else, are taken
    at their word: their rows are checked once, and each of their rules is measured once.
    """

    def __init__(self, estimator: Any, rows: FoldRows) -> None:
        self.rows = rows
        self._shares_work = hasattr(estimator, "fit_many")
        self._has_label = hasattr(estimator, "positive_label")
        self._label = getattr(estimator, "positive_label", None)
        self._known: dict[Any, dict[str, Any]] = {}
        self._columns: tuple[Columns, Columns] | None = None

    def __call__(self, model: Any) -> dict[str, Any]:
        """Measure one fitted model on both parts of the fold."""
        rule = getattr(model, "rule_set_", None)
        known = self._known.get(rule) if self._shares_work and rule is not None else None
        if known is None:
            known = self._errors(model)
            known["rule"] = None if rule is None else rule_to_dict(rule)
            self._known[rule] = known
        size = getattr(model, "n_conditions_", None) if rule is None else rule.n_conditions
        return known | {
            "n_conditions": _number(size),  # a tree's own count differs from that of its rule
            "n_clauses_used": _number(getattr(model, "n_rules_", None)),
            "objective": _number(getattr(model, "objective_", None)),
        }

    def _errors(self, model: Any) -> dict[str, Any]:
        _, y, weight = self.rows.test
        _, y_train, weight_train = self.rows.train
        predicted, predicted_train, scores = self._answers(model)
        measured = {
            "test_error": metrics.error_rate(y, predicted, weight),
            "train_error": metrics.error_rate(y_train, predicted_train, weight_train),
            "test_balanced_error": metrics.balanced_error_rate(y, predicted, weight),
        }
        if self.rows.costs is not None:
            measured[COST] = metrics.cost_per_100(y, predicted, self.rows.costs, weight)
        if len(model.classes_) != 2:
            return measured
        positive = self._positive(model)
        counts = metrics.confusion_counts(y, predicted, positive, weight)
        measured |= {f"test_{name}": count for name, count in counts.items()}
        measured["test_f1"] = metrics.f1_score(counts)
        if scores is not None:
            column = int(np.flatnonzero(model.classes_ == positive)[0])
            measured["test_auc"] = metrics.area_under_roc(y, scores[:, column], positive, weight)
        return measured

    def _answers(self, model: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64] | None]:
        """Return predictions on test and training rows, and probabilities on test rows if any."""
        X, X_train = self.rows.test[0], self.rows.train[0]
        if not (self._shares_work and isinstance(model, BaseRuleClassifier)):
            scores = model.predict_proba(X) if hasattr(model, "predict_proba") else None
            return model.predict(X), model.predict(X_train), scores
        if self._columns is None:
            self._columns = model.read_columns(X), model.read_columns(X_train)
        test, train = self._columns
        return model.predict(test), model.predict(train), model.predict_proba(test)

    def _positive(self, model: Any) -> Any:
        if not self._has_label:
            return getattr(model, "positive_label_", model.classes_[-1])
        return model.classes_[-1] if self._label is None else self._label


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
