"""What conditions read of dates: the parts that come again, and the cuts."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning.encodings import OrderedColumn
from rulekit.rules.condition import DATE_PARTS, moment

Values = NDArray[np.float64]
ROWS = 0.9  # share whose month, weekday or hour was seen in two periods
PERIODS = {"month": "year", "weekday": "week", "hour": "day"}
#: Parts of dates that come again, and the number of the period in which they do.
RECURRING: dict[str, tuple[Callable[[datetime], int], Callable[[datetime], int]]] = {
    "month": (lambda date: date.month, lambda date: date.year),
    "weekday": (lambda date: date.weekday(), lambda date: date.toordinal() // 7),
    "hour": (lambda date: date.hour, lambda date: date.toordinal()),
}


def find_recurring_parts(column: NDArray[Any]) -> tuple[str, ...]:
    """Return the parts of dates that conditions read by default."""
    # A month, weekday or hour says nothing about later dates unless it was seen in two years, weeks
    # or days: it is offered if that is so for the values of nine in ten rows.
    counts = pd.Series(column, dtype=object).value_counts()
    dated = [(d, n) for v, n in counts.items() if (d := moment(str(v))) is not None]
    offered = list(DATE_PARTS)
    for part, (value_of, period_of) in RECURRING.items() if dated else ():
        rows = pd.DataFrame([(value_of(d), period_of(d), n) for d, n in dated])
        twice = rows.groupby(0)[1].transform("nunique") > 1
        if rows[2][twice].sum() < ROWS * rows[2].sum():
            offered.remove(part)
    return tuple(offered)


def round_to_calendar(column: OrderedColumn, raw: Values, distinct: Values) -> Values:
    """Move each cut, at most half-way to a neighbour, to the start of a year, quarter or month."""
    ends = np.concatenate([distinct[:1], raw, distinct[-1:]])
    middle = (ends[1:] + ends[:-1]) / 2
    turning_points = []
    for cut, low, high in zip(raw.tolist(), middle[:-1].tolist(), middle[1:].tolist(), strict=True):
        if (round_day := round_date(low, high, cut)) is None:
            k = int(np.searchsorted(distinct, cut, side="right"))
            turning_points.append(column.edge_between(cut, *distinct[k - 1 : k + 1].tolist()))
        else:
            turning_points.append(float(np.nextafter(round_day, -np.inf)))
    cuts = np.unique(np.array(turning_points, dtype=float))
    return np.asarray(cuts[(cuts >= distinct[0]) & (cuts < distinct[-1])])


def move_to_best_cut(
    column: OrderedColumn, cuts: Values, values: Values, classes: NDArray[np.intp]
) -> Values:
    """Move the nearest cut to the date that divides the classes best: shapes (n,)."""
    distinct, places = np.unique(values, return_inverse=True)
    named, codes = np.unique(classes, return_inverse=True)
    shape = len(named), len(distinct)
    rows = np.bincount(codes * shape[1] + places, minlength=shape[0] * shape[1]).reshape(shape)
    before = rows.cumsum(axis=1)[:, :-1].astype(float)
    after = rows.sum(axis=1, keepdims=True) - before
    purity = (before**2).sum(axis=0) / before.sum(axis=0)
    purity += (after**2).sum(axis=0) / after.sum(axis=0)
    k = int(purity.argmax())
    low, high = float(distinct[k]), float(distinct[k + 1])
    edge = column.edge_between((low + high) / 2, low, high)
    kept = np.delete(cuts, np.abs(cuts - edge).argmin()) if len(cuts) else cuts
    return np.unique(np.append(kept, edge))


def round_date(low: float, high: float, near: float) -> float | None:
    """Find the roundest day after `low` and up to `high`, in days since 1970."""
    first, last = np.datetime64("1970-01-01") + np.array([np.floor(low), np.floor(high)], int)
    months = np.arange(first.astype("M8[M]"), last.astype("M8[M]") + 1)
    days = months.astype("M8[D]").astype(int).astype(float)
    number = months.astype(int)
    inside = (days > low) & (days <= high)
    for step in (12, 3, 1):
        if len(fits := days[inside & (number % step == 0)]):
            return float(fits[np.argmin(np.abs(fits - near))])
    return None
