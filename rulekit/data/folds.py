"""Seeded splits of rows into folds or a test part, stratified by class, groups kept whole."""

# Groups are dealt out by kind (rows of each class): parts get as many of a kind as they lack, and
# the rest goes where most is missing. A test part gives groups back for classes that training
# lacks.

import math
from collections.abc import Iterable
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, train_test_split

from rulekit.data.headers import quote
from rulekit.data.typed import read_labels
from rulekit.exceptions import DataError

Codes = NDArray[np.intp]
Fold = tuple[Codes, Codes]


def make_folds(
    y: ArrayLike,
    cv: Any = 10,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    random_state: int | None = 0,
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
        Rows of one group are never on both sides of a split.
    time : array-like of shape (n,), default=None
        Dates or numbers by which the rows are in order. Each fold then trains on all rows before
        its test rows; rows of one time stay together, and the first part is never tested.
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
    >>> folds = make_folds(["no", "yes"] * 3, cv=2, time=[1, 1, 2, 2, 3, 3])
    >>> [(train.tolist(), test.tolist()) for train, test in folds]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    labels = _read_classes(y)
    _check_seed(random_state)
    names, times = _group_numbers(groups, len(labels)), _time_numbers(time, groups, len(labels))
    if times is not None:
        if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < 2:
            raise ValueError(f"With `time`, `cv` must be at least 2 folds, got {cv!r}.")
        cuts = [*_time_cuts(times, np.arange(1, cv + 1) / (cv + 1)), int(times.max()) + 1]
        if len(set(cuts)) <= cv or len(np.unique(labels[times < cuts[0]])) < 2:
            raise DataError(
                f"{cv} folds in order of time need as many later dates, and two classes before the "
                f"first of them; the rows have {times.max() + 1} dates. Take fewer folds, or split "
                "at random."
            )
        return [
            (np.flatnonzero(times < cut), np.flatnonzero((times >= cut) & (times < end)))
            for cut, end in pairwise(cuts)
        ]
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        pairs = _split_with_seed(labels, int(cv), names, random_state)
    elif hasattr(cv, "split") and not isinstance(cv, str):
        pairs = cv.split(np.zeros((len(labels), 1)), labels, names)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = cv
    else:
        raise ValueError(
            f"`cv` must be a number of folds, a splitter or pairs of positions, got {cv!r}."
        )
    return [_check_fold(pair, number, len(labels)) for number, pair in enumerate(pairs, start=1)]


def restrict_folds(cv: Iterable[Any], y: ArrayLike, used: NDArray[np.bool_]) -> list[Fold]:
    """Convert positions among all rows, of which `used` are kept (n of N), to those of y (n,)."""
    position, labels, folds = np.cumsum(used) - 1, np.asarray(y), []
    for number, pair in enumerate(cv, start=1):
        train, test = (position[part[used[part]]] for part in _check_fold(pair, number, len(used)))
        if (n_classes := len(np.unique(labels[train]))) < 2 or not len(test):
            raise ValueError(
                "Each fold of `cv` must have rows of two classes to learn from and rows to test "
                f"on; fold {number} has {n_classes} and {len(test)}, rows of weight 0 left out. "
                "Give other folds, or a number of them."
            )
        folds.append((train, test))
    if not folds:
        raise ValueError("`cv` gives no folds. Give pairs of positions, or a number of folds.")
    return folds


def group_splitter(
    y: ArrayLike, groups: ArrayLike, cv: int = 5, random_state: int = 0
) -> PredefinedSplit | None:
    """Return a splitter into at most `cv` folds of whole groups, for `RuleClassifier(cv=)`."""
    # The training rows of each fold have all classes; None if no such folds were found.
    labels, names = pd.factorize(read_labels(y))[0], pd.factorize(np.asarray(groups))[0]
    for n_folds in range(min(cv, len(np.unique(names))), 1, -1):
        fold = _dealt(labels, names, np.full(n_folds, 1 / n_folds), random_state)
        parts = [labels[fold != k] for k in range(n_folds)]
        n_classes = len(np.unique(labels))
        if all(len(np.unique(part)) == n_classes and len(part) < len(fold) for part in parts):
            return PredefinedSplit(fold)
    return None


def hold_out(
    y: ArrayLike,
    share: float,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    random_state: int | None = 0,
) -> Fold:
    """Select rows for a test set.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of each row; both parts keep its shares as even as they can.
    share : float
        The test's share of the rows, at least 0 and below 1; 0 sets none aside.
    groups : array-like of shape (n,), default=None
        Rows of one group are never on both sides. If training lacks a class, groups are exchanged
        for it where the test's size gets no farther from its share.
    time : array-like of shape (n,), default=None
        Dates or numbers by which the rows are in order: the test has the latest ones, and rows of
        one time stay together.
    random_state : int or None, default=0
        Seed of the shuffle. None takes a fresh one.

    Returns
    -------
    train, test : ndarray of int
        Positions, each sorted.

    Raises
    ------
    DataError
        Without groups, if a class has one row only or a side has fewer rows than there are
        classes; with groups, if all rows are of one, or none can be left out of training without
        a class.
    ValueError
        If the share is not allowed.

    Examples
    --------
    >>> train, test = hold_out(["no"] * 6 + ["yes"] * 4, 0.5)
    >>> len(train), len(test)
    (5, 5)
    """
    if not (isinstance(share, Real) and 0 <= float(share) < 1):
        raise ValueError(f"`share` must be at least 0 and below 1; got {share!r}.")
    labels = _read_classes(y)
    _check_seed(random_state)
    everything = np.arange(len(labels))
    if share == 0:
        return everything, everything[:0]
    codes, classes = pd.factorize(labels)
    names, times = _group_numbers(groups, len(labels)), _time_numbers(time, groups, len(labels))
    if times is not None:
        test = times >= _time_cuts(times, [1 - share])[0]
        if lacking := sorted(set(codes) - set(codes[~test])):
            raise DataError(
                f"The rows before the test rows have no {quote(classes[lacking[0]])}. Change the "
                "test share, or split at random."
            )
        return np.flatnonzero(~test), np.flatnonzero(test)
    if names is not None:
        part = _dealt(codes, names, np.array([1 - share, share]), random_state)
        if part.min() == part.max():
            part = names == _one_for_the_test(codes, names, share)
        test = _exchange_groups(part == 1, codes, names, share)
        return np.flatnonzero(~test), np.flatnonzero(test)
    counts = np.bincount(codes)
    if counts.min() < 2:
        rare = quote(classes[counts.argmin()])
        needed = f"two rows of each class; {rare} has one. Set the test share to 0."
        raise DataError(f"A split into training and test rows needs {needed}")
    n_test = math.ceil(share * len(labels))
    if min(n_test, len(labels) - n_test) < len(counts):
        raise DataError(
            f"Training and test part need at least {len(counts)} rows each, one per class; a test "
            f"share of {share:g} gives {n_test} of {len(labels)} rows for the test. Change the "
            "share, or set it to 0."
        )
    seed = random_state
    train, test = train_test_split(everything, test_size=share, random_state=seed, stratify=labels)
    return np.sort(train), np.sort(test)


def _one_for_the_test(codes: Codes, groups: Codes, share: float) -> int:
    """Select the group whose size is nearest to the share and that has no class for itself."""
    sizes, n_classes = np.bincount(groups), len(np.unique(codes))
    usable = [g for g in range(len(sizes)) if len(np.unique(codes[groups != g])) == n_classes]
    if not usable:
        why = f"must keep groups whole, but each of the {len(sizes)} groups has all rows of a class"
        why = why if len(sizes) > 1 else "needs two groups; all rows are of one"
        raise DataError(
            f"A split into training and test rows {why}. Set the test share to 0, or take other "
            "groups."
        )
    return min(usable, key=lambda g: abs(sizes[g] - share * len(codes)))


def _exchange_groups(
    test: NDArray[np.bool_], codes: Codes, groups: Codes, share: float
) -> NDArray[np.bool_]:
    """Move groups to training for classes that it lacks, in exchange for a group or for nothing."""
    # Training keeps its classes, and the size of the test comes no farther from its share.
    counts, wanted = _class_counts(codes, groups), share * len(codes)
    in_test = np.isin(np.arange(len(counts)), groups[test])
    for label in range(counts.shape[1]):
        training, n_test = counts[~in_test].sum(axis=0), counts[in_test].sum()
        if training[label]:
            continue
        out = np.where(in_test[:, None], 0, counts)  # a test group: an exchange for nothing
        options = []
        for group in np.flatnonzero(in_test & (counts[:, label] > 0)).tolist():
            rows = n_test - counts[group].sum() + out.sum(axis=1)
            loses = ((training + counts[group] - out)[:, training > 0] == 0).any(axis=1)
            off = np.where(loses | (rows == 0), np.inf, np.abs(rows - wanted))
            options.append((float(off.min()), group, int(off.argmin())))
        nearest, group, other = min(options)
        if nearest <= abs(n_test - wanted):
            in_test[other], in_test[group] = True, False
    return in_test[groups]


def draw_rows(train: Codes, y: NDArray[Any], most: int) -> Codes:
    """Draw at most `most` rows, stratified by class, always with the same seed."""
    if len(train) <= most:
        return train
    labels, rng = y[train], np.random.default_rng(0)
    parts = []
    for label in pd.unique(labels):
        rows = train[labels == label]
        wanted = min(len(rows), max(2, round(most * len(rows) / len(train))))
        parts.append(rng.choice(rows, wanted, replace=False))
    return np.sort(np.concatenate(parts))


def equal_rows(frame: pd.DataFrame) -> Codes:
    """Return a number for each row, shared by exactly equal rows (gaps are equal); O(n k)."""
    numbers = np.zeros(len(frame), dtype=np.int64)
    for _, column in frame.items():
        codes, levels = pd.factorize(column, use_na_sentinel=False)
        numbers, different = pd.factorize(numbers * len(levels) + codes)
        if len(different) == len(frame):  # no other column can change that
            break
    return numbers.astype(np.int64)


def join_groups(one: ArrayLike, other: ArrayLike) -> Codes:
    """Return a number for each row, shared by rows with a common group in either grouping."""
    first, second = (pd.factorize(np.asarray(g), use_na_sentinel=False)[0] for g in (one, other))
    n_first = first.max(initial=-1) + 1
    size = n_first + second.max(initial=-1) + 1
    links = coo_array((np.ones(len(first)), (first, n_first + second)), shape=(size, size))
    parts = connected_components(links, directed=False)[1]
    return np.asarray(pd.factorize(parts[first])[0])


def _group_numbers(groups: ArrayLike | None, n: int) -> Codes | None:
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.shape != (n,):
        raise ValueError(f"`groups` must name one group a row ({n}), its shape is {values.shape}.")
    return np.asarray(pd.factorize(values, use_na_sentinel=False)[0])


def _time_numbers(time: ArrayLike | None, groups: ArrayLike | None, n: int) -> Codes | None:
    """Return the position of each row in time, shared by rows of one time."""
    if time is None:
        return None
    if groups is not None:
        raise ValueError("Rows are split by `groups` or by `time`. Give one of them.")
    values = np.asarray(time)
    if values.shape != (n,):
        raise ValueError(f"`time` must have one value a row ({n}), its shape is {values.shape}.")
    numbers = pd.factorize(values, sort=True)[0]
    if (numbers < 0).any():
        raise DataError(
            f"Every row needs a time to be split by; {(numbers < 0).sum()} of {n} have none. "
            "Remove them, or split at random."
        )
    if numbers.max(initial=0) == 0:
        raise DataError("A split by time needs two times; all rows are of one. Split at random.")
    return np.asarray(numbers)


def _time_cuts(times: Codes, shares: Iterable[float]) -> list[int]:
    """Return the times before which the shares of rows lie, as nearly as possible."""
    before = np.cumsum(np.bincount(times))[:-1] / len(times)
    return [int(np.abs(before - share).argmin()) + 1 for share in shares]


def _read_classes(y: ArrayLike) -> NDArray[Any]:
    """Read a class for each row, shape (n,)."""
    labels = read_labels(y)
    if labels.ndim != 1:
        raise ValueError(f"`y` must be one-dimensional, its shape is {labels.shape}.")
    if not len(labels):
        raise DataError("The table has no rows to split. Add rows.")
    return labels


def _check_seed(seed: Any) -> None:
    """Raise ValueError unless a seed is None or a whole number that NumPy takes."""
    whole = isinstance(seed, Integral) and not isinstance(seed, bool) and 0 <= int(seed) < 2**32
    if not (whole or seed is None or isinstance(seed, np.random.RandomState)):
        raise ValueError(f"`random_state` must be None or a whole number, 0 or more; got {seed!r}.")


def _split_with_seed(
    labels: NDArray[Any], n_folds: int, groups: Codes | None, seed: int | None
) -> Iterable[Fold]:
    if n_folds < 2:
        raise ValueError(f"`cv` must be at least 2 folds, got {n_folds}.")
    codes, classes = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError("Every row needs a class; some are missing in `y`. Remove these rows.")
    if groups is None and n_folds == len(labels):
        rows = np.arange(n_folds)
        return [(np.delete(rows, k), rows[k : k + 1]) for k in range(n_folds)]
    counts = np.bincount(codes)
    if (n_rare := counts.min()) < n_folds:
        remedy = "Leave this class out, or join it with another."
        raise DataError(
            "Every class needs at least one row per fold; class "
            f"{quote(classes[counts.argmin()])} has {n_rare} rows for {n_folds} folds. "
            + (f"Take `cv={n_rare}` or fewer." if n_rare >= 2 else remedy)
        )
    if groups is None:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros((len(labels), 1)), codes))
    n_groups = len(np.unique(groups))
    if n_groups < n_folds:
        raise DataError(
            f"There must be at least as many groups as folds; {n_groups} groups do not fill "
            f"{n_folds} folds. Take `cv={max(n_groups, 2)}` or fewer, or other groups."
        )
    part = _dealt(codes, groups, np.full(n_folds, 1 / n_folds), seed)
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(n_folds)]


def _dealt(codes: Codes, groups: Codes, shares: NDArray[np.float64], seed: int | None) -> Codes:
    """Assign whole groups to parts of given shares, see the module; the part of each row."""
    rng = np.random.default_rng(seed)
    counts = _class_counts(codes, groups)
    kinds, kind_of = np.unique(counts, axis=0, return_inverse=True)
    order = rng.permutation(len(kinds))  # the largest first, those about as large shuffled
    order = order[np.argsort(-np.log2(kinds[order].sum(axis=1)).astype(int), kind="stable")]
    have = np.zeros((len(shares), kinds.shape[1]))
    part = np.empty(len(counts), dtype=np.intp)
    per_class = np.bincount(codes)
    for k in order:
        members = rng.permutation(np.flatnonzero(kind_of.ravel() == k))
        missing = np.clip((np.outer(shares, per_class) - have) @ (kinds[k] / per_class), 0, None)
        sure = (len(members) * missing / missing.sum() + 1e-9).astype(int)
        have += np.outer(sure, kinds[k])
        given = np.repeat(np.arange(len(shares)), sure).tolist()
        for _ in range(len(members) - len(given)):
            missing = (1 - have / np.outer(shares, per_class)) @ (kinds[k] / per_class)
            given.append(int(missing.argmax()))
            have[given[-1]] += kinds[k]
        part[members] = given
    return part[groups]


def _class_counts(codes: Codes, groups: Codes) -> Codes:
    """Count the rows of each class in each group: shape (groups, classes)."""
    shape = groups.max() + 1, codes.max() + 1
    cells = np.bincount(groups * shape[1] + codes, minlength=shape[0] * shape[1])
    return cells.reshape(shape)


def _check_fold(pair: Any, number: int, n: int) -> Fold:
    parts = []
    try:
        for part in pair:
            values = np.asarray(part)
            is_mask = values.dtype == bool
            whole = np.flatnonzero(values) if is_mask else values.astype(np.intp)
            fits = values.shape == (n,) if is_mask else values.ndim == 1 and (whole == values).all()
            if not fits or ((whole < 0) | (whole >= n)).any():
                raise ValueError("positions out of range")
            parts.append(np.sort(whole))
        train, test = parts
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"Each fold of `cv` must be two arrays of positions between 0 and {n - 1}; "
            f"fold {number} is not."
        ) from error
    if not len(train) or not len(test):
        raise ValueError(f"Fold {number} of `cv` has no training rows or no test rows.")
    if np.isin(test, train).any():
        why = "has training rows among its test rows. Remove them."
        raise ValueError(f"Fold {number} of `cv` {why}")
    return train, test
