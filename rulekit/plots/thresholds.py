"""Axis of a column's values: where its values, bars and thresholds are drawn."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rulekit.style.palette import GREY, Look, bars, plain
from rulekit.style.wording import plural, short_number

MAX_BARS = 40
FEW = 20  # distinct values that are drawn side by side, each with its own place
MAX_LINES = 60  # cut points drawn as lines across the figure
TAIL = 0.005  # share of the rows at either end that may be drawn nearer than they are
FAR = 2.0  # if they make the axis more than this factor longer


def gather_outliers(
    values: NDArray[np.float64], cuts: Sequence[float]
) -> tuple[NDArray[np.float64], str]:
    """Move far outliers among values (n,) to the ends of the others if they take too much room."""
    low, high = np.quantile(values, [TAIL, 1 - TAIL], method="nearest")
    if len(cuts):
        max_gap = (max(high, cuts[-1]) - min(low, cuts[0])) / MAX_BARS
        low, high = min(low, cuts[0] - max_gap), max(high, cuts[-1] + max_gap)
    if np.ptp(values) <= FAR * (high - low):
        return values, ""
    if _is_whole(values):
        low, high = np.floor(low), np.ceil(high)
    ends = [
        f"{plural(int(beyond.sum()), 'row')} {where} {short_number(end)}"
        for beyond, where, end in ((values < low, "below", low), (values > high, "above", high))
        if beyond.any()
    ]
    return np.clip(values, low, high), f"{' and '.join(ends)} drawn at the end"


def cut_positions(
    distinct: NDArray[np.float64], cuts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return the positions of thresholds on the axis, and the range of the axis."""
    places: NDArray[np.float64]
    if len(distinct) <= FEW:
        places = np.searchsorted(distinct, cuts, side="right").astype(np.float64) - 0.5
        return places, (-0.5, len(distinct) - 0.5)
    low, high = float(distinct[0]), float(distinct[-1])
    whole = _is_whole(distinct)
    pad = 0.5 if whole else (high - low) * 0.02
    places = np.floor(cuts) + 0.5 if whole else cuts
    return places, (min(low - pad, *places, low), max(high + pad, *places, high))


def name_values(
    figure: go.Figure, name: str, distinct: NDArray[np.float64], beyond: str = ""
) -> None:
    """Write the axis of values: each value where they are side by side; rows on the other."""
    title = f"{plain(name)}<br><sub>{beyond}</sub>" if beyond else plain(name)
    figure.update_xaxes(title_text=title, row=2, col=1)
    if len(distinct) <= FEW:
        figure.update_xaxes(
            tickvals=list(range(len(distinct))), ticktext=[short_number(v) for v in distinct]
        )
    figure.update_yaxes(title_text="rows", row=1, col=1)


def _is_whole(distinct: NDArray[np.float64]) -> bool:
    return bool(np.array_equal(distinct, np.floor(distinct)) and np.ptp(distinct) < 1e9)


def mark_cuts(figure: go.Figure, cuts: NDArray[np.float64]) -> None:
    """Draw a line per threshold, or ticks below the bars where lines would hide them."""
    if len(cuts) <= MAX_LINES:
        # dark on white: seen on each bar and on each page
        looks = {"color": "#FFFFFF", "width": 2.5}, {"color": "#333333", "width": 1, "dash": "dash"}
        place = {"type": "line", "xref": "x", "yref": "y domain", "y0": 0, "y1": 1}
        lines = [
            place | {"x0": cut, "x1": cut, "line": look}
            for cut in np.unique(cuts).tolist()
            for look in looks
        ]  # at once: `add_vline` reads all shapes again
        figure.update_layout(shapes=[*figure.layout.shapes, *lines])
        return
    figure.add_scatter(
        x=cuts,
        y=np.zeros(len(cuts)),
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 10, "color": GREY},
        name=f"{len(cuts)} cut points",
        hoverinfo="x",
        row=1,
        col=1,
    )


def interval_words(row: Mapping[str, float]) -> str:
    """Return a bin in words: "at most 3", "over 3 and at most 5", "over 5", "where missing"."""
    low, high = row["low"], row["high"]
    if np.isnan(low):
        return "where missing"
    if np.isinf(low) and np.isinf(high):
        return "everywhere"
    if np.isinf(low):
        return f"at most {high:g}"
    return f"over {low:g}" if np.isinf(high) else f"over {low:g} and at most {high:g}"


def interval_signs(row: Mapping[str, float]) -> str:
    """Write a bin in signs, for a table: "≤ 3", "> 3, ≤ 5", "> 5", "missing", "any"."""
    low, high = row["low"], row["high"]
    if np.isnan(low):
        return "missing"
    parts = [f"> {low:g}"] * (not np.isinf(low)) + [f"≤ {high:g}"] * (not np.isinf(high))
    return ", ".join(parts) or "any"


def add_histogram(
    figure: go.Figure,
    values: NDArray[np.float64],
    parts: Sequence[NDArray[np.bool_]],
    labels: Sequence[object],
    looks: Sequence[Look],
) -> None:
    """Add counts of each part of the rows, stacked; few distinct values get one bar each."""
    distinct = np.unique(values)
    if len(distinct) <= FEW:
        centers, width = np.arange(float(len(distinct))), 0.8
        counts = [np.array([(values[of] == v).sum() for v in distinct]) for of in parts]
    else:
        edges = _edges(distinct)
        centers, width = (edges[:-1] + edges[1:]) / 2, edges[1] - edges[0]
        counts = [np.histogram(values[of], edges)[0] for of in parts]
    for count, look, label in zip(counts, looks, labels, strict=True):
        figure.add_bar(
            x=centers, y=count, width=width, marker=bars(look), name=plain(label), row=1, col=1
        )


def _edges(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the range evenly; whole numbers so that each bar holds equally many of them."""
    low, high = distinct[0], distinct[-1]
    if _is_whole(distinct):
        step = np.ceil((high - low + 1) / MAX_BARS)
        return np.arange(low - 0.5, high + step, step)
    return np.linspace(low, high, MAX_BARS + 1)
