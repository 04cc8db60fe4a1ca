"""Rules from any linear classifier: boxes on one side of its hyperplane."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, cast

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from rulekit._validation import Interval, StrOptions
from rulekit.data.typed import read_labels
from rulekit.families.family import Family, Setting, state_errors
from rulekit.families.hyperplane.lp_svm import LPSVM
from rulekit.families.hyperplane.plane_work import (
    CompleteRows,
    NumericDesign,
    Plane,
    ShortBoxes,
    box_clause,
    plane_condition,
)
from rulekit.families.hyperplane.solver.hypercubes import CRITERIA, PlaneBoxes
from rulekit.learners.base import (
    FIT_ATTRIBUTES,
    BaseRuleClassifier,
    one_against_rest,
    refuse_with_several,
)
from rulekit.learners.training import TrainingTable, constraints_for, plain_label
from rulekit.rules import Clause, Constraints, Literal, RuleSet, simplify
from rulekit.rules.constraints import TURNED
from rulekit.style.wording import plural

SAME = 1e-12  # shares of rows that differ by less are equal but for rounding
PLANE_PRICE = 15.0  # times 1 / rows of the smaller class: a plane that reads all its few columns
COLUMNS = (1, 2, 3, 4)
CLAUSES = (1, 2, 3, 4, 5)
CONFIDENCE_FOLDS = 5  # of the picked model; a sweep has no use for confidences


@dataclass(eq=False, repr=False)
class HyperplaneRuleClassifier(BaseRuleClassifier):
    """Convert the hyperplane of a linear classifier to disjoint, readable boxes.

    Every box lies on one side of the plane, so rule and plane agree inside the boxes and within the
    training range.

    Parameters
    ----------
    linear : estimator, optional
        A linear classifier with `coef_` and `intercept_` after `fit`, or a pipeline of scalers and
        such a classifier; the rule is in the table's own units. Default: `LPSVM()`. It is fitted
        on numbers: Boolean and text columns become indicators, one for each level.
    max_columns : int, optional
        Largest number of columns that the plane reads; None for all, as in the paper. Sets of this
        size are found by forward selection and on the path of the 1-norm machine. `linear` is
        fitted on each, its plane is moved to several places along its normal, and the boxes with
        the fewest training errors are used. Boxes that are wrong more often than right are dropped,
        two boxes are merged if one is as good, and faces that improve nothing are dropped.
    criterion : {"peel", "point_lp", "volume_paper"}, default="peel"
        What a box maximises: its number of rows, counted exactly ("peel") or by the paper's linear
        program ("point_lp"), or its volume, as in the paper.
    max_depth : int, default=20
        Largest number of boxes that are cut away before the next one is found.
    max_rules : int, optional
        Largest number of boxes (for each class if there are several); those with the most rows are
        kept.
    min_coverage : int, default=2
        Boxes with fewer rows of their class are dropped; the paper drops boxes of one row.
    uncovered : {"other", "hyperplane"}, default="other"
        Prediction for rows outside all boxes: the other class, whatever the plane predicts, or the
        plane's prediction, as a last linear condition.
    confidence_folds : int, default=5
        Folds for the calibration of `explain_with_hyperplane`; fewer than 2 for none.
    positive_label : label, default=None
        The class that the rule describes. None describes the last of `classes_`, and with
        `max_columns` the one with fewer errors or boxes. With more than two classes it must be
        None: each class, from the rarest on, is separated from the more frequent ones, in one
        ordered list.
    class_weight, costs
        As in `TwoLevelRuleClassifier`; passed to `linear` as `sample_weight`.
    constraints : Constraints or dict, default=None
        Monotonic constraints only, see `Constraints`. `LPSVM` restricts the signs of the weights;
        fitting fails if another classifier has learned other signs. Boxes are open on the side that
        a constraint leads to.

    Attributes
    ----------
    rule_set_ : RuleSet
        A DNF of intervals. There are no conditions at the edges of the training range, so rows
        beyond an edge are predicted like rows at the edge.
    linear_ : estimator
    plane_ : Plane
        The plane in the table's units, its range and training rows; with `max_columns` parallel to
        that of `linear_`. Its columns are sorted by name.
    boxes_ : dict of label to Boxes
        The boxes of both classes. The described class has none if a constant prediction has no
        more training errors than the rule and therefore replaces it.
    coverage_, coverage_all_ : float
        Of the rows of the described class that the plane classifies correctly: the share in
        `boxes_`, and in all boxes found.
    against_rest_ : dict of label to HyperplaneRuleClassifier
        With more than two classes: for each described class, in order, the model that separates it
        (True) from the classes after it. `plane_`, `linear_`, `coverage_` and `coverage_all_` are
        then None, and `boxes_` is empty.
    n_problems_ : int
        Number of searches for a box of the described class.
    n_incomplete_ : int
        Number of training rows with missing values; the plane is learned without them.
    classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, empty_rule_hint_
        As in `TwoLevelRuleClassifier`.
    history_ : list of dict
        For each box of the rule: its number of rows, and the share covered so far.
    objective_, lower_bound_, proved_optimal_
        None: no objective of the whole rule is optimised.

    Notes
    -----
    A missing value meets no condition.

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

    _multi_class = True
    _proba_follows_rule = True
    _level_share = 0.0
    plane_: Any = field(init=False)
    coverage_: float | None = field(init=False)
    coverage_all_: float | None = field(init=False)
    _own_constraints: ClassVar[dict[str, Any]] = {
        "linear": [BaseEstimator, None],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "criterion": [StrOptions(set(CRITERIA))],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "min_coverage": [Interval(Integral, 1, None, closed="left")],
        "uncovered": [StrOptions({"other", "hyperplane"})],
        "confidence_folds": [Interval(Integral, 0, None, closed="left")],
    }

    linear: Any = None
    max_columns: int | None = None
    criterion: str = "peel"
    max_depth: int = 20
    max_rules: int | None = None
    min_coverage: int = 2
    uncovered: str = "other"
    confidence_folds: int = 5

    def _fit_table(self, table: TrainingTable) -> None:
        self.against_rest_: dict[Any, HyperplaneRuleClassifier] = {}
        if len(table.classes) > 2:
            refuse_with_several(self, table)
            self._fit_list(table)
            return
        positive = self._note_classes(table, self.positive_label)
        weight = self._weights(table)
        one_each = not table.weighted and self._class_weight(table.classes) is None
        counted = None if one_each else weight
        ways = self._ways(table, positive)
        linear = self._linear(table, ways)
        key = joblib.hash(((type(linear).__name__, linear.get_params()), counted))
        rows = table.once(("rows", key), lambda: CompleteRows.from_table(table, counted, key))
        plane, positive, extracted, boxes = self._cut_boxes(rows, linear, positive, table)
        self._note_classes(table, table.classes[positive])
        _check_signs(plane, ways)
        self._keep_rule(self._rule(plane, boxes[positive], positive, ways), table, weight)
        why = None
        if self.rule_set_.is_constant:
            why = "the plane reads no column. Raise `nu`, or take another linear classifier."
            if plane.w.any():
                why = (
                    f"no box holds {self.min_coverage} rows of its class that the plane gets "
                    "right. Lower `min_coverage`, or take a plane of fewer columns."
                )
        share = float(weight[table.codes == positive].sum() / weight.sum())
        least = min(share, 1.0 - share)
        if self.training_error_ > least + SAME or (
            why is None and self.training_error_ > least - SAME
        ):
            why = why or (
                f"the plane's rule gets {self.training_error_:.2%} of the training rows wrong, and "
                f"this answer {least:.2%}. If rows of a rare class are to count more, say so by "
                "`class_weight` of this learner."
            )
            boxes[positive] = boxes[positive].drop_small(max_boxes=0)
            always = (Clause(()),) if share > 0.5 else ()
            answer = (self.positive_label_,) * len(always)
            self._keep_rule(RuleSet(always, answer, "dnf", self.default_label_), table, weight)
        self.empty_rule_hint_ = None if why is None else self._empty_hint(why)
        self.plane_, self.linear_ = plane, plane.linear
        self.boxes_ = {plain_label(c): boxes[code] for code, c in enumerate(table.classes)}
        self.coverage_, self.coverage_all_ = (b[positive].coverage for b in (boxes, extracted))
        self.n_problems_ = extracted[positive].n_problems
        self.n_incomplete_ = len(table.codes) - len(plane.codes)
        rows_of_boxes, n_total = boxes[positive].n_points, max(boxes[positive].n_total, 1)
        pairs = zip(rows_of_boxes.tolist(), rows_of_boxes.cumsum().tolist(), strict=True)
        self.history_ = [
            {"step": k, "rows": n, "covered": covered / n_total}
            for k, (n, covered) in enumerate(pairs)
        ]
        self.objective_ = self.lower_bound_ = self.proved_optimal_ = None
        self.n_iter_ = max(1, self.n_problems_)

    def _linear(self, table: TrainingTable, ways: Mapping[str, str]) -> BaseEstimator:
        """Return the linear classifier, with the directions that constraints require."""
        linear = LPSVM() if self.linear is None else self.linear
        if not ways or not isinstance(linear, LPSVM):
            return linear
        design = NumericDesign.from_columns(table.columns, table.kinds)
        numbers = zip(design.names, design.numbers, strict=True)
        requested = {name: ways[n.feature] for name, n in numbers if n.feature in ways}
        return clone(linear).set_params(directions={**(linear.directions or {}), **requested})

    def _cut_boxes(
        self, rows: CompleteRows, linear: BaseEstimator, positive: int, table: TrainingTable
    ) -> tuple[Plane, int, dict[int, PlaneBoxes], dict[int, PlaneBoxes]]:
        """Choose plane and class described; cover both sides by boxes: all, and those kept."""
        folds, least = int(self.confidence_folds), int(self.min_coverage)
        measure, placed = (self.criterion, int(self.max_depth)), None
        if self.max_columns is None:
            key: tuple[Any, ...] = "plane", rows.key, folds
            plane = table.once(key, lambda: rows.calibrate(linear, rows.plane(linear), folds))
        else:
            size, by_plane = int(self.max_columns), self.uncovered == "hyperplane"
            either = self.positive_label is None and not by_plane
            sides = (positive, 1 - positive) if either else (positive,)
            limits = size, measure, least, sides, by_plane
            key = "few columns", rows.key, limits
            work = table.once(key, lambda: ShortBoxes(rows, linear, *limits))
            placed = work.best(self.max_rules)
            plane = work.plane(placed, folds)
            key = *key, self.max_rules
        extracted = {
            code: table.once((*key, code, *measure), partial(plane.boxes, code, *measure))
            for code in (0, 1)
        }
        boxes = {c: extracted[c].drop_small(least, self.max_rules) for c in (0, 1)}
        if placed is not None:
            positive, boxes[placed.code] = placed.code, plane.shorten_faces(placed.boxes)
        return plane, positive, extracted, boxes

    def _ways(self, table: TrainingTable, positive: int) -> dict[str, str]:
        """Return the direction in which columns must lead to ``classes_[1]``."""
        constraints = constraints_for(self.constraints, table, self.positive_label_)
        if replace(constraints, directions=()) != Constraints():
            raise ValueError(
                "Planes support only `directions` in `constraints`: the boxes are cut from one "
                "plane. Remove the other constraints, or use another learner."
            )
        return _turn(dict(constraints.directions), positive)

    def _fit_list(self, table: TrainingTable) -> None:
        """Fit a hyperplane and its boxes for each class against those that come later."""
        self._note_several(table)
        weight = self._weights(table)
        weighted = table.weighted or self._class_weight(table.classes) is not None

        def describe(rows: NDArray[np.intp], code: int) -> Sequence[Clause]:
            against = partial(table.split_class, rows, code, weight, weighted=weighted)
            model: HyperplaneRuleClassifier = clone(self)
            model.set_params(positive_label=True, class_weight=None, costs=None)
            model.__dict__.update({k: v for k, v in vars(self).items() if k in FIT_ATTRIBUTES})
            key = "class", code, rows.tobytes(), weight.tobytes()
            model._fit_table(table.once(key, against))
            self.against_rest_[plain_label(table.classes[code])] = model
            return model.rule_set_.clauses

        rule = simplify(one_against_rest(table, weight, describe))
        self._keep_rule(rule, table, weight)
        mass = np.bincount(table.codes, weight)
        least = float(1.0 - mass.max() / weight.sum())
        if self.training_error_ > least - SAME and not rule.is_constant:
            rule = RuleSet((), (), "dnf", table.classes[int(mass.argmax())])
            self._keep_rule(rule, table, weight)
        self.default_label_ = rule.default
        self.empty_rule_hint_ = None
        if rule.is_constant:
            self.empty_rule_hint_ = self._empty_hint(
                "no plane's boxes get fewer training rows wrong. See `against_rest_` for each."
            )
        models = self.against_rest_
        self.plane_ = self.linear_ = self.coverage_ = self.coverage_all_ = None
        self.boxes_ = {}
        self.n_problems_ = sum(model.n_problems_ for model in models.values())
        self.n_incomplete_ = max((model.n_incomplete_ for model in models.values()), default=0)
        self.history_ = [dict(step, outcome=c) for c, m in models.items() for step in m.history_]
        self.objective_ = self.lower_bound_ = self.proved_optimal_ = None
        self.n_iter_ = max(1, self.n_problems_)

    def _rule(
        self, plane: Plane, boxes: PlaneBoxes, positive: int, ways: Mapping[str, str]
    ) -> RuleSet:
        """Convert boxes to clauses, with the hyperplane last if it decides the rest."""
        constraints, clauses = Constraints(directions=_turn(ways, positive)), []
        for faces in zip(boxes.lower, boxes.upper, strict=True):
            conditions = box_clause(plane, boxes.half, *faces).conditions
            allowed = (c for c in conditions if constraints.allows(cast(Literal, c)))
            clauses.append(Clause(tuple(allowed)))
        if self.uncovered == "hyperplane" and plane.w.any():
            clauses.append(Clause((plane_condition(plane, above=positive == 1),)))
        labels = (self.positive_label_,) * len(clauses)
        return RuleSet(tuple(clauses), labels, "dnf", self.default_label_)


def _turn(ways: Mapping[str, str], positive: int) -> dict[str, str]:
    """Convert directions that lead to a class to those that lead to ``classes_[1]``, or back."""
    return {name: sign if positive == 1 else TURNED[sign] for name, sign in ways.items()}


def _check_signs(plane: Plane, ways: Mapping[str, str]) -> None:
    """Reject a hyperplane whose weights violate a monotonic constraint."""
    for number, weight in zip(plane.design.numbers, plane.w.tolist(), strict=True):
        sign = ways.get(number.feature)
        if sign is not None and weight * (1 if sign == ">" else -1) < 0:
            raise ValueError(
                f"`constraints` has a direction for column {number.feature!r}, but along it the "
                f"plane of {type(plane.linear).__name__} leads the other way (weight "
                f"{weight:.3g}). Take LPSVM(), which keeps the sign, or remove the direction."
            )


def plane_price(n_least: float) -> float:
    """Return a price of a plane's errors, by the rows of the smaller class, in two digits."""
    return float(f"{PLANE_PRICE / max(1, n_least):.2g}")


def default_grid(y: ArrayLike) -> dict[str, Sequence[Any]]:
    """Return numbers of boxes and columns, and a price that suits a table's classes."""
    price = plane_price(np.unique(read_labels(y), return_counts=True)[1].min())
    return {"max_rules": CLAUSES, "max_columns": COLUMNS, "linear__nu": [price]}


def shape_words(setting: Setting) -> list[str]:
    """Return how many columns the plane of a setting reads, in words."""
    n = setting.get("max_columns")
    return [] if n is None else [f"plane of {plural(n, 'column')}"]


FAMILY = Family(
    key="hyperplane",
    model=HyperplaneRuleClassifier(LPSVM(), confidence_folds=0),
    alone=HyperplaneRuleClassifier(),
    title="boxes from a plane",
    default_grid=default_grid,
    question="From a linear model (boxes from an SVM)",
    name="From a linear model",
    sentence=(
        "Learns a weighted sum of 1 to 4 columns (a 1-norm support vector machine, ν its price of "
        "errors) and cuts one side of it, the one that needs fewer conditions, into boxes that do "
        "not overlap; always a DNF. Rows with a gap teach it nothing."
    ),
    good_for=(
        "a score that is trusted already: every case gets a box around it and a confidence. "
        + state_errors(14.8, 6.0)
    ),
    ways=(
        "Boxes from a linear model are learned with 1 to 4 columns of the plane, prices ν and a "
        "number of clauses, which are its boxes. Shape, prices θ and the cut points of Binning are "
        "not used, and it supports monotonic constraints only."
    ),
    symbol="ν",
    shape_words=shape_words,
    parameter_names={"theta": "linear__nu", "n_clauses": "max_rules"},
    picked={"confidence_folds": CONFIDENCE_FOLDS},
    keeps_constraints=False,
)
