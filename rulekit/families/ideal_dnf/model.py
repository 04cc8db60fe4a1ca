"""Queries of a learned formula."""

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rulekit.families.ideal_dnf.formula import MODES, IdealFormula
from rulekit.families.ideal_dnf.solver.row_types import least_errors
from rulekit.learners.base import BaseRuleClassifier
from rulekit.rules import Literal, RuleSet


@dataclass(frozen=True)
class SampleGuarantee:
    """Guarantees that follow from the numbers of rows and conditions.

    Parameters
    ----------
    n_rows : int
        n, rows the formula was counted on.
    n_conditions : int
        k, conditions it may read.
    confidence : float, default=0.95
        1 - delta: how sure the statements are to be, all of them together.
    margins : tuple of int, optional
        For each type that occurs, by how many rows one class leads.

    Examples
    --------
    >>> known = SampleGuarantee(n_rows=38_474, n_conditions=3)
    >>> round(known.separation, 4), round(known.excess_error, 3)
    (0.0183, 0.147)
    >>> known.rows_for(0.1)
    82707
    """

    n_rows: int
    n_conditions: int
    confidence: float = 0.95
    margins: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ValueError(f"`confidence` must lie between 0 and 1, got {self.confidence!r}.")
        if self.n_rows < 1 or self.n_conditions < 0:
            raise ValueError(
                "`n_rows` must be at least 1 and `n_conditions` at least 0; got "
                f"{self.n_rows!r} and {self.n_conditions!r}."
            )

    @property
    def n_types(self) -> int:
        """Number of types that k conditions can distinguish."""
        return int(2**self.n_conditions)

    @property
    def separation(self) -> float:
        """Epsilon: a type whose two shares of all rows differ by this much is decided correctly."""
        return sqrt(2 * self._log / self.n_rows)

    @property
    def margin(self) -> int:
        """Rows by which one class must lead in a type for the lead to be beyond chance."""
        return ceil(self.separation * self.n_rows)

    @property
    def n_settled(self) -> int:
        """Number of types that occur with such a lead."""
        return sum(lead >= self.margin for lead in self.margins)

    @property
    def excess_error(self) -> float:
        """Upper bound on the excess error over the ideal formula, at most 1."""
        return min(1.0, self.separation * self.n_types)

    def rows_for(self, excess_error: float) -> int:
        """Return the number of rows that would lower `excess_error` to a value (Corollary 3.2)."""
        if not 0 < excess_error <= 1:
            raise ValueError(f"`excess_error` must lie in (0, 1], got {excess_error!r}.")
        return ceil(2 * self._log * (self.n_types / excess_error) ** 2)

    @property
    def _log(self) -> float:
        return log(2 ** (self.n_conditions + 2) / (1 - self.confidence))

    def sentences(self) -> list[str]:
        """Return what is guaranteed, what is not, and what it would take, as sentences."""
        sure = f"{100 * self.confidence:g} %"
        sentences = [
            f"{self.n_conditions} condition{'s' if self.n_conditions != 1 else ''} tell apart "
            f"{self.n_types:,} types of cases. With {self.n_rows:,} rows, and with {sure} "
            f"confidence for all types at once, a type is decided as the best possible formula "
            f"would decide it wherever one class leads by at least {self.margin:,} rows "
            f"({100 * self.separation:.3g} % of all)."
        ]
        if self.margins:
            all_settled = self.n_settled == len(self.margins)
            sentences.append(
                f"{self.n_settled} of the {len(self.margins)} types in this table have such a lead"
                + ("." if all_settled else "; for the others it does not settle which is right.")
            )
        if self.excess_error < 1:
            sentences.append(
                "The formula errs at most "
                f"{100 * self.excess_error:.3g} percentage points more often than the best "
                "possible formula over these conditions."
            )
        else:
            sentences.append(
                "About the error as a whole nothing is guaranteed: the bound is above 100 %. "
                f"For 10 percentage points it would take {self.rows_for(0.1):,} rows."
            )
        sentences.append(
            "This holds for conditions and cuts fixed before looking; here they were chosen from "
            "the same rows, so the held-out accuracy says more about this choice."
        )
        return sentences


def margins_of(counts: NDArray[Any]) -> tuple[int, ...]:
    """Return the lead of one class in each type that occurs, in rows.

    Shapes: counts (2**k, 2).
    """
    occurring = counts[counts.sum(axis=1) > 0]
    return tuple(int(lead) for lead in np.abs(occurring[:, 1] - occurring[:, 0]))


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
