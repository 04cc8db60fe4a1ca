"""From a table's cells to the problem of points, and from its cards to conditions with points."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable, Conditions
from rulekit.exceptions import RuleError
from rulekit.families.scorecard.solver.search import (
    FINITE,
    SMOOTHED,
    Card,
    PointsPath,
    PointsProblem,
    class_masses,
)
from rulekit.rules import Columns, Constraints, Literal

MAX_POINTS = 5  # of one condition
#: How a candidate is written if its points are for the described class, and if against it.
Written = tuple[tuple[Literal, bool] | None, tuple[Literal, bool] | None]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Conditions that may be given points."""

    problem: PointsProblem
    written: tuple[Written, ...]
    key: tuple[Any, ...] = ()

    @cached_property
    def path(self) -> PointsPath:
        """The search for cards of all sizes."""
        return PointsPath(self.problem)

    def write_card(self, card: Card) -> tuple[tuple[tuple[Literal, int], ...], int]:
        """Write a card: literals with points, most points first, and what its totals grow by."""
        given, shift = [], 0
        for j, points in zip(card.chosen, card.points, strict=True):
            side = self.written[j][points <= 0]
            assert side is not None, "the limits of a candidate follow from how it is written"
            literal, turned = side
            given.append((literal, -points if turned else points))
            shift -= points if turned else 0
        return tuple(sorted(given, key=lambda g: (-abs(g[1]), g[0].sort_key))), shift


def candidates(
    bins: BinnedTable,
    columns: Columns,
    described: NDArray[np.bool_],
    weight: NDArray[np.float64],
    constraints: Constraints,
    key: tuple[Any, ...] = (),
) -> Candidates:
    """List the conditions that may be given points, those that are required among them."""
    literals = [required for required in constraints.required if not isinstance(required, str)]
    source, spans = [], []
    written: list[Written] = []
    for f, encoding in enumerate(bins.encodings):
        for one, other, span in _pairs(encoding.conditions(), encoding.find_cells()):
            if one in literals or other in literals:
                continue
            sides = _side(one, other, constraints), _side(other, one, constraints, True)
            if any(sides):
                source.append(f)
                spans.append(span)
                written.append(sides)
    codes = [bins.codes.T.astype(np.int32)]
    for f, literal in enumerate(literals, start=len(bins.encodings)):
        held = literal.mask(columns)
        if held.all() or not held.any():
            where = "every row" if held.all() else "no row"
            raise RuleError(
                f"Condition {str(literal)!r} is required, but holds in {where} of the training "
                "table, so points for it would separate no rows. Remove the requirement."
            )
        codes.append(held.astype(np.int32)[None])
        source.append(f)
        spans.append([1, 2, 0, 0])
        free = literal.feature not in dict(constraints.directions)
        written.append(((literal, False), (literal, False) if free else None))
    granted = []  # the candidates that meet each requirement: single literals first, then columns
    for required in sorted(constraints.required, key=lambda required: isinstance(required, str)):
        granting = frozenset(
            j
            for j, both in enumerate(written)
            for side in both
            if side and required in (side[0], side[0].feature)
        )
        if not granting:
            raise RuleError(
                f"Column {required!r} is required in the rule, but gives no condition that may be "
                "used: it is constant, or all its conditions are forbidden. Remove the requirement."
            )
        granted.append(granting)
    limits = [[-MAX_POINTS if low else 0, MAX_POINTS if high else 0] for high, low in written]
    problem = PointsProblem(
        np.ascontiguousarray(np.concatenate(codes)),
        np.concatenate([bins.n_codes, np.full(len(literals), 2)]).astype(np.int64),
        np.array(source, dtype=np.int64),
        np.array(spans, dtype=np.int64).reshape(-1, 4),
        np.array(limits, dtype=np.int64).reshape(-1, 2),
        class_masses(described, weight, SMOOTHED),
        class_masses(described, weight, FINITE),
        tuple(granted),
    )
    return Candidates(problem, tuple(written), key)


def _side(
    one: Literal | None, other: Literal | None, constraints: Constraints, turned: bool = False
) -> tuple[Literal, bool] | None:
    """Return how to give points to rows where `one` holds and `other` does not, if allowed."""
    if one is not None and constraints.allows(one):
        return one, turned
    free = replace(constraints, directions=(), required=())
    way = Constraints(directions=constraints.directions)
    if other is not None and free.allows(other) and way.allows(one or other.negate()):
        return other, not turned
    return None


def _pairs(
    conditions: Conditions, seen: NDArray[np.bool_]
) -> Iterator[tuple[Literal, Literal | None, list[int]]]:
    """Yield each condition with the one that holds in the other bins of the training rows."""
    position = np.concatenate([[0], np.cumsum(seen)])
    n_cells, spans = int(position[-1]), conditions.runs
    where: dict[tuple[int, ...], int] = {}
    for i in sorted(range(len(conditions)), key=lambda i: (-int(conditions.side[i]), i)):
        span = position[spans[i]].tolist()
        runs = sorted(run for run in (span[:2], span[2:]) if run[0] < run[1])
        if len(runs) == 2 and runs[0][1] == runs[1][0]:
            runs = [[runs[0][0], runs[1][1]]]
        where.setdefault(tuple(edge for run in runs for edge in run), i)  # begins and ends
    done: set[tuple[int, ...]] = set()
    for edges, i in where.items():
        others = tuple(sorted({0, n_cells} ^ set(edges)))  # the cells that are left out
        if edges not in done and edges not in ((), (0, n_cells)):
            done |= {edges, others}
            k = where.get(others)
            other = None if k is None else conditions.literals[k]
            yield conditions.literals[i], other, spans[i].tolist()
