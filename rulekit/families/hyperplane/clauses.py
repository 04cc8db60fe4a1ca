"""Boxes and hyperplanes as clauses of literals of the table's columns."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.families.hyperplane.numeric_design import Number
from rulekit.families.hyperplane.plane_work import Plane
from rulekit.families.hyperplane.solver.half_space import HalfSpace
from rulekit.families.hyperplane.solver.hypercubes import Boxes
from rulekit.rules import Clause, LinearSplit, Literal
from rulekit.rules.analysis.simplify import simplify_clause


def box_clauses(plane: Plane, boxes: Boxes) -> Iterator[Clause]:
    """Convert each box to an AND of literals; see `box_clause`."""
    for lower, upper in zip(boxes.lower, boxes.upper, strict=True):
        yield box_clause(plane, boxes.half, lower, upper)


def box_clause(
    plane: Plane, half: HalfSpace, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Clause:
    """Convert ``lower < v <= upper`` in oriented coordinates to literals.

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
    """Convert ``low < v <= high`` of one coordinate to literals; infinite ends give none."""
    return number.literals(low, high) if sign > 0 else number.mirrored_literals(-high, -low)


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
