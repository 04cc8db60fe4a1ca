"""How large a tree of power laws is to be, as its training rows say."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data import make_folds
from rulekit.families.power_law.growing import Grower, GrowthLimits
from rulekit.families.power_law.solver import SEARCHED_ROWS

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
#: Sizes that are compared: deepest node that may be split, exponents in one split at most.
SIZES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (2, 1))
LONGER = ((0, 5), (0, 6), (1, 3))  # compared only with MANY_ROWS rows or more
PRICE = 0.08  # share of wrong rows that an exponent has to save, times the root of the rows
MANY_ROWS = 3 * SEARCHED_ROWS  # from here, two of three rows do not select the power laws
MOST_ROWS = 20_000  # of more, the size is chosen on a part
FEWEST = 2  # folds, and rows of each class
OUTSIDE = 0.632  # part of rows left out in an error; a tree without them has seen fewer (Efron)


@dataclass(frozen=True)
class Compared:
    """Errors and lengths of each size.

    Shapes: inside (sizes,), outside (sizes, folds), length (sizes,).
    """

    limits: list[GrowthLimits]
    inside: Floats
    outside: Floats
    length: Floats
    n_rows: int
    memory: dict[Any, Any] | None

    @property
    def error(self) -> Floats:
        """The error of each size: shape (sizes,)."""
        if not self.outside.shape[1]:
            return self.inside
        error = (1 - OUTSIDE) * self.inside + OUTSIDE * self.outside.mean(axis=1)
        return np.asarray(error)

    def chosen(self) -> GrowthLimits:
        """Return the size of least error plus exponent penalty; of equal ones the shortest.

        What chance alone makes of an error falls with the root of the rows, and so does the price.
        Who asks for a rule is not helped by none: a tree that says nothing is the last choice.
        """
        worth = np.round(self.error + PRICE / np.sqrt(self.n_rows) * self.length, 12)
        return self.limits[int(np.lexsort((self.length, worth, self.length == 0))[0])]

    def records(self) -> list[dict[str, float]]:
        """Return a record of each size: depth, exponents, error and length."""
        return [
            {
                "max_depth": size.max_depth,
                "max_exponents": size.max_exponents,
                "error": float(error),
                "length": float(length),
            }
            for size, error, length in zip(self.limits, self.error, self.length, strict=True)
        ]


def sizes_of(limits: GrowthLimits, n_rows: int) -> list[GrowthLimits]:
    """List the sizes within some limits that are compared on `n_rows` rows, each once."""
    within = {
        (min(depth, limits.max_depth), min(exponents, limits.max_exponents))
        for depth, exponents in SIZES + LONGER * (n_rows >= MANY_ROWS)
    }
    return [replace(limits, max_depth=d, max_exponents=e) for d, e in sorted(within)]


def compare_sizes(grower: Grower, tau_prune: float | None, n_folds: int) -> Compared | None:
    """Grow a tree of each size on all rows and without each fold, and compute its errors.

    Notes
    -----
    The sizes of a fold share what they find: the largest root costs what all of them cost.

    An error of few rows left out is noisy, and one of rows learned from too low; `OUTSIDE` says how
    both are weighed: B. Efron, "Estimating the Error Rate of a Prediction Rule", 1983.
    """
    codes, rows = grower.codes, np.arange(len(grower.codes))
    sizes, folds = sizes_of(grower.limits, len(rows)), []
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([grower.seed, 4])
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    if len(rows) < MANY_ROWS:
        n_folds = min(n_folds, int(np.unique(codes, return_counts=True)[1].min()))
        folds = make_folds(codes, n_folds, random_state=grower.seed) if n_folds >= FEWEST else []
    if len(sizes) == 1 or (len(rows) < MANY_ROWS and not folds):
        return None
    memory: dict[Any, Any] = {}
    inside, length = _tried(grower, sizes, tau_prune, (rows, rows), memory)
    outside = [_tried(grower, sizes, tau_prune, fold, {})[0] for fold in folds]
    errors = np.array(outside).reshape(len(folds), len(sizes)).T
    kept = memory if len(rows) == len(codes) else None
    return Compared(sizes, inside, errors, length, len(rows), kept)


def _tried(
    grower: Grower,
    sizes: list[GrowthLimits],
    tau_prune: float | None,
    fold: tuple[Rows, Rows],
    memory: dict[Any, Any],
) -> tuple[Floats, Floats]:
    """Grow a tree of each size on some rows; return its errors on others, and its length."""
    train, test = fold
    left = {name: values[test] for name, values in grower.columns.items()}
    codes, weight = grower.codes[test], grower.weight[test]
    wrong, length = np.zeros(len(sizes)), np.zeros(len(sizes))
    for s, size in enumerate(sizes):
        root = grower.inside(train, size, memory).grown(tau_prune)
        missed = root.answers(left, len(test)) != codes
        wrong[s], length[s] = weight[missed].sum() / weight.sum(), root.length
    return wrong, length
