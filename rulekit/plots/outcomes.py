"""A column's values by outcome, with its cut points: figures, tables and sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from rulekit.style.palette import (
    GREY,
    Look,
    bars,
    base_layout,
    has_legend,
    outcome_looks,
    plain,
    plain_names,
)
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import plural, short_number

Floats = NDArray[np.float64]
MAX_BARS = 40
FEW = 20  # distinct values that are drawn side by side, each with its own place
MAX_LINES = 60  # cut points drawn as lines across the figure
TAIL = 0.005  # share of the rows at either end that may be drawn nearer than they are
FAR = 2.0  # if they make the axis more than this factor longer
MAX_LEVELS = 12
MAX_NAMED = 6  # most outcomes in one sentence
TALL, WIDE = 0.15, 0.06  # shares of the picture that a strip needs to have its percentage in it


def outcome_bins(
    values: NDArray[np.float64], codes: NDArray[np.intp], n_outcomes: int, cuts: Sequence[float]
) -> pd.DataFrame:
    """Count the rows of each outcome between cut points: values, codes (n,), cuts (k,)."""
    edges = np.array([-np.inf, *cuts, np.inf])
    missing = np.isnan(values)
    bins = np.where(missing, len(edges) - 1, np.searchsorted(edges[1:-1], values, side="left"))
    ends = {"low": [*edges[:-1], np.nan], "high": [*edges[1:], np.nan]}
    table = pd.DataFrame({**ends, "rows": np.bincount(bins, minlength=len(edges))})
    for k in range(n_outcomes):
        table[k] = np.bincount(bins[codes == k], minlength=len(edges))
    return table.iloc[: len(edges) - 1 + missing.any()]


def outcome_levels(
    values: Sequence[object], codes: NDArray[np.intp], n_outcomes: int
) -> pd.DataFrame:
    """Count the rows of each outcome at each level, most frequent first: values, codes (n,)."""
    levels = pd.Series(list(values), dtype=object)
    names = levels.astype(str).where(levels.notna())
    rows = names.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    table = pd.DataFrame({"rows": rows})
    for k in range(n_outcomes):
        table[k] = names[codes == k].value_counts().reindex(rows.index, fill_value=0)
    table = table.rename_axis("level").reset_index()
    if levels.isna().any():
        absent = codes[levels.isna()]
        gaps = [np.sum(absent == k) for k in range(n_outcomes)]
        table.loc[len(table)] = ["missing", len(absent), *gaps]
    return table


def outcome_shares(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the share of each outcome in each row of a table of counts, NaN for empty rows."""
    rows = table["rows"].to_numpy(dtype=float)
    counts = table[[name for name in table.columns if isinstance(name, int)]].to_numpy(dtype=float)
    return np.asarray(counts / np.where(rows > 0, rows, np.nan)[:, None])


def outcome_bins_figure(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    cuts: Sequence[float],
    *,
    name: str,
    labels: Sequence[Any],
    classes: Sequence[Any] | None = None,
) -> go.Figure:
    """Draw a column's values by outcome with its cut points, and the shares per bin."""
    present = ~np.isnan(values)
    if not present.any():
        raise ValueError(f"Column {name!r} holds no value; there is nothing to draw.")
    heights = {"row_heights": [0.55, 0.45], "vertical_spacing": 0.06}
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, **heights)
    looks = outcome_looks(labels, classes)
    drawn, beyond = gather_outliers(values[present], cuts)
    distinct = np.unique(drawn)
    places, ends = cut_positions(distinct, np.asarray(cuts, dtype=float))
    add_histogram(figure, drawn, [codes[present] == k for k in range(len(labels))], labels, looks)
    table = outcome_bins(values[present], codes[present], len(labels), cuts)
    # one stacked bar per bin, as wide as the bin, divided by the outcomes' shares
    edges = np.array([ends[0], *places, ends[1]])
    width = np.diff(edges)
    wide, gap = width >= WIDE * width.sum(), int(len(table) <= MAX_LINES)
    where = [interval_words(row) for _, row in table.iterrows()]
    inside = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
    looked = zip(labels, looks, outcome_shares(table).T, strict=True)
    for k, (label, look, share) in enumerate(looked):
        hover = [
            f"{words}<br>{count:,.0f} of {rows:,.0f} rows are {plain(label)}"
            for words, count, rows in zip(where, table[k], table["rows"], strict=True)
        ]
        figure.add_bar(
            x=edges[:-1] + width / 2,
            y=np.nan_to_num(share),
            width=width,
            text=[f"{s:.0%}" if w and s >= TALL else "" for s, w in zip(share, wide, strict=True)],
            insidetextfont={"color": look.ink},
            marker={"color": look.colour, "line": {"color": "white", "width": gap}},
            name=plain(label),
            hovertext=hover,
            hoverinfo="text",
            showlegend=False,
            row=2,
            col=1,
            **inside,
        )
    mark_cuts(figure, places)
    stack_bars(figure, 360, labels)
    title = f"{plain(name)}<br><sub>{beyond}</sub>" if beyond else plain(name)
    figure.update_xaxes(title_text=title, row=2, col=1)
    if len(distinct) <= FEW:
        ticks = [short_number(v) for v in distinct]
        figure.update_xaxes(tickvals=list(range(len(distinct))), ticktext=ticks)
    figure.update_yaxes(title_text="rows", row=1, col=1)
    shares = {"title_text": "share of rows", "range": [0, 1], "tickvals": [0, 0.5, 1]}
    return figure.update_yaxes(shares, tickformat=".0%", row=2, col=1)


def outcome_levels_figure(
    table: pd.DataFrame, *, name: str, labels: Sequence[Any], classes: Sequence[Any] | None = None
) -> go.Figure:
    """Draw the levels of a category: rows of each by outcome, of two the share of the first."""
    shown = table.head(MAX_LEVELS).iloc[::-1]
    levels = plain_names(shown["level"])
    figure = go.Figure(layout=base_layout(110 + 26 * len(shown)))
    for k, (label, look) in enumerate(zip(labels, outcome_looks(labels, classes), strict=True)):
        figure.add_bar(y=levels, x=shown[k], orientation="h", name=plain(label), marker=bars(look))
    title = "rows"
    if len(labels) == 2:
        texts = [f"{share:.0%}" for share in outcome_shares(shown)[:, 0]]
        figure.data[-1].update(text=texts, textposition="outside", cliponaxis=False)
        title = f"rows (and share of {plain(write_outcome(labels[0]), 20)})"
    figure.update_layout(barmode="stack", margin={"r": 48})
    figure.update_xaxes(title_text=title, showgrid=False)
    return figure.update_yaxes(title_text=plain(name), type="category")


def outcome_sentence(table: pd.DataFrame, *, name: str, labels: Sequence[Any]) -> str:
    """Return where each outcome is most frequent, as a text alternative of the figure."""
    inside = table["level"] != "missing" if "level" in table else table["low"].notna()
    filled = table[inside & (table["rows"] > 0)].reset_index(drop=True)
    if len(filled) < 2:
        return f"{name}: no cut point divides the rows."
    rows = [row for _, row in filled.iterrows()]
    where = [f"at {r['level']}" if "level" in filled else interval_words(r) for r in rows]
    shares, parts = outcome_shares(filled), []
    for k, label in enumerate(list(labels)[:MAX_NAMED]):
        top = int(shares[:, k].argmax())
        parts.append(f"{label} {where[top]} ({shares[top, k]:.0%})")
    more = f"; {len(labels) - MAX_NAMED} more outcomes" if len(labels) > MAX_NAMED else ""
    return f"{name}: the share of each outcome is highest: {'; '.join(parts)}{more}."


def gather_outliers(values: Floats, cuts: Sequence[float]) -> tuple[Floats, str]:
    """Move far outliers among values (n,) to the ends of the others if they take too much room."""
    low, high = np.quantile(values, [TAIL, 1 - TAIL], method="nearest")
    if len(cuts):
        max_gap = (max(high, cuts[-1]) - min(low, cuts[0])) / MAX_BARS
        low, high = min(low, cuts[0] - max_gap), max(high, cuts[-1] + max_gap)
    if np.ptp(values) <= FAR * (high - low):
        return values, ""
    if is_whole(values):
        low, high = np.floor(low), np.ceil(high)
    ends = [
        f"{plural(int(beyond.sum()), 'row')} {where} {short_number(end)}"
        for beyond, where, end in ((values < low, "below", low), (values > high, "above", high))
        if beyond.any()
    ]
    return np.clip(values, low, high), f"{' and '.join(ends)} drawn at the end"


def cut_positions(distinct: Floats, cuts: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the positions of thresholds on the axis, and the range of the axis."""
    places: Floats
    if len(distinct) <= FEW:
        places = np.searchsorted(distinct, cuts, side="right").astype(np.float64) - 0.5
        return places, (-0.5, len(distinct) - 0.5)
    low, high = float(distinct[0]), float(distinct[-1])
    whole = is_whole(distinct)
    pad = 0.5 if whole else (high - low) * 0.02
    places = np.floor(cuts) + 0.5 if whole else cuts
    start = 0.0 if 0.0 <= low < pad and not whole and (cuts > 0).all() else low - pad
    return places, (min(start, *places, low), max(high + pad, *places, high))


def is_whole(distinct: NDArray[np.float64]) -> bool:
    """Return whether values are drawn as whole numbers."""
    return bool(np.array_equal(distinct, np.floor(distinct)) and np.ptp(distinct) < 1e9)


def mark_cuts(figure: go.Figure, cuts: NDArray[np.float64], row: int = 1) -> None:
    """Draw a line per threshold, or ticks below the bars where lines would hide them."""
    if len(cuts) <= MAX_LINES:
        # dark on white: seen on each bar and on each page
        looks = {"color": "#FFFFFF", "width": 2.5}, {"color": "#333333", "width": 1, "dash": "dash"}
        place = {"type": "line", "y0": 0, "y1": 1} | shape_axes(row)
        lines = [
            place | {"x0": cut, "x1": cut, "line": look}
            for cut in np.unique(cuts).tolist()
            for look in looks
        ]  # at once: `add_vline` reads all shapes again
        figure.update_layout(shapes=[*figure.layout.shapes, *lines])
        return
    mark = {"symbol": "line-ns-open", "size": 10, "color": GREY}
    look = {"mode": "markers", "marker": mark, "name": f"{len(cuts)} cut points"}
    figure.add_scatter(x=cuts, y=np.zeros(len(cuts)), hoverinfo="x", row=1, col=1, **look)


def shape_axes(row: int) -> dict[str, str]:
    """Return the axes of a shape as tall as the plot in a row of a figure."""
    number = row if row > 1 else ""
    return {"xref": f"x{number}", "yref": f"y{number} domain"}


def interval_words(row: Mapping[str, float]) -> str:
    """Return a bin of values in words: "at most 3", "over 3 and at most 5", "over 5"."""
    low, high = row["low"], row["high"]
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


def stack_bars(figure: go.Figure, height: int, labels: Sequence[object]) -> None:
    """Stack the bars of histograms, and name the outcomes if there is room."""
    look = base_layout(height)
    figure.update_layout(look, barmode="stack", bargap=0, showlegend=has_legend(labels))


def add_histogram(
    figure: go.Figure,
    values: NDArray[np.float64],
    parts: Sequence[NDArray[np.bool_]],
    labels: Sequence[object],
    looks: Sequence[Look],
    row: int = 1,
) -> None:
    """Add counts of each part of the rows, stacked; few distinct values get one bar each."""
    distinct = np.unique(values)
    if len(distinct) <= FEW:
        centers, width = np.arange(float(len(distinct))), 0.8
        counts = [np.array([(values[of] == v).sum() for v in distinct]) for of in parts]
    else:
        edges = np.linspace(distinct[0], distinct[-1], MAX_BARS + 1)
        if is_whole(distinct):  # each bar holds equally many of them
            step = np.ceil((distinct[-1] - distinct[0] + 1) / MAX_BARS)
            edges = np.arange(distinct[0] - 0.5, distinct[-1] + step, step)
        centers, width = (edges[:-1] + edges[1:]) / 2, edges[1] - edges[0]
        counts = [np.histogram(values[of], edges)[0] for of in parts]
    place = {"x": centers, "width": width, "row": row, "col": 1}
    for count, look, label in zip(counts, looks, labels, strict=True):
        figure.add_bar(y=count, marker=bars(look), name=plain(label), **place)
