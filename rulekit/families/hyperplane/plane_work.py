"""From a table to numbers, a plane, the boxes on its sides, their clauses and a confidence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from rulekit.data.folds import draw_rows
from rulekit.exceptions import DataError
from rulekit.families.hyperplane.lp_svm import LPSVM, ON_PLANE
from rulekit.families.hyperplane.solver.half_space import (
    Bools,
    Floats,
    HalfSpace,
    column_sets,
    places,
    plane_values,
    standardise,
)
from rulekit.families.hyperplane.solver.hypercubes import PlaneBoxes, extract_boxes, few_boxes
from rulekit.learners.training import TrainingTable, computable
from rulekit.rules import Clause, Columns, LinearSplit, Literal
from rulekit.rules.simplification import simplify_clause

MAX_LEVELS = 50
PRIOR = 1.0  # scikit-learn's own C: so an answer without a single error is not called sure
AFFINE = 1e-7  # how far a pipeline may be from the plane read off it, of the largest value
SEED = 0  # of the folds that the confidence is calibrated on
ROWS = 2000  # on which columns, places and sides are compared; planes are learned from all
SAME = 9  # decimals of a weight of rows: weights that differ less are equal


@dataclass(frozen=True)
class Number:
    """One number of a row: a column of numbers, or whether a column has a level."""

    feature: str
    level: str | bool | None = None
    whole: bool = False

    @property
    def name(self) -> str:
        """The name of the number, for learners and plots."""
        if self.level is None:
            return self.feature
        level = str(self.level).lower() if isinstance(self.level, bool) else self.level
        return f"{self.feature} = {level}"

    def values(self, columns: Columns) -> Floats:
        """Read the number from a table: shape (n,), NaN where the column has no value."""
        column = columns[self.feature]
        if self.level is None:
            return np.asarray(column, dtype=float)
        return np.where(pd.isna(column), np.nan, np.asarray(column == self.level, dtype=float))

    def literals(self, sign: float, low: float, high: float) -> tuple[Literal, ...]:
        """Write ``low < sign * value <= high`` as literals; infinite ends give none."""
        low, high, mirrored = (low, high, False) if sign > 0 else (-high, -low, True)
        if self.level is None:
            ends = ((">=", low), ("<", high)) if mirrored else ((">", low), ("<=", high))
            return tuple(Literal(self.feature, op, v) for op, v in ends if np.isfinite(v))
        other, same = (low <= v < high if mirrored else low < v <= high for v in (0.0, 1.0))
        if other and same:
            return ()
        return (Literal(self.feature, "==" if same else "!=", self.level),)


@dataclass(frozen=True)
class NumericDesign:
    """The numbers into which a table is converted."""

    numbers: tuple[Number, ...]

    @classmethod
    def from_columns(cls, columns: Columns, kinds: dict[str, str]) -> "NumericDesign":
        """Select how each column is converted to numbers, in an order that no table may change."""
        # Sums and ties of linear programs depend on the order of columns.
        numbers: list[Number] = []
        for name, values in sorted(columns.items()):
            if kinds[name] == "number":
                computable(name, values)
                present = values[~np.isnan(values)]
                if len(present):
                    numbers.append(Number(name, None, bool((present == np.round(present)).all())))
                continue
            levels = sorted({v for v in values if v is not None})
            if len(levels) > MAX_LEVELS:
                raise DataError(
                    f"Column {name[:60]!r} holds {len(levels)} different texts; a linear model can "
                    f"take at most {MAX_LEVELS} as numbers. Leave the column out (role 'ignore')."
                )
            numbers += [Number(name, v, True) for v in (levels[1:] if len(levels) == 2 else levels)]
        if not numbers:
            raise DataError(
                "A linear model needs at least one column with a value; give numbers, truth values "
                "or text of a few levels."
            )
        return cls(tuple(numbers))

    @property
    def names(self) -> list[str]:
        """The distinct names of the numbers; a column may be called "kind = x"."""
        names: dict[str, None] = {}
        for number in self.numbers:
            name = number.name
            while name in names:
                name += "'"
            names[name] = None
        return list(names)

    def frame(self, columns: Columns) -> pd.DataFrame:
        """Return the numbers as a data frame of shape (n, p), NaN where a value is missing."""
        values = {f"{j}": number.values(columns) for j, number in enumerate(self.numbers)}
        return pd.DataFrame(values).set_axis(self.names, axis=1)


def short_faces(faces: Floats, points: Floats, whole: bool) -> Floats:
    """Write upper faces with few digits, without moving a training row across one."""
    distinct, short = np.concatenate([[-np.inf], np.unique(points)]), {}
    for face in np.unique(faces[np.isfinite(faces)]).tolist():
        if whole:
            short[face] = float(math.floor(face))
            continue
        least = float(distinct[np.searchsorted(distinct, face, side="right") - 1])
        tries = (math.floor(face * 10.0**d) / 10.0**d for d in range(-6, 16))
        short[face] = next((rounded + 0.0 for rounded in tries if least <= rounded <= face), face)
    return np.array([short.get(face, face) for face in faces.tolist()])


@dataclass(frozen=True)
class Confidence:
    """Probability of a correct prediction as a logistic function of the distance."""

    slope: float
    levels: tuple[float, float]

    def compute(self, distance: Floats, code: int) -> Floats:
        """Return the confidence of prediction `code` at each distance, shape (n,)."""
        odds = self.slope * distance + self.levels[code]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -700, 700))))


def unit_distances(values: Floats, w: Floats, widths: Floats) -> Floats:
    """Convert ``w'x - gamma`` to the distance in the unit box, shape (n,)."""
    norm = math.sqrt(((w * widths) ** 2).sum())
    return np.abs(values) / norm if norm > 0 else np.zeros_like(values)


def fit_confidence(distance: Floats, answers: NDArray[np.intp], right: Bools) -> Confidence:
    """Fit Platt's logistic function of the distance, with one slope and a level for each answer."""
    n, n_right = np.bincount(answers, minlength=2), np.bincount(answers[right], minlength=2)
    odds = np.log((n_right + 1.0) / (n - n_right + 1.0))
    constant = Confidence(0.0, (float(odds[0]), float(odds[1])))
    if right.all() or not right.any():
        return constant
    scale = float(distance.std()) or 1.0
    platt = LogisticRegression(C=PRIOR).fit(np.column_stack([distance / scale, answers]), right)
    (slope, more), level = platt.coef_[0].tolist(), float(platt.intercept_[0])
    if slope <= 0:  # confidence must not fall with the distance
        return constant
    return Confidence(slope / scale, (level, level + more))


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane over the numbers of a table, with the training rows it is explained by."""

    design: NumericDesign
    w: Floats  # (p,)
    gamma: float
    low: Floats  # (p,)
    high: Floats  # (p,)
    rows: Floats  # (n, p)
    codes: NDArray[np.intp]  # (n,)
    linear: Any
    confidence: Confidence | None

    def half(self, code: int) -> HalfSpace:
        """Return the side of a class."""
        return HalfSpace.from_plane(self.w, self.gamma, self.low, self.high, above=code == 1)

    def boxes(self, code: int, criterion: str, max_depth: int) -> PlaneBoxes:
        """Cover the rows of a class that are on its side; faces are written short."""
        half = self.half(code)
        V = half.orient(self.rows[self.codes == code])
        return self.shorten_faces(extract_boxes(half, V, criterion=criterion, max_depth=max_depth))

    def shorten_faces(self, boxes: PlaneBoxes) -> PlaneBoxes:
        """Write the faces of boxes with few digits; the same rows stay in each box."""
        half = boxes.half
        lower, upper = boxes.lower.copy(), boxes.upper.copy()
        everywhere = half.orient(self.rows)
        for i, column in enumerate(half.columns.tolist()):
            whole = self.design.numbers[column].whole
            both = short_faces(np.concatenate([lower[:, i], upper[:, i]]), everywhere[:, i], whole)
            lower[:, i], upper[:, i] = both[: len(boxes)], both[len(boxes) :]
        return replace(boxes, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class CompleteRows:
    """The rows of a training table without gaps, as numbers."""

    design: NumericDesign
    frame: pd.DataFrame  # (n, p)
    y: NDArray[Any]
    codes: NDArray[np.intp]  # (n,)
    weight: Floats | None
    names: tuple[str, ...]  # of the numbers, in the table's order
    key: str  # of what is learned from the rows, for work that is shared

    @classmethod
    def from_table(cls, table: TrainingTable, weight: Floats | None, key: str) -> "CompleteRows":
        """Select the rows without gaps; reject a table where these are of one class."""
        design = NumericDesign.from_columns(table.columns, table.kinds)
        frame = design.frame(table.columns)
        complete = ~np.isnan(frame.to_numpy(dtype=float)).any(axis=1)
        codes = table.codes[complete]
        if len(np.unique(codes)) < 2:
            raise DataError(
                "A linear model needs rows of two classes without gaps; of "
                f"{len(complete)} rows {int(complete.sum())} have no gap, and they hold "
                f"{'one class' if complete.any() else 'no class'}. Fill the gaps, or leave out "
                "the columns that have most."
            )
        place = {name: k for k, name in enumerate(table.columns)}
        pairs = zip(design.numbers, design.names, strict=True)
        names = [name for _, name in sorted(pairs, key=lambda pair: place[pair[0].feature])]
        some = None if weight is None else weight[complete]
        return cls(design, frame[complete], table.y[complete], codes, some, tuple(names), key)

    @cached_property
    def rows(self) -> Floats:
        """The numbers, shape (n, p)."""
        return np.asarray(self.frame.to_numpy(dtype=float))

    def plane(
        self, linear: BaseEstimator, columns: Sequence[int] | None = None
    ) -> tuple[Any, Floats, float]:
        """Fit a linear classifier on some columns: the classifier, its weights (p,) and bound."""
        used = list(range(len(self.names))) if columns is None else list(columns)
        part = self.frame.iloc[:, used]
        ways = linear.directions if isinstance(linear, LPSVM) else None
        absent = {*self.names} - {*part.columns}
        if ways and absent & {*ways}:  # directions of columns that the plane may not read
            remaining = {name: way for name, way in ways.items() if name not in absent}
            linear = clone(linear).set_params(directions=remaining)
        fitted = fit_linear(linear, part, self.y, self.weight)
        w = np.zeros(self.frame.shape[1])
        w[used], gamma = plane_of(fitted, part)
        return fitted, w, gamma

    def calibrate(
        self,
        linear: BaseEstimator,
        learned: tuple[Any, Floats, float],
        folds: int,
        columns: Sequence[int] | None = None,
        moved_to: float | None = None,
    ) -> Plane:
        """Calibrate the distance to a plane, which may have been moved, by folds."""
        fitted, w, gamma = learned
        bound = off_the_rows(plane_values(self.rows, w), gamma) if moved_to is None else moved_to
        shift = 0.0 if moved_to is None else moved_to - gamma
        confidence = None
        if w.any():
            # with the price that cross-validation chose, which is not chosen again in every fold
            template = clone(linear)
            last, chosen = (m[-1] if isinstance(m, Pipeline) else m for m in (template, fitted))
            if isinstance(last, LPSVM):
                last.set_params(nu=chosen.nu_, cv=LPSVM().cv)  # folds only choose a price
            confidence = self._fit_confidence(template, folds, columns, shift)
        low, high = self.rows.min(axis=0), self.rows.max(axis=0)
        names = [str(name) for name in getattr(fitted, "feature_names_in_", ())]
        there = [name for name in self.names if name in names]
        if not isinstance(fitted, LPSVM) and names != there:
            # with the columns in the table's order, which scikit-learn insists on later
            fitted = fit_linear(linear, self.frame[there], self.y, self.weight)
        return Plane(self.design, w, bound, low, high, self.rows, self.codes, fitted, confidence)

    def _fit_confidence(
        self, linear: BaseEstimator, folds: int, columns: Sequence[int] | None, shift: float
    ) -> Confidence | None:
        """Calibrate the distance of each row to a plane fitted without it."""
        folds = min(folds, int(np.bincount(self.codes, minlength=2).min()))
        if folds < 2:
            return None
        distance, answers = np.zeros(len(self.codes)), np.zeros(len(self.codes), dtype=np.intp)
        splitter = StratifiedKFold(folds, shuffle=True, random_state=SEED)
        for inside, outside in splitter.split(self.rows, self.codes):
            weight = None if self.weight is None else self.weight[inside]
            rows = self.frame.iloc[inside], self.y[inside], self.codes[inside]
            part = CompleteRows(self.design, *rows, weight, self.names, self.key)
            _, w, gamma = part.plane(linear, columns)
            values = plane_values(self.rows[outside], w) - (gamma + shift)
            distance[outside] = unit_distances(values, w, np.ptp(part.rows, axis=0))
            answers[outside] = values > 0
        return fit_confidence(distance, answers, answers == self.codes)


def off_the_rows(values: Floats, gamma: float) -> float:
    """Move a plane that training rows lie on half-way to the next row above it; values (n,)."""
    # Boxes are closed on either side, so rounding would decide the class of rows on the plane.
    above = values - gamma
    size = float(np.abs(values).max(initial=0.0))
    if not size or not (np.abs(above) <= ON_PLANE * size).any():
        return gamma
    return gamma + 0.5 * float(above[above > ON_PLANE * size].min(initial=size))


def fit_linear(
    linear: BaseEstimator, frame: pd.DataFrame, y: NDArray[Any], weight: Floats | None
) -> Any:
    """Fit a copy of a linear classifier, or of a pipeline that ends in one."""
    fitted = clone(linear)
    if weight is None:
        return fitted.fit(frame, y)
    step, last = fitted.steps[-1] if isinstance(fitted, Pipeline) else ("", fitted)
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"`linear` must take `sample_weight` where rows or classes have weights; "
            f"{type(last).__name__} does not. Leave the weights out, or take another classifier."
        )
    return fitted.fit(frame, y, **{f"{step}__sample_weight" if step else "sample_weight": weight})


def plane_of(fitted: Any, frame: pd.DataFrame) -> tuple[Floats, float]:
    """Read the plane of a fitted classifier: class 1 is where ``w'x > gamma``."""
    model = getattr(fitted, "best_estimator_", fitted)
    before: Any = model[:-1] if isinstance(model, Pipeline) else ()
    last = model[-1] if isinstance(model, Pipeline) else model
    coef, intercept = getattr(last, "coef_", None), getattr(last, "intercept_", None)
    if coef is None or intercept is None:
        raise ValueError(
            "`linear` must be a linear classifier: after `fit` it needs `coef_` and `intercept_`; "
            f"{type(last).__name__} has none. Take LogisticRegression, LinearSVC or LPSVM."
        )
    coef = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, dtype=float)
    if coef.ndim == 2 and coef.shape[0] != 1:
        raise ValueError(
            f"`linear` must have one plane, for two classes; its `coef_` has {coef.shape[0]}."
        )
    coef = coef.reshape(-1)
    intercept = float(np.asarray(intercept, dtype=float).reshape(-1)[0])
    rows = frame.to_numpy(dtype=float)
    if not len(before):
        return coef, -intercept

    def transform(rows: Floats) -> Floats:
        """Transform rows by the steps before the classifier, shape (m, q)."""
        result = before.transform(pd.DataFrame(rows, columns=frame.columns))
        return np.asarray(result.toarray() if hasattr(result, "toarray") else result, dtype=float)

    centre, step = rows.mean(axis=0), rows.std(axis=0)
    step[~(step > 0)] = 1.0
    probes = transform(np.vstack([centre, centre + np.diag(step)]))
    values = plane_values(probes, coef) + intercept
    w = (values[1:] - values[0]) / step
    w[(probes[1:, coef != 0] == probes[0, coef != 0]).all(axis=1)] = 0.0  # exactly
    gamma = float((w * centre).sum() - values[0])
    wanted = plane_values(transform(rows), coef) + intercept
    tolerance = AFFINE * max(1.0, np.abs(wanted).max())
    if not np.allclose(plane_values(rows, w) - gamma, wanted, rtol=0.0, atol=tolerance):
        raise ValueError(
            "The steps before the linear classifier must be affine, like scalers and selectors. "
            "Remove the step that is not affine."
        )
    return w, gamma


def box_clause(plane: Plane, half: HalfSpace, lower: Floats, upper: Floats) -> Clause:
    """Convert ``lower < v <= upper`` in oriented coordinates to literals."""
    numbers = [plane.design.numbers[column] for column in half.columns.tolist()]
    low, high = half.open_faces(lower, upper)
    sides = zip(numbers, half.signs.tolist(), low.tolist(), high.tolist(), strict=True)
    clause = Clause(tuple(c for number, *side in sides for c in number.literals(*side)))
    shorter = simplify_clause(clause)  # levels of one column: "not red" adds nothing to "blue"
    return clause if shorter is None else shorter


def plane_condition(plane: Plane, *, above: bool) -> LinearSplit:
    """Convert one side of a hyperplane to a condition."""
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


@dataclass(frozen=True, eq=False)
class Placed:
    """A plane in one place, one of its sides, and the boxes that cover it."""

    columns: tuple[int, ...]
    bound: float
    code: int
    V: Floats  # (m, n)
    worth: Floats  # (m,)
    boxes: PlaneBoxes

    @property
    def n_faces(self) -> int:
        """Count the faces within the table's range, which become conditions."""
        faces = self.boxes.half.open_faces(self.boxes.lower, self.boxes.upper)
        return int(np.isfinite(faces).sum())


class ShortBoxes:
    """Planes of `size` columns in several places, compared by the rule of their boxes."""

    def __init__(
        self,
        rows: CompleteRows,
        linear: BaseEstimator,
        size: int,
        measure: tuple[str, int],  # criterion and greatest depth of boxes
        least: int,  # rows of a box
        sides: tuple[int, ...],  # codes of the classes that may be described
        by_plane: bool,  # whether the plane decides outside the boxes
    ) -> None:
        self.rows, self.linear, self.least, self.by_plane = rows, linear, least, by_plane
        self.criterion, self.max_depth = measure
        weight = np.ones(len(rows.codes)) if rows.weight is None else rows.weight
        self.signed = np.where(rows.codes == 1, weight, -weight)
        some = draw_rows(np.arange(len(weight)), rows.codes, ROWS)
        sets = column_sets(standardise(rows.rows[some]), self.signed[some], size)
        self.learned = {columns: rows.plane(linear, columns) for columns in sets}
        self.candidates = [
            self._cut(columns, bound, code, some)
            for columns, (_, w, _) in self.learned.items()
            if w.any()
            for bound in places(plane_values(rows.rows, w), self.signed)
            for code in sides
        ]

    def _cut(
        self, columns: tuple[int, ...], bound: float, code: int, some: NDArray[np.intp]
    ) -> Placed:
        """Cover one side of a plane by boxes, on some of the rows."""
        rows, w = self.rows.rows, self.learned[columns][1]
        half = HalfSpace.from_plane(w, bound, rows.min(axis=0), rows.max(axis=0), above=code == 1)
        V, right = half.orient(rows[some]), self.rows.codes[some] == code
        boxes = extract_boxes(half, V[right], criterion=self.criterion, max_depth=self.max_depth)
        worth = self.signed[some] if code == 1 else -self.signed[some]
        return Placed(columns, bound, code, V, worth, boxes)

    def _limit_boxes(self, placed: Placed, most: int | None) -> Placed:
        """Keep at most `most` boxes, with few faces."""
        kept = placed.boxes.drop_small(self.least)
        return replace(placed, boxes=few_boxes(kept, placed.V, placed.worth, most))

    def best(self, most: int | None) -> Placed | None:
        """Select the rule of at most `most` boxes with fewest wrong rows, then fewest faces."""
        limited = [self._limit_boxes(placed, most) for placed in self.candidates]
        limited = [placed for placed in limited if len(placed.boxes)]
        ranks = []
        for each in limited:
            inside = each.boxes.half.contains(each.V)
            if not self.by_plane:
                inside = np.asarray(each.boxes.members(each.V).any(axis=1))
            missed = each.worth[each.worth > 0].sum() - each.worth[inside].sum()
            ranks.append((round(float(missed), SAME), each.n_faces))
        if not ranks:
            return None
        best = limited[min(range(len(ranks)), key=lambda k: (*ranks[k], k))]
        if len(best.V) == len(self.rows.codes):
            return best
        every = np.arange(len(self.rows.codes))
        return self._limit_boxes(self._cut(best.columns, best.bound, best.code, every), most)

    def plane(self, placed: Placed | None, folds: int) -> Plane:
        """Make the plane of a selection; without one, a plane that no box was cut from."""
        columns = next(iter(self.learned)) if placed is None else placed.columns
        bound = None if placed is None else placed.bound
        return self.rows.calibrate(self.linear, self.learned[columns], folds, columns, bound)
