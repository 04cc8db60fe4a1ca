"""Costs of wrong predictions, shared by learners, curves and pages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulekit.exceptions import DataError

COST = "test_cost_per_100"  # the measure of wrong predictions
Labels = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True)
class Costs:
    """Costs of wrong predictions; a correct one costs nothing.

    Parameters
    ----------
    miss : float, default=None
        Of two classes: cost of a row of the class `positive` that is answered otherwise.
    false_alarm : float, default=None
        Cost of a row of the other class that is answered with `positive`. Given with `miss`.
    unit : str, default=""
        What costs are counted in, for people: "EUR", "points".
    positive : label, default=None
        The class that is missed. None for the ``positive_label`` of the model that reads the costs,
        and for the last class if that is None, too.
    matrix : mapping of (true, answered) to float, default=None
        In place of `miss` and `false_alarm`, for any number of classes: a cost for every pair of
        different classes.

    Raises
    ------
    ValueError
        If a cost is not a positive number, both forms are given, or neither is whole.

    Notes
    -----
    A learner weighs a row by what an error on it costs; with three classes and more, by the mean
    over the wrong answers. Between two classes that is exact: errors by weight are costs. With more
    it is not where the costs of one class differ by the answer (Breiman et al., *Classification
    and Regression Trees*, 1984, section 4.4); what is measured is always the cost itself.

    Examples
    --------
    >>> costs = Costs(miss=5, false_alarm=1, unit="EUR", positive="bad")
    >>> print(costs)
    a miss of 'bad' costs 5 EUR, a false alarm 1 EUR
    >>> costs.compute(["bad", "good", "good"], ["good", "bad", "good"])
    array([5., 1., 0.])
    >>> costs.class_weight(["bad", "good"])
    {'bad': 5.0, 'good': 1.0}
    """

    miss: float | None = None
    false_alarm: float | None = None
    unit: str = ""
    positive: Any = None
    matrix: Mapping[tuple[Any, Any], float] | None = None

    def __post_init__(self) -> None:
        if self.matrix is None:
            for name in ("miss", "false_alarm"):
                object.__setattr__(self, name, _positive(getattr(self, name), f"`{name}`"))
            return
        if (self.miss, self.false_alarm, self.positive) != (None, None, None):
            raise ValueError(
                "`matrix` has the cost of every error. Remove `miss`, `false_alarm` and `positive`."
            )
        if not isinstance(self.matrix, Mapping) or not self.matrix:
            raise ValueError(
                "`matrix` must map pairs (true, answered) of classes to costs, as in "
                f"{{('ill', 'well'): 5, ('well', 'ill'): 1}}; got {self.matrix!r}."
            )
        pairs = {}
        for pair, cost in self.matrix.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(
                    f"A key of `matrix` must be a pair (true, answered), got {pair!r}."
                )
            if pair[0] != pair[1]:
                pairs[pair] = _positive(cost, f"The cost of {pair[0]!r} answered {pair[1]!r}")
            elif cost != 0:
                raise ValueError(
                    f"A correct prediction must cost 0; `matrix` has {cost!r} for {pair!r}. Remove "
                    "the pair."
                )
        object.__setattr__(self, "matrix", pairs)

    def __str__(self) -> str:
        """Return the costs as a sentence."""
        if self.matrix is not None:
            return ", ".join(
                f"{true!r} answered {answered!r} costs {self.amount(cost)}"
                for (true, answered), cost in self.matrix.items()
            )
        predicted = "" if self.positive is None else f" of {self.positive!r}"
        miss, false_alarm = self.amount(self.miss), self.amount(self.false_alarm)
        return f"a miss{predicted} costs {miss}, a false alarm {false_alarm}"

    def amount(self, cost: float | None) -> str:
        """Format an amount with its unit."""
        number = f"{cost:,.15g}" if cost is not None and abs(cost) < 1e15 else f"{cost:g}"
        return f"{number} {self.unit}".rstrip()

    @property
    def measure(self) -> str:
        """The name of the cost measure: "cost a 100 cases (EUR)"."""
        return "cost a 100 cases" + f" ({self.unit})" * bool(self.unit)

    def to_matrix(self, classes: Labels, positive: Any = None) -> "Costs":
        """Return equivalent costs as a matrix over these K sorted classes.

        `positive` is the model's ``positive_label``. DataError if a matrix is needed or misses a
        pair; ValueError if the missed class is not one of them.
        """
        labels = _plain(classes)
        if self.matrix is not None:
            pairs = [(true, answer) for true in labels for answer in labels if true != answer]
            return Costs(matrix={p: _cost_of(self.matrix, p) for p in pairs}, unit=self.unit)
        shown = ", ".join(map(repr, labels[:5]))
        if len(labels) != 2:
            raise DataError(
                f"`miss` and `false_alarm` are costs between two classes; there are {len(labels)} "
                f"({shown}). Give `matrix` with a cost for every pair (true, answered)."
            )
        wanted = positive if self.positive is None else self.positive
        missed = labels[1] if wanted is None else wanted
        if missed not in labels:
            raise ValueError(
                f"The class that is missed must be one of the classes ({shown}), got {missed!r}; "
                "correct `positive` of the costs."
            )
        other = labels[1 - labels.index(missed)]
        costs: Any = {(missed, other): self.miss, (other, missed): self.false_alarm}
        return Costs(matrix=costs, unit=self.unit)

    def compute(
        self, y: ArrayLike, answered: ArrayLike, positive: Any = None
    ) -> NDArray[np.float64]:
        """Return the cost of the prediction of each row, shape (n,), 0 where it is right.

        Shapes: y, answered (n,); `positive` and errors as for `to_matrix`.
        """
        true, predicted = (np.asarray(v).astype(object) for v in (y, answered))
        wrong = np.asarray(true != predicted, dtype=bool)
        errors = list(zip(true[wrong].tolist(), predicted[wrong].tolist(), strict=True))
        pairs = self.matrix or {}
        if self.matrix is None and errors:
            labels = set(_plain([v for pair in errors for v in pair]))
            ordered = sorted(labels, key=lambda v: (type(v).__name__, v))
            pairs = self.to_matrix(ordered, positive).matrix or {}
        cost = np.zeros(len(true))
        costs = {pair: _cost_of(pairs, pair) for pair in set(errors)}
        cost[wrong] = [costs[pair] for pair in errors]
        return cost

    def class_weight(self, classes: Labels, positive: Any = None) -> dict[Any, float]:
        """Return the weight of each class: the mean cost of predicting it wrongly.

        Parameters and errors are those of `to_matrix`.
        """
        pairs = self.to_matrix(classes, positive).matrix or {}
        weights: dict[Any, list[float]] = {}
        for (true, _), cost in pairs.items():
            weights.setdefault(true, []).append(cost)
        return {true: math.fsum(costs) / len(costs) for true, costs in weights.items()}

    def cheapest(
        self, classes: Labels, counts: ArrayLike, positive: Any = None
    ) -> tuple[Any, float]:
        """Return the constant prediction with the lowest cost, and its cost per 100 cases.

        Shapes: classes, counts (their rows' weight) (K,). Of equal ones the first is returned.
        """
        pairs = self.to_matrix(classes, positive).matrix or {}
        masses, labels = np.asarray(counts, dtype=float), _plain(classes)
        rows = list(zip(labels, masses.tolist(), strict=True))
        totals = [
            math.fsum(m * pairs[true, answer] for true, m in rows if true != answer)
            for answer in labels
        ]
        best = int(np.argmin(totals))
        return labels[best], 100.0 * totals[best] / float(masses.sum())


def _plain(labels: Labels) -> list[Any]:
    """Return labels as Python's types."""
    return [v.item() if isinstance(v, np.generic) else v for v in labels]


def _cost_of(matrix: Mapping[tuple[Any, Any], float], pair: tuple[Any, Any]) -> float:
    """Return the cost of a pair; DataError if it is missing."""
    if pair not in matrix:
        raise DataError(
            f"`matrix` must hold a cost for every pair (true, answered) of different classes; "
            f"({pair[0]!r}, {pair[1]!r}) is missing. Add it."
        )
    return matrix[pair]


def _positive(cost: Any, parameter: str) -> float:
    number = float(cost) if isinstance(cost, Real) and not isinstance(cost, bool) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise ValueError(
            f"{parameter} must be a positive number, got {cost!r}. Give `miss` and `false_alarm`, "
            "or a `matrix`; a very small cost is allowed."
        )
    return number
