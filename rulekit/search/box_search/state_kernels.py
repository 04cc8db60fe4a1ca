"""The state of a box search as arrays: clauses, what they refuse, and how many hold for each row.

Legend, beside that of `problem`: k clauses of the state, r one of them, f a feature; c columns of
cells, of which a feature reads one; a *slot* is the place of a feature among those of a clause that
may refuse a row.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.search.machine_code import machine_code, record

TIE = 1e-9  # a literal must earn at least this much more than its price
IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms
FAR = 1 << 30  # more violations than any clause can have: the distance to no clause at all
LOW, HIGH, ABSENT, SIZE = range(4)  # what the last axis of the arrays below counts
WORTH, EXTRA, NEAR = range(3)
VALUE, NOW, FULL, DROPPED = range(4)
# Each plain number makes a version of its own of every kernel that it is handed to.
typed: Any = np.int64
ZERO, ONE, NONE = typed(0), typed(1), typed(-1)
START, END = TEST, LACKS = CLAUSES, LITERALS = BINS, SOURCE = range(2)


class Table(NamedTuple):
    """The problem; see `BoxRows`. Few arrays: each one makes all kernels longer to compile."""

    rows: Any  # (n, c) uint16, cells
    columns: Any  # (c, n) uint16, the same
    cells: Any  # (c,) int64, number of cells of each column
    features: Any  # (p, 2) int64: number of bins, column read
    bins: Any  # (p, cells) uint16, bin of each cell of the column read
    y: Any  # (n,) bool
    charges: Any  # (n, 3) float64: base, negative for the other class; extra; near
    may: Any  # (p, bins, 2) bool: start, end
    flags: Any  # (p, 2) bool: may test missingness, lacks values
    plain: Any  # (1,) bool: whether all extra and near are 0


class Work(NamedTuple):
    """The clauses and room to work in, for as many clauses as a search may have."""

    box: Any  # (k, p, 4) int64: low, high, absent, literals
    v: Any  # (k, n) int16
    held: Any  # (n,) int16, clauses that hold
    nearest: Any  # (n,) int32, fewest violations over other clauses; not kept for plain errors
    sums: Any  # (c, cells) float64
    extra: Any  # (p, cells) float64, by slot
    refuses: Any  # (p, cells) bool, by slot
    freed: Any  # (slots at once, c, cells) float64
    both: Any  # (slots at once, p, cells) float64
    row: Any  # (1, width) float64, sums over the bins of one feature
    gain: Any  # (p, 4) float64: best choice, what is accepted now, all rows, dropping the feature
    choice: Any  # (p, 3) int64: low, high, absent
    active: Any  # (p,) int64, features of the clause that may refuse a row
    slot: Any  # (p,) int64, their places, or NONE
    stamps: Any  # (k + 1,) int64, changes when a clause was last found settled; changes so far
    without: Any  # (k,) float64, loss without each clause
    settled: Any  # (SLOTS,) uint64, names of rules that no move improves
    reach: Any  # (p,) float64, the most that a change saved, as a share of the best one's then


class Log(NamedTuple):
    """Rules on their way to the archive, in the order they were found."""

    box: Any  # (entries, k, p, 3) int64: low, high, absent
    size: Any  # (entries, 2) int64: clauses, literals
    loss: Any  # (entries,) float64
    count: Any  # (1,) int64


I, F, B, U = types.int64, types.float64, types.boolean, types.uint16  # noqa: E741
I1, I2, I3, F1, F2, F3 = I[::1], I[:, ::1], I[:, :, ::1], F[::1], F[:, ::1], F[:, :, ::1]
B1, B2, B3, U2, U64 = B[::1], B[:, ::1], B[:, :, ::1], U[:, ::1], types.uint64[::1]
TABLE = record(Table, U2, U2, I1, I2, U2, B1, F2, B3, B2, B1)
WORK = record(
    Work,
    *(I3, types.int16[:, ::1], types.int16[::1], types.int32[::1]),
    *(F2, F2, B2, F3, F3, F2, F2, I2, I1, I1, I1, F1, U64, F1),
)
LOG = record(Log, I[:, :, :, ::1], I2, F1, I1)
SLOTS, TRIES = 1 << 13, 64  # of a table of names
AT_ONCE = 1 << 20  # numbers that `freed`, and `both`, may hold


def new_table(problem: Any, y: Any, charges: Any, rows: Any = slice(None)) -> Table:
    """Bring (some rows of) a problem to the arrays that kernels read.

    Shapes: y (n,), charges (n, 3).
    """
    cells = np.array(problem.cells[rows], np.uint16, order="C")
    return Table(
        cells,
        np.ascontiguousarray(cells.T),
        np.asarray(problem.n_cells, np.int64),
        np.stack([problem.n_bins, problem.column], axis=1).astype(np.int64),
        np.array(problem.bins, np.uint16, order="C"),
        np.array(y[rows], np.bool_),
        np.ascontiguousarray(charges[rows]),
        np.stack([np.asarray(problem.may_start), np.asarray(problem.may_end)], axis=2),
        np.stack([np.asarray(problem.may_test_missing), problem.has_missing], axis=1),
        np.array([not charges[:, EXTRA:].any()]),
    )


def new_work(table: Table, k: int) -> Work:
    """Make room for rules of `k` clauses."""
    (n, c), (p, cells) = table.rows.shape, table.bins.shape
    at_once = max(1, min(p, AT_ONCE // max(1, max(p, c) * cells)))
    return Work(
        np.zeros((k, p, 4), np.int64),
        np.zeros((k, n), np.int16),
        np.zeros(n, np.int16),
        np.zeros(0 if table.plain[0] else n, np.int32),
        np.zeros((c, cells)),
        np.zeros((p, cells)),
        np.zeros((p, cells), np.bool_),
        np.zeros((at_once, c, cells)),
        np.zeros((at_once, p, cells)),
        np.zeros((1, 1 + int(table.features[:, BINS].max(initial=1)))),
        np.zeros((p, 4)),
        np.zeros((p, 3), np.int64),
        np.zeros(p, np.int64),
        np.full(p, NONE),
        np.zeros(k + 1, np.int64),
        np.zeros(k),
        np.zeros(SLOTS, np.uint64),
        np.zeros(p),
    )


# What runs per row takes numbers, what runs per clause the tuples of arrays: handing a tuple over
# counts every array in and out, which costs more than the work on one row.


@machine_code()
def refuses_code(code, n_bins, low, high, absent):  # type: ignore[no-untyped-def]
    """Return whether an interval keeps a row with this code out."""
    if code == n_bins:
        return not absent
    return code < low or code > high


@machine_code(inline=True)
def _literals(n_bins, lacks, low, high, absent):  # type: ignore[no-untyped-def]
    """Count the literals of an interval on a feature that `lacks` values or does not."""
    if low > high:
        return 1
    ends = np.int64(low > 0) + np.int64(high < n_bins - 1)
    return 1 if ends == 0 and lacks and not absent else ends


@machine_code()
def _put_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Store what clause `r` accepts on feature `f`."""
    box, n_bins = work.box, table.features[f, BINS]
    box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT] = low, high, absent
    box[r, f, SIZE] = _literals(n_bins, table.flags[f, LACKS], low, high, absent)


@machine_code()
def find_refused(table, work, r, f, slot):  # type: ignore[no-untyped-def]
    """Write into `refuses` which cells feature `f` of clause `r` keeps out."""
    box, n_bins = work.box, table.features[f, BINS]
    low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
    for cell in range(table.cells[table.features[f, SOURCE]]):
        refused = refuses_code(np.int64(table.bins[f, cell]), n_bins, low, high, absent)
        work.refuses[slot, cell] = box[r, f, SIZE] > 0 and refused


@machine_code()
def set_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Change the interval of clause `r` on feature `f`."""
    column, v, held = table.columns[table.features[f, SOURCE]], work.v[r], work.held
    change = work.extra[0]  # this room is free between histograms
    find_refused(table, work, r, f, ZERO)
    n_cells, refuses = table.cells[table.features[f, SOURCE]], work.refuses[0]
    for cell in range(n_cells):
        change[cell] = -1.0 if refuses[cell] else 0.0
    _put_feature(table, work, r, f, low, high, absent)
    find_refused(table, work, r, f, ZERO)
    for cell in range(n_cells):
        change[cell] += 1.0 if refuses[cell] else 0.0
    for i in range(len(v)):
        more = np.int16(change[column[i]])
        if more != 0:
            before = v[i]
            v[i] = before + more
            if before == 0:
                held[i] -= 1
            elif v[i] == 0:
                held[i] += 1
    work.stamps[-1] += 1


@machine_code()
def enter_clause(table, work, r):  # type: ignore[no-untyped-def]
    """Count the literals of clause `r`, a new one, and what it refuses."""
    v, box = work.v[r], work.box
    for i in range(len(v)):
        v[i] = 0
    for f in range(len(table.features)):
        _put_feature(table, work, r, f, box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT])
        if box[r, f, SIZE]:
            find_refused(table, work, r, f, ZERO)
            column, refuses = table.columns[table.features[f, SOURCE]], work.refuses[0]
            for i in range(len(v)):
                v[i] += refuses[column[i]]
    for i in range(len(v)):
        work.held[i] += v[i] == 0
    work.stamps[-1] += 1


@machine_code()
def leave_clause(work, r):  # type: ignore[no-untyped-def]
    """Count clause `r` no longer among those that hold."""
    for i in range(len(work.held)):
        work.held[i] -= work.v[r, i] == 0
    work.stamps[-1] += 1


@machine_code()
def leave_all(work):  # type: ignore[no-untyped-def]
    """Begin with no clause."""
    for i in range(len(work.held)):
        work.held[i] = 0


@machine_code()
def put_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Make clause `r` accept all values of every feature; its literals are counted later."""
    for f in range(len(table.features)):
        work.box[r, f, LOW], work.box[r, f, HIGH] = 0, table.features[f, BINS] - 1
        work.box[r, f, ABSENT] = 1


@machine_code()
def enter_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Make clause `r`, a new one, that without literals, which holds everywhere."""
    put_whole(table, work, r)
    enter_clause(table, work, r)


@machine_code()
def find_nearest(table, work, k, r):  # type: ignore[no-untyped-def]
    """Find the fewest violations of each row over all clauses but `r`, where that is a charge."""
    if table.plain[0]:
        return
    v, nearest = work.v, work.nearest
    for i in range(len(nearest)):
        nearest[i] = FAR
        for other in range(k):
            if other != r and v[other, i] < nearest[i]:
                nearest[i] = v[other, i]
