"""The state of a box search by NumPy: the clauses, what they violate, and what they cost."""

import numpy as np

from rulekit.search.box_search.problem import Bools, Boxes, BoxRows, Ints

FAR = (
    1 << 30
)  # more violations than any clause can have: the distance to a clause that is not there


class BoxState:
    """Clauses under change, with the violations of every row kept up to date.

    Parameters
    ----------
    problem : BoxRows
        The data.
    boxes : Boxes
        The clauses to start from; copied.

    Notes
    -----
    Attribute `size` (k, p) counts the literals by clause and feature. Changing one feature costs
    O(n). See `problem` for the symbols.
    """

    def __init__(self, problem: BoxRows, boxes: Boxes) -> None:
        self.problem = problem
        self.low, self.high = boxes.low.copy(), boxes.high.copy()
        self.absent = boxes.absent.copy()
        self.violated = list(boxes.violations(problem.codes, problem.n_bins))
        self.size: Ints = boxes.literals(problem.n_bins, problem.has_missing)
        counts = [v.sum(axis=1) for v in self.violated]
        self.v: Ints = np.array(counts, np.int64).reshape(len(counts), problem.n_rows)

    @property
    def n_clauses(self) -> int:
        """Number of clauses."""
        return len(self.low)

    @property
    def boxes(self) -> Boxes:
        """The clauses as they are now, copied."""
        return Boxes(self.low.copy(), self.high.copy(), self.absent.copy())

    def key(self) -> bytes:
        """Return a key of the clauses: equal exactly for equal clauses in equal order."""
        return b"".join(part.tobytes() for part in (self.low, self.high, self.absent))

    def n_conditions(self) -> int:
        """Count all literals."""
        return int(self.size.sum())

    def set_feature(self, r: int, f: int, low: int, high: int, absent: bool) -> None:
        """Set the interval ``[low, high]`` of clause `r` on feature `f`."""
        code = self.problem.codes[:, f]
        inside = (code >= low) & (code <= high)
        violated = ~np.where(code == self.problem.n_bins[f], absent, inside)
        self.v[r] += violated
        self.v[r] -= self.violated[r][:, f]
        self.violated[r][:, f] = violated
        self.low[r, f], self.high[r, f], self.absent[r, f] = low, high, absent
        self.size[r, f] = self._literals_of(f, low, high, absent)

    def _literals_of(self, f: int, low: int, high: int, absent: bool) -> int:
        """Count the literals of one interval, as `Boxes.literals` does for all."""
        if low > high:
            return 1
        ends = int(low > 0) + int(high < self.problem.n_bins[f] - 1)
        return ends or int(not absent and bool(self.problem.has_missing[f]))

    def clear_feature(self, r: int, f: int) -> None:
        """Drop the literals of clause `r` on feature `f`."""
        self.set_feature(r, f, 0, int(self.problem.n_bins[f]) - 1, True)

    def add_clause(self) -> int:
        """Append a clause without literals, which holds everywhere, and return its index."""
        problem = self.problem
        p, n = problem.n_features, problem.n_rows
        self.low = np.vstack([self.low, np.zeros((1, p), np.int64)])
        self.high = np.vstack([self.high, problem.n_bins[None] - 1])
        self.absent = np.vstack([self.absent, np.ones((1, p), bool)])
        self.size = np.vstack([self.size, np.zeros((1, p), np.int64)])
        self.violated.append(np.zeros((n, p), bool))
        self.v = np.vstack([self.v, np.zeros((1, n), np.int64)])
        return self.n_clauses - 1

    def drop_clause(self, r: int) -> None:
        """Remove clause `r`."""
        self.low, self.high = np.delete(self.low, r, 0), np.delete(self.high, r, 0)
        self.absent, self.v = np.delete(self.absent, r, 0), np.delete(self.v, r, 0)
        self.size = np.delete(self.size, r, 0)
        self.violated.pop(r)

    def others(self, r: int) -> tuple[Ints, Ints]:
        """Return, over the clauses but `r`, the fewest violations of each row and how many hold."""
        n = self.problem.n_rows
        if self.n_clauses == 1:
            return np.full(n, FAR), np.zeros(n, np.int64)
        rest = np.delete(self.v, r, 0)
        return rest.min(axis=0), (rest == 0).sum(axis=0)

    def loss(self) -> float:
        """Price of all wrong rows, without the price of the literals.

        A row of the described class costs 0 where a clause holds, else ``1 + miss * (m - 1)`` with
        `m` its fewest violations. A row of the other class costs 0 where none holds, else ``1 +
        overlap * (c - 1)`` with `c` the clauses that hold; plus `near` for each clause that one
        feature keeps from it.
        """
        return loss_of_violations(self.problem, self.v)


def loss_of_violations(problem: BoxRows, v: Ints) -> float:
    """Price all wrong rows from the violations ``v`` of shape (k, n); see `BoxState.loss`."""
    charges, y = problem.charges, problem.y
    if not len(v):
        return float(charges.base[y].sum())
    nearest, holding = v.min(axis=0), (v == 0).sum(axis=0)
    wrong: Bools = np.where(y, nearest > 0, holding > 0)
    more = np.where(y, nearest, holding) - 1
    loss = float((charges.base + charges.extra * more)[wrong].sum())
    if problem.prices.near:
        loss += float((charges.near * (v == 1).sum(axis=0)).sum())
    return loss
