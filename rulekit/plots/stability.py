"""Stability over resamples: columns as bars, thresholds as bands."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rulekit.evaluation import Stability
from rulekit.style.palette import BLUE, GREY, base_layout, plain, plain_names
from rulekit.style.wording import short_number

MOST = 12  # columns, or cuts, that are drawn
Names = Mapping[str, str]


def plot_returned(found: Stability, names: Names | None = None) -> go.Figure:
    """Draw in how many resamples each column was used again.

    Parameters
    ----------
    found : Stability
    names : mapping of str to str, optional

    Returns
    -------
    plotly.graph_objects.Figure
        A bar a column, those of the given rule first and filled, the others hollow; twelve at
        most.
    """
    table = found.columns.head(MOST)
    selected = table["selected"].to_numpy(dtype=bool)
    places = np.array(plain_names((names or {}).get(c, c) for c in table["column"]), dtype=object)
    figure = go.Figure(layout=base_layout(110 + 30 * max(len(table), 1)))
    looks = ("in the rule", BLUE, BLUE), ("not in it", "rgba(0,0,0,0)", GREY)
    for part, (title, colour, line) in zip((selected, ~selected), looks, strict=True):
        figure.add_bar(
            y=places[part].tolist(),
            x=table["returned"][part].tolist(),
            name=title,
            orientation="h",
            text=table["returned"][part].tolist(),
            textposition="outside",
            cliponaxis=False,
            marker={"color": colour, "line": {"width": 2, "color": line}},
            hovertemplate="%{y}: %{x} of " + f"{found.n_made}<extra></extra>",
        )
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title=f"of {found.n_made} rules", range=[0, 1.08 * max(1, found.n_made)])
    return figure


def describe_returned(found: Stability, names: Names | None = None) -> str:
    """Return each column with its count, as one sentence."""
    rows, names = found.columns.head(MOST).itertuples(), names or {}
    parts = [f"{names.get(row.column, row.column)} in {row.returned}" for row in rows]
    return f"Of {found.n_made} rules, columns return: {', '.join(parts) or 'none'}."


def band_figure(found: Stability, names: Names | None = None) -> go.Figure:
    """Draw the bands of the columns' thresholds.

    Parameters
    ----------
    found : Stability
        With cuts.
    names : mapping of str to str, optional

    Returns
    -------
    plotly.graph_objects.Figure
        A line a cut: a bar over the middle eight tenths of the cuts that returned, a mark at the
        cut of the given rule. The axis counts rows: the position of a cut is the percentage of the
        column's rows at or below it, so that columns of any unit share one axis; the
        values are written beside.
    """
    table = _bands(found)
    figure = go.Figure(layout=base_layout(110 + 40 * max(len(table), 1)))
    lines = [_line(row, names or {}) for row in table.itertuples()]
    figure.add_bar(
        y=lines,
        x=(table["to"] - table["from"]).clip(lower=0.6).tolist(),
        base=table["from"].tolist(),
        orientation="h",
        width=0.35,
        name="eight of ten cuts that returned",
        marker={"color": "rgba(0,114,178,0.35)", "line": {"width": 1, "color": BLUE}},
        text=[f"{_range(row)} ({row.returned})" for row in table.itertuples()],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    selected = table["selected"].notna().to_numpy()
    figure.add_scatter(
        y=[line for line, mine in zip(lines, selected, strict=True) if mine],
        x=table["at"][selected].tolist(),
        mode="markers",
        name="cut of the rule",
        marker={"symbol": "line-ns", "size": 20, "line": {"width": 3, "color": GREY}},
        customdata=[short_number(v) for v in table["selected"][selected]],
        hovertemplate="%{y}: %{customdata}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title="% of the column's rows at or below", range=[0, 130])
    return figure.update_xaxes(tickvals=[0, 25, 50, 75, 100])


def band_sentence(found: Stability, names: Names | None = None) -> str:
    """Return the content of `band_figure` as one sentence."""
    parts = [
        f"{_line(row, names or {})}: {row.returned} of {found.n_made}, {_range(row)}"
        for row in _bands(found).itertuples()
    ]
    return f"Cuts that return: {'; '.join(parts) or 'none'}."


def _bands(result: Stability) -> pd.DataFrame:
    """Compute the bands of thresholds among the rows of their columns, in per cent."""
    table = result.cuts[result.cuts["returned"] > 0]
    table = table.sort_values("returned", ascending=False, kind="stable")
    table = table.loc[table["selected"].isna().sort_values(kind="stable").index].head(MOST)
    columns = [np.asarray(result.X[c], dtype=float) for c in table["column"]]
    columns = [values[~np.isnan(values)] for values in columns]
    for place, name in (("from", "low"), ("to", "high"), ("at", "selected")):
        pairs = zip(columns, table[name], strict=True)
        table = table.assign(**{place: [float(100 * np.mean(v <= cut)) for v, cut in pairs]})
    return table


def _line(row: object, names: Names) -> str:
    column, side, cut = row.column, row.side, row.selected  # type: ignore[attr-defined]
    value = "" if np.isnan(cut) else f" {short_number(cut)}"
    return f"{plain(names.get(column, column), 24)} {side}{value}"


def _range(row: object) -> str:
    low, high = (short_number(v) for v in (row.low, row.high))  # type: ignore[attr-defined]
    return low if low == high else f"{low} to {high}"
