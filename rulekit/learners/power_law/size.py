"""How large a tree of power laws is to be, as its training rows say."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data import make_folds
from rulekit.learners.power_law.growing import Grower, GrowthLimits
from rulekit.solvers.power_laws import SEARCHED_ROWS

#: Sizes that are compared: deepest node that may be split, exponents in one split at most.
SIZES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (2, 1))
LONGER = ((0, 5), (0, 6), (1, 3))  # that many rows may be asked about, too
PRICE = 0.06  # share of wrong rows that an exponent has to save, times the root of the rows
MANY_ROWS = 3 * SEARCHED_ROWS  # of so many, two of three had no say in which power laws are taken
MOST_ROWS = 20_000  # of more, the size is chosen on a part
FEWEST = 2  # folds, and rows of each class
HALF = 0.5  # exponents in the mean, below which trees of a size rather say nothing


@dataclass(frozen=True)
class Compared:
    """What rows said of each size.

    Attributes
    ----------
    limits : list of GrowthLimits
        The sizes.
    wrong : ndarray of float, shape (sizes, folds)
        Share of the weight of a fold's rows that the tree grown without them gets wrong; of many
        rows there is one fold, of all of them.
    length : ndarray of float, shape (sizes, folds)
        Exponents of that tree.
    n_rows : int
        Rows of all folds.
    memory : dict or None
        For `Grower.memory`: what was found on the way, where trees were grown on all rows.
    """

    limits: list[GrowthLimits]
    wrong: NDArray[np.float64]
    length: NDArray[np.float64]
    n_rows: int
    memory: dict[Any, Any] | None

    def in_order(self) -> list[GrowthLimits]:
        """Order the sizes: fewest wrong rows first, each exponent priced; of equal ones the short.

        What chance alone makes of an error falls with the root of the rows, and so does the price.
        Who asks for a rule is not helped by none: sizes whose trees say nothing come last.
        """
        length, price = self.length.mean(axis=1), PRICE / np.sqrt(self.n_rows)
        worth = np.round(self.wrong.mean(axis=1) + price * length, 12)
        return [self.limits[k] for k in np.lexsort((length, worth, length < HALF))]

    def told(self) -> list[dict[str, float]]:
        """List the sizes with the means over folds."""
        means = zip(self.wrong.mean(axis=1), self.length.mean(axis=1), strict=True)
        return [
            {
                "max_depth": size.max_depth,
                "max_exponents": size.max_exponents,
                "error": float(wrong),
                "length": float(length),
            }
            for size, (wrong, length) in zip(self.limits, means, strict=True)
        ]


def sizes_of(limits: GrowthLimits, n_rows: int) -> list[GrowthLimits]:
    """List the sizes within some limits that so many rows are asked about, each once."""
    within = {
        (min(depth, limits.max_depth), min(exponents, limits.max_exponents))
        for depth, exponents in SIZES + LONGER * (n_rows >= MANY_ROWS)
    }
    return [replace(limits, max_depth=d, max_exponents=e) for d, e in sorted(within)]


def compare_sizes(grower: Grower, tau_prune: float | None, n_folds: int) -> Compared | None:
    """Grow a tree of each size without each fold, and see what it says of the fold.

    Parameters
    ----------
    grower : Grower
        All training rows, and the limits within which sizes are tried.
    tau_prune : float or None
        As for `prune`.
    n_folds : int
        Parts of the rows; fewer where a class has fewer rows. From `MANY_ROWS` on trees are grown
        and judged on all rows: a split is searched on a part of them, and the few numbers that are
        then found on all follow no row of so many. Of more than `MOST_ROWS` a part is taken.

    Returns
    -------
    Compared or None
        None where a class has fewer than two rows, or there is one size only.

    Notes
    -----
    The sizes of a fold share what they find: the largest root costs what all of them cost.
    """
    codes, weight, rows = grower.codes, grower.weight, np.arange(len(grower.codes))
    sizes = sizes_of(grower.limits, len(rows))
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([grower.seed, 4])
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    folds = [(rows, rows)]
    if len(rows) < MANY_ROWS:
        n_folds = min(n_folds, int(np.unique(codes, return_counts=True)[1].min()))
        folds = make_folds(codes, n_folds, random_state=grower.seed) if n_folds >= FEWEST else []
    if not folds or len(sizes) == 1:
        return None
    wrong = np.zeros((len(sizes), len(folds)))
    length = np.zeros_like(wrong)
    for k, (train, test) in enumerate(folds):
        left = {name: values[test] for name, values in grower.columns.items()}
        memory: dict[Any, Any] = {}
        for s, size in enumerate(sizes):
            root = grower.inside(train, size, memory).grown(tau_prune)
            missed = root.answers(left, len(test)) != codes[test]
            wrong[s, k] = weight[test[missed]].sum() / weight[test].sum()
            length[s, k] = root.length
    kept = memory if len(train) == len(codes) else None
    return Compared(sizes, wrong, length, len(rows), kept)
