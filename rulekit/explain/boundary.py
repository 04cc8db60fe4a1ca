"""Distance of rows to another prediction: of one value, and in literals to change."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.rules import Columns, LinearSplit, Literal, PointsSplit, PowerLawSplit, RuleSet
from rulekit.rules.condition import ORDERED, WHOLE_PARTS, missing_in, moment, positions_in
from rulekit.rules.writer import ConditionWriter
from rulekit.style.phrases import join_list, label_text

Floats = NDArray[np.float64]


def distance_to_boundary(rule: RuleSet, columns: Columns, ranges: dict[str, float]) -> Floats:
    """Compute the distance of each row to another prediction by one value crossing one threshold.

    Parameters
    ----------
    rule : RuleSet
        Only tests of one column that compare numbers, dates or ordered levels are moved, not those
        of a part of a date such as its month.
    columns : mapping of column name to array of shape (n,)
    ranges : dict of str to float
        Width of each column's range, in days for dates: the unit of distance. Ordered levels do not
        need one; their unit is the whole order.

    Returns
    -------
    ndarray of shape (n,)
        Share of a range; infinite where no single threshold decides. For a sum, the distance from
        its bound as a share of the width of most rows' sums. One pass over the rows for each
        condition and clause.

    Examples
    --------
    >>> from rulekit.rules import Clause
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> distance_to_boundary(rule, {"age": np.array([60.0, 45.0])}, {"age": 50.0})
    array([0.2, 0.1])
    """
    move = _BoundaryMove(rule, columns, ranges, rule.predict(columns))
    distances = [np.full(len(move.answers), np.inf), *map(move.write, rule.conditions)]
    return np.asarray(np.fmin.reduce(distances))


@dataclass(frozen=True)
class _BoundaryMove(ConditionWriter[Floats]):
    """Computes for each row how far a compared value is from a change of the prediction."""

    rule: RuleSet
    columns: Columns
    ranges: dict[str, float]
    answers: NDArray[np.object_]

    def literal(self, literal: Literal) -> Floats:
        order = literal.order
        width = self.ranges.get(literal.feature) if order is None else len(order) - 1
        if literal.op not in ORDERED or not width or literal.part in WHOLE_PARTS:
            return np.full(len(self.answers), np.inf)
        here = np.asarray(literal.compute_values(self.columns), dtype=float)
        # positions and cells just below and just above where the test changes its result
        sides, values = np.full(2, float(literal.positions[0])), np.empty(0)
        if order is not None:
            sides = np.array([np.floor(literal.edge), np.ceil(literal.edge)])
            values = np.array([order[int(k)] for k in sides], dtype=object)
        elif literal.is_plain:
            values = np.array([literal.edge, np.nextafter(literal.edge, np.inf)])
        else:  # a second before and a second after
            values = np.array([literal.turning[0], literal.turning[-1]], dtype=object)
        target = np.where(here <= literal.edge, 1, 0)
        present = ~missing_in(here)
        moved = np.where(present, values[target], self.columns[literal.feature])
        flips = self.rule.predict({**self.columns, literal.feature: moved}) != self.answers
        return np.where(flips & present, np.abs(here - sides[target]) / width, np.inf)

    def linear(self, split: LinearSplit) -> Floats:
        return _from_bound(split.total(self.columns) - split.value)

    def power_law(self, split: PowerLawSplit) -> Floats:
        margin = split.margin(self.columns)
        return np.full(len(margin), np.inf) if split.is_band else _from_bound(margin)

    def points(self, split: PointsSplit) -> Floats:
        return np.asarray(np.min([self.literal(c) for c in split.conditions], axis=0))


def _from_bound(margin: Floats) -> Floats:
    """Compute each row's distance from its bound as a share of the typical width."""
    finite_margins = margin[np.isfinite(margin)]
    width = np.subtract(*np.quantile(finite_margins, [0.95, 0.05])) if len(finite_margins) else 0.0
    return np.where(np.isfinite(margin) & (width > 0), np.abs(margin) / (width or 1.0), np.inf)


def ranges_of(columns: Columns) -> dict[str, float]:
    """Return the width of each column's range if positive and finite; dates in days."""
    ranges = {}
    for name, column in columns.items():
        if column.dtype == object:  # dates, or no numbers
            cells = [v for v in set(column.tolist()) if v is not None]
            dated = cells if all(isinstance(v, str) and moment(v) for v in cells) else []
            column = positions_in(name, np.array(dated, dtype=object), "date", None)
        numbers = np.asarray(column, dtype=float)
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers) and numbers.max() > numbers.min():
            ranges[name] = float(numbers.max() - numbers.min())
    return ranges


def hamming_distances(
    rule: RuleSet, columns: Columns, y: NDArray[Any], classes: tuple[Any, ...] | None = None
) -> list[int | None]:
    """Count the literals to add or remove until the rule predicts each of n rows correctly."""
    # A CNF as in equations (3.10) and (3.11) of Su, Wei, Varshney, Malioutov, "Interpretable
    # two-level Boolean rule learning for classification" (2015): a row of the rule's label counts
    # the clauses that fail, any other row the literals that hold in the clause with fewest. A DNF
    # is the mirror image. None for a rule without clauses that would have to hold, or with several
    # labels.
    labels = classes or tuple(dict.fromkeys((*rule.labels, rule.default)))
    n = len(rule.clauses_fired(columns))
    if len(y) != n:
        raise DataError(f"`y` must hold one label a row; there are {n} rows and {len(y)} labels.")
    strange = next((i for i, v in enumerate(y) if v not in labels), None)
    if strange is not None and len(labels) > 1:  # a rule without clauses names one class only
        raise DataError(
            f"`y` holds {label_text(y[strange])} (row {strange}), which the rule never predicts; "
            f"its labels are {join_list(map(label_text, labels))}."
        )
    if len(set(rule.labels)) > 1:
        return [None] * len(y)
    if not rule.clauses:
        right = rule.labels[0] if rule.form == "cnf" else rule.default
        return [0 if v == right else None for v in y]
    dnf = rule.as_dnf
    failing = np.array([(~c.condition_masks(columns)).sum(axis=1) for c in dnf.clauses])
    to_hold, held = failing.min(axis=0), (failing == 0).sum(axis=0)
    is_first_class = np.array([v == dnf.labels[0] for v in y], dtype=bool)
    return [int(v) for v in np.where(is_first_class, to_hold, held)]
