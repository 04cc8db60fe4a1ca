"""Validation curve of the ideal DNF: held-out accuracy by number of conditions."""

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import GREY, MARK, base_layout
from rulekit.style.wording import percent, plural


def validation_figure(curve: pd.DataFrame, tolerance: float) -> go.Figure:
    """Draw the held-out accuracy of each number of conditions, and the selected number.

    Parameters
    ----------
    curve : DataFrame
        `IdealDNFClassifier.validation_curve_`, of at least one row.
    tolerance : float
        How far below the best a number of conditions may stay, as a share.

    Returns
    -------
    plotly.graph_objects.Figure
        A line with a circle for each number; the chosen one is a star, named beside it; a dotted
        line shows how low it may be.
    """
    accuracy = 100 * curve["accuracy"]
    figure = go.Figure(layout=base_layout(300))
    line = {"dash": "dot", "color": GREY, "width": 1}
    figure.add_hline(y=float(accuracy.max()) - 100 * tolerance, line=line)
    look = {"mode": "lines+markers", "line": {"color": GREY}, "marker": {"size": 8}}
    hover = "%{x} conditions<br>%{y:.1f} %<extra></extra>"
    figure.add_scatter(x=curve["k"], y=accuracy, name="held-out rows", hovertemplate=hover, **look)
    chosen = curve[curve["chosen"]]
    text, star = [f"{k} chosen" for k in chosen["k"]], {"size": 16, "symbol": "star", **MARK}
    look = {"mode": "markers+text", "text": text, "textposition": "bottom right", "marker": star}
    x, y, hover = chosen["k"], 100 * chosen["accuracy"], f"chosen: {hover}"
    figure.add_scatter(x=x, y=y, name="chosen", hovertemplate=hover, **look)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title="Conditions the formula may read", dtick=1)
    figure.update_yaxes(title="Right, held-out rows (%)")
    return figure


def validation_sentence(curve: pd.DataFrame, tolerance: float) -> str:
    """Return which number of conditions was selected, and why; see `validation_figure`."""
    if curve.empty or not curve["chosen"].any():
        return "No column of this table takes two values, so there was nothing to choose."
    best = curve.loc[curve["accuracy"].idxmax()]
    chosen = curve[curve["chosen"]].iloc[0]
    verb, share = "is" if chosen["k"] == 1 else "are", percent(chosen["accuracy"])
    lead = f"{plural(int(chosen['k']), 'condition')} {verb} right for {share} of the held-out rows"
    if best["accuracy"] == chosen["accuracy"]:
        return f"{lead}, and no other number does better."
    return (
        f"{lead}: the fewest that lose less than {percent(tolerance)} against the best, "
        f"{percent(best['accuracy'])} with {int(best['k'])}."
    )
