"""A split of rows that depends on the row's number and a seed alone.

So it can be made anew, row by row, by anyone who can multiply whole numbers: in NumPy here, in SQL
by `rulekit.families.ideal_dnf.parquet_counts`. The hash, on 32-bit words, is ::

    mix(x) :  x ^= x >> 16;  x *= 0x7feb352d;  x ^= x >> 15;  x *= 0x846ca68b;  x ^= x >> 16
    hash(row) = mix(low half of row  ^  mix(0x9e3779b9 ^ seed ^ high half of row))

(products modulo 2**32; the constants of `mix` are those of C. Wellons' search for hashes of low
bias). A row is held out where its hash is below ``round(fraction * 2**32)``.
"""

import numpy as np
from numpy.typing import NDArray

WORD = 0xFFFFFFFF
MULTIPLIERS = (0x7FEB352D, 0x846CA68B)
SHIFTS = (16, 15, 16)
SALT = 0x9E3779B9


def held_out(n_rows: int, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Select a share of the rows to hold out.

    Shape of the result: (n_rows,).
    """
    return row_hash(np.arange(n_rows, dtype=np.uint64), seed) < np.uint64(limit(fraction))


def limit(fraction: float) -> int:
    """Return the hash below which a row is held out."""
    return round(fraction * 2**32)


def row_hash(rows: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Hash row numbers to 32 bits: shape (n,)."""
    high = mixed((rows >> np.uint64(32)) ^ np.uint64((SALT ^ seed) & WORD))
    return mixed((rows & np.uint64(WORD)) ^ high)


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 32-bit words, each in a 64-bit cell so that products do not overflow."""
    x = x ^ (x >> np.uint64(SHIFTS[0]))
    x = (x * np.uint64(MULTIPLIERS[0])) & np.uint64(WORD)
    x ^= x >> np.uint64(SHIFTS[1])
    x = (x * np.uint64(MULTIPLIERS[1])) & np.uint64(WORD)
    x ^= x >> np.uint64(SHIFTS[2])
    return x
