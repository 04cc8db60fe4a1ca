"""Reference models on the same folds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rulekit.data import Costs, columns_of
from rulekit.data.target import read_labels
from rulekit.data.typed import as_pandas
from rulekit.evaluation.sweeps.result import SweepResult
from rulekit.evaluation.sweeps.sweep import settled_costs, sweep

TREE_LEAVES = (2, 3, 4, 6, 8, 12, 16)
ABSENT = "(missing)"


class Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier with preprocessing for any table.

    Parameters
    ----------
    name : str
        Its name on a front.
    learner : classifier
        A scikit-learn classifier that accepts ``sample_weight``; a copy is fitted.

    Notes
    -----
    Missing numbers are replaced by the training rows' median and flagged in an extra column; truth
    values become 0 and 1; text becomes one column per value, with rare ones merged.
    """

    def __init__(self, name: str, learner: Any) -> None:
        self.name = name
        self.learner = learner

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "Baseline":
        """Fit preprocessing and classifier on the training rows."""
        return self._learned(self._prepared(X), y, sample_weight)

    def fit_many(
        self,
        X: Any,
        y: ArrayLike,
        settings: Sequence[Mapping[str, Any]],
        sample_weight: ArrayLike | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Iterator["Baseline"]:
        """Fit once per setting with shared preprocessing; `should_stop` is called before each.

        Yields the same as ``clone(self).set_params(**setting).fit(X, y, sample_weight)``. The
        models keep the last two transformed tables: do not change a table in place.
        """
        reader = clone(self)
        encoded = reader._prepared(X)
        encodings = [(X, encoded)]
        for setting in settings:
            if should_stop is not None and should_stop():
                return
            model = clone(self).set_params(**setting)
            model.text_, model.encoder_ = reader.text_, reader.encoder_
            model._encodings = encodings
            yield model._learned(encoded, y, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, shape (n,)."""
        return self.learner_.predict(self._encoded(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class, shape (n, number of classes)."""
        return self.learner_.predict_proba(self._encoded(X))

    def _prepared(self, X: Any) -> Any:
        """Fit the preprocessing and return the transformed rows."""
        columns = _columns(X)
        self.text_ = {
            name
            for name, column in columns.items()
            if column.dtype == object and any(isinstance(v, str) for v in column)
        }
        frame = self._frame(columns)
        fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        levels = OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False
        )
        numbers = [n for n in frame.columns if n not in self.text_]
        texts = [n for n in frame.columns if n in self.text_]
        parts = [("numbers", fill, numbers), ("texts", levels, texts)]
        self.encoder_ = ColumnTransformer(parts)
        return self.encoder_.fit_transform(frame)

    def _learned(self, encoded: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> "Baseline":
        self.learner_ = clone(self.learner).fit(encoded, y, sample_weight=sample_weight)
        self.classes_ = self.learner_.classes_
        return self

    def _encoded(self, X: Any) -> Any:
        """Transform rows; the models of one `fit_many` cache the last two tables."""
        encodings: list[tuple[Any, Any]] = getattr(self, "_encodings", [])
        for table, encoded in encodings:
            if table is X:
                return encoded
        encoded = self.encoder_.transform(self._frame(_columns(X)))
        if hasattr(self, "_encodings"):
            encodings[:] = [*encodings[-1:], (X, encoded)]
        return encoded

    @property
    def n_conditions_(self) -> int | None:
        """Splits of a tree, 0 for the majority, None without a counterpart."""
        leaves = self.n_rules_
        return leaves - 1 if leaves else leaves

    @property
    def n_rules_(self) -> int | None:
        """Leaves of a tree, 0 for the majority, None without a counterpart."""
        if isinstance(self.learner_, DecisionTreeClassifier):
            return int(self.learner_.get_n_leaves())
        return 0 if isinstance(self.learner_, DummyClassifier | CheapestAnswer) else None

    def _frame(self, columns: dict[str, NDArray[Any]]) -> pd.DataFrame:
        plain = {n: _as_text(c) if n in self.text_ else _as_number(c) for n, c in columns.items()}
        return pd.DataFrame(plain)


class ScaledLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression on standardised columns, so that the penalty treats all alike."""

    def fit(
        self, X: NDArray[np.float64], y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "ScaledLogistic":
        """Fit means, deviations and coefficients."""
        self.scaler_ = StandardScaler().fit(X, sample_weight=sample_weight)
        model = LogisticRegression(max_iter=5000)
        self.model_ = model.fit(self.scaler_.transform(X), y, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Predict the class of each row, shape (n,)."""
        return self.model_.predict(self.scaler_.transform(X))

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predict the probability of each class, shape (n, number of classes)."""
        return self.model_.predict_proba(self.scaler_.transform(X))


def _columns(X: Any) -> dict[str, NDArray[Any]]:
    X = as_pandas(X)
    return columns_of(X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X)))


def _as_text(column: NDArray[Any]) -> NDArray[Any]:
    """Convert a column that was text in training; a missing value is a separate level."""
    return np.array([ABSENT if v is None or v != v else str(v) for v in column], dtype=object)


def _as_number(column: NDArray[Any]) -> NDArray[np.float64]:
    if column.dtype != object:
        return column.astype(float)
    return np.array([np.nan if v is None or isinstance(v, str) else float(v) for v in column])


class CheapestAnswer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the class with the least cost for every row."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike) -> "CheapestAnswer":
        """Weigh the classes."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        by_class = self.costs.class_weight(self.classes_)
        weighed = np.bincount(codes, np.asarray(sample_weight, dtype=float))
        counts = weighed / np.array([by_class[label] for label in self.classes_.tolist()])
        self.answer_ = self.costs.cheapest(self.classes_, counts)[0]
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the constant prediction of each row, shape (n,)."""
        return np.full(len(X), self.answer_, dtype=self.classes_.dtype)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class shares of the training rows, shape (n, K)."""
        return np.tile(self.shares_, (len(X), 1))


def baseline_models(costs: Costs | None = None) -> dict[str, tuple[Baseline, dict[str, list[Any]]]]:
    """Build the unfitted reference models."""
    constant: dict[str, Any] = {"majority": DummyClassifier(strategy="most_frequent")}
    if costs is not None:
        constant = {"cheapest answer": CheapestAnswer(costs)}
    learners = constant | {
        "logistic regression": ScaledLogistic(),
        "tree": DecisionTreeClassifier(random_state=0),
        "random forest": RandomForestClassifier(n_estimators=200, random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(early_stopping=False, random_state=0),
    }
    grids = {"tree": {"learner__max_leaf_nodes": list(TREE_LEAVES)}}
    return {n: (Baseline(n, learner), grids.get(n, {})) for n, learner in learners.items()}


def baselines(
    X: Any,
    y: ArrayLike,
    *,
    only: Iterable[str] | None = None,
    costs: Costs | None = None,
    **settings: Any,
) -> dict[str, SweepResult]:
    """Cross-validate the reference models.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = baselines(X, y, cv=5, only=["majority"])
    >>> round(float(found["majority"].summary["test_error"].iloc[0]), 3)
    0.667
    """
    settled = settled_costs(costs, [None], read_labels(y))
    models = baseline_models(settled)
    names = list(models) if only is None else list(only)
    unknown = [name for name in names if name not in models]
    if unknown:
        raise ValueError(f"There is no baseline {unknown[0]!r}; there are {', '.join(models)}.")
    return {
        name: sweep(model, X, y, grid=grid, costs=settled, **settings)
        for name, (model, grid) in models.items()
        if name in names
    }
