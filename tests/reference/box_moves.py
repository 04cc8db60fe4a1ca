"""Slow twin of the kernels of the box search by NumPy: intervals, pairs and moves.

With all else fixed, the loss is a sum over rows of a price that depends on whether one feature
accepts the row. One histogram of these prices over the bins of every feature turns "which interval
is best" into a maximum-sum run. Legend, beside that of `problem`::

    u     violations of a row by the other features of the clause
    g(u)  what is saved when this feature accepts the row instead of refusing it
    H     (p, width) sum of g over the rows of a bin, the missing ones in slot n_bins[f]
"""

from itertools import combinations

import numpy as np

from rulekit.search.box_search.problem import whole_box
from rulekit.search.box_search.search import Archive, perturb
from tests.reference.boxes import choices

TIE = 1e-9  # a literal must earn at least this much more than its price
IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms
CANDIDATES = 8  # best single features, of which all pairs are tried
MOST_PAIR_BINS = 16  # of a feature in a pair: the choices are quadratic in the bins
FAR = 1 << 30  # the distance to a clause that is not there


class BoxState:
    """A rule, with what its clauses violate: (k, n, p), its sum v (k, n), and literals (k, p)."""

    def __init__(self, problem, boxes):
        self.problem, self.boxes = problem, boxes
        codes, (low, high, absent) = problem.codes, boxes.transpose(2, 0, 1)[:, :, None]
        inside = (codes >= low) & (codes <= high)
        self.violated = ~np.where(codes == problem.n_bins, absent > 0, inside)
        self.v = self.violated.sum(axis=2)
        self.size = problem.count_literals(boxes)

    def changed(self, r, f, *choice):
        """Let clause `r` accept another choice (low, high, absent) of feature `f`."""
        boxes = self.boxes.copy()
        boxes[r, f] = choice
        return BoxState(self.problem, boxes)

    def with_clause(self):
        """Append a clause without literals."""
        more = np.concatenate([self.boxes, whole_box(self.problem.n_bins)])
        return BoxState(self.problem, more)

    def loss(self):
        """Price the wrong rows; see `BoxPrices`."""
        (base, extra, near), y, v = self.problem.charges.T, self.problem.y, self.v
        nearest = v.min(axis=0) if len(v) else np.ones(len(y), int)
        holding = (v == 0).sum(axis=0)
        wrong = np.where(y, nearest > 0, holding > 0)
        more = np.where(y, nearest, holding) - 1
        nearly = (near * (v == 1).sum(axis=0)).sum()
        return float((base + extra * more)[wrong].sum() + nearly)


def savings(state, r):
    """Return the function g of clause `r`."""
    problem, (base, extra, near) = state.problem, state.problem.charges.T
    rest = np.delete(state.v, r, 0)
    nearest, holding = rest.min(axis=0, initial=FAR), (rest == 0).sum(axis=0)
    described = np.where(nearest >= 1, base, 0.0)
    at_zero = np.where(problem.y, described, near - np.where(holding == 0, base, extra))

    def g(u):
        nearer = problem.y & (u >= 1) & (u < nearest)
        saved = np.where(u == 0, at_zero, 0.0) + np.where(nearer, extra, 0.0)
        return saved - np.where(u == 1, near, 0.0)

    return g


def histogram(problem, g, violated):
    """Sum what acceptance saves over the bins of every feature; sums are exact in any order."""
    width, v = 1 + int(problem.n_bins.max(initial=1)), violated.sum(axis=1)
    each = zip(problem.codes.T, violated.T, strict=True)
    return np.array([np.bincount(code, g(v - refused), width) for code, refused in each])


def best_intervals(problem, features, H, theta):
    """Choose each feature's interval; ties go to fewer literals, then to the lower bins."""
    price, rows, n_bins = theta + TIE, np.arange(len(H)), problem.n_bins[features]
    last, slot = n_bins - 1, np.arange(H.shape[1])
    is_bin, lost = slot < n_bins[:, None], H[rows, n_bins]
    inside = np.where(is_bin, H, 0.0)
    upto = np.cumsum(inside, axis=1)

    def priced(may, is_literal):
        """Price the ends of intervals; what is not allowed costs infinitely much."""
        allowed = np.pad(may[features], ((0, 0), (0, 1)))[:, : len(slot)]
        return np.where(is_bin & (allowed | ~is_literal), price * is_literal, np.inf)

    start = upto - inside + priced(problem.may_start, slot > 0)
    reach = np.minimum.accumulate(start, axis=1)
    reach[rows, last] = start[:, 1:].min(axis=1, initial=np.inf)  # all bins are no interval
    worth = upto - priced(problem.may_end, slot < last[:, None]) - reach
    high = worth.argmax(axis=1)
    value, full = worth[rows, high], upto[rows, last] + lost
    begins = (slot <= high[:, None]) & ((slot > 0) | (high < last)[:, None])
    low = np.where(begins, start, np.inf).argmin(axis=1)
    lacks = problem.has_missing[features]
    testable = lacks & problem.may_test_missing[features]
    options = np.array(
        [
            full,
            value + np.where(lacks, np.maximum(lost, 0.0), 0.0),
            np.where(testable, full - lost - price, -np.inf),  # all but missing values
            np.where(testable, lost - price, -np.inf),  # missing values alone
        ]
    )
    pick = options.argmax(axis=0)
    low = np.choose(pick, [0, low, 0, 1])
    high = np.choose(pick, [last, high, last, 0])
    absent = ~lacks | np.choose(pick, [True, lost > 0, False, True])
    return options[pick, rows], low, high, absent


def value_now(H, state, r, theta):
    """Return what clause `r` accepts now is worth, feature by feature: shape (p,)."""
    ends = zip(*state.boxes[r].T, state.problem.n_bins, strict=True)
    saved = [H[f, a : b + 1].sum() + m * H[f, n] for f, (a, b, m, n) in enumerate(ends)]
    return np.array(saved) - theta * state.size[r]


def start_box(state, r, theta):
    """Start clause `r`, which has no literals, on two features at most.

    Ties go to the better single features first, then to the lower bins of the first.
    """
    problem, g = state.problem, savings(state, r)
    if not problem.n_features:
        return state
    H = histogram(problem, g, state.violated[r])
    value, *box = best_intervals(problem, np.arange(len(H)), H, theta)
    ranked = np.argsort(-value, kind="stable")[:CANDIDATES]
    candidates = [int(f) for f in ranked if problem.n_bins[f] <= MOST_PAIR_BINS]
    if len(candidates) >= 2:
        worth, one, other = best_pair(problem, g, candidates, theta)
        if worth > value[ranked[0]]:
            return state.changed(r, *one).changed(r, *other)
    return state.changed(r, ranked[0], *(part[ranked[0]] for part in box))


def best_pair(problem, g, candidates, theta):
    """Try each choice on one feature with the best interval on another."""
    none = np.zeros(problem.n_rows, np.int64)
    either = g(none + 1)  # what a feature saves that alone accepts a row ...
    both = g(none) - either  # ... and what two save beyond that
    width = 1 + int(problem.n_bins[candidates].max())
    tried, rows, paid = [], [], []
    for f, other in combinations(candidates, 2):
        codes, slot = problem.codes[:, [f, other]].astype(np.intp), np.arange(width)
        of_f, of_other = (np.bincount(code, either, width) for code in codes.T)
        grid = np.bincount(codes @ [width, 1], both, width * width).reshape(width, width)
        for low, high, absent in choices(problem, f):
            held = np.where(slot == problem.n_bins[f], absent, (slot >= low) & (slot <= high))
            ends = int(low > 0) + int(high < problem.n_bins[f] - 1)
            size = 1 if low > high else ends or int(not absent)
            tried.append(((f, low, high, absent), other))
            rows.append(held @ grid + of_other)
            paid.append(held @ of_f - (theta + TIE) * size)
    value, *box = best_intervals(problem, [other for _, other in tried], np.array(rows), theta)
    at = int((value + paid).argmax())
    one, other = tried[at]
    return value[at] + paid[at], one, (other, *(part[at] for part in box))


class Moves:
    """All moves at one price of a literal; each returns a better state, or None."""

    def __init__(self, problem, archive, theta):
        self.problem, self.archive, self.theta = problem, archive, theta
        self.settled = set()  # rules that no move improves: a search comes back to most of them

    def objective(self, state):
        """Return loss plus price of the literals, recorded in the archive on the way."""
        loss, n_conditions = state.loss(), int(state.size.sum())
        self.archive.offer(loss, n_conditions, state.boxes)
        return loss + self.theta * n_conditions

    def _gains(self, state, r, violated):
        H = histogram(self.problem, savings(state, r), violated)
        value, *box = best_intervals(self.problem, np.arange(len(H)), H, self.theta)
        return value - value_now(H, state, r, self.theta), box

    def step(self, state, r):
        """Make the best change of one feature of clause `r`."""
        if not self.problem.n_features:
            return None
        gain, box = self._gains(state, r, state.violated[r])
        f = int(gain.argmax())
        return state.changed(r, f, *(b[f] for b in box)) if gain[f] > IMPROVEMENT else None

    def swap(self, state, r):
        """Drop one feature of clause `r` and change another."""
        H = histogram(self.problem, savings(state, r), state.violated[r])
        dropped = H.sum(axis=1) - value_now(H, state, r, self.theta)
        most, result = IMPROVEMENT, None
        for f in np.flatnonzero(state.size[r]):
            freed = state.violated[r].copy()
            freed[:, f] = False
            gain, box = self._gains(state, r, freed)
            gain = np.where(np.arange(len(gain)) == f, -np.inf, gain + dropped[f])
            k = int(gain.argmax())
            if gain[k] > most:
                free = state.changed(r, f, 0, self.problem.n_bins[f] - 1, True)
                most, result = gain[k], free.changed(r, k, *(b[k] for b in box))
        return result

    def improved(self, state):
        """Take steps, clause after clause, or else one swap."""
        key = state.boxes.tobytes()
        now, clauses = state, range(0 if key in self.settled else len(state.boxes))
        for r in clauses:
            while better := self.step(now, r):
                now = better
        if now is not state:
            return now
        now = next((s for r in clauses if (s := self.swap(state, r))), None)
        if now is None:
            self.settled.add(key)
        return now

    def descend(self, state):
        """Improve until no change, no swap and no dropped clause does."""
        while True:
            while better := self.improved(state):
                state = better
            before, state = state, self.drop_useless(state)
            if state is before:
                return state

    def drop_useless(self, state):
        """Drop clauses, the most useless one first, while the objective falls."""
        objective = self.objective(state)
        while len(state.boxes):
            clauses = range(len(state.boxes))
            shorter = [BoxState(self.problem, np.delete(state.boxes, r, axis=0)) for r in clauses]
            values = [self.objective(s) for s in shorter]
            r = int(np.argmin(values))
            if values[r] >= objective - IMPROVEMENT:
                break
            objective, state = values[r], shorter[r]
        return state

    def grow(self, state, n_clauses):
        """Add clauses, each from its best start, while that lowers the objective."""
        objective = self.objective(state)
        while len(state.boxes) < n_clauses:
            r = len(state.boxes)
            longer = start_box(state.with_clause(), r, self.theta)
            while better := self.step(longer, r):
                longer = better
            value = self.objective(longer)
            if value >= objective - IMPROVEMENT:
                break
            objective, state = value, longer
        return state

    def visit(self, boxes, n_clauses, *, undisturbed):
        """Descend from a rule, add clauses up to `n_clauses`, and descend again."""
        state = BoxState(self.problem, boxes)
        if undisturbed:
            state = self.descend(state)
        grown = self.grow(state, n_clauses)
        if grown is not state or not undisturbed:
            self.descend(grown)


def search_by_numpy(problem, plan, rng):
    """Do as `search.search`, with the moves above."""
    archive = Archive(problem)
    thetas = sorted(set(map(float, plan.thetas)), reverse=True)
    moves = {theta: Moves(problem, archive, theta) for theta in thetas}
    for round_number in range(plan.n_perturbations + 1):
        for n_clauses in range(1, plan.max_clauses + 1):
            for theta in thetas:
                start = archive.answer(n_clauses, theta).boxes
                if round_number:
                    start = perturb(problem, start, rng)
                moves[theta].visit(start, n_clauses, undisturbed=not round_number)
    return archive


def improve_each(problem, starts, theta):
    """Do as `Descent.improve_each`."""
    moves = Moves(problem, Archive(problem), theta)
    s = np.where(problem.y, problem.charges[:, 0], -problem.charges[:, 0])
    ends, saved = [], np.zeros((len(starts), 1 + problem.n_features))
    for k in range(len(starts)):
        state = BoxState(problem, starts[k : k + 1])
        while better := moves.step(state, 0) or moves.swap(state, 0):
            state = better
        held, nearly = state.v[0] == 0, state.v[0] == 1
        saved[k] = s[held].sum()
        saved[k, 1:] += s[nearly] @ state.violated[0][nearly]
        ends.append(state.boxes)
    return np.concatenate([starts[:0], *ends]), saved
