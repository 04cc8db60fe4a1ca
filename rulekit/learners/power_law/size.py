"""How large a tree of power laws is to be, chosen on folds of its training rows."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data import make_folds
from rulekit.learners.power_law.growing import Grower, GrowthLimits

#: Sizes that are compared: deepest node that may be split, exponents in one split at most.
SIZES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (2, 1))
PRICE = 0.06  # share of wrong rows that an exponent has to save, times the root of the rows
CHOICE_ROWS = 1500  # of more rows, the size is chosen on a part
FEWEST = 2  # folds, and rows of each class


@dataclass(frozen=True)
class Compared:
    """What the folds said of each size.

    Attributes
    ----------
    limits : list of GrowthLimits
        The sizes.
    wrong : ndarray of float, shape (sizes, folds)
        Share of the weight of a fold's rows that the tree grown without them gets wrong.
    length : ndarray of float, shape (sizes, folds)
        Exponents of that tree.
    n_rows : int
        Rows of all folds.
    """

    limits: list[GrowthLimits]
    wrong: NDArray[np.float64]
    length: NDArray[np.float64]
    n_rows: int

    def chosen(self) -> GrowthLimits:
        """Take the size of fewest wrong rows, each exponent priced; of equal ones the shortest.

        What chance alone makes of an error falls with the root of the rows, and so does the price.
        """
        length, price = self.length.mean(axis=1), PRICE / np.sqrt(self.n_rows)
        worth = np.round(self.wrong.mean(axis=1) + price * length, 12)
        return self.limits[int(np.lexsort((length, worth))[0])]

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


def sizes_of(limits: GrowthLimits) -> list[GrowthLimits]:
    """List the sizes within some limits, each once."""
    within = {
        (min(depth, limits.max_depth), min(exponents, limits.max_exponents))
        for depth, exponents in SIZES
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
        Parts of the rows, of a part of at most 4000; fewer where a class has fewer rows.

    Returns
    -------
    Compared or None
        None where a class has fewer than two rows, or there is one size only.

    Notes
    -----
    The sizes of a fold share what they find: the largest root costs what all of them cost.
    """
    sizes, rows = sizes_of(grower.limits), np.arange(len(grower.codes))
    if len(rows) > CHOICE_ROWS:
        rng = np.random.default_rng([grower.seed, 4])
        rows = np.sort(rng.choice(rows, CHOICE_ROWS, replace=False))
    codes, weight = grower.codes, grower.weight
    n_folds = min(n_folds, int(np.unique(codes[rows], return_counts=True)[1].min()))
    if n_folds < FEWEST or len(sizes) == 1:
        return None
    wrong = np.zeros((len(sizes), n_folds))
    length = np.zeros_like(wrong)
    for k, fold in enumerate(make_folds(codes[rows], n_folds, random_state=grower.seed)):
        train, test = (rows[part] for part in fold)
        memory: dict[Any, Any] = {}
        left = {name: values[test] for name, values in grower.columns.items()}
        for s, size in enumerate(sizes):
            root = grower.inside(train, size, memory).grown(tau_prune)
            missed = root.answers(left, len(test)) != codes[test]
            wrong[s, k] = weight[test[missed]].sum() / weight[test].sum()
            length[s, k] = root.length
    return Compared(sizes, wrong, length, len(rows))
