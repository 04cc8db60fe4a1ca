"""Choosing among many settings by their cross-validated scores.

Over many settings the lowest score is low by luck, and the setting that has it is not the best one.
Three things help: a score is averaged with those of neighbouring settings, whose luck differs; a
price per condition decides between settings that the folds cannot tell apart; and settings are few.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Price of one condition when settings are compared, as a share of rows: two tenths of a point.
CONDITION_PRICE = 0.002


def smoothed(scores: ArrayLike, axes: Sequence[tuple[Sequence[Hashable], ArrayLike]]) -> Any:
    """Average each setting's score with those of its neighbours.

    Parameters
    ----------
    scores : array-like of float, shape (m,)
        One score a setting.
    axes : sequence of (sequence of hashable, array-like of float), each of length m
        Along each axis: what a setting shares with its neighbours, and where it stands among them.
        Settings with equal first parts form a line, ordered by the second.

    Returns
    -------
    ndarray of float, shape (m,)
        Axis after axis, half the score and a quarter of that of the neighbour on either side; at
        an end of a line the own score stands in for the neighbour that is not there.
    """
    found = np.array(scores, dtype=float)
    for line_of, place in axes:
        places = np.asarray(place, dtype=float)
        lines: dict[Hashable, list[int]] = {}
        for i in np.argsort(places, kind="stable").tolist():
            lines.setdefault(line_of[i], []).append(i)
        for members in lines.values():
            line = found[members]
            before, after = np.r_[line[:1], line[:-1]], np.r_[line[1:], line[-1:]]
            found[members] = 0.25 * before + 0.5 * line + 0.25 * after
    return found


def cheapest(scores: ArrayLike, sizes: ArrayLike, price: float) -> NDArray[np.intp]:
    """Order settings by score plus `price` a condition; ties go to fewer conditions, then by place.

    Parameters
    ----------
    scores, sizes : array-like of float, shape (m,)
        Small is good; NaN comes last.
    price : float
        Of one condition, in the unit of the scores.

    Returns
    -------
    ndarray of int, shape (m,)
    """
    size = np.nan_to_num(np.asarray(sizes, dtype=float))
    total = np.asarray(scores, dtype=float) + price * size
    return np.lexsort((size, total.round(12)))
