"""Non-dominated points and their curve.

A point dominates another when it is nowhere worse and somewhere better; smaller is better.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pareto_front(x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    """Find the points that no other point dominates, both coordinates minimised.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Coordinates, in any units. A point with a NaN takes no part.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the points of the front. Equal points do not dominate each other: they are on
        the front together or not at all. A point with a NaN is never on it.

    Raises
    ------
    ValueError
        If the coordinates are not two one-dimensional arrays of one length.

    Notes
    -----
    Takes O(n log n) time.

    Examples
    --------
    The third point is as small as the second but wrong more often:

    >>> pareto_front([1, 2, 2, 5], [0.30, 0.25, 0.28, 0.25])
    array([ True,  True, False, False])
    """
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if across.ndim != 1 or across.shape != up.shape:
        raise ValueError(
            "`x` and `y` must be one-dimensional and of one length; "
            f"their shapes are {across.shape} and {up.shape}."
        )
    on_front = np.zeros(len(across), dtype=bool)
    known = np.flatnonzero(~(np.isnan(across) | np.isnan(up)))
    if not known.size:
        return on_front
    order = known[np.lexsort((up[known], across[known]))]
    first_of_column = np.r_[True, across[order][1:] != across[order][:-1]]
    column = np.cumsum(first_of_column) - 1
    lowest = up[order][first_of_column]  # [c]: the smallest y among points of the c-th x
    before = np.r_[np.inf, np.minimum.accumulate(lowest)[:-1]]  # [c]: smallest y at smaller x
    counts = (lowest < before) | ((np.arange(len(lowest)) == 0) & np.isinf(lowest))
    on_front[order] = counts[column] & (up[order] == lowest[column])
    return on_front


def front_steps(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the staircase through the non-dominated points.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Coordinates, both minimised.

    Returns
    -------
    tuple of ndarray of float
        Corners from left to right: at each corner the value reached is kept until the next point
        of the front improves it. Empty for no points; equal points give one corner.

    Examples
    --------
    >>> steps = front_steps([1, 3], [0.3, 0.2])
    >>> [values.tolist() for values in steps]
    [[1.0, 3.0, 3.0], [0.3, 0.3, 0.2]]
    """
    mask = pareto_front(x, y)
    points = np.unique(
        np.c_[np.asarray(x, dtype=float)[mask], np.asarray(y, dtype=float)[mask]], axis=0
    )
    across, up = points[:, 0], points[:, 1]
    if not across.size:
        return across, up
    return np.r_[across[0], np.repeat(across[1:], 2)], np.r_[np.repeat(up[:-1], 2), up[-1]]
