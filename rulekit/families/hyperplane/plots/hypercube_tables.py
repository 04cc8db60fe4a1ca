"""Data frames and sentences for the figures of a hyperplane and its boxes."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.families.hyperplane.clauses import face_literals
from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.numeric_design import as_numbers
from rulekit.families.hyperplane.plots.hypercubes import Projection
from rulekit.families.hyperplane.solver.half_space import HalfSpace
from rulekit.rules import LinearSplit
from rulekit.style.phrases import Wording, condition_text, listed, number

ANY = "any value"
Floats = NDArray[np.float64]


def has_one_plane(model: Any) -> bool:
    """Return whether a model has one hyperplane that reads columns."""
    plane = model.plane_ if isinstance(model, HyperplaneRuleClassifier) else None
    return plane is not None and bool(plane.w.any())


def side_of(model: HyperplaneRuleClassifier, label: Any) -> HalfSpace:
    """Return the side of the hyperplane of a class."""
    half: HalfSpace = model.plane_.half(list(model.boxes_).index(label))
    return half


def numbers_of(model: HyperplaneRuleClassifier, X: pd.DataFrame) -> Floats:
    """Return the hyperplane's input for some rows, shape (n, p), NaN for missing values."""
    return as_numbers(model.plane_.design.frame(model.read_columns(X)))


def number_names(model: HyperplaneRuleClassifier, wording: Wording) -> list[str]:
    """Return the names of the hyperplane's inputs, in the order of its weights."""
    used = np.flatnonzero(model.plane_.w).tolist()
    found = []
    for j in used:
        number = model.plane_.design.numbers[j]
        tail = number.name[len(number.feature) :]
        found.append(f"{wording.name(number.feature)}{tail}")
    return found


def plane_words(model: HyperplaneRuleClassifier, wording: Wording) -> str:
    """Return the described class's side of the hyperplane as one line, with six digits."""
    above = list(model.boxes_).index(model.positive_label_) == 1
    terms = zip(number_names(model, wording), model.plane_.w[model.plane_.w != 0], strict=True)
    split = LinearSplit(tuple((n, float(w)) for n, w in terms), ">", model.plane_.gamma)
    text = split.sum_text(lambda name: f"[{name}]" if " = " in name else name, number)
    return f"{text} {'>' if above else '<='} {number(model.plane_.gamma)}"


def intervals(
    model: HyperplaneRuleClassifier,
    label: Any,
    faces: tuple[Floats, Floats],
    case: Floats,
    wording: Wording,
) -> pd.DataFrame:
    """Describe a box column by column, as `rulekit.plots.interval_figure` takes it.

    Shapes: faces (k,), case (k,).
    """
    half, (lower, upper) = side_of(model, label), faces
    low, high = np.maximum(lower, half.low), np.minimum(upper, half.high)
    face_low = np.where(lower < half.low, -np.inf, lower)
    face_high = np.where(upper >= half.high, np.inf, upper)
    up = half.signs > 0
    words = []
    for i, column in enumerate(half.columns.tolist()):
        number = model.plane_.design.numbers[column]
        literals = face_literals(number, float(half.signs[i]), face_low[i], face_high[i])
        words.append(listed(condition_text(c, wording) for c in literals) or ANY)
    v = case * half.signs
    return pd.DataFrame(
        {
            "name": number_names(model, wording),
            "low": np.where(up, half.low, -half.high),
            "high": np.where(up, half.high, -half.low),
            "start": np.where(up, low, -high),
            "stop": np.where(up, high, -low),
            "value": case,
            "words": words,
            "limits": np.isfinite(face_low) | np.isfinite(face_high),
            "met": (face_low < v) & (v <= face_high),
        }
    )


def projection(
    model: HyperplaneRuleClassifier,
    label: Any,
    chosen: int,
    axes: tuple[int, int],
    case: Floats,
    names: list[str],
) -> Projection:
    """Describe boxes, rows and the hyperplane in two columns.

    Shapes: case (k,).
    """
    half, boxes, plane = side_of(model, label), model.boxes_[label], model.plane_
    a, b = axes
    rows = plane.rows[:, half.columns]
    V = half.oriented(plane.rows)
    lower, upper = boxes.lower[chosen], boxes.upper[chosen]
    limits = (lower >= half.low) | (upper < half.high)
    inside = ((lower < V) | (lower < half.low)) & ((upper >= V) | (upper >= half.high))
    others = np.ones(half.n_features, dtype=bool)
    others[[a, b]] = False
    counted = others & limits
    code = list(model.boxes_).index(label)
    points = pd.DataFrame(
        {
            "x": rows[:, a],
            "y": rows[:, b],
            "described": plane.codes == code,
            "others": inside[:, counted].sum(axis=1),
        }
    )
    low, high = np.maximum(boxes.lower, half.low), np.minimum(boxes.upper, half.high)
    corners = {}
    for axis, name in ((a, "x"), (b, "y")):
        up = half.signs[axis] > 0
        corners[f"{name}0"] = low[:, axis] if up else -high[:, axis]
        corners[f"{name}1"] = high[:, axis] if up else -low[:, axis]
    return Projection(
        names[a],
        names[b],
        points,
        pd.DataFrame(corners),
        chosen,
        int(counted.sum()),
        _trace(plane.w[half.columns], plane.gamma, rows, (a, b), case),
        (float(case[a]), float(case[b])),
    )


def _trace(
    w: Floats, gamma: float, rows: Floats, axes: tuple[int, int], case: Floats
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Intersect the hyperplane with the case's other values; None where it misses the range."""
    a, b = axes
    rest = [j for j in range(len(w)) if j not in axes]
    level = gamma - float(w[rest] @ case[rest])
    low, high = rows.min(axis=0), rows.max(axis=0)
    found = set()
    for one, other in ((a, b), (b, a)):
        for end in (low[one], high[one]):
            there = (level - w[one] * end) / w[other]
            if low[other] <= there <= high[other]:
                point = (float(end), float(there))
                found.add(point if one == a else point[::-1])
    ends = sorted(found)
    return (ends[0], ends[-1]) if len(ends) > 1 else None


def others_words(table: pd.DataFrame, axes: tuple[int, int]) -> str:
    """Return which of a box's conditions on other columns a case meets."""
    others = table.drop(index=list(axes))
    others = others[others["limits"]]
    if others.empty:
        return "The box has no condition on other columns."
    met = int(others["met"].sum())
    if len(others) == 1:
        does = "meets" if met else "does not meet"
        return f"The case {does} the box's other condition, {others['words'].iloc[0]}."
    words = f"The case meets {met} of the {len(others)} conditions on other columns"
    failing = [str(w) for w in others["words"][~others["met"]]]
    return f"{words}; not met: {listed(failing)}." if failing else f"{words}."


def curves(model: HyperplaneRuleClassifier) -> tuple[dict[str, list[int]], dict[str, int]]:
    """Return the coverage curve of each class, the described one first, and its rows."""
    labels = sorted(model.boxes_, key=lambda label: label != model.positive_label_)
    counts = {str(label): model.boxes_[label].n_points.tolist() for label in labels}
    totals = {str(label): model.boxes_[label].n_total for label in labels}
    return counts, totals


def coverage_table(model: HyperplaneRuleClassifier) -> pd.DataFrame:
    """Return one row per number of boxes, with the rows covered of each class."""
    counts, totals = curves(model)
    longest = max((len(c) for c in counts.values()), default=0)
    table = pd.DataFrame({"boxes": range(1, longest + 1)})
    for name, rows in counts.items():
        shares = np.cumsum(rows) / max(totals[name], 1)
        more = [None] * (longest - len(rows))
        table[f"rows in it, {name}"] = pd.array([*rows, *more], dtype="Int64")
        table[f"covered, {name}"] = [*(100 * shares), *more]
    return table
