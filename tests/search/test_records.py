"""Records: named tuples reach kernels by one pointer, with their values and without a leak."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError
from numpy.typing import NDArray

from rulekit.search.machine_code import machine_code
from rulekit.search.records import record


class Inner(NamedTuple):
    """A record inside a record."""

    weights: NDArray[np.float64]


class Outer(NamedTuple):
    """Arrays of two kinds, a number and a record."""

    codes: NDArray[np.int64]
    flags: NDArray[np.bool_]
    scale: float
    inner: Inner


I1, F1, B1 = types.int64[::1], types.float64[::1], types.boolean[::1]
OUTER = record(Outer, I1, B1, types.float64, record(Inner, F1))


@machine_code()
def _weighed(outer, i):  # type: ignore[no-untyped-def]
    return outer.scale * outer.inner.weights[i] if outer.flags[i] else 0.0


@machine_code(types.float64(OUTER))
def total(outer):  # type: ignore[no-untyped-def]
    """Sum what the flagged rows weigh, and count the calls in the codes."""
    result = 0.0
    for i in range(len(outer.codes)):
        result += _weighed(outer, i)
        outer.codes[i] += 1
    return result


def made(n=50):
    rng = np.random.default_rng(0)
    return Outer(
        np.zeros(n, dtype=np.int64), rng.random(n) < 0.5, 3.0, Inner(rng.integers(9, size=n) * 1.0)
    )


def test_fields_are_read_in_place_without_a_reference():
    outer = made()
    for k in (1, 2, 3):
        assert total(outer) == 3.0 * outer.inner.weights[outer.flags].sum()
        assert (outer.codes == k).all()
    total(outer)
    arrays = [outer.codes, outer.flags, outer.inner.weights]
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(100):
        total(outer)
    assert [sys.getrefcount(array) for array in arrays] == before


def test_other_types_and_unknown_fields_are_refused():
    outer = made()._replace(codes=np.zeros(50, dtype=np.int32))
    with pytest.raises(TypeError, match="No matching definition"):
        total(outer)
    outer = made()._replace(inner=Inner(None))
    with pytest.raises((TypeError, TypingError), match=r"No matching definition|type"):
        total(outer)
    with pytest.raises(TypingError, match="Unknown attribute 'colour'"):
        machine_code(types.float64(OUTER))(lambda outer: outer.colour)
