"""A given rule as a classifier: loaded, written by hand, or edited."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import Tags

from rulekit._validation import check_frame
from rulekit.data.columns.conform import RuleColumns
from rulekit.data.typed import as_pandas
from rulekit.exceptions import RuleError
from rulekit.learners.base import BaseRuleClassifier, compute_log_odds
from rulekit.learners.shares import Shares
from rulekit.learners.training import TrainingTable, read_training_table
from rulekit.rules import RuleSet
from rulekit.rules.schema import schema_of


class FixedRuleClassifier(BaseRuleClassifier):
    """Predict with a given rule; nothing is learned.

    Parameters
    ----------
    rule_set : RuleSet
        The rule; any number of classes.

    Attributes
    ----------
    rule_set_ : RuleSet
    classes_ : ndarray
        Sorted labels of the rule; after `fit`, also those of the table.
    positive_label_, default_label_
        The label of the first clause (the default without clauses), and the default.
    training_schema_ : Schema
        After `fit`, what the columns of the rule are in the table.
    n_rules_, n_conditions_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn, after `fit`.

    Notes
    -----
    `predict` needs no `fit`. `fit` checks that the table has the rule's columns, and computes
    `training_error_` and the shares of the classes. Tables need only the columns that the rule
    reads. The columns of an array are called x0, x1, ..., as in a rule learned from an array.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.rules import Clause, Literal
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> FixedRuleClassifier(rule).predict(pd.DataFrame({"age": [60, 40]}))
    array(['ill', 'well'], dtype=object)
    """

    _multi_class = True
    _own_constraints: ClassVar[dict[str, Any]] = {"rule_set": [RuleSet]}

    def __init__(self, rule_set: RuleSet):
        self.rule_set = rule_set

    @property
    def rule_set_(self) -> RuleSet:  # type: ignore[override]
        """The rule."""
        return self.rule_set

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels of the rule, or of the table it was fitted on, shape (k,)."""
        labels = [*self.rule_set.classes, *getattr(self, "_table_labels", ())]
        distinct = list(dict.fromkeys(labels))
        try:
            distinct.sort()
        except TypeError as error:
            raise RuleError(
                f"The labels of a rule and its table must be of one type; found {distinct[:5]}."
            ) from error
        kinds = {type(v) for v in distinct}
        return np.array(distinct, dtype=None if kinds in ({int}, {float}, {bool}) else object)

    @property
    def positive_label_(self) -> Any:
        """The label of the first clause."""
        return (*self.rule_set.labels, self.rule_set.default)[0]

    @property
    def default_label_(self) -> Any:
        """The label where no clause matches."""
        return self.rule_set.default

    @property
    def n_rules_(self) -> int:  # type: ignore[override]
        """Number of clauses."""
        return self.rule_set.n_clauses

    @property
    def n_conditions_(self) -> int:  # type: ignore[override]
        """Number of literals; an interval counts two."""
        return self.rule_set.n_conditions

    def __sklearn_is_fitted__(self) -> bool:
        """Return True: there is nothing to learn."""
        return True

    def __sklearn_tags__(self) -> Tags:
        """Declare support for any number of classes."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingTable:
        """Check the table against the rule's columns; a single class is allowed."""
        self.ignored_columns_ = []
        return read_training_table(self, X, y, sample_weight, multi_class=True, rule=self.rule_set)

    def _note_schema(self, table: TrainingTable) -> None:
        """Describe the columns of the table; the rule remains as it was given."""
        self.training_schema_ = table.rule_schema(self.rule_set)

    def _fit_table(self, table: TrainingTable) -> None:
        """Measure the rule on the table."""
        self._table_labels = tuple(table.classes.tolist())
        self.training_error_ = table.error(self.rule_set, table.sample_weight)
        labels, given = self.classes_.tolist(), table.weights(None)
        codes = np.array([labels.index(label) for label in self._table_labels])[table.codes]
        counted = table.columns, codes, (given, given), len(labels)
        self._shares = Shares.from_rows(self.rule_set, *counted)
        self.empty_rule_hint_ = None  # what is given was not learned

    def read_columns(self, X: Any) -> RuleColumns:
        """Read the rule's columns from a table; columns of an array are called x0, x1, ...

        DataError if a column is missing, or is not what the rule reads.
        """
        if isinstance(X, RuleColumns):
            return X
        frame = as_pandas(X)
        named = isinstance(frame, pd.DataFrame) and all(isinstance(n, str) for n in frame.columns)
        frame = frame if named else check_frame(self, frame, reset=False)
        return RuleColumns.from_table(frame, schema_of(self.rule_set))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate class probabilities from rows of `fit`, see `BaseRuleClassifier.predict_proba`.

        The class with the greatest probability need not be the one that `predict` returns. Without
        `fit` there is no table to count: 1 for the class the rule answers.
        """
        if hasattr(self, "_shares"):
            return super().predict_proba(X)
        return np.asarray(self.predict(X)[:, None] == self.classes_[None, :], dtype=np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """As `BaseRuleClassifier.decision_function`; infinite without `fit`."""
        if hasattr(self, "_shares"):
            return super().decision_function(X)
        return compute_log_odds(self.predict_log_proba(X))
