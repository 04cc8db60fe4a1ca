"""What the machine code of the box search works on: named tuples of arrays, and their types.

Imported with `rulekit.solvers.box_machine`, as it needs Numba. Few arrays, as each one handed over
makes the functions longer to compile.
"""

from typing import Any, NamedTuple

from numba import types


class Table(NamedTuple):
    """The problem; see `BoxProblem`."""

    codes: Any  # (n, p) uint16
    n_bins: Any  # (p,) int64
    y: Any  # (n,) bool
    charges: Any  # (n, 3) float64: base, extra, near
    may: Any  # (p, bins, 2) bool: start, end
    flags: Any  # (p, 2) bool: may test missingness, lacks values


class Work(NamedTuple):
    """The clauses and room to work in, for as many clauses as a search may have."""

    box: Any  # (k, p, 4) int64: low, high, absent, literals
    v: Any  # (k, n) int16
    others: Any  # (n, 2) int64, over the other clauses: fewest violations, number that hold
    H: Any  # (p, width) float64
    gain: Any  # (p, 4) float64: best choice, what is accepted now, all rows, dropping the feature
    choice: Any  # (p, 3) int64: low, high, absent
    active: Any  # (p,) int64, features of the clause that may refuse a row


class Log(NamedTuple):
    """Rules on their way to the archive, in the order they were found."""

    box: Any  # (entries, k, p, 3) int64: low, high, absent
    size: Any  # (entries, 2) int64: clauses, literals
    loss: Any  # (entries,) float64
    count: Any  # (1,) int64


def _array(kind: Any, ndim: int) -> Any:
    return types.Array(kind, ndim, "C")


def _tuple(kinds: Any, name: type) -> Any:
    return types.NamedTuple(kinds, name)  # type: ignore[no-untyped-call]


I, F, B = types.int64, types.float64, types.boolean  # noqa: E741
_I1, _I2, _I3, _I4 = (_array(I, d) for d in (1, 2, 3, 4))
_F1, _F2 = (_array(F, d) for d in (1, 2))
_B1, _B2, _B3 = (_array(B, d) for d in (1, 2, 3))
TABLE = _tuple((_array(types.uint16, 2), _I1, _B1, _F2, _B3, _B2), Table)
WORK = _tuple((_I3, _array(types.int16, 2), _I2, _F2, _F2, _I2, _I1), Work)
LOG = _tuple((_I4, _I2, _F1, _I1), Log)
