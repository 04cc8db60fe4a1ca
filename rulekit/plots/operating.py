"""Operating points, and predicted probabilities beside observed frequencies."""

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import BLUE, GREY, VERMILION, base_layout, plain
from rulekit.style.wording import percent, plural

HEIGHT = 300
NAMES = {"found": "true positive rate", "false_alarms": "false positive rate"}


def operating_figure(
    points: pd.DataFrame, positive: str, selected: int | None = None, *, precision: bool = False
) -> go.Figure:
    """Draw the true positive rate of each operating point against its false positive rate.

    Parameters
    ----------
    points : DataFrame
        From `rulekit.evaluation.operating_points`.
    positive : str
    selected : int, optional
        Position of the point drawn with a ring.
    precision : bool, default=False
        Draw the precision against the true positive rate (recall); the dotted line is the
        precision of predictions drawn by lot, the share of the class.

    Returns
    -------
    plotly.graph_objects.Figure
        Trace 0 holds all points and is the only one that answers to clicks; the position of a
        point comes back as ``customdata``.
    """
    x, y = ("found", "precision") if precision else ("false_alarms", "found")
    shown = points.reset_index(drop=True).dropna(subset=[x, y])
    pairs = zip(shown[x], shown[y], strict=True)
    down, up = NAMES.get(x, x), NAMES.get(y, y)
    figure = go.Figure(layout=base_layout(HEIGHT)).update_layout(
        hovermode="closest", showlegend=False
    )
    figure.add_scatter(
        x=shown[x],
        y=shown[y],
        mode="markers",
        customdata=[[int(number)] for number in shown.index],
        hovertext=[f"{up} {percent(b)}, {down} {percent(a)}" for a, b in pairs],
        hoverinfo="text",
        marker={"color": BLUE, "size": 11},
        selected={"marker": {"size": 16}},
        unselected={"marker": {"opacity": 0.6}},
    )
    order = shown.sort_values([x, y])
    by_lot = [0.0, 1.0]
    if precision:  # the share of the class, the same from every point with rows of it
        some = shown[shown["found"] > 0]
        by_lot = [float((some["called_positive"] * some["precision"] / some["found"]).mean())] * 2
    ends = {"mode": "lines", "hoverinfo": "skip"}
    figure.add_scatter(x=order[x], y=order[y], line={"width": 1.5, "color": BLUE}, **ends)
    figure.add_scatter(x=[0, 1], y=by_lot, line={"width": 1, "color": GREY, "dash": "dot"}, **ends)
    if selected is not None and selected in shown.index:
        ring = {"symbol": "circle-open", "size": 24, "color": VERMILION, "line": {"width": 2}}
        point, look = shown.loc[selected], {"mode": "markers", "marker": ring}
        figure.add_scatter(x=[point[x]], y=[point[y]], hoverinfo="skip", **look)
    hits = f"True positive rate of {plain(positive, 30)}"
    if precision:
        return _name_axes(figure, hits, f"Precision for {plain(positive, 30)}")
    return _name_axes(figure, f"False positive rate (others predicted {plain(positive, 16)})", hits)


def _name_axes(figure: go.Figure, x: str, y: str) -> go.Figure:
    """Write the titles of two axes of shares."""
    figure.update_xaxes(title=x, tickformat=".0%", range=(-0.03, 1.03))
    return figure.update_yaxes(title=y, tickformat=".0%", range=(-0.04, 1.04))


def operating_sentence(points: pd.DataFrame, positive: str) -> str:
    """Return the ends of the range of operating points, as one sentence."""
    first, last = (points.iloc[k] for k in (points["found"].argmin(), points["found"].argmax()))
    return (
        f"{plural(len(points), 'operating point')} for {positive}: true positive rate from "
        f"{percent(first['found'])} to {percent(last['found'])}, false positive rate from "
        f"{percent(first['false_alarms'])} to {percent(last['false_alarms'])}."
    )


def reliability_figure(table: pd.DataFrame, positive: str) -> go.Figure:
    """Draw predicted probabilities against observed frequencies by tenths.

    Parameters
    ----------
    table : DataFrame
        From `rulekit.evaluation.reliability`.
    positive : str
        The class the probabilities are of.

    Returns
    -------
    plotly.graph_objects.Figure
        A dot a tenth, with the 95 % interval of its share; on the dotted line all comes true.
    """
    figure = go.Figure(layout=base_layout(HEIGHT)).update_layout(showlegend=False)
    line = {"width": 1, "color": GREY, "dash": "dot"}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip")
    share = table["share"]
    bars = {"type": "data", "symmetric": False, "thickness": 1, "color": GREY}
    bars |= {"array": table["high95"] - share, "arrayminus": share - table["low95"]}
    hover = [
        f"predicted {percent(stated)}, observed {percent(true)} of {plural(n, 'row')}"
        for stated, true, n in zip(table["stated"], share, table["rows"], strict=True)
    ]
    look = {"mode": "markers", "marker": {"color": BLUE, "size": 11}, "error_y": bars}
    figure.add_scatter(x=table["stated"], y=share, hovertext=hover, hoverinfo="text", **look)
    return _name_axes(figure, "Predicted probability", f"Observed share of {plain(positive, 30)}")


def reliability_sentence(table: pd.DataFrame, brier: float, frequency: float) -> str:
    """Return the distance of predicted probabilities from observed frequencies.

    `table` and `brier` are from `reliability` and `brier_score` of `rulekit.evaluation`, and
    `frequency` is the share of the class among all rows.
    """
    gap = ((table["stated"] - table["share"]).abs() * table["rows"]).sum()
    gap = 100 * gap / table["rows"].sum()
    return (
        f"Predicted probabilities are on average {gap:.1f} points from the observed shares. Brier "
        f"score (mean squared error, small is good): {brier:.3f}; always predicting "
        f"{percent(frequency)}: {frequency * (1 - frequency):.3f}."
    )
