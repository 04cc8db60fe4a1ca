"""Rows in B-space: the input of the power-law figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.rules import Columns, PowerLawSplit
from rulekit.style.palette import Look, outcome_looks

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MAX_POINTS = 2000  # of one class; more are drawn by chance
SKEWED, WIDE = 1.5, 30.0  # skewness, and largest over smallest value, from which a log scale helps


@dataclass(frozen=True)
class SplitPoints:
    """Input of a split's figure: the rows with a value, and their coordinates.

    Attributes
    ----------
    laws : ndarray of float, shape (n, q)
        Value of each power law.
    margin : ndarray of float, shape (n,)
        The paper's f.
    labels : ndarray of object, shape (n,)
        True classes.
    wrong : ndarray of bool, shape (n,)
        Rows that the rule gets wrong.
    rows : ndarray of int, shape (n,)
        Places in the table.
    classes : tuple
        All classes of the table, so that those of the rows look as in other figures.
    """

    laws: Floats
    margin: Floats
    labels: NDArray[Any]
    wrong: Bools
    rows: NDArray[np.intp]
    classes: tuple[Any, ...]


def split_points(
    split: PowerLawSplit,
    columns: Columns,
    labels: Sequence[Any] | NDArray[Any],
    answers: Sequence[Any] | NDArray[Any],
    reached: Bools | None = None,
    classes: Sequence[Any] | None = None,
) -> SplitPoints:
    """Compute the coordinates of rows in B-space.

    Parameters
    ----------
    split : PowerLawSplit
    columns : mapping of str to ndarray of shape (n,)
    labels, answers : array of shape (n,)
        True classes, and what the rule says.
    reached : ndarray of bool, shape (n,), optional
        Rows that come to the split's node; all by default.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`; those of `labels` by
        default.

    Returns
    -------
    SplitPoints
        Without rows that have a gap in the split's columns.
    """
    total = split.total(columns)
    kept = np.isfinite(total) if reached is None else np.isfinite(total) & reached
    numbers = {f: np.asarray(columns[f], dtype=float)[kept] for f in split.features}
    laws = np.column_stack([t.value(numbers) for t in split.terms])
    truth = np.asarray(labels, dtype=object)[kept]
    wrong = np.not_equal(truth, np.asarray(answers, dtype=object)[kept]).astype(bool)
    known = tuple(set(labels) if classes is None else classes)
    margin = split.margin(columns)[kept]
    return SplitPoints(laws, margin, truth, wrong, np.flatnonzero(kept), known)


def log_helps(points: SplitPoints) -> bool:
    """Return whether logarithmic axes would spread the rows: long tails, only positive values."""
    laws = points.laws
    if laws.shape[1] > 2 or len(laws) < 3 or (laws <= 0).any():
        return False
    centred = laws - laws.mean(axis=0)
    deviation = centred.std(axis=0)
    skew = (centred**3).mean(axis=0) / np.maximum(deviation, 1e-300) ** 3
    wide = laws.max(axis=0) / laws.min(axis=0)
    return bool((np.abs(skew) > SKEWED).any() or (wide > WIDE).any())


def looks_of(points: SplitPoints) -> dict[Any, Look]:
    """Return the look of the classes of some rows, sorted as text."""
    labels = sorted(dict.fromkeys(points.labels.tolist()), key=str)
    return dict(zip(labels, outcome_looks(labels, points.classes), strict=True))


def sampled(points: SplitPoints) -> SplitPoints:
    """Select at most `MAX_POINTS` rows of each class; wrong predictions first."""
    rng = np.random.default_rng(0)
    kept = []
    for label in looks_of(points):
        own = np.flatnonzero(np.equal(points.labels, label))
        if len(own) > MAX_POINTS:
            order = np.lexsort((rng.random(len(own)), ~points.wrong[own]))
            own = own[np.sort(order[:MAX_POINTS])]
        kept.append(own)
    places = np.concatenate(kept) if kept else np.zeros(0, dtype=int)
    return replace(
        points,
        laws=points.laws[places],
        margin=points.margin[places],
        labels=points.labels[places],
        wrong=points.wrong[places],
        rows=points.rows[places],
    )
