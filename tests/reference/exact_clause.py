"""The branch and bound of `exact_clause`, with rows as bits of integers."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rulekit.search.clause_generation.exact_clause import Bools, ClauseTask, ExactClause, Floats

BETTER = 1e-9
CLASSES = 8  # up to so many distinct weights, rows are counted weight by weight


def search_bits(task: ClauseTask) -> ExactClause:
    """Find the best clause; see `exact_clause.best_clause`."""
    search = _Search(task)
    d = len(task.slot)
    candidates = [
        _Candidate(
            int(task.slot[j]), _bits(task.P[:, j]), _bits(task.N[:, j]), _bits(task.step[:, j]), j
        )
        for j in range(d)
    ]
    search.visit((1 << len(task.P)) - 1, (1 << len(task.N)) - 1, candidates, [])
    upper = search.best if search.proved else max(search.best, search.upper)
    return ExactClause(search.chosen, search.best, search.proved, search.n_tests, upper)


class _Candidate(NamedTuple):
    slot: int
    P: int
    N: int
    step: int
    column: int


class _Own(NamedTuple):
    """What a chosen literal alone takes from N, and the literal."""

    rows: int
    literal: _Candidate


class _Search:
    """The state that all nodes share."""

    def __init__(self, task: ClauseTask) -> None:
        self.theta, self.limits = task.theta, task.limits
        self.best, self.upper = task.incumbent, float(task.weight_p.sum()) - task.theta
        self.chosen: tuple[int, ...] | None = None
        self.proved, self.n_tests = True, 0
        self.weigh_p, self.weigh_n = weigher(task.weight_p), weigher(task.weight_n)
        seconds = task.limits.seconds
        self.deadline = time.monotonic() + seconds if seconds else None

    def visit(
        self, P: int, N: int, candidates: list[_Candidate], own: list[_Own], above: float = 0.0
    ) -> None:
        """Search all clauses that add candidates to the literals `own`.

        `above` bounds what is left to search outside this node.
        """
        p, n = self.weigh_p(P), self.weigh_n(N)
        value = p - n - self.theta * len(own)
        if value > self.best + BETTER:
            self.best, self.chosen = value, tuple(o.literal.column for o in own)
        if n < self.theta or self._spent(len(candidates)):
            if not self.proved and own:
                self.upper = above
            return
        live = self._live(P, N, p, n, candidates, len(own))
        bounds = self._bounds(live, N, p, n, len(own))
        for k in range(len(live) - 1, -1, -1):
            if bounds[k] <= self.best + BETTER:
                continue
            chosen = live[k][2]
            shares = self._shares(N, own, chosen)
            if shares is None:
                continue
            smaller = [c for _, _, c in live[:k] if c.slot != chosen.slot]
            left = max(above, *bounds[: k + 1])
            self.visit(P & chosen.P, N & chosen.N, smaller, shares, left)
            if not self.proved:
                return

    def _live(
        self,
        P: int,
        N: int,
        p: float,
        n: float,
        candidates: list[_Candidate],
        size: int,
    ) -> list[tuple[float, float, _Candidate]]:
        """Keep the candidates that can pay here, with loss and gain, by rising loss."""
        floor = self.best + BETTER + self.theta * (size + 1)
        live = []
        for c in candidates:
            kept = self.weigh_p(P & c.P)
            if kept <= floor:
                continue
            gain = n - self.weigh_n(N & c.N)
            if gain >= self.theta:
                live.append((p - kept, gain, c))
        live.sort(key=lambda item: (item[0], item[2].column))
        return live

    def _bounds(
        self, live: list[tuple[float, float, _Candidate]], N: int, p: float, n: float, size: int
    ) -> list[float]:
        """Bound, for each k, the value of clauses whose literal of largest loss is ``live[k]``."""
        tops: dict[int, float] = {}  # the largest gain of each slot, by falling gain
        taken, bounds = 0, []
        for loss, gain, c in live:
            taken |= N & ~c.N
            others = [known for slot, known in tops.items() if slot != c.slot]
            most = self._most_net(gain, others, self.weigh_n(taken))
            bounds.append(p - loss - self.theta * size - n + most)
            if gain > tops.get(c.slot, 0.0):
                tops[c.slot] = gain
                tops = dict(sorted(tops.items(), key=lambda item: -item[1]))
        return bounds

    def _most_net(self, gain: float, others: list[float], taken: float) -> float:
        """Bound the gains, less prices, of a literal and others of smaller loss.

        All together take no more than `taken` from N, and no more than their gains add up to.
        """
        reach, size = gain, 1
        most = min(reach, taken) - self.theta
        for more in others:
            if reach >= taken:
                break
            reach, size = reach + more, size + 1
            net = min(reach, taken) - self.theta * size
            if net <= most:
                break
            most = net
        return most

    def _shares(self, N: int, own: list[_Own], chosen: _Candidate) -> list[_Own] | None:
        """Shrink what each literal alone takes; None when one no longer pays, or is too tight."""
        shares = [_Own(o.rows & chosen.N, o.literal) for o in own]
        shares.append(_Own(N & ~chosen.N, chosen))
        for rows, literal in shares:
            if not rows & literal.step or self.weigh_n(rows) < self.theta:
                return None
        return shares

    def _spent(self, n_candidates: int) -> bool:
        """Count the work of a node and say whether a limit is reached."""
        self.n_tests += n_candidates
        late = self.deadline is not None and time.monotonic() > self.deadline
        if late or self.n_tests > self.limits.max_tests or self.limits.should_stop():
            self.proved = False
        return not self.proved


def _bits(mask: Bools) -> int:
    """Pack a mask into one integer, row 0 in the lowest bit."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def weigher(weight: Floats) -> Callable[[int], float]:
    """Return the function that weighs a set of rows given as bits.

    Parameters
    ----------
    weight : ndarray of float, shape (m,)
        Weight of row i, which is bit i.

    Notes
    -----
    Equal weights are counted, a few distinct ones are counted apart, many are looked up byte by
    byte.
    """
    values = np.unique(weight)
    if len(values) == 0:
        return lambda rows: 0.0
    if len(values) == 1:
        unit = float(values[0])
        return lambda rows: unit * rows.bit_count()
    if len(values) <= CLASSES:
        parts = [(float(v), _bits(weight == v)) for v in values]
        return lambda rows: sum(v * (rows & part).bit_count() for v, part in parts)
    return _byte_weigher(weight)


def _byte_weigher(weight: Floats) -> Callable[[int], float]:
    """Weigh with one table of 256 sums for every eight rows."""
    n_bytes = -(-len(weight) // 8)
    padded = np.zeros(n_bytes * 8)
    padded[: len(weight)] = weight
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    table = (padded.reshape(n_bytes, 8) @ patterns.T.astype(float)).ravel()
    offset = 256 * np.arange(n_bytes)

    def weigh(rows: int) -> float:
        octets = np.frombuffer(rows.to_bytes(n_bytes, "little"), dtype=np.uint8)
        return float(table[offset + octets].sum())

    return weigh
