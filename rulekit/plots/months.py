"""The error by month, with the share that is predicted."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import SERIES, base_layout, plain
from rulekit.style.wording import percent

Parts = Mapping[str, pd.DataFrame]


def month_figure(parts: Parts, label: str) -> go.Figure:
    """Draw the error of each month with its 95 % interval, and the share predicted, dashed.

    Parameters
    ----------
    parts : mapping of str to DataFrame
        `rulekit.evaluation.errors_by_month` of each part of the rows ("training", "test").
    label : str
        The class whose predicted share is drawn.
    """
    figure = go.Figure(layout=base_layout(300))
    for (name, table), colour in zip(parts.items(), SERIES, strict=False):
        error, high, low = (100 * table[column] for column in ("error", "high", "low"))
        bars = {"array": (high - error).tolist(), "arrayminus": (error - low).tolist()}
        figure.add_scatter(
            x=table["month"].tolist(),
            y=error.tolist(),
            error_y=bars | {"thickness": 1},
            name=f"wrong, {plain(name, 30)} rows",
            mode="lines+markers",
            line={"color": colour},
            customdata=table[["wrong", "n"]].to_numpy(),
            hovertemplate="%{x}: %{customdata[0]} of %{customdata[1]} wrong<extra></extra>",
        )
        figure.add_scatter(
            x=table["month"].tolist(),
            y=(100 * table["predicted"]).tolist(),
            name=f"predicted {plain(label, 30)}, {plain(name, 30)} rows",
            mode="lines",
            line={"color": colour, "dash": "dash"},
            hovertemplate="%{x}: %{y:.1f} %<extra>%{fullData.name}</extra>",
        )
    months = sorted({month for table in parts.values() for month in table["month"]})
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=months)
    return figure.update_yaxes(title="% of the rows of a month", rangemode="tozero")


def month_sentence(parts: Parts, label: str) -> str:
    """Return the first and last month of each part as one sentence."""
    texts = []
    for name, table in parts.items():
        first, last = (
            f"{row.month} wrong {percent(row.error)}, predicted {label} {percent(row.predicted)}"
            for row in (table.iloc[0], table.iloc[-1])
        )
        texts.append(f"{name} rows: {first}; {last}")
    return f"By month, {'; '.join(texts)}."
