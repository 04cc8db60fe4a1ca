"""The curve that a front of non-dominated points draws."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulekit.solvers.pareto import pareto_front

__all__ = ["front_steps", "pareto_front"]


def front_steps(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the corners of the staircase through the non-dominated points.

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
