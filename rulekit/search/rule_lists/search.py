"""The search over rule lists: descents along a path of prices, with the best list of each size."""

# While all other clauses stay, a row saves its weight inside clause r if the clause's class is
# right and the answer it would get from the clauses below is wrong, and costs it the other way
# round; rows that a clause above holds are indifferent. The best box for these savings is what
# `box_search` finds for one clause. Given the boxes and their order, the best classes are the
# heaviest among the rows that each decides. Moves: another box for a clause, a clause less, two
# neighbours exchanged, a clause more (at any place, for any class); then perturbations.
#
# Legend, beside that of `box_search.problem`, whose `y` holds classes here:
#   K         classes, numbered from 0
#   label     (k,) int   class that each clause gives
#   default   class of the rows that no clause holds for
#   above     rows that a clause before the place holds
#   below     answer of the clauses from the place on
#   g         what a row saves in a box put at the place

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rulekit.binning.binned_table import Bools, Floats
from rulekit.search.box_search.problem import BASE, Boxes, BoxRows, Ints, evaluate_boxes, whole_box
from rulekit.search.box_search.search import Archive, SearchPlan, SingleBox

IMPROVEMENT = 1e-6  # less is rounding, or the tie price of conditions
EXCHANGE = 0.5  # chance that a perturbation also exchanges two neighbours


@dataclass(frozen=True, eq=False, slots=True)
class RuleList:
    """An ordered rule list as boxes: the first clause that holds decides."""

    boxes: Boxes
    labels: tuple[int, ...]
    default: int

    def __len__(self) -> int:
        return len(self.labels)


class ListArchive(Archive):
    """The best list for each number of clauses and conditions."""

    def __init__(self, problem: BoxRows) -> None:
        self._entries = {}
        mass = np.bincount(problem.y, problem.charges[:, BASE])
        empty = RuleList(whole_box(problem.n_bins)[:0], (), int(mass.argmax()))
        self.offer(float(mass.sum() - mass.max()), 0, empty)


class _Clause(NamedTuple):
    """A clause under change: its box (p, 3), its class, the rows it holds, its conditions."""

    box: Ints
    label: int
    holds: Bools
    size: int


class _ListState(NamedTuple):
    """A list under change, with the best classes for its boxes, and what it gets wrong."""

    clauses: tuple[_Clause, ...]
    default: int
    loss: float

    @property
    def n_conditions(self) -> int:
        return sum(clause.size for clause in self.clauses)

    def objective(self, theta: float) -> float:
        return self.loss + theta * self.n_conditions


class ListSearch:
    """Searches lists of one problem."""

    def __init__(self, problem: BoxRows) -> None:
        self.problem = problem
        self._weight = np.ascontiguousarray(problem.charges[:, BASE])
        self._n_classes = int(problem.y.max(initial=0)) + 1
        self._single = SingleBox(problem)
        self._complete: set[tuple[float, tuple[bytes, ...]]] = set()  # where no clause pays

    def run(
        self,
        plan: SearchPlan,
        rng: np.random.Generator,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> ListArchive:
        """Search all prices."""
        archive = ListArchive(self.problem)
        falling = sorted(set(map(float, plan.thetas)), reverse=True)
        for round_number in range(plan.n_perturbations + 1):
            for theta in (*falling, *falling[-2::-1]):
                if should_stop():
                    return archive
                start = self.make_state(archive.answer(plan.max_clauses, theta).boxes)
                if round_number:  # a clause less at random, now and then two neighbours exchanged
                    if clauses := list(start.clauses):
                        clauses.pop(int(rng.integers(len(clauses))))
                    if len(clauses) > 1 and rng.random() < EXCHANGE:
                        r = int(rng.integers(len(clauses) - 1))
                        clauses[r : r + 2] = clauses[r + 1], clauses[r]
                    start = self._assign_classes(clauses, start)
                self.visit(archive, start, theta, plan.max_clauses)
        return archive

    def offer_conditions(self, archive: ListArchive) -> None:
        """Offer the best single condition: a new clause starts from two, which may both pay."""
        problem, total = self.problem, self._mass(np.ones(len(self.problem.y), bool))
        best, most = None, -np.inf
        for f in range(problem.n_features):
            # boxes of one condition of a feature, shape (m, 3), and the mass they hold, (m, K)
            n = int(problem.n_bins[f])
            of_bin = np.zeros((n + 1, self._n_classes))
            rows = problem.bins[f][problem.cells[:, problem.column[f]]], problem.y
            np.add.at(of_bin, rows, self._weight)
            upto = of_bin[:n].cumsum(axis=0)
            low = 1 + np.flatnonzero(problem.may_start[f, 1:n])
            high = np.flatnonzero(problem.may_end[f, : n - 1])
            ends = np.zeros((len(low) + len(high), 3), np.int64)
            ends[: len(low), 0], ends[: len(low), 1], ends[len(low) :, 1] = low, n - 1, high
            held = np.vstack([upto[n - 1] - upto[low - 1], upto[high]])
            if problem.has_missing[f]:
                ends = np.vstack([ends, ends + np.array([0, 0, 1])])
                held = np.vstack([held, held + of_bin[n]])
                if problem.may_test_missing[f]:
                    ends = np.vstack([ends, [[0, n - 1, 0], [1, 0, 1]]])
                    held = np.vstack([held, upto[n - 1], of_bin[n]])
            right = held.max(axis=1) + (total - held).max(axis=1)
            if right.max(initial=-np.inf) > most:
                most, best = float(right.max()), (f, ends[int(right.argmax())])
        if best is not None:
            box = whole_box(problem.n_bins)[0]
            box[best[0]] = best[1]
            empty = archive.answer(0, 0.0).boxes
            state = self.make_state(empty)
            self._offer(archive, self._assign_classes((self._clause(box, empty.default),), state))

    def visit(
        self, archive: ListArchive, state: _ListState, theta: float, max_clauses: int
    ) -> None:
        """Descend from a list at one price, add clauses while they pay; archive what is met."""
        self._offer(archive, state)
        state = self._descend(archive, state, theta)
        while len(state.clauses) < max_clauses:
            key = theta, tuple(c.box.tobytes() for c in state.clauses)
            if key in self._complete:
                return
            if (longer := self._grow(state, theta)) is None:
                self._complete.add(key)
                return
            self._offer(archive, longer)
            state = self._descend(archive, longer, theta)

    def _descend(self, archive: ListArchive, state: _ListState, theta: float) -> _ListState:
        """Improve a list until no move does."""
        while True:
            better, clauses = self._reshape(state, theta), state.clauses
            if better is None:  # a clause less, if the list costs no more
                rests = [(*clauses[:r], *clauses[r + 1 :]) for r in range(len(clauses))]
                options = [self._assign_classes(rest, state) for rest in rests]
                for option in options:
                    self._offer(archive, option)
                better = _cheapest(options, theta, state.objective(theta))
            if better is None:  # two neighbours exchanged, if the list costs less
                orders = [
                    (*clauses[:r], b, a, *clauses[r + 2 :])
                    for r, (a, b) in enumerate(pairwise(clauses))
                    if (a.holds & b.holds).any()
                ]
                options = [self._assign_classes(order, state) for order in orders]
                better = _cheapest(options, theta, state.objective(theta))
            if better is None:
                return state
            self._offer(archive, better)
            state = better

    def _reshape(self, state: _ListState, theta: float) -> _ListState | None:
        """Improve the box of each clause in turn; None without an improvement."""
        start = state
        for r in range(len(state.clauses)):
            old = state.clauses[r]
            above, below = self._find_context(state, r, r + 1)
            box = self._single.improve(self._savings(above, below, old.label), old.box, theta)
            if (box != old.box).any():
                clauses = list(state.clauses)
                clauses[r] = self._clause(box, old.label)
                new = self._assign_classes(clauses, state)
                if new.objective(theta) < state.objective(theta) - IMPROVEMENT:
                    state = new
        return None if state is start else state

    def _grow(self, state: _ListState, theta: float) -> _ListState | None:
        """Insert a clause at the place and for the class with the largest saving."""
        tasks = []
        for r in range(len(state.clauses) + 1):
            above, below = self._find_context(state, r, r)
            for label in range(self._n_classes):
                g = self._savings(above, below, label)
                tasks.append((float(g[g > 0].sum()), r, label, g))
        tasks.sort(key=lambda task: (-task[0], task[1], task[2]))
        best = np.full(self._n_classes, IMPROVEMENT)
        starts: dict[int, tuple[int, Floats, Ints]] = {}
        for most, r, label, g in tasks:
            if most - theta > best[label]:
                clause = self._clause(self._single.start_box(g, theta), label)
                worth = float(g[clause.holds].sum()) - theta * clause.size
                if worth > best[label] + IMPROVEMENT:
                    best[label], starts[label] = worth, (r, g, clause.box)
        options = []
        for label, (r, g, box) in sorted(starts.items()):
            clause = self._clause(self._single.improve(g, box, theta), label)
            longer = (*state.clauses[:r], clause, *state.clauses[r:])
            options.append(self._assign_classes(longer, state))
        return _cheapest(options, theta, state.objective(theta))

    def _find_context(self, state: _ListState, upto: int, after: int) -> tuple[Bools, Ints]:
        """Rows held by the clauses before `upto`, and the answers of those from `after` on."""
        n = len(self.problem.y)
        above, below = np.zeros(n, bool), np.full(n, state.default)
        for clause in state.clauses[:upto]:
            above |= clause.holds
        for clause in reversed(state.clauses[after:]):
            below[clause.holds] = clause.label
        return above, below

    def _savings(self, above: Bools, below: Ints, label: int) -> Floats:
        """Weigh what each row saves when a clause of this class takes it: shape (n,)."""
        y, weight = self.problem.y, self._weight
        return np.where(above, 0.0, weight * ((below != y).astype(float) - (y != label)))

    def _clause(self, box: Ints, label: int) -> _Clause:
        problem = self.problem
        holds = evaluate_boxes(box[None], problem.codes, problem.n_bins)[:, 0]
        return _Clause(box, label, holds, int(problem.count_literals(box[None]).sum()))

    def _mass(self, rows: Bools) -> Floats:
        """Weight of each class among some rows, shape (K,)."""
        y, weight = self.problem.y[rows], self._weight[rows]
        return np.asarray(np.bincount(y, weight, minlength=self._n_classes), dtype=float)

    def _assign_classes(self, clauses: Sequence[_Clause], old: _ListState) -> _ListState:
        """Assign each clause, and the rest, the heaviest class; ties: the present one or first."""
        free, loss, kept = np.ones(len(self.problem.y), bool), 0.0, []
        for clause in clauses:
            mass = self._mass(free & clause.holds)
            label = _heaviest(mass, clause.label)
            loss += float(mass.sum() - mass[label])
            free &= ~clause.holds
            kept.append(clause._replace(label=label))
        mass = self._mass(free)
        default = _heaviest(mass, old.default)
        return _ListState(tuple(kept), default, loss + float(mass.sum() - mass[default]))

    def make_state(self, rules: RuleList) -> _ListState:
        """Assign the best classes to the boxes of a list."""
        boxes = zip(rules.boxes, rules.labels, strict=True)
        clauses = [self._clause(box, label) for box, label in boxes]
        return self._assign_classes(clauses, _ListState((), rules.default, 0.0))

    def _offer(self, archive: ListArchive, state: _ListState) -> None:
        if archive.improves(len(state.clauses), state.n_conditions, state.loss):
            boxes = np.array([c.box for c in state.clauses], np.int64)
            boxes = boxes.reshape(len(boxes), self.problem.n_features, 3)
            rules = RuleList(boxes, tuple(c.label for c in state.clauses), state.default)
            archive.offer(state.loss, state.n_conditions, rules)


def _heaviest(mass: Floats, now: int) -> int:
    return now if mass[now] >= mass.max() else int(mass.argmax())


def _cheapest(options: Sequence[_ListState], theta: float, below: float) -> _ListState | None:
    """Return the first of the cheapest options, if it costs less than `below`."""
    values = [option.objective(theta) for option in options]
    if not values or min(values) >= below - IMPROVEMENT:
        return None
    return options[int(np.argmin(values))]
