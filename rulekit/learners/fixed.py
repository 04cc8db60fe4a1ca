"""A rule that is already there, as a classifier: loaded, written by hand, or edited."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._validation import checked_target, row_weights
from rulekit.data import columns_of
from rulekit.exceptions import DataError, RuleError
from rulekit.learners.base import BaseRuleClassifier
from rulekit.learners.shares import Shares
from rulekit.learners.training import CheckedColumns, SharedWork, TrainingTable
from rulekit.rules import RuleSet


class FixedRuleClassifier(BaseRuleClassifier):
    """Answer with a rule that is given; nothing is learned.

    Parameters
    ----------
    rule_set : RuleSet
        The rule; any number of classes.

    Attributes
    ----------
    rule_set_ : RuleSet
        The same rule.
    classes_ : ndarray
        The labels the rule can give, sorted; after `fit`, with those of the table.
    positive_label_, default_label_
        The label of the first clause (the default's if there is none), and the default.
    n_rules_, n_conditions_ : int
        Number of clauses and of literals.
    n_features_in_, feature_names_in_
        Columns the rule reads; there without `fit`.

    Notes
    -----
    The classifier answers without `fit`, too: a rule needs no training. `fit` checks that the
    table has the rule's columns and measures `training_error_` and the shares of the classes.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.rules import Clause, Literal
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> FixedRuleClassifier(rule).predict(pd.DataFrame({"age": [60, 40]}))
    array(['ill', 'well'], dtype=object)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"rule_set": [RuleSet]}

    def __init__(self, rule_set: RuleSet):
        self.rule_set = rule_set

    @property
    def rule_set_(self) -> RuleSet:  # type: ignore[override]
        """The rule."""
        return self.rule_set

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels the rule, or the table it was fitted on, can give: shape (k,)."""
        return _sorted_labels([*self.rule_set.classes, *getattr(self, "_table_labels", ())])

    @property
    def positive_label_(self) -> Any:
        """The label of the first clause."""
        return (*self.rule_set.labels, self.rule_set.default)[0]

    @property
    def default_label_(self) -> Any:
        """The label where no clause decides."""
        return self.rule_set.default

    @property
    def n_rules_(self) -> int:  # type: ignore[override]
        """Number of clauses."""
        return self.rule_set.n_clauses

    @property
    def n_conditions_(self) -> int:  # type: ignore[override]
        """Number of literals; an interval counts two."""
        return self.rule_set.n_conditions

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Columns the rule reads: shape (p,)."""
        return np.array(self.rule_set.features, dtype=object)

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]
        """Number of columns the rule reads."""
        return len(self.rule_set.features)

    def __sklearn_is_fitted__(self) -> bool:
        """Say that there is nothing to learn."""
        return True

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingTable:
        """Hold the table against the rule's columns; any number of classes will do."""
        columns = self.read_columns(X)
        y = checked_target(y, len(X), type(self).__name__)
        weight = row_weights(sample_weight, None, X, y)
        classes, codes = np.unique(y, return_inverse=True)
        return TrainingTable(X, columns, {}, codes, classes, weight, sample_weight is not None)

    def _fit_table(self, table: TrainingTable, shared: SharedWork) -> None:
        """Measure the rule on the table."""
        self._table_labels = tuple(table.classes.tolist())
        wrong = self.rule_set.predict(table.columns) != table.y.astype(object)
        self.training_error_ = float(table.sample_weight @ wrong / table.sample_weight.sum())
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        codes = np.array([place[label] for label in self._table_labels])[table.codes]
        given = table.weights(None)
        self._shares = Shares.measured(
            self.rule_set, table.columns, codes, (given, given), len(place)
        )
        self.empty_rule_hint_ = None  # what is given was not learned

    def read_columns(self, X: Any) -> CheckedColumns:
        """Check that a table has the rule's columns and give them as rules read them.

        Raises
        ------
        DataError
            If it is no data frame, or a column is missing.
        RuleError
            Later, in `predict`, if a column holds text where the rule compares numbers.
        """
        if isinstance(X, CheckedColumns):
            return X
        if not isinstance(X, pd.DataFrame):
            raise DataError(
                "A fixed rule finds its columns by name: give a pandas DataFrame, not "
                f"{type(X).__name__}."
            )
        missing = [name for name in self.rule_set.features if name not in X.columns.astype(str)]
        if missing:
            raise DataError(
                f"The rule reads column {missing[0]!r}, which the table does not have; add it, or "
                "rename what holds the same."
            )
        return CheckedColumns(columns_of(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Say how often rows of the table of `fit` that look like this one had each class.

        Without `fit` there is no table to count: 1 for the class the rule answers.

        Parameters
        ----------
        X : DataFrame of shape (n, p)
            Rows.

        Returns
        -------
        ndarray of shape (n, k)
            Columns in the order of `classes_`.
        """
        if hasattr(self, "_shares"):
            return super().predict_proba(X)
        answers = self.predict(X)
        same: NDArray[np.bool_] = np.equal(answers[:, None], self.classes_[None, :])
        return same.astype(np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """As `BaseRuleClassifier.decision_function`; without `fit` infinite, for the answer."""
        if hasattr(self, "_shares"):
            return super().decision_function(X)
        found = self.predict_log_proba(X)
        return found if found.shape[1] != 2 else found[:, 1] - found[:, 0]

    def get_rules(self) -> pd.DataFrame:
        """List the clauses; see `BaseRuleClassifier.get_rules`. No shares without `fit`."""
        return super().get_rules() if hasattr(self, "_shares") else self._rules_frame()


def _sorted_labels(labels: list[Any]) -> NDArray[Any]:
    distinct = list(dict.fromkeys(labels))
    try:
        distinct.sort()
    except TypeError as error:
        raise RuleError(
            f"The labels of a rule and its table must be of one type; found {distinct[:5]}."
        ) from error
    kinds = {type(v) for v in distinct}
    return np.array(distinct, dtype=None if kinds in ({int}, {float}, {bool}) else object)
