"""The best single clause, with a proof: branch and bound on sets of rows kept as bits.

A clause is an AND of literals. Its value is the weight of the described rows it holds for, minus
the weight of the other rows it holds for, minus θ a literal; the rule without clauses is worth
nothing. Maximising the value is minimising training errors plus θ times literals over rules of one
clause.

Legend::

    P, N   rows of the described and of the other class that the clause holds for, each set as the
           bits of one integer
    loss   weight that a literal takes from P
    gain   weight that it takes from N
    slot   literals of one slot exclude each other: of nested half-lines one is enough

Every subset of literals has a literal of largest loss. A node branches over which one that is, and
leaves to the branch only literals of smaller loss: each subset is met once, and ``P - loss`` bounds
what is left of P at once.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

BETTER = 1e-9
CLASSES = 8  # up to so many distinct weights, rows are counted weight by weight


@dataclass(frozen=True, slots=True)
class ClauseLimits:
    """When to give up on a proof.

    Parameters
    ----------
    max_tests : int, default=20_000_000
        Literals tried against a node.
    seconds : float, optional
        Wall time.
    should_stop : callable, optional
        Asked now and then.
    """

    max_tests: int = 20_000_000
    seconds: float | None = None
    should_stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True, slots=True)
class ExactClause:
    """The best clause found, and whether it is proved to be the best.

    Parameters
    ----------
    chosen : tuple of int or None
        Columns of the literals; None where the rule without clauses is best (or where no clause
        beats the incumbent).
    value : float
        Value of the best clause, at least that of the incumbent.
    proved : bool
        Whether the search ended by itself.
    n_tests : int
        Literals tried against a node.
    """

    chosen: tuple[int, ...] | None
    value: float
    proved: bool
    n_tests: int


class _Candidate(NamedTuple):
    slot: int
    P: int
    N: int
    column: int


def best_clause(
    holds: Bools,
    y: Bools,
    theta: float,
    *,
    slots: Sequence[int] | None = None,
    weight: Floats | None = None,
    incumbent: float = 0.0,
    limits: ClauseLimits | None = None,
) -> ExactClause:
    """Find the clause of the highest value among all subsets of the literals.

    Parameters
    ----------
    holds : ndarray of bool, shape (n, d)
        Whether each literal holds for each row.
    y : ndarray of bool, shape (n,)
        True for the described class.
    theta : float
        Price of a literal, positive, in the unit of `weight`.
    slots : sequence of int, length d, optional
        Literals of one slot are nested, so that no clause needs two of them. By default each has
        its own.
    weight : ndarray of float, shape (n,), optional
        Non-negative weight of each row; one each by default.
    incumbent : float, default=0.0
        Value already reached elsewhere; only better clauses are returned.
    limits : ClauseLimits, optional
        When to give up on the proof.

    Returns
    -------
    ExactClause

    Raises
    ------
    ValueError
        If `theta` is not positive: ties between rules of different length are then not broken, and
        the prunes are not safe.

    Notes
    -----
    Exponential in the worst case. Prunes, all safe: what P, less a literal, can still be worth; a
    literal must take at least θ from N that no other one takes (else dropping it is better), and
    this share only shrinks; the best of each slot bounds what all smaller-loss literals together
    can take.
    """
    if theta <= 0:
        raise ValueError(f"`theta` must be positive for an exact search, got {theta!r}.")
    y = np.asarray(y, dtype=bool)
    weights = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    slot_of = range(holds.shape[1]) if slots is None else slots
    search = _Search(theta, incumbent, weights[y], weights[~y], limits or ClauseLimits())
    described, other = holds[y], holds[~y]
    candidates = [
        _Candidate(int(s), _bits(described[:, j]), _bits(other[:, j]), j)
        for j, s in enumerate(slot_of)
    ]
    search.visit((1 << len(described)) - 1, (1 << len(other)) - 1, candidates, [])
    return ExactClause(search.chosen, search.best, search.proved, search.n_tests)


class _Search:
    """The state that all nodes share."""

    def __init__(
        self,
        theta: float,
        incumbent: float,
        pos: Floats,
        neg: Floats,
        limits: ClauseLimits,
    ) -> None:
        self.theta, self.limits = theta, limits
        self.best = max(incumbent, 0.0)
        self.chosen: tuple[int, ...] | None = None
        self.proved, self.n_tests = True, 0
        self.weigh_p, self.weigh_n = weigher(pos), weigher(neg)
        self.deadline = time.monotonic() + limits.seconds if limits.seconds else None

    def visit(
        self, P: int, N: int, candidates: list[_Candidate], own: list[tuple[int, int]]
    ) -> None:
        """Search all clauses that add candidates to the literals `own`.

        `own` pairs the rows of the other class that only this literal takes away with the literal's
        column.
        """
        p, n = self.weigh_p(P), self.weigh_n(N)
        value = p - n - self.theta * len(own)
        if value > self.best + BETTER:
            self.best, self.chosen = value, tuple(column for _, column in own)
        if n < self.theta or self._spent(len(candidates)):
            return
        live = self._live(P, N, p, n, candidates, len(own))
        bounds = self._bounds(live, p, n, len(own))
        for k in range(len(live) - 1, -1, -1):
            if bounds[k] <= self.best + BETTER:
                continue
            chosen = live[k][2]
            shares = self._shares(own, chosen)
            if shares is None:
                continue
            shares.append((N & ~chosen.N, chosen.column))
            smaller = [c for _, _, c in live[:k] if c.slot != chosen.slot]
            self.visit(P & chosen.P, N & chosen.N, smaller, shares)
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
        self, live: list[tuple[float, float, _Candidate]], p: float, n: float, size: int
    ) -> list[float]:
        """Bound, for each k, the value of clauses whose literal of largest loss is ``live[k]``."""
        best_of_slot: dict[int, float] = {}
        total, bounds = 0.0, []
        for loss, gain, c in live:
            net = gain - self.theta
            known = best_of_slot.get(c.slot, 0.0)
            if net > known:
                total += net - known
                best_of_slot[c.slot] = net
            bounds.append(p - loss - self.theta * size - n + min(total, n - self.theta))
        return bounds

    def _shares(
        self, own: list[tuple[int, int]], chosen: _Candidate
    ) -> list[tuple[int, int]] | None:
        """Shrink what each literal alone takes away; None when one no longer pays for itself."""
        shares = [(rows & chosen.N, column) for rows, column in own]
        if any(self.weigh_n(rows) < self.theta for rows, _ in shares):
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
