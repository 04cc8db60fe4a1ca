"""A pool of generated clauses, and the choice of a rule among them.

See `rulekit.solvers.column_generation` for the problem and its symbols.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from rulekit.solvers.box_problem import Bools, Boxes, BoxProblem, Floats

GAIN = 1e-9


class ClausePool:
    """Clauses with what they hold for and what they cost.

    Parameters
    ----------
    problem : BoxProblem
        The data.
    clause_price, literal_price : float
        In the unit of the row weights.

    Attributes
    ----------
    held : ndarray of bool, shape (len(pool), rows of the described class)
    cost : ndarray of float, shape (len(pool),)
    """

    def __init__(self, problem: BoxProblem, clause_price: float, literal_price: float) -> None:
        self.problem, self.clause_price, self.literal_price = (
            problem,
            clause_price,
            literal_price,
        )
        weight = np.asarray(problem.weight)
        self.described_weight: Floats = weight[problem.y]
        self._other_weight: Floats = weight[~problem.y]
        self._boxes: list[Boxes] = []
        self._cheapest: dict[bytes, int] = {}
        self.held: Bools = np.zeros((0, int(problem.y.sum())), bool)
        self.cost: Floats = np.zeros(0)

    def __len__(self) -> int:
        return len(self._boxes)

    def add(self, clauses: Iterable[Boxes]) -> int:
        """Add clauses; of those that hold for the same rows only the cheapest is kept.

        Returns
        -------
        int
            How many were new or cheaper.
        """
        added = 0
        for clause in clauses:
            fired = clause.fired(self.problem.codes, self.problem.n_bins)[:, 0]
            held, wrong = fired[self.problem.y], fired[~self.problem.y]
            literals = clause.literals(self.problem.n_bins, self.problem.has_missing).sum()
            cost = float(self._other_weight[wrong].sum()) + self.clause_price
            cost += self.literal_price * float(literals)
            added += self._keep(clause, held, cost)
        return added

    def _keep(self, clause: Boxes, held: Bools, cost: float) -> bool:
        key = np.packbits(held).tobytes()
        known = self._cheapest.get(key)
        if known is not None:
            if cost >= self.cost[known] - GAIN:
                return False
            self.cost[known], self._boxes[known] = cost, clause
            return True
        self._cheapest[key] = len(self._boxes)
        self._boxes.append(clause)
        self.held = np.vstack([self.held, held[None]])
        self.cost = np.append(self.cost, cost)
        return True

    def boxes_of(self, chosen: Sequence[int]) -> Boxes:
        """Return the clauses `chosen` as one rule."""
        p = self.problem.n_features
        picked = [self._boxes[k] for k in chosen]
        low = np.vstack([b.low for b in picked] or [np.zeros((0, p), np.int64)])
        high = np.vstack([b.high for b in picked] or [np.zeros((0, p), np.int64)])
        absent = np.vstack([b.absent for b in picked] or [np.zeros((0, p), bool)])
        return Boxes(low, high, absent)

    def objective(self, chosen: Sequence[int]) -> float:
        """Priced Hamming loss of the rule made of the clauses `chosen`."""
        missed = ~self.held[list(chosen)].any(axis=0)
        return float(self.described_weight[missed].sum() + self.cost[list(chosen)].sum())


def choose_clauses(pool: ClausePool, z: Floats) -> list[int]:
    """Choose clauses by local search: add, remove and swap from the rounded linear program.

    Parameters
    ----------
    pool : ClausePool
        The clauses.
    z : ndarray of float, shape (len(pool),)
        Solution of the linear program; the search starts once from the clauses above one half, once
        from nothing, and keeps the better end. Ties go to the lower index.

    Returns
    -------
    list of int
        Sorted.
    """
    starts = [
        [int(k) for k in np.flatnonzero(z > 0.5)],
        [int(k) for k in np.flatnonzero(z > 0.2)],
        [],
    ]
    ends = [_descend(pool, start) for start in starts]
    return min(ends, key=pool.objective)


def _descend(pool: ClausePool, start: list[int]) -> list[int]:
    """Take the best single addition, removal or swap until none lowers the objective."""
    chosen = list(start)
    objective = pool.objective(chosen)
    while True:
        best, after = objective - GAIN, None
        for removed in (None, *chosen):
            kept = [k for k in chosen if k != removed]
            base = pool.objective(kept)
            if removed is not None and base < best:
                best, after = base, kept
            added, value = _best_addition(pool, kept, base)
            if value < best:
                best, after = value, sorted([*kept, added])
        if after is None:
            return sorted(chosen)
        chosen, objective = after, best


def _best_addition(pool: ClausePool, kept: list[int], base: float) -> tuple[int, float]:
    """Find the clause whose addition to `kept` costs least; -1 and infinity for an empty pool."""
    if not len(pool):
        return -1, np.inf
    missed = ~pool.held[kept].any(axis=0)
    saved = pool.held[:, missed] @ pool.described_weight[missed]
    values = base + pool.cost - saved
    values[kept] = np.inf
    k = int(values.argmin())
    return k, float(values[k])
