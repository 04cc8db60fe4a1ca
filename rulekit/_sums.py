"""Sums, functions and small matrices that end in the same bit on every processor."""

# A product by BLAS adds in the order that suits the processor, and NumPy's `exp`, `log` and `power`
# have another formula where registers are wide. What orders rows, places cuts or compares
# candidates must not hang on that. So numbers that are summed over rows of zeros and ones are first
# written as multiples of one power of two, so coarse that no sum is ever rounded: then any order,
# and any matrix product, gives the same bits (`addable`). Where both sides are real, `numpy.einsum`
# without ``optimize`` adds in an order of its own and calls no BLAS. LAPACK rounds as BLAS does, so
# stacks of small matrices are solved here, element by element.

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
    part, exponent = math.frexp(max(float(total), TINY) * copies)
    return math.ldexp(1.0, exponent - (part == 0.5) - EXACT_BITS)


def round_to_grid(values: Floats, unit: float, *, down: bool = False) -> Floats:
    """Write values as multiples of a power of two, to the nearest one or the next below."""
    steps = values / unit
    return (np.floor(steps) if down else np.round(steps)) * unit


def addable(values: Floats) -> Floats:
    """Round numbers so that sums of some of them, each once, are exact in any order."""
    return round_to_grid(values, grid_unit(float(np.abs(values).sum())))


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


def solve_systems(A: Floats, b: Floats) -> Floats:
    """Solve ``A[k] x = b[k]`` by elimination with pivots."""
    n, each = A.shape[2], np.arange(len(A))
    table = np.concatenate([A, b], axis=2)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for j in range(n):
            pivot = j + np.abs(table[:, j:, j]).argmax(axis=1)
            row = table[each, pivot]
            table[each, pivot] = table[:, j]
            row /= row[:, [j]]
            table[:, j] = 0.0
            table -= table[:, :, [j]] * row[:, None]
            table[:, j] = row
    return table[:, :n, n:]


def narrowest(within: Floats, around: Floats) -> tuple[Floats, Floats]:
    """Find for each pair of matrices the w of least ``w'within w / w'around w``."""
    p, L = within.shape[1], np.zeros_like(around)
    for a in range(p):  # around = L L', after Cholesky
        for b in range(a + 1):
            rest = around[:, a, b].copy()
            for c in range(b):
                rest -= L[:, a, c] * L[:, b, c]
            L[:, a, b] = np.sqrt(rest) if a == b else rest / L[:, b, b]
    root = solve_systems(L, np.broadcast_to(np.eye(p), within.shape))
    values, vectors = _eigen(np.einsum("kab,kbc,kdc->kad", root, within, root))
    least, each = values.argmin(axis=1), np.arange(len(within))
    return np.einsum("kba,kb->ka", root, vectors[each, :, least]), values[each, least]


def _eigen(C: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, and eigenvectors in columns, of symmetric matrices, after Jacobi."""
    p = C.shape[1]
    C = np.ascontiguousarray(C.transpose(1, 2, 0))  # numbers of all matrices side by side
    turned = np.zeros_like(C)
    turned[np.arange(p), np.arange(p)] = 1.0
    for _ in range(p + 1 if p > 2 else 1):  # as many leave nothing but rounding, up to p = 5 or so
        for a in range(p):
            for b in range(a + 1, p):
                # of the smaller angle whose rotation makes C[a, b] zero
                with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                    slope = (C[b, b] - C[a, a]) / (2.0 * C[a, b])
                    size = np.abs(slope) + np.sqrt(slope * slope + 1.0)
                    tangent = np.where(slope < 0, -1.0, 1.0) / size
                tangent = np.where(C[a, b] == 0, 0.0, tangent)
                c = 1.0 / np.sqrt(tangent * tangent + 1.0)
                s = tangent * c
                for M in (C, C.transpose(1, 0, 2), turned.transpose(1, 0, 2)):  # rows are turned
                    M[a], M[b] = c * M[a] - s * M[b], s * M[a] + c * M[b]
    each = np.arange(p)
    return C[each, each].T, turned.transpose(2, 0, 1)
