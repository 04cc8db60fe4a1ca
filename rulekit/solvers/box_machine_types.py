"""What the machine code of the box search works on: named tuples of arrays, and their types.

Imported with `rulekit.solvers.box_machine`, as it needs Numba.
"""

from typing import Any, NamedTuple

from numba import types


class Table(NamedTuple):
    """The problem: codes, bins, classes, charges, what is allowed."""

    codes: Any  # (n, p) uint16
    n_bins: Any  # (p,) int64
    y: Any  # (n,) bool
    base: Any  # (n,) float64, and so on; see Charges
    extra: Any
    near: Any
    may_start: Any  # (p, bins) bool
    may_end: Any
    may_test: Any  # (p,) bool
    has_missing: Any


class Work(NamedTuple):
    """The clauses and room to work in, for as many clauses as a search may have."""

    low: Any  # (k, p) int64
    high: Any
    absent: Any  # (k, p) bool
    size: Any  # (k, p) int64, literals
    v: Any  # (k, n) int16
    nearest: Any  # (n,) int64, over the clauses but the one that is changed
    holding: Any
    H: Any  # (p, width) float64
    value: Any  # (p,) float64: of the best choice, of what is accepted now, of all rows, gained
    now: Any  # by dropping the feature
    full: Any
    dropped: Any
    choice: Any  # (p, 3) int64: low, high, absent
    active: Any  # (p,) int64, features of the clause that refuse anything


class Log(NamedTuple):
    """Rules on their way to the archive, in the order they were found."""

    low: Any  # (entries, k, p) int64
    high: Any
    absent: Any
    size: Any  # (entries, 2) int64: clauses, literals
    loss: Any  # (entries,) float64
    count: Any  # (1,) int64


def _array(kind: Any, ndim: int) -> Any:
    return types.Array(kind, ndim, "C")


def _tuple(kinds: Any, name: type) -> Any:
    return types.NamedTuple(kinds, name)  # type: ignore[no-untyped-call]


I, F, B = types.int64, types.float64, types.boolean  # noqa: E741
_I1, _I2, _I3 = (_array(I, d) for d in (1, 2, 3))
_F1, _F2 = (_array(F, d) for d in (1, 2))
_B1, _B2, _B3 = (_array(B, d) for d in (1, 2, 3))
_U2, _V2 = _array(types.uint16, 2), _array(types.int16, 2)
TABLE = _tuple((_U2, _I1, _B1, _F1, _F1, _F1, _B2, _B2, _B1, _B1), Table)
WORK = _tuple((_I2, _I2, _B2, _I2, _V2, _I1, _I1, _F2, _F1, _F1, _F1, _F1, _I2, _I1), Work)
LOG = _tuple((_I3, _I3, _B3, _I2, _F1, _I1), Log)
