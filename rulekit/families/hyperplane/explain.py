"""One case and the hyperplane: its box, the training rows in the box, and a confidence."""

# Legend (Fung, Sandilya, Rao, section 7)
#   v       the case, in the oriented coordinates of its side (`solver.half_space`)
#   z       foot of the normal from the case to the plane, taken in the unit box of the training
#           table, where no column counts more for its unit; every z_i is at least v_i
#   box     lower < v <= z: it touches the plane in one corner and lies on the case's side
#
# The paper gives five things that should raise the confidence and no way to weigh them. Measured
# out of sample only the distance ranks right answers before wrong ones, so it is what is
# calibrated, for each answer apart; what else is known of the box is shown beside it.

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import DataError, RuleError
from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.plane_work import Plane, box_clause, short_faces, unit_distances
from rulekit.families.hyperplane.solver.half_space import Floats, HalfSpace, Region
from rulekit.families.hyperplane.solver.hypercubes import carry_on, water_fill
from rulekit.rules import Clause
from rulekit.style.phrases import PLAIN, Wording, condition_text, count_noun, join_list, label_text

CHUNK = 256  # cases compared with all training rows at a time


@dataclass(frozen=True)
class CoveringBox:
    """A box of the extraction that contains a case."""

    clause: Clause
    rule: int | None  # number among the rule's clauses of this class; None if not one of them
    depth: int  # boxes cut away before it
    n_covered: int  # training rows in it
    n_right: int  # those of the class that the plane predicts


@dataclass(frozen=True)
class HyperplaneExplanation:
    """The box around one case, on its side of the hyperplane.

    Attributes
    ----------
    row : int
        Position of the case in the table, from 0.
    prediction : str, int, float or bool
        The plane's answer.
    rule_prediction : str, int, float or bool
        What the rule's `predict` gives; another one only where no box of the rule holds the case.
    distance : float
        From the case to the plane, in the unit box of the training table.
    confidence : float or None
        The chance that the plane's answer is right, by answer and distance, calibrated on cases the
        plane had not seen; None where the model was fitted without.
    n_covered, n_right : int
        Training rows in the box, and how many of these are of the plane's answer.
    volume_ratio : float
        Volume of the box within the table's range, of the greatest box that fits on this side.
    rule : int or None
        Position of the rule's box of this class that holds the case, from 0.
    lower, upper, values : ndarray of shape (k,)
        Faces and case in oriented coordinates: ``lower < values <= upper``.
    """

    row: int
    prediction: Any
    rule_prediction: Any
    distance: float
    confidence: float | None
    n_covered: int
    n_right: int
    volume_ratio: float
    rule: int | None
    lower: Floats = field(repr=False, compare=False)
    upper: Floats = field(repr=False, compare=False)
    values: Floats = field(repr=False, compare=False)
    _side: "_Side" = field(repr=False, compare=False)

    @property
    def purity(self) -> float | None:
        """Share of the box's training rows with the predicted class; None without rows."""
        return self.n_right / self.n_covered if self.n_covered else None

    @cached_property
    def faces(self) -> tuple[Floats, Floats]:
        """Lower and upper faces with few digits that hold the same training rows and the case."""
        return self._side.short(self.lower, self.upper, self.values)

    @cached_property
    def clause(self) -> Clause:
        """The box as conditions with short faces; faces at the table's edge give no condition."""
        return box_clause(self._side.plane, self._side.half, *self.faces)

    @cached_property
    def covering(self) -> CoveringBox:
        """The rule's box that contains the case, or the one that further extraction finds."""
        side, v = self._side, self.values
        if self.rule is not None:
            lower, upper = side.boxes.lower[self.rule], side.boxes.upper[self.rule]
            depth = int(side.boxes.depth[self.rule])
        else:
            lower, upper, depth = carry_on(side.half, side.training[side.right], v, **side.how)
        inside = ((lower < side.training) & (side.training <= upper)).all(axis=1)
        if self.rule is None:
            lower, upper = side.short(lower, upper, v)
        shown = box_clause(side.plane, side.half, lower, upper)
        n_right = int((inside & side.right).sum())
        return CoveringBox(shown, self.rule, depth, int(inside.sum()), n_right)

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        return self.sentence_with(PLAIN)

    def sentence_with(self, wording: Wording) -> str:
        """Return the sentence with the reader's wording."""
        lead = f"The plane predicts {label_text(self.prediction)}"
        if self.confidence is not None:
            lead += f" with a confidence of {100 * self.confidence:.1f} %"
        texts = [condition_text(c, wording) for c in self.clause.conditions]
        where = f" with {join_list(texts)}" if texts else ""
        return (
            f"{lead}, as for every case within the training table's range{where}. {self.evidence}"
        )

    @property
    def evidence(self) -> str:
        """The training rows in the box, as a sentence."""
        if not self.n_covered:
            return "No training case lies in this box."
        rows = count_noun(self.n_covered, "training case")
        lies = "lies" if self.n_covered == 1 else "lie"
        return f"{rows} {lies} in this box, {self.n_right} of them {label_text(self.prediction)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
        return {
            "row": self.row,
            "answer": self.prediction,
            "rule_answer": self.rule_prediction,
            "sentence": self.sentence,
            "distance": self.distance,
            "confidence": self.confidence,
            "training_cases": self.n_covered,
            "training_cases_right": self.n_right,
            "volume_ratio": self.volume_ratio,
            "rule": None if self.rule is None else self.rule + 1,
        }


def explain_with_hyperplane(model: HyperplaneRuleClassifier, X: Any) -> list[HyperplaneExplanation]:
    """Compute for each case a box on its side of the hyperplane.

    Parameters
    ----------
    model : HyperplaneRuleClassifier
        Fitted.
    X : DataFrame or array-like of shape (n, p)
        The cases; no gap in the columns that the plane reads.

    Returns
    -------
    list of HyperplaneExplanation, length n

    Raises
    ------
    DataError
        If a case has a gap in a column that the plane reads, or the table does not fit the model.
    RuleError
        If the model has no plane, or one that reads no column.

    Notes
    -----
    A case is always in its box, and the box never crosses the plane, in the very doubles that
    `predict` compares. Cost is O(n m k) for m training rows and k columns the plane reads.

    References
    ----------
    .. [1] Fung, Sandilya, Rao, "Rule Extraction from Linear Support Vector Machines", section 7.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit import LPSVM
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50, 60, 70]})
    >>> model = HyperplaneRuleClassifier(LPSVM(nu=10), confidence_folds=0).fit(X, list("aaabbb"))
    >>> print(explain_with_hyperplane(model, X.tail(1))[0].sentence)
    The plane predicts 'b', as for every case within the training table's range
    with age >= 46. 3 training cases lie in this box, 3 of them 'b'.
    """
    plane = getattr(model, "plane_", None)
    if not isinstance(plane, Plane):
        raise RuleError(
            "This explanation needs a fitted HyperplaneRuleClassifier; "
            f"{type(model).__name__} has no plane of its own. Of a list of several classes explain "
            "one of `against_rest_`."
        )
    if not plane.w.any():
        raise RuleError(
            "The plane reads no column, so it gives every case the same answer; there is nothing "
            "to explain. Raise `nu`."
        )
    columns = model.read_columns(X)
    rows = plane.design.frame(columns).to_numpy(dtype=float)
    gaps = np.argwhere(np.isnan(rows) & (plane.w != 0))
    if len(gaps):
        row, column = gaps[0]
        name = plane.design.numbers[column].feature
        raise DataError(
            f"Row {row + 1} must have a value in column {name[:60]!r}, which the plane reads; it "
            "has none. Fill the gap."
        )
    answers = model.rule_set_.predict(columns).tolist()
    explanations: list[HyperplaneExplanation] = []
    above = plane.half(1)
    is_above = above.contains(above.orient(rows))
    for code, label in enumerate(model.boxes_):
        there = np.flatnonzero(is_above == (code == 1))
        explanations += _Side(model, code, label).explain_rows(rows[there], there, answers)
    return sorted(explanations, key=lambda explanation: explanation.row)


class _Side:
    """One side of a model's hyperplane, with the training rows in oriented coordinates."""

    def __init__(self, model: HyperplaneRuleClassifier, code: int, label: Any) -> None:
        self.plane, self.code, self.label = model.plane_, code, label
        self.half: HalfSpace = self.plane.half(code)
        self.boxes = model.boxes_[label]
        self.how: Any = {"criterion": model.criterion, "max_depth": int(model.max_depth)}
        self.training = self.half.orient(self.plane.rows)
        self.right = self.plane.codes == code
        self.widths = self.half.high - self.half.low
        self.distinct, row_codes = np.unique(self.training, axis=0, return_inverse=True)
        counts = [np.bincount(row_codes.ravel(), w) for w in (np.ones(len(row_codes)), self.right)]
        self.counts = np.column_stack(counts)  # of all rows, and of those of this side's class

    def explain_rows(
        self, rows: Floats, places: NDArray[np.intp], answers: list[Any]
    ) -> Iterator[HyperplaneExplanation]:
        """Explain the cases of this side."""
        V = self.half.orient(rows)
        upper = self._feet(V)
        values = self.half.values(V) - self.half.cap
        distance = unit_distances(values, self.half.weights, self.widths)
        sure = self.plane.confidence
        confidence = [None] * len(V) if sure is None else sure.compute(distance, self.code).tolist()
        both = np.zeros((len(upper), 2))  # training rows in each box, and those of this class
        for start in range(0, len(upper), CHUNK):
            part = slice(start, start + CHUNK)
            inside = np.ones((len(upper[part]), len(self.distinct)), dtype=bool)
            for i in range(self.half.n_features):
                inside &= self.distinct[:, i] <= upper[part, i, None]
            both[part] = inside @ self.counts
        counts = both.astype(int).tolist()
        ratio = np.zeros(len(V))  # of volumes within the table's range, to the largest possible
        weights = Region.whole(self.half).unit_weights()
        if weights is not None:
            inner = np.minimum(upper, self.half.high) - self.half.low
            sides = np.divide(inner, self.widths, out=np.ones_like(upper), where=self.widths > 0)
            greatest = np.log(water_fill(weights, np.zeros_like(weights))).sum()
            with np.errstate(divide="ignore"):
                ratio = np.exp(np.log(np.clip(sides, 0.0, 1.0)).sum(axis=1) - greatest)
        held = self.boxes.members(V)
        rule = np.where(held.any(axis=1), held.argmax(axis=1), -1) if len(self.boxes) else None
        for i, row in enumerate(places.tolist()):
            figures = float(distance[i]), confidence[i], counts[i][0], counts[i][1], float(ratio[i])
            box = None if rule is None or rule[i] < 0 else int(rule[i])
            faces = np.full(len(upper[i]), -np.inf), upper[i], V[i]
            yield HyperplaneExplanation(row, self.label, answers[row], *figures, box, *faces, self)

    def _feet(self, V: Floats) -> Floats:
        """Project rows onto the hyperplane, shape (n, k), never beyond it in doubles."""
        half = self.half
        steep = half.weights * self.widths
        step = (half.cap - half.values(V)) / max(float((steep * steep).sum()), np.finfo(float).tiny)
        reach = np.maximum(self.widths * steep * step[:, None], 0.0)
        feet, shrink = V + reach, 2.0**-50
        while True:
            beyond = np.flatnonzero(~half.contains(feet))
            if not len(beyond):
                return np.asarray(feet)
            feet[beyond] = V[beyond] + reach[beyond] * (1.0 - min(shrink, 1.0))
            shrink *= 2.0

    def short(self, lower: Floats, upper: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Round faces as far as the training rows and the case allow."""
        low, high = lower.copy(), upper.copy()
        for i, column in enumerate(self.half.columns.tolist()):
            whole = self.plane.design.numbers[column].whole and float(v[i]).is_integer()
            points = np.append(self.training[:, i], v[i])
            low[i], high[i] = short_faces(np.array([low[i], high[i]]), points, whole)
        return low, high
