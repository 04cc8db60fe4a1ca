"""Power laws: from matrices of exponents to coordinates in B-space, for a whole population."""

# A power law is a product of features raised to whole exponents, and a structure is a set of up to
# ``p`` of them. Features have to be positive. The table of powers is made once; a population of
# structures then costs one product a non-zero exponent, whatever the number of features.
#
# Legend (Dhebar and Deb, section III-B):
#   n, d   rows and features                     X  (n, d) positive features
#   p      power laws of a structure, at most    E  (P, p, d) exponents of P structures
#   B      the value of a power law, Eq. 3       FU non-zero exponents of a structure, Eq. 7

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import SolverError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Exponents = NDArray[np.int8]


class Laws(NamedTuple):
    """Power laws on the rows, centred and scaled so that weights are of like size."""

    values: Floats  # (R, n)
    mean: Floats  # (R,)
    scale: Floats  # (R,)


class PowerTable:
    """Every power of every feature, ready to be multiplied."""

    def __init__(self, X: Floats, largest: int = 3) -> None:
        if not (np.isfinite(X).all() and (X > 0).all()):
            raise SolverError(
                "Power laws need positive, finite features; scale or shift them first."
            )
        base = np.ascontiguousarray(X.T, dtype=float)
        self.largest = largest
        self.n_features, self.n_rows = base.shape
        self.powers = np.empty((2 * largest + 1, *base.shape))
        self.powers[largest] = 1.0
        for k in range(1, largest + 1):
            self.powers[largest + k] = self.powers[largest + k - 1] * base
            self.powers[largest - k] = 1.0 / self.powers[largest + k]

    def raw(self, rows: Exponents) -> Floats:
        """Multiply out power laws: shape (R, n) for exponents of shape (R, d)."""
        from rulekit.families.power_law.solver.split_kernels import multiply

        return np.asarray(multiply(self.powers, np.ascontiguousarray(rows)))

    def laws(self, rows: Exponents) -> Laws:
        """Multiply out power laws and bring them to mean 0 and standard deviation 1."""
        from rulekit.families.power_law.solver.split_kernels import scale

        return Laws(*scale(self.raw(rows)))


def shifts_for(low: Floats, high: Floats) -> Floats:
    """Compute what has to be subtracted from features to make them positive."""
    return np.where(low > 0, 0.0, low - np.where(high > low, high - low, 1.0))


def n_exponents(structures: Exponents) -> Ints:
    """Count the non-zero exponents of each structure (FU, Eq. 7): shape (P,)."""
    return np.count_nonzero(structures, axis=(1, 2)).astype(np.int64)


def canonical(structures: Exponents) -> Exponents:
    """Write structures so that equal classifiers look equal."""
    result = structures.copy()
    for a in range(1, result.shape[1]):
        for b in range(a):
            result[(result[:, a] == result[:, b]).all(axis=1), a] = 0
    # rows in a fixed order without hashes, empty ones last
    flat = result.view(np.uint8) ^ 128  # bytes in the order of exponents
    keys = np.ascontiguousarray(flat).view(f"S{result.shape[2]}")[..., 0]
    order = np.lexsort((keys, ~result.any(axis=2)), axis=1)
    result = result[np.arange(len(result))[:, None], order]
    single = ~result[:, 1:].any(axis=(1, 2)) & result[:, 0].any(axis=1)
    rows = result[single, 0].astype(np.int64)
    if len(rows):
        rows //= np.gcd.reduce(rows, axis=1)[:, None]
        leading = rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)]
        result[single, 0] = rows * np.sign(leading)[:, None]
    return result


def distinct(structures: Exponents) -> Ints:
    """Return the places of the first of each set of equal structures, in order: shape (Q,)."""
    if not len(structures):
        return np.zeros(0, dtype=np.int64)
    flat = np.ascontiguousarray(structures).reshape(len(structures), -1)
    keys = flat.view(np.dtype((np.void, flat.shape[1]))).ravel()
    first = dict(zip(keys.tolist()[::-1], range(len(keys) - 1, -1, -1), strict=True))
    return np.sort(np.array(list(first.values()), dtype=np.int64))
