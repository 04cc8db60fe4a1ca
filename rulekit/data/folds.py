"""Seeded splits of rows into folds: shuffled, stratified by class, whole groups together."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from rulekit.data.headers import shown
from rulekit.exceptions import DataError

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_folds(
    y: ArrayLike, cv: Any = 10, *, groups: ArrayLike | None = None, random_state: int | None = 0
) -> list[Fold]:
    """Split rows for cross-validation.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of each row; folds keep its shares as even as they can.
    cv : int, splitter or iterable, default=10
        Number of folds; as many as rows leave out each row in turn, in the table's order, where
        there are no groups; or an object with ``split(X, y, groups)`` as scikit-learn's; or pairs
        of training and test positions, which are checked and passed on.
    groups : array-like of shape (n,), default=None
        Rows of one group never stand on both sides of a split.
    random_state : int or None, default=0
        Seed of the shuffle. None takes a fresh one.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
        Positions of training and test rows, each sorted.

    Raises
    ------
    DataError
        If a class has fewer rows than there are folds, or there are fewer groups than folds.
    ValueError
        If `cv` is not one of the above, or its positions do not fit the rows.

    Notes
    -----
    Rows are always shuffled first, so that a table sorted by class is split fairly.

    Examples
    --------
    >>> folds = make_folds(["no"] * 6 + ["yes"] * 3, cv=3)
    >>> [len(test) for _, test in folds]
    [3, 3, 3]
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"`y` must be one-dimensional, its shape is {labels.shape}.")
    names = _group_numbers(groups, len(labels))
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        pairs = _seeded(labels, int(cv), names, random_state)
    elif hasattr(cv, "split") and not isinstance(cv, str):
        pairs = cv.split(np.zeros((len(labels), 1)), labels, names)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = cv
    else:
        raise ValueError(
            f"`cv` must be a number of folds, a splitter or pairs of positions, got {cv!r}."
        )
    return [_checked(pair, number, len(labels)) for number, pair in enumerate(pairs, start=1)]


def _group_numbers(groups: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.shape != (n,):
        raise ValueError(f"`groups` must name one group a row ({n}), its shape is {values.shape}.")
    return np.asarray(pd.factorize(values, use_na_sentinel=False)[0])


def _seeded(
    labels: NDArray[Any], n_folds: int, groups: NDArray[np.intp] | None, seed: int | None
) -> Iterable[Fold]:
    if n_folds < 2:
        raise ValueError(f"`cv` must be at least 2 folds, got {n_folds}.")
    if groups is None and n_folds == len(labels):
        _class_codes(labels, 0)
        rows = np.arange(n_folds)
        return [(np.delete(rows, k), rows[k : k + 1]) for k in range(n_folds)]
    codes = _class_codes(labels, n_folds)
    if groups is None:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros((len(labels), 1)), codes))
    n_groups = len(np.unique(groups))
    if n_groups < n_folds:
        raise DataError(
            f"There must be at least as many groups as folds; {n_groups} groups do not fill "
            f"{n_folds} folds. Take `cv={max(n_groups, 2)}` or fewer, or other groups."
        )
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((len(labels), 1)), codes, groups))


def _class_codes(labels: NDArray[Any], n_folds: int) -> NDArray[np.intp]:
    codes, classes = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError("Every row needs a class; `y` misses some. Leave these rows out.")
    counts = np.bincount(codes)
    rare = int(counts.argmin())
    if counts[rare] < n_folds:
        label = classes[rare]
        raise DataError(
            f"Every class needs at least one row a fold; class {shown(label)} has "
            f"{counts[rare]} rows for {n_folds} folds. "
            + (
                f"Take `cv={counts[rare]}` or fewer."
                if counts[rare] >= 2
                else "Leave this class out, or join it with another."
            )
        )
    return np.asarray(codes)


def _checked(pair: Any, number: int, n: int) -> Fold:
    try:
        train, test = (np.sort(_positions(part, n)) for part in pair)
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"Each fold of `cv` must be two arrays of positions between 0 and {n - 1}; "
            f"fold {number} is not."
        ) from error
    if not len(train) or not len(test):
        raise ValueError(f"Fold {number} of `cv` has no training rows or no test rows.")
    trained = np.zeros(n, dtype=bool)
    trained[train] = True
    if trained[test].any():
        raise ValueError(f"Fold {number} of `cv` tests on rows it is trained on; take them apart.")
    return train, test


def _positions(part: Any, n: int) -> NDArray[np.intp]:
    values = np.asarray(part)
    if values.dtype == bool:
        if values.shape != (n,):
            raise ValueError("a mask needs one entry a row")
        return np.flatnonzero(values)
    whole = values.astype(np.intp)
    if values.ndim != 1 or (whole != values).any() or ((whole < 0) | (whole >= n)).any():
        raise ValueError("positions out of range")
    return whole
