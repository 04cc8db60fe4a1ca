"""What a fitted binarizer makes of each column, with counts: what a person looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binarize.binarizer import Binarizer
from rulekit.binarize.conditions import conditions_of
from rulekit.binarize.encoding import ColumnEncoding, LevelColumn, OrderedColumn
from rulekit.exceptions import DataError
from rulekit.rules import number_text, value_text


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One bin of a numeric column, or one level (or group of rare levels) of any other.

    Attributes
    ----------
    name : str
        Such as ``<= 5``, ``> 5 to 8``, ``red``, ``12 rare levels``, ``not seen in training``
        or ``missing``.
    low, high : float
        Ends of a bin, the upper one included; NaN where there is no bin.
    n : int
        Rows in it.
    counts : dict of class to int
        Rows in it of each class; empty if no classes were given.
    """

    name: str
    low: float
    high: float
    n: int
    counts: dict[Any, int]

    def share(self, label: Any) -> float:
        """Give the share of its rows that are of a class; NaN where there is no row."""
        return self.counts.get(label, 0) / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What became of one column.

    Attributes
    ----------
    name : str
    kind : {"ordered", "levels", "nothing"}
        Cut at thresholds; tested for its values; or without any condition.
    cuts : tuple of float
        Empty unless `kind` is "ordered".
    cells : tuple of CellSummary
        Bins ascending, or levels; cells for unseen and missing values only where there are any.
    n_conditions : int
    """

    name: str
    kind: str
    cuts: tuple[float, ...]
    cells: tuple[CellSummary, ...]
    n_conditions: int


def candidate_summary(
    binarizer: Binarizer, X: Any, y: Sequence[Any] | NDArray[Any] | None = None
) -> tuple[ColumnSummary, ...]:
    """Count the rows, and the classes, in every bin and level of every column.

    Parameters
    ----------
    binarizer : Binarizer
        Fitted.
    X : DataFrame or array of shape (n, p)
        The rows to count; the training rows or others.
    y : array of shape (n,), optional
        Their classes; a missing class is counted in no class.

    Returns
    -------
    tuple of ColumnSummary
        In the order of the columns seen in `fit`.

    Raises
    ------
    DataError
        If `y` has another length than `X`.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0]})
    >>> (age,) = candidate_summary(Binarizer(n_thresholds=1).fit(X), X, ["a", "a", "a", "b"])
    >>> [(cell.name, cell.n, cell.share("b")) for cell in age.cells]
    [('<= 35', 2, 0.0), ('> 35', 2, 0.5)]
    """
    codes = binarizer.bins(X)
    n = len(codes.codes)
    truth = pd.Series([None] * n if y is None else list(y), dtype=object)
    if len(truth) != n:
        raise DataError(f"`y` must have one class a row: {n} expected, {len(truth)} given.")
    classes, labels = pd.factorize(truth, sort=False)
    found = {}
    for j, encoding in enumerate(binarizer.encodings_):
        cells = codes.codes[:, j].astype(int)
        counts = np.zeros((encoding.n_cells, len(labels) + 1), dtype=int)
        np.add.at(counts, (cells, classes), 1)  # a missing class is -1: the last column
        n_conditions = len(conditions_of(encoding))
        found[encoding.name] = _summary(encoding, counts, list(labels), n_conditions)
    return tuple(found[name] for name in binarizer.column_names_)


def _summary(
    encoding: ColumnEncoding, counts: NDArray[np.intp], labels: list[Any], n_conditions: int
) -> ColumnSummary:
    if isinstance(encoding, OrderedColumn):
        kind, cuts, ends = "ordered", tuple(encoding.cuts.tolist()), _bins(encoding.cuts)
        n_trained = len(ends)
    else:
        kind, cuts, ends = "levels", (), _levels(encoding)
        n_trained = len(ends)
        ends.append(("not seen in training", np.nan, np.nan))
    ends.append(("missing", np.nan, np.nan))
    cells = [
        CellSummary(
            name, low, high, int(row.sum()), dict(zip(labels, row[:-1].tolist(), strict=True))
        )
        for k, ((name, low, high), row) in enumerate(zip(ends, counts, strict=True))
        if k < n_trained or row.any()
    ]
    kind = kind if n_conditions else "nothing"
    return ColumnSummary(encoding.name, kind, cuts, tuple(cells), n_conditions)


def _bins(cuts: NDArray[np.float64]) -> list[tuple[str, float, float]]:
    texts = [number_text(float(t)) for t in cuts]
    if not texts:
        return [("any", -np.inf, np.inf)]
    names = [f"<= {texts[0]}"]
    names += [f"> {a} to {b}" for a, b in pairwise(texts)]
    names.append(f"> {texts[-1]}")
    ends = [-np.inf, *cuts.tolist(), np.inf]
    return list(zip(names, ends[:-1], ends[1:], strict=True))


def _levels(encoding: LevelColumn) -> list[tuple[str, float, float]]:
    return [
        (value_text(g[0]) if len(g) == 1 else f"{len(g)} rare levels", np.nan, np.nan)
        for g in encoding.groups
    ]
