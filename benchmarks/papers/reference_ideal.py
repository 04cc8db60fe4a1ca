"""The plain way: the ideal DNF as the paper tells it, step by step, with scikit-learn and SymPy.

`SelectKBest` once for each number of features and each score, a dictionary of two counters for
each type of row, `simplify_logic` at the end. Booleans are handed to scikit-learn as numbers, as
its F-test of Boolean arrays works in single precision.
"""

from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectKBest, chi2, f_classif, mutual_info_classif
from sympy import Symbol, false
from sympy.logic import And, Not, Or, simplify_logic

Counters = dict[tuple[bool, ...], list[int]]


def learn(
    X: pd.DataFrame, y: np.ndarray, *, discrete: bool, seed: int = 0, max_variables: int = 10
) -> tuple[int, Counters, Any]:
    """Learn a formula; return the number of features, rows of each type, and the formula."""
    order = np.random.default_rng(seed).permutation(len(y))
    n_train = round(0.7 * len(y))
    train, validation = order[:n_train], order[n_train:]
    whole = booleanised(X, X.iloc[train])
    usable = whole[train].any(axis=0) & ~whole[train].all(axis=0)
    tuples = []
    # the paper estimates mutual information by nearest neighbours, for continuous features
    information = partial(mutual_info_classif, discrete_features=discrete, random_state=42)
    for k in range(1, min(max_variables, int(usable.sum())) + 1):
        for score in (f_classif, information, chi2):
            B = whole[train][:, usable].astype(float)
            selector = SelectKBest(score, k=k).fit(B, y[train])
            features = np.flatnonzero(usable)[selector.get_support(indices=True)]
            counters = counted(whole[train][:, features], y[train])
            predicted = [answer(counters, row) for row in whole[validation][:, features].tolist()]
            tuples.append((k, int((np.array(predicted) == y[validation]).sum()), features))
    best = max(right for _, right, _ in tuples)
    k = min(k for k, right, _ in tuples if 100 * (best - right) < len(validation) or right == best)
    features = max((t for t in tuples if t[0] == k), key=lambda t: t[1])[2]
    counters = counted(booleanised(X, X)[:, features], y)
    return k, counters, simplified(counters, k)


def booleanised(X: pd.DataFrame, source: pd.DataFrame) -> np.ndarray:
    """Chop numbers at the median of the source, give other columns one for each level: (n, d)."""
    columns = []
    for name in X.columns:
        if pd.api.types.is_numeric_dtype(X[name]):
            values = source[name].to_numpy()
            two = np.unique(values)
            cut = two[0] if len(two) == 2 else np.median(values)
            columns.append(X[name].to_numpy() > cut)
        else:
            text = X[name].to_numpy(dtype=object)
            columns += [text == level for level in sorted(set(text))]
    return np.column_stack(columns)


def counted(B: np.ndarray, y: np.ndarray) -> Counters:
    """Count each type's rows, of the other class and of the one described (Algorithm 1)."""
    counters: Counters = defaultdict(lambda: [0, 0])
    for row, label in zip(B.tolist(), y.tolist(), strict=True):
        counters[tuple(row)][label] += 1
    return counters


def answer(counters: Counters, row: list[bool]) -> bool:
    """Predict yes for a type if more than half of its rows are of the described class."""
    negative, positive = counters.get(tuple(row), (0, 0))
    return positive > negative


def simplified(counters: Counters, k: int) -> Any:
    """Write the types that are answered with yes as a formula, and let SymPy simplify it."""
    names = [Symbol(f"x{j}") for j in range(k)]
    terms = [
        And(*(name if holds else Not(name) for name, holds in zip(names, row, strict=True)))
        for row, (negative, positive) in counters.items()
        if positive > negative
    ]
    return simplify_logic(Or(*terms), form="dnf", force=True) if terms else false
