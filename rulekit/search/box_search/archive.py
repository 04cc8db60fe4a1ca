"""The archive of a box search: the best rule found for each number of clauses and literals."""

from dataclasses import dataclass

import numpy as np

from rulekit.search.box_search.problem import Boxes, BoxProblem, no_boxes

GAIN = 1e-9  # an entry is replaced only by one that is better by more than rounding


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One rule of the archive."""

    n_clauses: int
    n_conditions: int
    loss: float
    boxes: Boxes

    def objective(self, theta: float) -> float:
        """Loss plus the price of the literals."""
        return self.loss + theta * self.n_conditions


class Archive:
    """The best rule for each (clauses, literals), from which any θ and clause limit is answered.

    Notes
    -----
    Entries are only ever replaced by better ones, so that an answer never gets worse as a search
    goes on, as θ falls (in loss), or as more clauses are allowed.
    """

    def __init__(self, problem: BoxProblem) -> None:
        self.problem = problem
        self._entries: dict[tuple[int, int], ArchiveEntry] = {}
        missed = float(problem.charges.base[problem.y].sum())
        self.offer(missed, 0, no_boxes(problem.n_features))

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> tuple[ArchiveEntry, ...]:
        """All entries, by clauses and then literals."""
        return tuple(self._entries[key] for key in sorted(self._entries))

    def offer(self, loss: float, n_conditions: int, boxes: Boxes) -> bool:
        """Keep a rule if it is the best of its size; say whether it was."""
        if not self.improves(boxes.n_clauses, n_conditions, loss):
            return False
        entry = ArchiveEntry(boxes.n_clauses, n_conditions, loss, boxes)
        self._entries[entry.n_clauses, n_conditions] = entry
        return True

    def improves(self, n_clauses: int, n_conditions: int, loss: float) -> bool:
        """Return whether a rule of this size and loss would be kept."""
        known = self._entries.get((n_clauses, n_conditions))
        return known is None or loss < known.loss - GAIN

    def answer(self, n_clauses: int, theta: float) -> ArchiveEntry:
        """Return the best entry of at most `n_clauses` clauses at price `theta`.

        Ties go to fewer literals, then to fewer clauses.
        """
        allowed = [e for e in self._entries.values() if e.n_clauses <= n_clauses]
        values = [e.loss + theta * e.n_conditions for e in allowed]
        least = min(values) + 2 * GAIN  # all that rounding may make equal to the least
        return min(
            (e for e, value in zip(allowed, values, strict=True) if value <= least),
            key=lambda e: (round(e.objective(theta), 9), e.n_conditions, e.n_clauses),
        )

    def front(self, n_clauses: int | None = None) -> tuple[ArchiveEntry, ...]:
        """Return the entries that no other beats in both loss and literals, smallest first."""
        limit = np.inf if n_clauses is None else n_clauses
        allowed = [e for e in self._entries.values() if e.n_clauses <= limit]
        kept: list[ArchiveEntry] = []
        for entry in sorted(allowed, key=lambda e: (e.n_conditions, e.loss, e.n_clauses)):
            if not kept or entry.loss < kept[-1].loss - GAIN:
                kept.append(entry)
        return tuple(kept)
