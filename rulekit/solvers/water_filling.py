"""The largest box below a plane in the unit box, in closed form: (8) and its solution (13)-(15).

::

    maximise    sum of log y_i
    subject to  w~'y <= 1,  m <= y <= 1

The optimum is ``y_i = clip(1 / (lambda w~_i), m_i, 1)``: water of one level is poured into vessels
with a bottom and a lid. The paper's iteration raises the level and clamps; here the level is read
off the sorted bottoms and lids, which is the same and takes one step. The paper has ``m = 0``; with
the least coordinates of the points still to be covered as bottoms, boxes that lie below every point
are never proposed.
"""

import numpy as np

from rulekit.solvers.half_space import Floats


def water_fill(weights: Floats, bottoms: Floats | None = None) -> Floats:
    """Find the box of greatest volume with one corner at 0 and the other on the plane.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        w~, not negative.
    bottoms : ndarray of shape (n,), optional
        m, within 0 and 1 and below the plane; 0 by default.

    Returns
    -------
    ndarray of shape (n,)
        The upper corner. All ones where the whole unit box is below the plane; a feature of weight
        0 is 1; `bottoms` themselves if they reach the plane.

    Notes
    -----
    Cost is O(n^2).

    References
    ----------
    .. [1] Fung, Sandilya, Rao, "Rule Extraction from Linear Support Vector Machines", section 4.1.

    Examples
    --------
    >>> water_fill(np.array([0.5, 2.0, 4.0]))
    array([0.66666667, 0.16666667, 0.08333333])
    >>> water_fill(np.array([0.2, 2.0, 4.0]))
    array([1. , 0.2, 0.1])
    """
    lids = weights
    floors = np.zeros_like(weights) if bottoms is None else weights * bottoms
    least = np.zeros_like(weights) if bottoms is None else bottoms
    if lids.sum() <= 1.0:
        return np.ones_like(weights)
    levels = np.unique(np.concatenate([floors, lids]))
    used = np.clip(levels[:, None], floors, lids).sum(axis=1)
    below = int(np.searchsorted(used, 1.0, side="right")) - 1
    if below < 0:
        return np.where(weights > 0, least, 1.0)
    level = float(levels[below])
    open_vessels = int(((floors <= level) & (lids > level)).sum())
    if open_vessels:
        level += (1.0 - float(used[below])) / open_vessels
    filled = np.divide(level, weights, out=np.ones_like(weights), where=weights > 0)
    return np.where(level >= lids, 1.0, np.where(level <= floors, least, np.minimum(filled, 1.0)))
