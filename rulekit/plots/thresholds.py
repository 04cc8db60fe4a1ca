"""Binning of a column: its values by class, its thresholds, the class share per bin."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from rulekit.style.palette import GREY, Look, bars, base_layout, outcome_looks, plain
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import plural, short_number

MAX_BARS = 40
MAX_LEVELS = 12
FEW = 20  # distinct values that are drawn side by side, each with its own place
MAX_LINES = 60  # cut points drawn as lines across the figure
SIGN = 0.022  # share of the axis that one sign of a percentage above a bin takes
TAIL = 0.005  # share of the rows at either end that may be drawn nearer than they are
FAR = 2.0  # if they make the axis more than this factor longer


def bin_table(
    values: NDArray[np.float64], positive: NDArray[np.bool_], cuts: Sequence[float]
) -> pd.DataFrame:
    """Count rows and positive rows between cut points: values, positive (n,), cuts (k,)."""
    edges = np.concatenate([[-np.inf], np.asarray(cuts, dtype=float), [np.inf]])
    missing = np.isnan(values)
    codes = np.searchsorted(edges[1:-1], values[~missing], side="left")
    n_bins = len(edges) - 1
    table = pd.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "rows": np.bincount(codes, minlength=n_bins),
            "positive": np.bincount(codes[positive[~missing]], minlength=n_bins),
        }
    )
    if missing.any():
        absent = [np.nan, np.nan, int(missing.sum()), int(positive[missing].sum())]
        table.loc[n_bins] = absent
        table = table.astype({"rows": int, "positive": int})
    table["share"] = table["positive"] / table["rows"].where(table["rows"] > 0)
    return table


def level_table(values: Sequence[object], positive: NDArray[np.bool_]) -> pd.DataFrame:
    """Count rows and positive rows of each level, most frequent first: values, positive (n,)."""
    series = pd.Series(list(values), dtype=object)
    absent = series.isna().to_numpy()
    frame = pd.DataFrame({"level": series.astype(str), "positive": positive})
    counts = frame[~absent].groupby("level")["positive"].agg(["size", "sum"])
    counts = counts.sort_values("size", ascending=False, kind="stable")
    if absent.any():
        counts.loc["missing"] = [int(absent.sum()), int(positive[absent].sum())]
    table = counts.reset_index().rename(columns={"size": "rows", "sum": "positive"})
    table["share"] = table["positive"] / table["rows"]
    return table


def threshold_figure(
    values: NDArray[np.float64],
    positive: NDArray[np.bool_],
    cuts: Sequence[float],
    *,
    name: str,
    labels: tuple[object, object] = ("positive", "other"),
    classes: Sequence[Any] | None = None,
) -> go.Figure:
    """Draw a column's values by class with its cut points, and below the class share per bin."""
    present = ~np.isnan(values)
    if not present.any():
        raise ValueError(f"Column {name!r} holds no value; there is nothing to draw.")
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.62, 0.38], vertical_spacing=0.06
    )
    looks = outcome_looks(labels, classes)
    drawn, beyond = gather_outliers(values[present], cuts)
    distinct = np.unique(drawn)
    places, ends = cut_positions(distinct, np.asarray(cuts, dtype=float))
    both = (positive[present], ~positive[present])
    add_histogram(figure, drawn, both, labels, looks)
    table = bin_table(values[present], positive[present], cuts)
    _shares(figure, table, np.array([ends[0], *places, ends[1]]), labels[0], looks[0])
    mark_cuts(figure, places)
    figure.update_layout(base_layout(340), barmode="stack", bargap=0)
    name_values(figure, name, distinct, beyond)
    figure.update_yaxes(
        title_text=f"share of {plain(write_outcome(labels[0]), 20)}",
        range=[0, 1.2],
        tickvals=[0, 0.5, 1],
        tickformat=".0%",
        row=2,
        col=1,
    )
    return figure


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


def level_figure(
    table: pd.DataFrame,
    *,
    name: str,
    labels: tuple[object, object] = ("positive", "other"),
    classes: Sequence[Any] | None = None,
) -> go.Figure:
    """Draw the levels of a category: rows of each, by class."""
    shown = table.head(MAX_LEVELS).iloc[::-1]
    levels = [plain(level, 30) for level in shown["level"]]
    figure = go.Figure(layout=base_layout(110 + 26 * len(shown)))
    counts = (shown["positive"], shown["rows"] - shown["positive"])
    for count, look, label in zip(counts, outcome_looks(labels, classes), labels, strict=True):
        figure.add_bar(y=levels, x=count, orientation="h", name=plain(label), marker=bars(look))
    figure.add_scatter(
        x=shown["rows"],
        y=levels,
        mode="text",
        text=[f" {share:.0%}" for share in shown["share"]],
        textposition="middle right",
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    figure.update_layout(barmode="stack", margin={"r": 48})
    figure.update_xaxes(
        title_text=f"rows (and share of {plain(write_outcome(labels[0]), 20)})", showgrid=False
    )
    figure.update_yaxes(title_text=plain(name), type="category")
    return figure


def threshold_sentence(table: pd.DataFrame, *, name: str, label: object = "positive") -> str:
    """Return the content of a `bin_table` as a text alternative of the figure."""
    bins = table[table["low"].notna() & (table["rows"] > 0)]
    if len(bins) < 2:
        return f"{name}: no cut point divides the rows."
    highest = bins.loc[bins["share"].idxmax()]
    lowest = bins.loc[bins["share"].idxmin()]
    return (
        f"{name}: {len(table[table['low'].notna()])} bins; the share of {label} is highest, "
        f"{highest['share']:.0%}, {interval_words(highest)} and lowest, {lowest['share']:.0%}, "
        f"{interval_words(lowest)}."
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


def _shares(
    figure: go.Figure, table: pd.DataFrame, edges: NDArray[np.float64], label: object, look: Look
) -> None:
    """Add one bar per bin, as wide as the bin, as high as the class share in it."""
    width = np.diff(edges)
    labels = ["" if share != share else f"{share:.0%}" for share in table["share"]]
    capacity = (width / (SIGN * width.sum())).tolist()
    hover = [
        f"{interval_words(row)}<br>{row['positive']:.0f} of {row['rows']:.0f} rows are "
        f"{plain(label)}"
        for _, row in table.iterrows()
    ]
    figure.add_bar(
        x=edges[:-1] + width / 2,
        y=table["share"].fillna(0),
        width=width,
        text=[t if len(t) <= signs else "" for t, signs in zip(labels, capacity, strict=True)],
        textposition="outside",
        textangle=0,
        constraintext="none",
        cliponaxis=False,
        marker={
            "color": look.colour,
            "opacity": 0.75,
            "line": {"color": "white", "width": int(len(table) <= MAX_LINES)},
        },
        hovertext=hover,
        hoverinfo="text",
        showlegend=False,
        row=2,
        col=1,
    )
