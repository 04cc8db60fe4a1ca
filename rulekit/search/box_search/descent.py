"""Descents over one problem: the arrays that the kernels work on, and their calls."""

import numpy as np

from rulekit.search.box_search.archive import Archive
from rulekit.search.box_search.problem import Bools, Boxes, BoxProblem, Floats, Ints


class Descent:
    """Improves rules of one problem.

    Notes
    -----
    All moves are made by the kernels, which are compiled or loaded as the first object is made.
    """

    def __init__(self, problem: BoxProblem, max_clauses: int = 1) -> None:
        from rulekit.search.box_search import descent_kernels, pair_kernels, state_kernels

        self.problem = problem
        self._descents, self._pairs = descent_kernels, pair_kernels
        costs, y = problem.charges, problem.y
        charges = np.stack([np.where(y, costs.base, -costs.base), costs.extra, costs.near], axis=1)
        rows = np.flatnonzero(charges.any(axis=1))  # rows without any charge change nothing
        p, k = problem.n_features, max_clauses
        self._full_grown: set[tuple[float, bytes]] = set()  # where no clause can be added
        self._grown: dict[tuple[float, bytes], Ints] = {}  # and the clause that was added elsewhere
        self._table = state_kernels.new_table(problem, y, charges, rows)
        self._work = state_kernels.new_work(self._table, k)
        # a visit descends twice; a descent records each clause left out for every clause dropped
        # and for every time that none is, and the rule itself; growth records before and after
        entries = 2 * ((2 * k + 1) * k + k + 1) + 2 * k + 1
        self._log = state_kernels.Log(
            np.empty((entries, k, p, 3), np.int64),
            np.empty((entries, 2), np.int64),
            np.empty(entries, np.float64),
            np.zeros(1, np.int64),
        )
        self._room = pair_kernels.room()

    def price(self, archive: Archive, boxes: Boxes) -> None:
        """Offer a rule to the archive as it is."""
        self._begin(boxes)
        how = boxes.n_clauses, 0.0, np.uint64(0)
        data = self._table, self._work, self._log
        self._descents.visit(*data, self._descents.ENTER, *how)
        self._descents.visit(*data, self._descents.RECORD, *how)
        self._tell(archive)

    def promising(self, most: int) -> Ints:
        """List the features of the `most` columns whose changes came nearest to the best change.

        Over all steps made so far; of equal ones the first.
        """
        return self.features_of(self._work.reach, most)

    def features_of(self, worth: Floats, most: int) -> Ints:
        """List the features of the `most` columns that have the feature worth most."""
        column, best = self._table.features[:, 1], np.full(len(self._table.cells), -np.inf)
        np.maximum.at(best, column, worth)
        kept = np.argsort(-best, kind="stable")[:most]
        return np.flatnonzero(np.isin(column, kept))

    def visit(
        self, archive: Archive, boxes: Boxes, n_clauses: int, theta: float, *, undisturbed: bool
    ) -> None:
        """Descend from a rule at one price, fill it up, descend again; archive what is found."""
        self._begin(boxes)
        self._run(boxes.n_clauses, n_clauses, theta, undisturbed)
        self._tell(archive)

    def _begin(self, boxes: Boxes) -> None:
        self._work.box[: boxes.n_clauses, :, :3] = _stacked(boxes)
        self._log.count[0] = 0

    def _tell(self, archive: Archive) -> None:
        """Offer what was logged."""
        log, n = self._log, int(self._log.count[0])
        found = zip(log.size[:n].tolist(), log.loss[:n].tolist(), strict=True)
        for j, ((size, n_conditions), loss) in enumerate(found):
            if archive.improves(size, n_conditions, loss):
                archive.offer(loss, n_conditions, _boxes(log.box[j, :size]))

    def _run(self, k: int, n_clauses: int, theta: float, undisturbed: bool) -> None:
        """Descend, grow and descend again, from the first `k` clauses."""
        kernels, data = self._descents, (self._table, self._work, self._log)
        how = theta, np.float64(theta).view(np.uint64)
        grew = False
        kernels.visit(*data, kernels.ENTER, k, *how)
        k = kernels.visit(*data, kernels.DESCEND if undisturbed else kernels.RECORD, k, *how)
        while k < n_clauses:
            key = theta, self._work.box[:k].tobytes()
            if key in self._full_grown:  # a search comes back to most of its rules
                break
            if key in self._grown:
                self._work.box[k] = self._grown[key]
            else:
                self._pairs.start_clause(self._table, self._work, self._room, k, theta)
            after = kernels.visit(*data, kernels.GROW, k + 1, *how)
            if after == k:
                self._full_grown.add(key)
                break
            self._grown[key] = self._work.box[k].copy()
            k, grew = after, True
        if grew or not undisturbed:
            kernels.visit(*data, kernels.DESCEND, k, *how)

    def improve_each(self, starts: Boxes, theta: float) -> tuple[Boxes, Floats]:
        """Improve each clause by itself, for prices of training errors.

        Shape of the result: (k, 1 + p).
        """
        kernels, box = self._descents, _stacked(starts)
        saved = np.zeros((len(box), 1 + box.shape[1]))
        names, owners = np.zeros(kernels.SLOTS, np.uint64), np.zeros(kernels.SLOTS, np.int64)
        kernels.improve_each(self._table, self._work, box, saved, names, owners, theta)
        return _boxes(box), saved

    def choose_alone(self, theta: float) -> tuple[Floats, Boxes]:
        """Choose an interval of each feature, for a rule of one feature.

        Shape of the result: (p,).
        """
        self._descents.choose_alone(self._table, self._work, theta)
        return self._work.gain[:, 0].copy(), _boxes(self._work.choice[None])


def _stacked(boxes: Boxes) -> Ints:
    """Write boxes as one array of shape (k, p, 3)."""
    parts = [np.asarray(part, np.int64) for part in (boxes.low, boxes.high, boxes.absent)]
    return np.stack(parts, axis=2)


def _boxes(parts: Ints) -> Boxes:
    """Read boxes from an array of shape (k, p, 3) or more."""
    absent: Bools = parts[:, :, 2].astype(bool)
    return Boxes(parts[:, :, 0].copy(), parts[:, :, 1].copy(), absent)
