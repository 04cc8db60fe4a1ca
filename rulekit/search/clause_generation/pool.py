"""A pool of generated clauses: what they hold for and what they cost.

See `column_generation` for the problem and its symbols.
"""

from collections.abc import Sequence

import numpy as np

from rulekit.search.box_search import Bools, Boxes, BoxProblem, Floats, Ints
from rulekit.search.clause_generation.pricing import joined
from rulekit.search.sums import addable

GAIN = 1e-9


class ClausePool:
    """Clauses with what they hold for and what they cost.

    Shapes: held (len(pool), cost (len(pool).
    """

    def __init__(self, problem: BoxProblem, clause_price: float, literal_price: float) -> None:
        self.problem = problem
        self.clause_price, self.literal_price = clause_price, literal_price
        weight = np.asarray(problem.weight)
        self.described_weight: Floats = weight[problem.y]
        self._other_weight: Floats = weight[~problem.y]
        self._place: dict[bytes, int] = {}
        self._boxes: list[tuple[Ints, Boxes]] = []  # each on the features that it restricts
        self.held: Bools = np.zeros((0, int(problem.y.sum())), bool)
        self.cost: Floats = np.zeros(0)

    def __len__(self) -> int:
        return len(self.cost)

    def add(self, clauses: Boxes) -> int:
        """Add clauses; of those that hold for the same rows only the cheapest is kept."""
        fired = _fired(clauses, self.problem)
        held = fired[:, self.problem.y]
        literals = clauses.literals(self.problem.n_bins, self.problem.has_missing)
        cost = fired[:, ~self.problem.y] @ self._other_weight + self.clause_price
        cost = cost + self.literal_price * literals.sum(axis=1)
        restricted = [np.flatnonzero(row) for row in literals]
        boxes = [(f, clauses.of_clauses([k]).of_features(f)) for k, f in enumerate(restricted)]
        new: list[int] = []
        added, known = 0, len(self)
        packed = np.packbits(held, axis=1)
        for k in range(clauses.n_clauses):
            key = packed[k].tobytes()
            place = self._place.get(key)
            if place is None:
                self._place[key] = known + len(new)
                new.append(k)
                added += 1
            elif place >= known:  # new in this call
                if cost[k] < cost[new[place - known]] - GAIN:
                    new[place - known] = k
            elif cost[k] < self.cost[place] - GAIN:
                self.cost[place], self._boxes[place] = cost[k], boxes[k]
                added += 1
        self.held = np.vstack([self.held, held[new]])
        self.cost = np.concatenate([self.cost, cost[new]])
        self._boxes += [boxes[k] for k in new]
        return added

    def boxes_of(self, chosen: Sequence[int]) -> Boxes:
        """Return the clauses `chosen` as one rule."""
        n_bins = self.problem.n_bins
        whole = [box.among(kept, n_bins) for kept, box in (self._boxes[k] for k in chosen)]
        return joined(whole, len(n_bins))

    def objective(self, chosen: Sequence[int]) -> float:
        """Priced Hamming loss of the rule made of the clauses `chosen`."""
        missed = ~self.held[list(chosen)].any(axis=0)
        return float(self.described_weight[missed].sum() + self.cost[list(chosen)].sum())

    def reduced_costs(self, mu: Floats) -> Floats:
        """Cost of each clause, less the dual prices of the rows that it holds for."""
        return np.asarray(self.cost - self.held @ addable(mu), dtype=float)


def _fired(clauses: Boxes, problem: BoxProblem) -> Bools:
    """Return for each clause and row whether the clause holds, from its literals only."""
    fired = np.ones((clauses.n_clauses, problem.n_rows), bool)
    restricted = clauses.literals(problem.n_bins, problem.has_missing) > 0
    for f in np.flatnonzero(restricted.any(axis=0)):
        ks = np.flatnonzero(restricted[:, f])
        code = problem.codes[:, f]
        inside = (code >= clauses.low[ks, f, None]) & (code <= clauses.high[ks, f, None])
        fired[ks] &= np.where(code == problem.n_bins[f], clauses.absent[ks, f, None], inside)
    return fired
