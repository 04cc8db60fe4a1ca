"""Placement of labels in a figure so that they cover neither points nor each other."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulekit.style.palette import GREY, plain

WIDTH = 26  # letters of a note in one line
LETTER, LINE = 6.5, 15.0  # size of a letter and of a line, in pixels
ACROSS = (-40, 40, -90, 90, -160, 160, 0)  # from the point to the note's near corner, in pixels
ALONG = (-40, 40, -80, 80, -130, 130, -180)
COVERED, OUTSIDE = 10.0, 100.0  # costs of a point that is covered, and of leaving the plot
ROOM = 6.0  # pixels kept free around a note


def placed(
    notes: Mapping[tuple[float, float], Sequence[str]],
    marks: ArrayLike,
    frame: tuple[tuple[float, float], tuple[float, float]],
    size: tuple[float, float],
) -> list[dict[str, Any]]:
    """Return annotations with arrows, placed without overlap.

    Shapes: marks (n, 2).
    """
    (left, right), (low, high) = frame
    scale = np.array([size[0] / ((right - left) or 1.0), -size[1] / ((high - low) or 1.0)])
    origin = np.array([left, high])
    dots = (np.asarray(marks, dtype=float).reshape(-1, 2) - origin) * scale
    taken: list[NDArray[np.float64]] = []
    placed_notes = []
    for point, labels in notes.items():
        text = plain(" and ".join(labels), 120)
        lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
        wide, tall = LETTER * max(map(len, lines)), LINE * len(lines)
        at = (np.array(point) - origin) * scale
        best = min(
            product(ACROSS, ALONG),
            key=lambda move: (
                _cost(_box(at, move, wide, tall), dots, taken, size)
                + 0.01 * (abs(move[0]) + abs(move[1]))
            ),
        )
        taken.append(_box(at, best, wide, tall))
        placed_notes.append(_annotation(point, "<br>".join(lines), best))
    return placed_notes


def _annotation(point: tuple[float, float], text: str, move: tuple[int, int]) -> dict[str, Any]:
    sides = {-1: "right", 0: "center", 1: "left"}
    side = sides[int(np.sign(move[0]))]
    return {
        "x": point[0],
        "y": point[1],
        "text": text,
        "align": side,
        "showarrow": True,
        "arrowhead": 2,
        "arrowcolor": GREY,
        "ax": move[0],
        "ay": move[1],
        "xanchor": side,
        "yanchor": "bottom" if move[1] < 0 else "top",
    }


def _box(
    at: NDArray[np.float64], move: tuple[int, int], wide: float, tall: float
) -> NDArray[np.float64]:
    """Return left, top, right and bottom of a note, in pixels from the plot's upper left."""
    x, y = at + move
    left = x - wide * (1 - np.sign(move[0])) / 2
    top = y - tall if move[1] < 0 else y
    return np.array([left, top, left + wide, top + tall])


def _cost(
    box: NDArray[np.float64],
    dots: NDArray[np.float64],
    taken: Sequence[NDArray[np.float64]],
    size: tuple[float, float],
) -> float:
    """Compute what a label covers, and how far it leaves the plot."""
    left, top, right, bottom = box + ROOM * np.array([-1, -1, 1, 1])
    inside = (dots > [left, top]) & (dots < [right, bottom])
    cost = COVERED * float(inside.all(axis=1).sum())
    outside = left < 0 or top < 0 or right > size[0] or bottom > size[1]
    cost += OUTSIDE * float(outside)
    for other in taken:
        apart = right < other[0] or left > other[2] or bottom < other[1] or top > other[3]
        cost += OUTSIDE * float(not apart)
    return cost
