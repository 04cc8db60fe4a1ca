"""One visit of the box search, by machine code once that is there and by NumPy until then."""

from types import ModuleType

import numpy as np

from rulekit.solvers.box_archive import Archive
from rulekit.solvers.box_moves import Moves
from rulekit.solvers.box_problem import Boxes, BoxProblem
from rulekit.solvers.compiled import compiled_module

MACHINE = compiled_module("rulekit.solvers.box_machine")
MOST_BINS, MOST_FEATURES = 65_534, 16_000  # what the integers of the machine code can count


class Visits:
    """Improves rules of one problem and records what it finds.

    Parameters
    ----------
    problem : BoxProblem
        The data.
    archive : Archive
        Where the rules found are recorded.
    max_clauses : int
        Clauses at most, of any rule.

    Notes
    -----
    NumPy and machine code find the same rules to the last bit (`rulekit.solvers.box_machine`), so
    that a search may begin with the one and go on with the other.
    """

    def __init__(self, problem: BoxProblem, archive: Archive, max_clauses: int) -> None:
        self.problem, self.archive, self.max_clauses = problem, archive, max_clauses
        self._moves: dict[float, Moves] = {}
        self._machine: _MachineVisits | None = None
        bins, p = int(problem.n_bins.max(initial=1)), problem.n_features
        self._countable = bins <= MOST_BINS and 0 < p <= MOST_FEATURES

    def visit(self, boxes: Boxes, n_clauses: int, theta: float, *, undisturbed: bool) -> None:
        """Descend from a rule at one price, as `Moves.visit` says."""
        module = MACHINE.ready() if self._countable else None
        if module is None:
            moves = self._moves.get(theta)
            if moves is None:
                moves = self._moves[theta] = Moves(self.problem, self.archive, theta)
            moves.visit(boxes, n_clauses, undisturbed=undisturbed)
            return
        if self._machine is None:
            self._machine = _MachineVisits(module, self.problem, self.max_clauses)
        self._machine.visit(self.archive, boxes, n_clauses, theta, undisturbed)


class _MachineVisits:
    """The arrays that machine code works on, and its call."""

    def __init__(self, module: ModuleType, problem: BoxProblem, max_clauses: int) -> None:
        n, p, k = problem.n_rows, problem.n_features, max_clauses
        charges = problem.charges
        self._module = module
        self._full_grown: set[tuple[float, bytes]] = set()  # as `Moves` remembers
        self.table = module.Table(
            np.array(problem.codes, np.uint16, order="C"),
            np.array(problem.n_bins, np.int64),
            np.array(problem.y, np.bool_),
            np.stack([charges.base, charges.extra, charges.near], axis=1),
            np.stack([np.asarray(problem.may_start), np.asarray(problem.may_end)], axis=2),
            np.stack([np.asarray(problem.may_test_missing), problem.has_missing], axis=1),
        )
        self.work = module.Work(
            np.zeros((k, p, 4), np.int64),
            np.zeros((k, n), np.int16),
            np.zeros((n, 2), np.int64),
            np.zeros((p, problem.width), np.float64),
            np.zeros((p, 4), np.float64),
            np.zeros((p, 3), np.int64),
            np.zeros(p, np.int64),
        )
        # a visit descends twice; a descent records each clause left out for every clause dropped
        # and for every time that none is, and the rule itself; growth records before and after
        entries = 2 * ((2 * k + 1) * k + k + 1) + 2 * k + 1
        self.log = module.Log(
            np.empty((entries, k, p, 3), np.int64),
            np.empty((entries, 2), np.int64),
            np.empty(entries, np.float64),
            np.zeros(1, np.int64),
        )

    def visit(
        self, archive: Archive, boxes: Boxes, n_clauses: int, theta: float, undisturbed: bool
    ) -> None:
        """Do what `Moves.visit` does, and offer what was logged to the archive."""
        work, log, k = self.work, self.log, boxes.n_clauses
        for part, values in enumerate((boxes.low, boxes.high, boxes.absent)):
            work.box[:k, :, part] = values
        log.count[0] = 0
        self._run(k, n_clauses, theta, undisturbed)
        n = int(log.count[0])
        found = zip(log.size[:n].tolist(), log.loss[:n].tolist(), strict=True)
        for j, ((size, n_literals), loss) in enumerate(found):
            if archive.improves(size, n_literals, loss):
                low, high, absent = (log.box[j, :size, :, part].copy() for part in range(3))
                archive.offer(loss, n_literals, Boxes(low, high, absent.astype(bool)))

    def _run(self, k: int, n_clauses: int, theta: float, undisturbed: bool) -> None:
        """Descend, grow and descend again, from the first `k` clauses."""
        module, data = self._module, (self.table, self.work, self.log)
        k = module.visit(*data, module.DESCEND if undisturbed else module.ENTER, 0, k, theta)
        grew = False
        while k < n_clauses:
            key = theta, self.work.box[:k].tobytes()
            if key in self._full_grown:
                break
            module.start_clause(self.table, self.work, k, theta)
            after = module.visit(*data, module.GROW, k, k + 1, theta)
            if after == k:
                self._full_grown.add(key)
                break
            k, grew = after, True
        if grew or not undisturbed:
            module.visit(*data, module.DESCEND, k, k, theta)
