"""The literals of a binned table as a Boolean matrix, for searches that know no boxes."""

from dataclasses import dataclass

import numpy as np

from rulekit.search.box_search import Bools, Boxes, BoxProblem, Ints


@dataclass(frozen=True, slots=True)
class HalfLines:
    """The literals of a binned table as a matrix, for searches that know no boxes.

    Shapes: holds (n, d), slots (d,).
    """

    holds: Bools
    slots: Ints
    limits: tuple[tuple[int, int, int, bool], ...]

    def box(self, problem: BoxProblem, chosen: tuple[int, ...]) -> Boxes:
        """Return the clause that joins the chosen literals by AND."""
        low = np.zeros((1, problem.n_features), np.int64)
        high = problem.n_bins[None] - 1
        absent = np.ones((1, problem.n_features), bool)
        for f, first, last, accepts in (self.limits[j] for j in chosen):
            low[0, f], high[0, f] = max(low[0, f], first), min(high[0, f], last)
            absent[0, f] &= accepts
        return Boxes(low, high, absent)


def half_lines(problem: BoxProblem) -> HalfLines:
    """List every literal a box of the problem may use."""
    limits: list[tuple[int, int, int, bool]] = []
    slots: list[int] = []
    for f in range(problem.n_features):
        last, lacks = int(problem.n_bins[f]) - 1, bool(problem.has_missing[f])
        accepts = (True, False) if lacks else (True,)
        starts = [c for c in range(1, last + 1) if np.asarray(problem.may_start)[f, c]]
        ends = [c for c in range(last) if np.asarray(problem.may_end)[f, c]]
        for variant, a in enumerate(accepts):
            limits += [(f, c, last, a) for c in starts] + [(f, 0, c, a) for c in ends]
            slots += [4 * f + variant] * len(starts) + [4 * f + 2 + variant] * len(ends)
        if lacks and np.asarray(problem.may_test_missing)[f]:
            limits += [(f, 0, last, False), (f, 1, 0, True)]
            slots += [4 * problem.n_features + 2 * f, 4 * problem.n_features + 2 * f + 1]
    holds = np.zeros((problem.n_rows, len(limits)), bool)
    for j, (f, low, high, absent) in enumerate(limits):
        code = problem.codes[:, f]
        inside = (code >= low) & (code <= high)
        holds[:, j] = np.where(code == problem.n_bins[f], absent, inside)
    return HalfLines(holds, np.array(slots, np.int64), tuple(limits))
