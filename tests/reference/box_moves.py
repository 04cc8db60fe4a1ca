"""Slow twin of `move_kernels` and `descent_kernels`: the moves of the box search by NumPy."""

import numpy as np

from rulekit.search.box_search.problem import Boxes, BoxRows
from rulekit.search.box_search.search import Archive, perturb
from tests.reference.box_intervals import IntervalSearch, Savings, histogram
from tests.reference.box_pairs import PairStart
from tests.reference.box_state import BoxState, loss_of_violations

IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms


class Moves:
    """All moves at one price of a literal; each one improves the objective or does nothing.

    Parameters
    ----------
    problem : BoxRows
        The data.
    archive : Archive
        Where improvements are recorded.
    theta : float
        Price of a literal, in the unit of the loss.

    Notes
    -----
    States from which no move improves, or no clause can be added, are remembered: a search comes
    back to most of them. That saves time and changes nothing.
    """

    def __init__(self, problem: BoxRows, archive: Archive, theta: float) -> None:
        self.problem, self.archive, self.theta = problem, archive, theta
        self.intervals = IntervalSearch(problem)
        self.pairs = PairStart(problem, theta)
        self._settled: set[bytes] = set()
        self._full_grown: set[bytes] = set()

    def objective(self, state: BoxState) -> float:
        """Loss plus the price of the literals, recorded in the archive on the way."""
        loss, n_conditions = state.loss(), state.n_conditions()
        self.archive.offer(loss, n_conditions, state.boxes)
        return loss + self.theta * n_conditions

    def step(self, state: BoxState, r: int) -> bool:
        """Make the best change of one feature of clause `r`; say whether any improves."""
        if not self.problem.n_features:
            return False
        H = histogram(Savings(state, r), state.violated[r], state.v[r])
        best = self.intervals.best(H, self.theta)
        gain = best.value - self.intervals.current(H, state, r, self.theta)
        f = int(gain.argmax())
        if gain[f] <= IMPROVEMENT:
            return False
        state.set_feature(r, f, int(best.low[f]), int(best.high[f]), bool(best.absent[f]))
        return True

    def swap(self, state: BoxState, r: int) -> bool:
        """Drop one feature of clause `r` and change another, where both together improve."""
        savings = Savings(state, r)
        violated, v = state.violated[r], state.v[r]
        H = histogram(savings, violated, v)
        now = self.intervals.current(H, state, r, self.theta)
        dropped_gain = H.sum(axis=1) - now
        found: tuple[float, int, int, tuple[int, int, bool]] | None = None
        for f in np.flatnonzero(state.size[r]):
            freed = violated.copy()
            freed[:, f] = False
            H = histogram(savings, freed, v - violated[:, f])
            best = self.intervals.best(H, self.theta)
            gain = best.value - self.intervals.current(H, state, r, self.theta) + dropped_gain[f]
            gain[f] = -np.inf
            g = int(gain.argmax())
            if gain[g] > (found[0] if found else IMPROVEMENT):
                choice = (int(best.low[g]), int(best.high[g]), bool(best.absent[g]))
                found = (float(gain[g]), int(f), g, choice)
        if found is None:
            return False
        state.clear_feature(r, found[1])
        state.set_feature(r, found[2], *found[3])
        return True

    def descend(self, state: BoxState) -> float:
        """Improve until no change, no swap and no dropped clause does.

        Returns
        -------
        float
            The objective reached; never above the one at the start.
        """
        while True:
            before = state.n_clauses
            while state.key() not in self._settled and self._improve(state):
                pass
            self._settled.add(state.key())
            objective = self.drop_useless(state)
            if state.n_clauses == before:
                return objective

    def _improve(self, state: BoxState) -> bool:
        """Take steps, clause after clause, or else one swap; say whether anything improved."""
        moved = False
        for r in range(state.n_clauses):
            while self.step(state, r):
                moved = True
        return moved or any(self.swap(state, r) for r in range(state.n_clauses))

    def drop_useless(self, state: BoxState) -> float:
        """Drop clauses, the most useless one first, while the objective falls."""
        objective = self.objective(state)
        while state.n_clauses:
            values = [self._without(state, r) for r in range(state.n_clauses)]
            r = int(np.argmin(values))
            if values[r] >= objective - IMPROVEMENT:
                break
            objective = values[r]
            state.drop_clause(r)
        return objective

    def _without(self, state: BoxState, r: int) -> float:
        """Objective of the state without clause `r`, recorded like that of any state."""
        loss = loss_of_violations(self.problem, np.delete(state.v, r, 0))
        n_conditions = int(state.size.sum() - state.size[r].sum())
        if self.archive.improves(state.n_clauses - 1, n_conditions, loss):
            self.archive.offer(loss, n_conditions, state.boxes.without(r))
        return loss + self.theta * n_conditions

    def visit(self, boxes: Boxes, n_clauses: int, *, undisturbed: bool) -> None:
        """Descend from a rule, fill it up to `n_clauses`, and descend again.

        Parameters
        ----------
        boxes : Boxes
            Where to start.
        n_clauses : int
            Clauses at most.
        undisturbed : bool
            Whether the rule comes from the archive as it is: it is improved before clauses are
            added, and after that only if any was.
        """
        state = BoxState(self.problem, boxes)
        if undisturbed:
            self.descend(state)
        if self.grow(state, n_clauses) or not undisturbed:
            self.descend(state)

    def grow(self, state: BoxState, n_clauses: int) -> bool:
        """Add clauses, each from the best start on two features, while that lowers the objective.

        Returns
        -------
        bool
            Whether any was added.
        """
        objective, grew = self.objective(state), False
        while state.n_clauses < n_clauses and state.key() not in self._full_grown:
            before = state.key()
            r = state.add_clause()
            for choice in self.pairs.best(state, r):
                state.set_feature(r, *choice)
            while self.step(state, r):
                pass
            grown = self.objective(state)
            if grown >= objective - IMPROVEMENT:
                state.drop_clause(r)
                self._full_grown.add(before)
                return grew
            objective, grew = grown, True
        return grew


def search_by_numpy(problem, plan, rng):
    """Do as `search.search`, with the moves above."""
    archive, moves = Archive(problem), {}
    thetas = sorted(set(map(float, plan.thetas)), reverse=True)
    for round_number in range(plan.n_perturbations + 1):
        for n_clauses in range(1, plan.max_clauses + 1):
            for theta in thetas:
                if theta not in moves:
                    moves[theta] = Moves(problem, archive, theta)
                start = archive.answer(n_clauses, theta).boxes
                if round_number:
                    start = perturb(problem, start, rng)
                moves[theta].visit(start, n_clauses, undisturbed=not round_number)
    return archive


def improve_each(problem, starts, theta):
    """Do as `Descent.improve_each`."""
    moves = Moves(problem, Archive(problem), theta)
    s = np.where(problem.y, problem.charges.base, -problem.charges.base)
    parts = [np.array(part) for part in (starts.low, starts.high, starts.absent)]
    saved = np.zeros((starts.n_clauses, 1 + problem.n_features))
    for k in range(starts.n_clauses):
        state = BoxState(problem, Boxes(*(part[k : k + 1] for part in parts)))
        while moves.step(state, 0) or moves.swap(state, 0):
            pass
        held, nearly = state.v[0] == 0, state.v[0] == 1
        saved[k] = s[held].sum()
        saved[k, 1:] += s[nearly] @ state.violated[0][nearly]
        for part, reached in zip(parts, (state.low, state.high, state.absent), strict=True):
            part[k] = reached[0]
    return Boxes(*parts), saved
