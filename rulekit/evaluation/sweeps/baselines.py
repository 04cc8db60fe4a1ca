"""Reference models on the same folds."""

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
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rulekit.data import Costs, columns_of
from rulekit.data.typed import as_pandas
from rulekit.evaluation.sweeps.grid import LearnerGrid

TREE_LEAVES = (2, 3, 4, 6, 8, 12, 16)
ABSENT = "(missing)"


class ReferenceModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier with preprocessing for any table.

    Parameters
    ----------
    learner : classifier
        A scikit-learn classifier that accepts ``sample_weight``; a copy is fitted.
    scaled : bool, default=False
        Whether columns are standardised, so that a penalty treats all alike.

    Notes
    -----
    Missing numbers are replaced by the training rows' median and flagged in an extra column; truth
    values become 0 and 1; text becomes one column per value, with rare ones merged.
    """

    def __init__(self, learner: Any, scaled: bool = False) -> None:
        self.learner, self.scaled = learner, scaled

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "ReferenceModel":
        """Fit preprocessing and classifier on the training rows."""
        frame = self._frame(X, reset=True)
        fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        levels = OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False
        )
        texts = [n for n in frame.columns if n in self.text_]
        parts = [("numbers", fill, [*frame.columns.drop(texts)]), ("texts", levels, texts)]
        self.encoder_ = ColumnTransformer(parts)
        encoded = self.encoder_.fit_transform(frame)
        scaler = StandardScaler().fit(encoded, sample_weight=sample_weight) if self.scaled else None
        self.scaler_ = scaler or FunctionTransformer()
        encoded = self.scaler_.transform(encoded)
        self.learner_ = clone(self.learner).fit(encoded, y, sample_weight=sample_weight)
        self.classes_ = self.learner_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, shape (n,)."""
        return self.learner_.predict(self._encode(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class, shape (n, number of classes)."""
        return self.learner_.predict_proba(self._encode(X))

    def _encode(self, X: Any) -> Any:
        """Transform rows."""
        return self.scaler_.transform(self.encoder_.transform(self._frame(X)))

    @property
    def n_conditions_(self) -> int | None:
        """Splits of a tree, 0 for the majority, None without a counterpart."""
        return self.n_rules_ and self.n_rules_ - 1

    @property
    def n_rules_(self) -> int | None:
        """Leaves of a tree, 0 for the majority, None without a counterpart."""
        if isinstance(self.learner_, DecisionTreeClassifier):
            return int(self.learner_.get_n_leaves())
        return 0 if isinstance(self.learner_, DummyClassifier | CheapestAnswer) else None

    def _frame(self, X: Any, *, reset: bool = False) -> pd.DataFrame:
        X = as_pandas(X)
        columns = columns_of(X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X)))
        if reset:
            texts = {n: c for n, c in columns.items() if c.dtype == object}
            self.text_ = {n for n, c in texts.items() if any(isinstance(v, str) for v in c)}
        plain: dict[str, NDArray[Any]] = {}
        for name, column in columns.items():
            if name in self.text_:  # a missing value is a level of its own
                cells = [ABSENT if v is None or v != v else str(v) for v in column]
                plain[name] = np.array(cells, dtype=object)
            elif column.dtype == object:
                numbers = [np.nan if v is None or isinstance(v, str) else float(v) for v in column]
                plain[name] = np.array(numbers)
            else:
                plain[name] = column.astype(float)
        return pd.DataFrame(plain)


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


def reference_learners(costs: Costs | None = None) -> list[LearnerGrid]:
    """List the reference models; with costs, the cheapest constant replaces the most frequent."""
    name, constant = "majority", DummyClassifier(strategy="most_frequent")
    if costs is not None:
        name, constant = "cheapest answer", CheapestAnswer(costs)
    learners = {
        name: constant,
        "logistic regression": LogisticRegression(max_iter=5000),
        "tree": DecisionTreeClassifier(random_state=0),
        "random forest": RandomForestClassifier(n_estimators=200, random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(early_stopping=False, random_state=0),
    }
    grids = {"tree": {"learner__max_leaf_nodes": list(TREE_LEAVES)}}
    return [
        LearnerGrid(n, ReferenceModel(each, n == "logistic regression"), grids.get(n, {}))
        for n, each in learners.items()
    ]
