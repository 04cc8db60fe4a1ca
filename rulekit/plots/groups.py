"""Rates of groups with intervals, and the cost of a smaller gap between groups."""

import pandas as pd
import plotly.graph_objects as go

from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import GroupMetrics
from rulekit.evaluation.metrics import share_words
from rulekit.style.palette import BLUE, GREY, VERMILION, base_layout, plain, plain_names
from rulekit.style.wording import capital, percent, plural


def group_figure(found: GroupMetrics, measure: str) -> go.Figure:
    """Draw one rate of each group, with its interval, and that of all rows.

    Parameters
    ----------
    found : GroupMetrics
    measure : str
        A name of `GROUP_MEASURES` in `rulekit.data.groups`.

    Returns
    -------
    plotly.graph_objects.Figure
        A dot with a 95 % interval a group, first group on top; hollow where the share is counted
        on too few rows to be compared; a dotted line where all rows together lie.
    """
    table = found.table[found.table[measure].notna()]
    few = table.index.isin(found.small[measure])
    share, low, high = (100 * table[f"{measure}{end}"] for end in ("", "_low", "_high"))
    figure = go.Figure(layout=base_layout(110 + 32 * max(len(table), 1)))
    spans = zip(low, high, table[GROUP_MEASURES[measure]], strict=True)
    bars = {"type": "data", "symmetric": False, "array": high - share, "arrayminus": share - low}
    symbols = ["circle-open" if small else "circle" for small in few]
    figure.add_scatter(
        x=share,
        y=plain_names(table.index),
        mode="markers",
        marker={"color": BLUE, "size": 11, "symbol": symbols},
        error_x=bars | {"color": BLUE},
        customdata=[[f"{a:.1f} to {b:.1f} %", f"{n:,.0f}"] for a, b, n in spans],
        hovertemplate="%{y}: %{x:.1f} % (%{customdata[0]}), %{customdata[1]} rows<extra></extra>",
        cliponaxis=False,  # a dot at 0 is whole
        showlegend=False,
    )
    overall = found.overall[measure]
    if overall == overall:
        line = {"dash": "dot", "color": GREY}
        text = {"text": f"all rows {percent(overall)}", "yanchor": "bottom"}
        figure.add_vline(x=100 * overall, line=line, annotation=text, annotation_position="top")
    words = share_words(measure, plain(found.positive, 30))
    figure.update_xaxes(title=f"{words} (%)", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    return figure.update_layout(hovermode="closest")


def group_sentence(found: GroupMetrics, measure: str) -> str:
    """Return the groups with the largest and the smallest rate."""
    present = found.table[measure].dropna()
    words = share_words(measure, found.positive)
    if present.empty:
        return f"{words}: no group has rows to count on."
    ends = dict.fromkeys((present.idxmax(), present.idxmin()))
    parts = ", ".join(f"{name} {percent(present[name])}" for name in ends)
    return f"{words} by {found.name}: {parts}; {percent(found.overall[measure])} in all."


def gap_figure(
    curve: pd.DataFrame, every: pd.DataFrame, name: str, selected: tuple[float, float] | None = None
) -> go.Figure:
    """Draw the cost of a smaller gap between groups.

    Parameters
    ----------
    curve, every : DataFrame
        Of a `RuleClassifier` with `groups`: ``choice_.gap_curve()`` and ``choice_.table``.
    name : str
        What the rows are grouped by.
    selected : tuple of float, optional
        The gap of the selected rule, and its error (a share) or cost per 100 cases; drawn as a
        ring.

    Returns
    -------
    plotly.graph_objects.Figure
        A dot a setting compared; those that no other beats in both are squares, joined by a line
        that falls in steps: the least error of any rule with at most that gap.
    """
    point = f"gap %{{x:.1f}} points, %{{y:.1f}} {_unit(every)}"
    figure = go.Figure(layout=base_layout(300))
    figure.add_scatter(
        x=100 * every["gap"],
        y=_loss(every),
        mode="markers",
        name="rules compared",
        marker={"color": GREY, "size": 5, "opacity": 0.5},
        hovertemplate=f"{point}<extra></extra>",
    )
    figure.add_scatter(
        x=100 * curve["gap"],
        y=_loss(curve),
        mode="lines+markers",
        name="least error for a gap",
        line={"shape": "hv", "color": BLUE},
        marker={"symbol": "square", "size": 10},
        customdata=[[plural(n, "condition")] for n in curve["n_conditions"]],
        hovertemplate=f"{point}, %{{customdata[0]}}<extra></extra>",
    )
    if selected is not None:
        gap, loss = selected
        ring = {"symbol": "circle-open", "size": 20, "color": VERMILION, "line": {"width": 3}}
        look = {"mode": "markers", "name": "selected rule", "marker": ring}
        hover = f"selected rule: {point}<extra></extra>"
        y = [100 * loss if "test_error" in every else loss]
        figure.add_scatter(x=[100 * gap], y=y, hovertemplate=hover, **look)
    figure.update_xaxes(title=f"Largest gap by {plain(name, 40)} (points)", rangemode="tozero")
    return figure.update_yaxes(title=capital(f"{_unit(every)}, inner folds"))


def gap_sentence(curve: pd.DataFrame, name: str) -> str:
    """Return both ends of the gap curve and the cost between them."""
    if curve.empty:
        return f"No gap by {name} could be measured: too few rows in its groups."
    unit, loss, gap = _unit(curve), _loss(curve), 100 * curve["gap"]
    ends = [f"{loss.iloc[k]:.1f} {unit} at a gap of {gap.iloc[k]:.1f} points" for k in (-1, 0)]
    if len(curve) == 1:
        return f"By {name} no rule compared is better at a larger gap: {ends[0]}."
    paid = f"{loss.iloc[0].round(1) - loss.iloc[-1].round(1):.1f}"  # of the figures shown
    price = f"{paid} points of accuracy" if "test_error" in curve else f"{paid} more {unit}"
    return (
        f"By {name}: from {ends[0]} to {ends[1]}. The smaller gap costs {price} on the inner folds."
    )


def _loss(table: pd.DataFrame) -> pd.Series:
    """Return the compared measure: the error in percent, or the cost per 100 cases."""
    return 100 * table["test_error"] if "test_error" in table else table["test_cost_per_100"]


def _unit(table: pd.DataFrame) -> str:
    return "% wrong" if "test_error" in table else "for the errors of 100 cases"
