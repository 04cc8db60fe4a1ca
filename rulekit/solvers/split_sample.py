"""A part of many rows to look for power laws on, each class in its share and none of them thin."""

import numpy as np

from rulekit.solvers.impurity import ClassMass
from rulekit.solvers.power_laws import Ints

THIN = 200  # rows of a class that are taken at least, where it has as many


def sample_rows(mass: ClassMass, most: int, rng: np.random.Generator) -> tuple[Ints, ClassMass]:
    """Draw rows by chance, class by class.

    Parameters
    ----------
    mass : ClassMass
        All rows.
    most : int
        How many rows to draw, but for those that a thin class is given besides.
    rng : numpy.random.Generator
        Source of the chance.

    Returns
    -------
    rows : ndarray of int, shape (m,)
        Sorted.
    mass : ClassMass
        These rows. Where a class was given more than its share, weights undo it: the mass of each
        class is in proportion to that of all rows.

    Notes
    -----
    O(n).
    """
    counts = np.bincount(mass.codes, minlength=mass.n_classes)
    share = np.round(counts * min(1.0, most / mass.n_rows)).astype(np.int64)
    wanted = np.maximum(share, np.minimum(counts, THIN))
    drawn = [
        rng.choice(np.flatnonzero(mass.codes == k), int(n), replace=False)
        for k, n in enumerate(wanted)
    ]
    rows = np.sort(np.concatenate(drawn)).astype(np.int64)
    weight = None if mass.weight is None else mass.weight[rows]
    if (wanted > share).any():
        stands_for = counts / np.maximum(wanted, 1)
        weight = (1.0 if weight is None else weight) * stands_for[mass.codes[rows]]
    return rows, ClassMass(mass.codes[rows], weight, mass.n_classes)
