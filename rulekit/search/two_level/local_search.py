"""Local search on what counts in the end: wrong training rows, and columns."""

# Throughout the module:
#   A        (n, d) bool    A[i, j]: column j is true in row i; columns of moved cuts are appended
#   y        (n,)   bool    rows that every clause has to cover
#   weight   (n,)   float   what a row counts
#   counts   (n, R) int     true columns of clause r in row i
#   value    float          weight of the wrong rows + theta * columns, objective (3.7)
#
# The rule is searched as the CNF of the opposite table. Where all other clauses hold and clause r
# does not, a column that r gains turns the answer of its true rows to 1: that changes the value by
# ``gain[i] = weight[i] * (-1 if y[i] else 1)`` a row, so that all columns are weighed by one
# product ``gain @ A``, and all cuts of one number by one running sum.

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools
from rulekit.search.columns.clause_selection import ClauseSelection, MovableCuts

IMPROVEMENT = 1e-9  # what an objective must fall by to count as lower
MAX_MOVES = 1000


def local_search(
    table: BinnedTable,
    selection: ClauseSelection,
    theta: float,
    cuts: MovableCuts,
    deadline: float | None = None,
) -> tuple[ClauseSelection, tuple[tuple[int, int], ...]]:
    """Descend from a rule by its best move until none helps; O(n d) a move and chosen column."""
    # Moves: switch a clause off; drop, add or swap a column; where none helps, move the cut of one.
    # Ties go to fewest columns, then clause by clause, drop before add before swap, from the left.
    state = _State(table.opposite, selection, float(theta), cuts)
    history: list[dict[str, Any]] = [{"step": 0, "move": "start", "objective": state.value}]
    while len(history) <= MAX_MOVES:
        if deadline is not None and time.monotonic() > deadline:
            history.append({"step": len(history), "stopped": "time limit"})
            break
        if (move := state.best_change() or state.best_cut()) is None:
            break
        state.make(move)
        history.append({"step": len(history), "move": move.kind, "objective": state.value})
    chosen = np.zeros((len(state.clauses), state.A.shape[1]), dtype=bool)
    for r, clause in enumerate(state.clauses):
        chosen[r, list(clause)] = True
    return ClauseSelection(chosen, state.value, (*selection.history, *history)), tuple(state.moved)


@dataclass(frozen=True)
class _Move:
    """Clause r becomes these columns; None removes it."""

    kind: str
    r: int
    columns: tuple[int, ...] | None
    value: float  # of the rule after it
    cut: tuple[int, int] | None = None  # a column to be made first, and appended to `columns`


class _State:
    """The rule under way."""

    def __init__(
        self, table: BinnedTable, selection: ClauseSelection, theta: float, cuts: MovableCuts
    ) -> None:
        self.table, self.theta, self.ranks, self.barred = table, theta, cuts.ranks, cuts.barred
        self.A, self.y, self.weight = table.values, table.y, table.weight
        whole = bool((self.weight == np.round(self.weight)).all())
        single = whole and self.weight.sum() < 2**24  # sums are exact in single precision
        self.numbers = self.A.astype(np.float32 if single else np.float64)
        self.gain = np.where(self.y, -self.weight, self.weight)
        self.clauses = [tuple(np.flatnonzero(row).tolist()) for row in selection.chosen]
        self.moved: list[tuple[int, int]] = []
        self._d = self.A.shape[1]
        self.counts = np.zeros((len(self.y), len(self.clauses)), dtype=np.int64)
        for r, clause in enumerate(self.clauses):
            self.counts[:, r] = self._count(clause)
        self.value = self._value()

    def best_change(self) -> _Move | None:
        """Find the best way to switch off, drop, add or swap, if one helps."""
        best, best_key = None, (self.value - IMPROVEMENT, 0)
        for r, clause in enumerate(self.clauses):
            n_rest = self._n_columns() - len(clause)
            others, price = self._others_hold(r), self.theta * n_rest
            listed = [_Move("switch off", r, None, price + self._wrong(others))]
            # A swap is a drop and an add in one: from each clause with one column less, and from
            # the clause itself, all columns that could be added are weighed by one product.
            opens = []
            for base in (*(tuple(c for c in clause if c != gone) for gone in clause), clause):
                holds = self.counts[:, r] > 0 if base is clause else self._count(base) > 0
                value = price + self.theta * len(base) + self._wrong(others & holds)
                if base is not clause:
                    listed.append(_Move("drop", r, base, value))
                # rows whose answer an added column turns: all other clauses hold, this one does not
                opens.append((base, value, np.where(others & ~holds, self.gain, 0.0)))
            changes = np.array([o for _, _, o in opens], dtype=self.numbers.dtype) @ self.numbers
            for (base, value, _), change in zip(opens, changes, strict=True):
                if change.size:
                    j = int(change.argmin())
                    kind = "add" if base is clause else "swap"
                    listed.append(_Move(kind, r, (*base, j), value + float(change[j]) + self.theta))
            for move in listed:
                key = round(move.value, 9), n_rest + len(move.columns or ())
                if key < best_key and move.value < self.value - IMPROVEMENT:
                    best, best_key = move, key
        return best

    def best_cut(self) -> _Move | None:
        """Find the best move of one cut, if one helps."""
        best, lowest = None, self.value - IMPROVEMENT
        for r, clause in enumerate(self.clauses):
            for j in clause:
                template, cut = j, -1  # the column that cut j is based on, and the rank before it
                if j >= self._d:
                    template, cut = self.moved[j - self._d]
                elif self.table.side[j] != 0:
                    rank = self.ranks[int(self.table.feature[j])]
                    low = self.A[:, j] == (self.table.side[j] < 0)
                    cut = int(rank[low & (rank >= 0)].max(initial=-1))
                if self.table.side[template] == 0:
                    continue
                base = tuple(c for c in clause if c != j)
                k, value = self._nearest_best_cut(r, base, template, cut)
                if value < lowest and k != cut:
                    best, lowest = _Move("move cut", r, base, value, (template, k)), value
        return best

    def _nearest_best_cut(
        self, r: int, base: tuple[int, ...], template: int, cut: int
    ) -> tuple[int, float]:
        """Weigh every cut of the template's source column in clause r: the best, and its value."""
        rank = self.ranks[int(self.table.feature[template])]
        others, holds = self._others_hold(r), self._count(base) > 0
        open_gain = np.where(others & ~holds, self.gain, 0.0)
        present = rank >= 0
        steps = np.bincount(rank[present], weights=open_gain[present])
        # change[k]: what the rows on the true side of a cut after value k bring together
        below = np.cumsum(steps)[:-1]  # cut after the last value is no cut
        change = below if self.table.side[template] < 0 else steps.sum() - below
        # rows without a value answer as the template does, wherever the cut is
        if (self.A[:, template] & ~present).any():
            change = change + open_gain[~present].sum()
        for j, k in self.barred:
            if j == template and 0 <= k < len(change):
                change[k] = np.inf
        if len(change) == 0 or np.isinf(change).all():
            return cut, np.inf
        ties = np.flatnonzero(change <= change.min() + IMPROVEMENT)
        k = int(ties[np.abs(ties - cut).argmin()])
        price = self.theta * (self._n_columns() - len(self.clauses[r]) + len(base) + 1)
        return k, price + self._wrong(others & holds) + float(change[k])

    def make(self, move: _Move) -> None:
        """Change clause r."""
        if (columns := move.columns) is None:
            del self.clauses[move.r]
            self.counts = np.delete(self.counts, move.r, axis=1)
        else:
            if move.cut is not None:
                if move.cut not in self.moved:
                    template, k = move.cut
                    rank = self.ranks[int(self.table.feature[template])]
                    low = bool(self.table.side[template] < 0)
                    column = np.where(rank < 0, self.A[:, template], (rank <= k) == low)
                    self.moved.append(move.cut)
                    self.A = np.column_stack([self.A, column])
                    added = column.astype(self.numbers.dtype)
                    self.numbers = np.column_stack([self.numbers, added])
                columns = (*columns, self._d + self.moved.index(move.cut))
            self.clauses[move.r] = tuple(dict.fromkeys(columns))
            self.counts[:, move.r] = self._count(self.clauses[move.r])
        self.value = self._value()

    def _others_hold(self, r: int) -> Bools:
        """Return where every clause except r holds, shape (n,)."""
        return np.asarray(np.all(np.delete(self.counts, r, axis=1) > 0, axis=1))

    def _count(self, clause: tuple[int, ...]) -> NDArray[np.int64]:
        count = np.zeros(len(self.y), dtype=np.int64)
        for j in clause:
            count += self.A[:, j]
        return count

    def _wrong(self, answer: Bools) -> float:
        return float(self.weight[answer != self.y].sum())

    def _n_columns(self) -> int:
        return sum(map(len, self.clauses))

    def _value(self) -> float:
        return self._wrong(np.all(self.counts > 0, axis=1)) + self.theta * self._n_columns()
