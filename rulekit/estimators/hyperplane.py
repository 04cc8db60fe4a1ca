"""Rules from any linear classifier: boxes on one side of its plane."""

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rulekit._validation import Interval, StrOptions, check_parameters
from rulekit.estimators._learner import RuleLearner
from rulekit.estimators._numeric_design import Number
from rulekit.estimators._plane_work import Plane, PlaneWork
from rulekit.estimators._training import (
    TrainingTable,
    plain_label,
    positive_code,
    read_training_table,
)
from rulekit.estimators.lp_svm import LPSVM
from rulekit.exceptions import DataError, EmptyRuleWarning
from rulekit.rules import Clause, LinearSplit, Literal, RuleSet, simplify_clause
from rulekit.solvers.half_space import HalfSpace
from rulekit.solvers.hypercubes import CRITERIA, Boxes


class HyperplaneRuleClassifier(RuleLearner):
    """Turn the plane of a linear classifier into disjoint boxes that a person can read.

    Every box lies on one side of the plane, so inside the boxes, and within the range of the
    training table, rule and plane agree.

    Parameters
    ----------
    linear : estimator, optional
        A linear classifier with `coef_` and `intercept_` after `fit`, or a pipeline of scalers and
        such a classifier; the rule is in the table's own units either way. `LPSVM()` by default.
        It is given numbers: truth values and text come as columns of 0 and 1, one a level.
    criterion : {"peel", "point_lp", "volume", "volume_paper"}, default="peel"
        How a box is chosen: to hold many rows, by an exact count or by the paper's linear program;
        or to have the greatest volume, reaching the rows left or as the paper has it.
    max_depth : int, default=20
        How many boxes may be cut away before another.
    max_rules : int, optional
        Most boxes in the rule; those with most rows stay.
    min_coverage : int, default=2
        Boxes that hold fewer rows of their class are dropped; the paper drops those of one.
    uncovered : {"other", "hyperplane"}, default="other"
        What rows in no box get: the other class, so that the rule stands alone; or the plane's
        answer, as one last linear condition of the rule (`answered_by_plane` says for which rows).
    confidence_folds : int, default=5
        Folds for the calibration of `explain_with_hyperplane`; fewer than 2 for none.
    positive_label : str, int, float or bool, optional
        The class the rule describes; the last of `classes_` by default.
    class_weight : dict, "balanced" or None
        As in scikit-learn, with `sample_weight` handed to the linear classifier.

    Attributes
    ----------
    rule_set_ : RuleSet
        A DNF of intervals; literals ask for nothing at the edges of the training table, so a row
        beyond them is decided as one at the edge.
    linear_ : estimator
        The fitted linear classifier.
    plane_ : Plane
        The plane in the table's units, its range and training rows.
    boxes_ : dict of label to Boxes
        The boxes kept, for either class.
    coverage_, coverage_all_ : float
        Share of the rows of the described class, among those the plane gets right, that the boxes
        kept hold, and that all boxes found hold.
    n_problems_ : int
        Boxes sought for the described class.
    n_incomplete_ : int
        Training rows with a gap; they are left out when the plane is learned.
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, n_rules_, \
n_literals_, training_error_
        As in `RuleClassifier`.
    empty_rule_hint_ : str or None
        For a rule without conditions: why it has none.
    history_ : list of dict
        One a box kept: rows it holds, and share covered up to it.
    objective_, lower_bound_, proved_optimal_
        None: extraction is not an optimisation of the whole rule.

    Notes
    -----
    With ``uncovered="other"`` the rule is narrower than the plane: rows of the described class in
    no box are given the other class. A gap meets no condition.

    References
    ----------
    .. [1] Fung, Sandilya, Rao, "Rule Extraction from Linear Support Vector Machines" (2005).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50, 60, 70], "bmi": [20, 35, 22, 34, 30, 21]})
    >>> model = HyperplaneRuleClassifier(LPSVM(nu=10), min_coverage=1).fit(X, list("aaabbb"))
    >>> print(model)
    b if
           (age >= 52)
        OR (age >= 46 AND age < 52 AND bmi >= 28)
    else a
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "linear": [BaseEstimator, None],
        "criterion": [StrOptions(set(CRITERIA))],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "min_coverage": [Interval(Integral, 1, None, closed="left")],
        "uncovered": [StrOptions({"other", "hyperplane"})],
        "confidence_folds": [Interval(Integral, 0, None, closed="left")],
        "positive_label": "no_validation",
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        linear: Any = None,
        criterion: str = "peel",
        max_depth: int = 20,
        max_rules: int | None = None,
        min_coverage: int = 2,
        uncovered: str = "other",
        confidence_folds: int = 5,
        positive_label: Any = None,
        class_weight: Any = None,
    ):
        self.linear = linear
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_rules = max_rules
        self.min_coverage = min_coverage
        self.uncovered = uncovered
        self.confidence_folds = confidence_folds
        self.positive_label = positive_label
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a plane and extract its rule.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Numbers, truth values, text of a few levels. Rows with a gap teach nothing.
        y : array-like of shape (n,)
            Two classes.
        sample_weight : array-like of shape (n,), optional
            Handed to the linear classifier.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If the table or the classes cannot be used.
        ValueError
            If a parameter is not allowed, or `linear` has no plane.
        SolverError
            If a linear program is not solved.

        Warns
        -----
        EmptyRuleWarning
            If the rule has no condition.
        """
        check_parameters(self)
        table = read_training_table(self, X, y, sample_weight)
        self._fit_table(table, self._shared_work())
        if self.empty_rule_hint_ is not None:
            warnings.warn(self.empty_rule_hint_, EmptyRuleWarning, stacklevel=2)
        return self

    def _shared_work(self, should_stop: Callable[[], bool] | None = None) -> PlaneWork:
        return PlaneWork()

    def _fit_table(self, table: TrainingTable, shared: PlaneWork) -> None:
        self.classes_, self._kinds = table.classes, table.kinds
        positive = positive_code(self.positive_label, table.classes)
        labels = [plain_label(c) for c in table.classes]
        self.positive_label_, self.default_label_ = labels[positive], labels[1 - positive]
        weight = table.weights(self.class_weight)
        counted = weight if table.weighted or self.class_weight is not None else None
        linear = LPSVM() if self.linear is None else self.linear
        plane = shared.plane(table, linear, counted, int(self.confidence_folds))
        found = {
            code: shared.boxes_of(plane, code, self.criterion, int(self.max_depth))
            for code in (0, 1)
        }
        kept = {c: found[c].kept(int(self.min_coverage), self.max_rules) for c in (0, 1)}
        self.plane_, self.linear_ = plane, plane.linear
        self.boxes_ = {label: kept[code] for code, label in enumerate(labels)}
        self.coverage_, self.coverage_all_ = kept[positive].coverage, found[positive].coverage
        self.n_problems_ = found[positive].n_problems
        self.n_incomplete_ = len(table.codes) - len(plane.codes)
        self.history_ = _history(kept[positive])
        self.objective_ = self.lower_bound_ = self.proved_optimal_ = None
        self.n_iter_ = max(1, self.n_problems_)
        self._keep_rule(self._rule(plane, kept[positive], positive), table, weight)
        self.empty_rule_hint_ = self._empty_hint() if self.rule_set_.is_constant else None

    def _rule(self, plane: Plane, boxes: Boxes, positive: int) -> RuleSet:
        """Write boxes as clauses, and the plane as a last one if it answers the rest."""
        clauses = list(box_clauses(plane, boxes))
        if self.uncovered == "hyperplane" and plane.w.any():
            clauses.append(Clause((plane_condition(plane, above=positive == 1),)))
        labels = (self.positive_label_,) * len(clauses)
        return RuleSet(tuple(clauses), labels, "dnf", self.default_label_)

    def _empty_hint(self) -> str:
        answer = self.rule_set_.predict({"": np.zeros(1)})[0]
        if not self.plane_.w.any():
            why = "the plane reads no column. Raise `nu`, or take another linear classifier."
        else:
            why = (
                f"no box holds {self.min_coverage} rows of its class that the plane gets right. "
                "Lower `min_coverage`, or take a plane of fewer columns."
            )
        return f"The rule has no condition and answers {answer!r} to every row: {why}"

    def answered_by_plane(self, X: Any) -> NDArray[np.bool_]:
        """Say which rows the plane answers, because no box holds them.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            As in `predict`.

        Returns
        -------
        ndarray of bool, shape (n,)
            All False unless ``uncovered="hyperplane"``.
        """
        fired = self.clauses_fired(X)
        if self.uncovered != "hyperplane":
            return np.zeros(len(fired), dtype=bool)
        n_boxes = len(self.boxes_[self.positive_label_])
        return np.asarray(~fired[:, :n_boxes].any(axis=1))


def box_clauses(plane: Plane, boxes: Boxes) -> Iterator[Clause]:
    """Write each box as an AND of literals; see `box_clause`."""
    for lower, upper in zip(boxes.lower, boxes.upper, strict=True):
        yield box_clause(plane, boxes.half, lower, upper)


def box_clause(
    plane: Plane, half: HalfSpace, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Clause:
    """Write ``lower < v <= upper`` in oriented coordinates as literals of the table's columns.

    Faces at the table's edge, or beyond, ask for nothing.
    """
    numbers = [plane.design.numbers[column] for column in half.columns.tolist()]
    low = np.where(lower < half.low, -np.inf, lower)
    high = np.where(upper >= half.high, np.inf, upper)
    sides = zip(numbers, half.signs.tolist(), low.tolist(), high.tolist(), strict=True)
    clause = Clause(tuple(c for side in sides for c in face_literals(*side)))
    if all(number.level is None for number in numbers):
        return clause
    shorter = simplify_clause(clause)  # levels of one column: "not red" says nothing beside "blue"
    return clause if shorter is None else shorter


def face_literals(number: Number, sign: float, low: float, high: float) -> tuple[Literal, ...]:
    """Write ``low < v <= high`` for one oriented coordinate; an infinite end asks for nothing."""
    return number.literals(low, high) if sign > 0 else number.mirrored_literals(-high, -low)


def plane_condition(plane: Plane, *, above: bool) -> LinearSplit:
    """Write one side of a plane as a condition.

    Raises
    ------
    DataError
        If the plane reads a level of a text column: a sum of columns cannot say that.
    """
    used = np.flatnonzero(plane.w).tolist()
    numbers = [plane.design.numbers[j] for j in used]
    strange = next((n for n in numbers if n.level is not None), None)
    if strange is not None:
        raise DataError(
            f"`uncovered='hyperplane'` needs a plane over columns of numbers; this one reads "
            f"{strange.name[:60]!r}. Write the column as numbers, or take `uncovered='other'`."
        )
    terms = tuple((n.feature, float(plane.w[j])) for n, j in zip(numbers, used, strict=True))
    return LinearSplit(terms, ">" if above else "<=", plane.gamma)


def _history(boxes: Boxes) -> list[dict[str, Any]]:
    """Tell what each box adds."""
    covered = np.cumsum(boxes.n_points) / max(boxes.n_total, 1)
    return [
        {"step": k, "rows": int(n), "covered": float(share)}
        for k, (n, share) in enumerate(zip(boxes.n_points, covered, strict=True))
    ]
