"""Queries of a learned formula."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rulekit.families.ideal_dnf.formula import MODES, IdealFormula
from rulekit.families.ideal_dnf.guarantee import SampleGuarantee, margins_of
from rulekit.families.ideal_dnf.solver import least_errors
from rulekit.learners.base import BaseRuleClassifier
from rulekit.rules import Literal, RuleSet


class CountedRuleClassifier(BaseRuleClassifier):
    """A classifier whose rule was counted; see `IdealDNFClassifier` for its attributes."""

    mode: str
    history_: list[dict[str, Any]]
    n_rows_: int
    conditions_: tuple[Literal, ...]
    positive_label_: Any
    _formula: IdealFormula

    def seen(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows are of a type that occurred in training.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            As in `predict`.

        Returns
        -------
        ndarray of bool, shape (n,)
            False: there is no past case with these answers to `conditions_`, and the formula's
            answer rests on no row. So too where a value is missing, or a level new, that training
            rows never lacked or had.
        """
        return self._formula.seen(self.read_columns(X))

    def rule_in_mode(self, mode: str) -> RuleSet:
        """Write the formula in either mode, whatever `mode` is set to.

        Parameters
        ----------
        mode : {"paper", "compact"}
            See `mode`.

        Returns
        -------
        RuleSet
        """
        check_is_fitted(self)
        if mode not in MODES:
            raise ValueError(f"`mode` must be one of {MODES}, got {mode!r}.")
        return self._formula.rule(mode)

    def guarantee(self, confidence: float = 0.95) -> SampleGuarantee:
        """Return what the number of rows guarantees about the formula.

        Parameters
        ----------
        confidence : float, default=0.95
            How sure the statements are to be.

        Returns
        -------
        SampleGuarantee
            Its `sentences` are for reading; every number in them is an attribute.
        """
        check_is_fitted(self)
        rows = self._formula.rows
        margins = () if rows is None else margins_of(rows)
        return SampleGuarantee(self.n_rows_, len(self.conditions_), confidence, margins)

    def _keep_formula(self, mode: str) -> None:
        """Set the attributes that follow from the counts."""
        formula = self._formula
        self.rule_set_ = formula.rule(mode)
        self.n_rules_ = self.rule_set_.n_clauses
        self.n_conditions_ = self.rule_set_.n_conditions
        self._shares = formula.shares(mode)
        self.conditions_ = tuple(yes for yes, _ in formula.pairs)
        self.objective_ = float(least_errors(formula.counts))
        self.training_error_ = self.objective_ / float(formula.counts.sum())
        self.lower_bound_, self.proved_optimal_ = self.objective_, True
        self.proved_shortest_ = formula.minimised(mode).proved
        self.empty_rule_hint_ = self._hint() if self.rule_set_.is_constant else None

    @property
    def validation_curve_(self) -> pd.DataFrame:
        """Held-out accuracy of each number of conditions."""
        check_is_fitted(self, "history_")
        return pd.DataFrame(self.history_)

    @property
    def types_(self) -> pd.DataFrame:
        """The types of cases that occur."""
        check_is_fitted(self, "history_")
        return self._formula.frame(self.mode)

    def _hint(self) -> str:
        answer = self.rule_set_.predict({"": np.zeros(1)})[0]
        if not self.conditions_:
            why = "no column of this table takes two values among the rows learned from."
        else:
            why = (
                "whatever the answers to the chosen conditions, no other class is more frequent. "
                "A smaller `tolerance` may choose more conditions."
            )
        return f"The rule has no condition and answers {answer!r} to every row: {why}"
