"""Sums and functions that end in the same bit on every processor.

A product by BLAS adds in the order that suits the processor, and NumPy's `exp`, `log` and `power`
have another formula where registers are wide. What orders rows, places cuts or compares candidates
must not hang on that. So numbers that are summed over rows of zeros and ones are first written as
multiples of one power of two, so coarse that no sum is ever rounded: then any order, and any matrix
product, gives the same bits (`addable`). Where both sides are real, `numpy.einsum` without
``optimize`` adds in an order of its own and asks no BLAS.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TINY = float(np.finfo(float).tiny)
EXACT_BITS = 52  # whole numbers up to 2**53 are exact in double precision
LN2, LOG2E = 0.6931471805599453, 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471805598903, 5.497923018708371e-14  # 42 bits, the rest
TERMS = 14  # of a series: the next is below half a unit in the last place


def grid_unit(total: float, copies: int = 1) -> float:
    """Return the power of two whose multiples add up exactly to `copies` times `total`."""
    size = max(float(total), TINY) * copies
    part, exponent = math.frexp(size)
    return math.ldexp(1.0, exponent - (part == 0.5) - EXACT_BITS)


def on_grid(values: Floats, unit: float, *, down: bool = False) -> Floats:
    """Write values as multiples of a power of two, to the nearest one or the next below."""
    steps = values / unit
    return (np.floor(steps) if down else np.round(steps)) * unit


def addable(values: Floats) -> Floats:
    """Round numbers so that sums of some of them, each once, are exact in any order."""
    return on_grid(values, grid_unit(float(np.abs(values).sum())))


def exp(x: Floats) -> Floats:
    """Exponential function, within two units in the last place."""
    x = np.clip(x, -700.0, 700.0)
    whole = np.rint(x * LOG2E)
    rest = (x - whole * LN2_HIGH) - whole * LN2_LOW
    result = np.ones_like(rest)
    for k in range(TERMS, 0, -1):
        result = 1.0 + result * rest / k
    return np.ldexp(result, whole.astype(np.int64))


def log2(x: Floats) -> Floats:
    """Logarithm to base 2, exact for powers of two; -inf for 0."""
    part, exponent = np.frexp(x)
    low = part < math.sqrt(0.5)
    part, exponent = np.where(low, 2.0 * part, part), exponent - low
    ratio = (part - 1.0) / (part + 1.0)
    square, result = ratio * ratio, np.zeros_like(part)
    for k in range(2 * TERMS - 1, 0, -2):
        result = result * square + 1.0 / k
    return np.where(x > 0, exponent + 2.0 * ratio * result * LOG2E, -np.inf)


def power(x: Floats, exponent: float) -> Floats:
    """Raise numbers that are not negative to a positive power."""
    return np.where(x > 0, exp(LN2 * exponent * log2(np.where(x > 0, x, 1.0))), 0.0)
