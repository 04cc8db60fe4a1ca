"""Linear algebra for stacks of small matrices, in one order of additions on every processor.

LAPACK rounds as the processor's BLAS does. These do the same few steps for all matrices of a stack
at once, element by element.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def solved(A: Floats, b: Floats) -> Floats:
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
    p = within.shape[1]
    root = solved(_triangle(around), np.broadcast_to(np.eye(p), within.shape))
    values, vectors = _eigen(np.einsum("kab,kbc,kdc->kad", root, within, root))
    least, each = values.argmin(axis=1), np.arange(len(within))
    return np.einsum("kba,kb->ka", root, vectors[each, :, least]), values[each, least]


def _triangle(A: Floats) -> Floats:
    """Factor ``A = L L'`` after Cholesky."""
    L = np.zeros_like(A)
    for a in range(A.shape[1]):
        for b in range(a + 1):
            rest = A[:, a, b].copy()
            for c in range(b):
                rest -= L[:, a, c] * L[:, b, c]
            L[:, a, b] = np.sqrt(rest) if a == b else rest / L[:, b, b]
    return L


def _eigen(C: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, and eigenvectors in columns, of symmetric matrices, after Jacobi."""
    p = C.shape[1]
    C = np.ascontiguousarray(C.transpose(1, 2, 0))  # numbers of all matrices side by side
    turned = np.zeros_like(C)
    turned[np.arange(p), np.arange(p)] = 1.0
    for _ in range(p + 1 if p > 2 else 1):  # as many leave nothing but rounding, up to p = 5 or so
        for a in range(p):
            for b in range(a + 1, p):
                tangent = _tangent(C[a, a], C[b, b], C[a, b])
                c = 1.0 / np.sqrt(tangent * tangent + 1.0)
                s = tangent * c
                for M in (C, C.transpose(1, 0, 2), turned.transpose(1, 0, 2)):  # rows are turned
                    M[a], M[b] = c * M[a] - s * M[b], s * M[a] + c * M[b]
    each = np.arange(p)
    return C[each, each].T, turned.transpose(2, 0, 1)


def _tangent(first: Floats, second: Floats, between: Floats) -> Floats:
    """Tangent of the smaller angle whose rotation makes ``between`` zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = (second - first) / (2.0 * between)
        tangent = np.where(slope < 0, -1.0, 1.0) / (np.abs(slope) + np.sqrt(slope * slope + 1.0))
    return np.where(between == 0, 0.0, tangent)
