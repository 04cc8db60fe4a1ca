"""Rules without linear programs: coordinate descent on boxes with an archive of the best per size.

A clause of a DNF is a box over binned features. Re-optimising the whole interval of one feature of
one clause is exact and costs one histogram (`move_kernels`); steps of this kind, swaps, dropped and
added clauses and random perturbations, started along a path of falling prices, fill an archive that
answers every price θ and every limit on the clauses at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from rulekit.search.box_search.archive import Archive
from rulekit.search.box_search.descent import Descent
from rulekit.search.box_search.problem import Boxes, BoxProblem

MANY_ROWS, PART_ROWS = 80_000, 20_000
MANY_COLUMNS, PART_COLUMNS = 512, 256


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What a search visits."""

    thetas: Sequence[float]
    max_clauses: int = 5
    n_perturbations: int = 3

    @property
    def visits(self) -> tuple[tuple[int, float], ...]:
        """Numbers of clauses with each price, as a round visits them."""
        thetas = sorted(set(map(float, self.thetas)), reverse=True)
        return tuple(product(range(1, self.max_clauses + 1), thetas))


def search(
    problem: BoxProblem,
    plan: SearchPlan,
    rng: np.random.Generator,
    should_stop: Callable[[], bool] = lambda: False,
) -> Archive:
    """Search the best rule of each size.

    Notes
    -----
    A round visits every number of clauses and every price. Each visit starts from the best rule the
    archive has for that pair, so that what is learned at one price serves all. Where there are more
    than `MANY_ROWS` distinct rows, all rounds are made on `PART_ROWS` drawn from them; what they
    found is then priced on every row, and one undisturbed round on all rows settles it. Where there
    are more than `MANY_COLUMNS`, rounds of perturbations know only the `PART_COLUMNS` that came
    nearest to being changed in the round before them, and those of rules found.
    """
    *_, archive = search_rounds(problem, plan, rng, should_stop)
    return archive


def search_rounds(
    problem: BoxProblem,
    plan: SearchPlan,
    rng: np.random.Generator,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[Archive]:
    """Search as `search` does, and hand out the growing archive after each round."""
    archive, descent = Archive(problem), Descent(problem, plan.max_clauses)
    if problem.n_rows > MANY_ROWS:
        *_, found = search_rounds(problem.part(PART_ROWS), plan, rng, should_stop)
        for entry in found.entries:
            descent.price(archive, entry.boxes)
        plan = replace(plan, n_perturbations=0)
    _make_round(archive, descent, plan, None, should_stop)
    yield archive
    kept = np.arange(problem.n_features)
    if plan.n_perturbations and problem.cells.shape[1] > MANY_COLUMNS:
        used = [e.boxes.literals(problem.n_bins, problem.has_missing) for e in archive.entries]
        kept = np.union1d(descent.promising(PART_COLUMNS), np.flatnonzero(np.vstack(used).any(0)))
        descent = Descent(problem.of_features(kept), plan.max_clauses)
    inner = Archive(descent.problem)
    for entry in archive.entries:
        inner.offer(entry.loss, entry.n_conditions, entry.boxes.of_features(kept))
    for _ in range(plan.n_perturbations):
        if should_stop():
            return
        _make_round(inner, descent, plan, rng, should_stop)
        for entry in inner.entries:
            if archive.improves(entry.n_clauses, entry.n_conditions, entry.loss):
                boxes = entry.boxes.among(kept, problem.n_bins)
                archive.offer(entry.loss, entry.n_conditions, boxes)
        yield archive


def _make_round(
    archive: Archive,
    descent: Descent,
    plan: SearchPlan,
    rng: np.random.Generator | None,
    should_stop: Callable[[], bool],
) -> None:
    """Visit every number of clauses and every price, perturbed where there is a generator."""
    for n_clauses, theta in plan.visits:
        if should_stop():
            return
        start = archive.answer(n_clauses, theta).boxes
        if rng is not None:
            start = perturb(descent.problem, start, rng)
        descent.visit(archive, start, n_clauses, theta, undisturbed=rng is None)


def perturb(problem: BoxProblem, boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """Disturb a rule: drop a random clause, or force a random half-line on one, or both."""
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
