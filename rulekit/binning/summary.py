"""What a fitted binarizer makes of each column, with counts: what a person looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning.binarizer import Binarizer
from rulekit.binning.encodings import ColumnEncoding, LevelColumn, OrderedColumn
from rulekit.exceptions import DataError
from rulekit.rules.condition import value_text
from rulekit.rules.scales import spelled


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One bin of a numeric column, or one level (or group of rare levels) of any other.

    `name` is such as ``<= 5``, ``> 5 to 8``, ``red``, ``12 rare levels``, ``not seen in training``
    or ``missing``. `low` and `high` are the ends of a bin, the upper one included, else NaN;
    `counts` holds the rows of each class, and is empty if no classes were given.
    """

    name: str
    low: float
    high: float
    n: int
    counts: dict[Any, int]

    def share(self, label: Any) -> float:
        """Return the share of its rows that are of a class; NaN without rows."""
        return self.counts.get(label, 0) / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """Summary of one column, or of one part that is read of it.

    `reads` is empty for the column's own values, "date", "weekday" and so on of a date, "order", or
    a word in quotes; `kind` is "ordered" (cut at thresholds), "levels", "words" or "nothing"
    (without any condition). `cuts` are positions, see `Literal.positions`, if `kind` is "ordered".
    `cells` are bins ascending, or levels, and cells for unseen and missing values if there are any.
    """

    name: str
    reads: str
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
        In the order of the columns seen in `fit`; of a column that is read in several ways, such
        as a date and its weekday, one for each.

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
    codes = binarizer.transform(X)
    n = len(codes.codes)
    truth = pd.Series([None] * n if y is None else list(y), dtype=object)
    if len(truth) != n:
        raise DataError(f"`y` must have one class a row: {n} expected, {len(truth)} given.")
    classes, labels = pd.factorize(truth, sort=False)
    summaries: dict[str, list[ColumnSummary]] = {}
    for j, encoding in enumerate(binarizer.encodings_):
        cells = codes.codes[:, j].astype(int)
        counts = np.zeros((encoding.n_cells, len(labels) + 1), dtype=int)
        np.add.at(counts, (cells, classes), 1)  # a missing class is -1: the last column
        summaries.setdefault(encoding.name, []).append(_summary(encoding, counts, list(labels)))
    return tuple(part for name in binarizer.column_names_ for part in summaries[name])


def _summary(
    encoding: ColumnEncoding, counts: NDArray[np.intp], labels: list[Any]
) -> ColumnSummary:
    kind, cuts = "levels", ()
    reads = encoding.part or ""
    if isinstance(encoding, OrderedColumn):
        kind, cuts, ends = "ordered", tuple(encoding.cuts.tolist()), _bins(encoding)
        reads = "order" if encoding.order else reads
        n_trained = len(ends)
    elif isinstance(encoding, LevelColumn):
        ends = _levels(encoding)
        n_trained = len(ends)
        ends.append(("not seen in training", np.nan, np.nan))
    else:
        kind, reads = "words", repr(encoding.word)
        ends = [(f"{a} {reads}", np.nan, np.nan) for a in ("without", "with")]
        n_trained = len(ends)
    ends.append(("missing", np.nan, np.nan))
    cells = [
        CellSummary(
            name, low, high, int(row.sum()), dict(zip(labels, row[:-1].tolist(), strict=True))
        )
        for k, ((name, low, high), row) in enumerate(zip(ends, counts, strict=True))
        if k < n_trained or row.any()
    ]
    n_conditions = len(encoding.conditions())
    kind = kind if n_conditions else "nothing"
    return ColumnSummary(encoding.name, reads, kind, cuts, tuple(cells), n_conditions)


def _bins(encoding: OrderedColumn) -> list[tuple[str, float, float]]:
    cuts = encoding.cuts
    if not len(cuts):
        return [("any", -np.inf, np.inf)]
    below, above = ([encoding.cut_literal(k, side) for k in range(len(cuts))] for side in (-1, 1))
    texts = [[value_text(spelled(x.value, x.part)) for x in side] for side in (below, above)]
    names = [f"{below[0].op} {texts[0][0]}"]
    if encoding.is_plain:
        names += [f"> {a} to {b}" for a, b in pairwise(texts[0])]
    else:
        names += [
            f"{above[0].op} {a}, {below[0].op} {b}"
            for a, b in zip(texts[1][:-1], texts[0][1:], strict=True)
        ]
    names.append(f"{above[-1].op} {texts[1][-1]}")
    ends = [-np.inf, *cuts.tolist(), np.inf]
    return list(zip(names, ends[:-1], ends[1:], strict=True))


def _levels(encoding: LevelColumn) -> list[tuple[str, float, float]]:
    return [
        (
            value_text(spelled(g[0], encoding.part)) if len(g) == 1 else f"{len(g)} rare levels",
            np.nan,
            np.nan,
        )
        for g in encoding.groups
    ]
