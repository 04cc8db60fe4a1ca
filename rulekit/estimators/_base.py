"""What every classifier that ends in a rule set shares: it answers with the rule that is shown."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rulekit.estimators._training import TrainingTable, read_columns
from rulekit.rules import Clause, Columns, Literal, RuleSet
from rulekit.rules.reading import literal_name


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose `predict` evaluates `rule_set_` and nothing else.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rule, as it is shown, explained and exported.
    classes_ : ndarray of shape (2,)
        The two classes, sorted.
    positive_label_, default_label_
        The class the rule describes, and the other one.
    n_features_in_, feature_names_in_
        As in scikit-learn; the names only where `fit` was given some. An array's columns are
        called x0, x1, ... in the rule.
    n_rules_, n_literals_ : int
        Number of clauses, and of literals; an interval counts two.
    """

    rule_set_: RuleSet
    classes_: NDArray[Any]
    n_features_in_: int
    _kinds: dict[str, str]
    _shares: "_Shares"

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer each row with the rule.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Rows. A frame's columns are found by name, in any order; further columns are ignored.

        Returns
        -------
        ndarray of shape (n,)
            A class for each row.

        Raises
        ------
        DataError
            If a column of the training table is missing or holds another kind of value.
        """
        return self._answers(self.columns_(X))

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return self.rule_set_.predict(columns).astype(self.classes_.dtype)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Say how often rows decided like this one had each class in the training table.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            As in `predict`.

        Returns
        -------
        ndarray of shape (n, 2)
            Columns in the order of `classes_`.

        Notes
        -----
        A row is decided by the clauses that fire on it (in a DNF; in a CNF, by those that fail),
        and gets the largest share among them; rows decided by no clause share one number. Shares
        are weighted as in `fit` and smoothed, ``(k + 1) / (n + 2)``, and the class that `predict`
        gives has always the greater one.
        """
        return self.predict_proba_columns(self.columns_(X))

    def predict_columns(self, columns: Columns) -> NDArray[Any]:
        """Answer rows that `columns_` gave, as `predict` does: shape (n,)."""
        return self._answers(columns)

    def predict_proba_columns(self, columns: Columns) -> NDArray[np.float64]:
        """Answer rows that `columns_` gave, as `predict_proba` does: shape (n, 2)."""
        share = self._shares.of(_deciding(self.rule_set_, columns))
        answered = np.asarray(self._answers(columns) == self.classes_[1])
        return np.column_stack(
            [np.where(answered, 1.0 - share, share), np.where(answered, share, 1.0 - share)]
        )

    def columns_(self, X: Any) -> Columns:
        """Check rows as `predict` does and give them as rules read them.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            As in `predict`.

        Returns
        -------
        mapping of str to ndarray of shape (n,)
        """
        check_is_fitted(self)
        return read_columns(self, X, self._kinds)

    def clauses_fired(self, X: Any) -> NDArray[np.bool_]:
        """Say for each row and clause of `rule_set_` whether the clause holds.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            As in `predict`.

        Returns
        -------
        ndarray of bool, shape (n, n_rules_)
        """
        return self.rule_set_.clauses_fired(self.columns_(X))

    def get_rules(self) -> pd.DataFrame:
        """List the clauses.

        Returns
        -------
        DataFrame
            A row a clause: `clause` (its number, from 1), `label` (the class given; in a CNF,
            when all clauses hold), `text`, `n_literals`, and `share` (how often the clause was
            right in training where it decides, smoothed; see `predict_proba`).
        """
        check_is_fitted(self)
        return self._rules_frame().assign(share=self._shares.clauses)

    def _rules_frame(self) -> pd.DataFrame:
        rule = self.rule_set_
        return pd.DataFrame(
            {
                "clause": range(1, rule.n_clauses + 1),
                "label": list(rule.labels[: rule.n_clauses]),
                "text": [_clause_text(c) for c in rule.clauses],
                "n_literals": [c.n_literals for c in rule.clauses],
            }
        )

    def __str__(self) -> str:
        """Write the rule, or the parameters of a classifier without one."""
        if not hasattr(self, "rule_set_"):
            return repr(self)
        return _rule_text(self.rule_set_)

    def __sklearn_tags__(self) -> Tags:
        """Declare two classes, and columns with gaps, text and categories."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _keep_rule(self, rule: RuleSet, table: TrainingTable, weight: NDArray[np.float64]) -> None:
        """Set what follows from the rule and its training table."""
        self.rule_set_ = rule
        self.n_rules_ = rule.n_clauses
        self.n_literals_ = rule.n_literals
        right = np.equal(self._answers(table.columns), table.y)
        self.training_error_ = float(weight[~right].sum() / weight.sum())
        self._shares = _Shares.measured(_deciding(rule, table.columns), right, weight)


class _Shares:
    """How often each clause, and the rest, was right in training."""

    def __init__(self, clauses: NDArray[np.float64], rest: float) -> None:
        self.clauses, self.rest = clauses, rest

    @classmethod
    def measured(
        cls, deciding: NDArray[np.bool_], right: NDArray[np.bool_], weight: NDArray[np.float64]
    ) -> "_Shares":
        rest: NDArray[np.bool_] = np.logical_not(np.any(deciding, axis=1))
        clauses = [_smoothed(weight, right, deciding[:, k]) for k in range(deciding.shape[1])]
        return cls(np.array(clauses, dtype=float), _smoothed(weight, right, rest))

    def of(self, deciding: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Share of the answer given, for each row: shape (n,), above one half."""
        best = np.where(deciding, self.clauses, 0.0).max(axis=1, initial=0.0)
        return np.maximum(np.where(deciding.any(axis=1), best, self.rest), 0.5 + 1e-6)


def _smoothed(
    weight: NDArray[np.float64], right: NDArray[np.bool_], among: NDArray[np.bool_]
) -> float:
    return float((weight[among & right].sum() + 1.0) / (weight[among].sum() + 2.0))


def _deciding(rule: RuleSet, columns: Columns) -> NDArray[np.bool_]:
    """Clauses that settle a row by themselves: those that hold (DNF), or fail (CNF)."""
    fired = rule.clauses_fired(columns)
    return fired if rule.form == "dnf" else ~fired


def _clause_text(clause: Clause) -> str:
    if not clause.conditions:
        return "always" if clause.op == "and" else "never"
    names = [literal_name(c) if isinstance(c, Literal) else str(c) for c in clause.conditions]
    return f" {clause.op.upper()} ".join(names)


def _rule_text(rule: RuleSet) -> str:
    """Write a rule in a few plain lines; `rulekit.to_text` has all the options."""
    if not rule.clauses:
        return f"{rule.labels[0] if rule.form == 'cnf' else rule.default}, always"
    joiner = "OR" if rule.form == "dnf" else "AND"
    head = f"{rule.labels[0]} if"
    lines = [f"    {joiner if k else '  '} ({_clause_text(c)})" for k, c in enumerate(rule.clauses)]
    return "\n".join([head, *lines, f"else {rule.default}"])
