"""Moves of the box search: change one feature, swap two, drop or add a clause, kick."""

import numpy as np

from rulekit.solvers.box_archive import Archive
from rulekit.solvers.box_kernel import IntervalSearch, Savings, histogram
from rulekit.solvers.box_pairs import PairStart
from rulekit.solvers.box_problem import Boxes, BoxProblem
from rulekit.solvers.box_state import BoxState, loss_of_violations

IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms


class Moves:
    """All moves at one price of a literal; each one improves the objective or does nothing.

    Parameters
    ----------
    problem : BoxProblem
        The data.
    archive : Archive
        Where improvements are recorded.
    theta : float
        Price of a literal, in the unit of the loss.

    Notes
    -----
    States from which no move improves, or no clause can be added, are remembered: a search comes
    back to most of them. That saves time and changes nothing. `rulekit.solvers.box_machine` makes
    the same moves as machine code; a change here needs the same change there.
    """

    def __init__(self, problem: BoxProblem, archive: Archive, theta: float) -> None:
        self.problem, self.archive, self.theta = problem, archive, theta
        self.intervals = IntervalSearch(problem)
        self.pairs = PairStart(problem, theta)
        self._settled: set[bytes] = set()
        self._full_grown: set[bytes] = set()

    def objective(self, state: BoxState) -> float:
        """Loss plus the price of the literals, recorded in the archive on the way."""
        return self.archive.record(state) + self.theta * state.n_literals()

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
        n_literals = int(state.size.sum() - state.size[r].sum())
        if self.archive.improves(state.n_clauses - 1, n_literals, loss):
            self.archive.offer(loss, n_literals, state.boxes.without(r))
        return loss + self.theta * n_literals

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


def kick(problem: BoxProblem, boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """Disturb a rule: drop a random clause, or force a random half-line on one, or both.

    Parameters
    ----------
    problem : BoxProblem
        The data.
    boxes : Boxes
        The rule; left as it is.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Boxes
    """
    drops, forces = rng.random(2) < 0.7
    if drops and boxes.n_clauses:
        boxes = boxes.without(int(rng.integers(boxes.n_clauses)))
    if not (forces and boxes.n_clauses and problem.n_features):
        return boxes
    r, f = int(rng.integers(boxes.n_clauses)), int(rng.integers(problem.n_features))
    last = int(problem.n_bins[f]) - 1
    starts = 1 + np.flatnonzero(np.asarray(problem.may_start)[f, 1 : last + 1])
    ends = np.flatnonzero(np.asarray(problem.may_end)[f, :last])
    n_half_lines = len(starts) + len(ends)
    if not n_half_lines:
        return boxes
    pick = int(rng.integers(n_half_lines))
    low, high, absent = boxes.low.copy(), boxes.high.copy(), boxes.absent.copy()
    above = pick < len(starts)
    low[r, f] = starts[pick] if above else 0
    high[r, f] = last if above else ends[pick - len(starts)]
    absent[r, f] = False
    return Boxes(low, high, absent)
