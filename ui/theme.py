"""How figures are put on a page: one door, so that each has a name, alt text and calm colours."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from rulekit.plots.palette import BLUE, GREEN, GREY, NEGATIVE, ORANGE, POSITIVE, SERIES, SYMBOLS

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "NEGATIVE",
    "ORANGE",
    "POSITIVE",
    "SERIES",
    "SYMBOLS",
    "chart",
    "selected_id",
]
CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}


def chart(
    figure: go.Figure, key: str, alt: str, *, on_select: str | Callable[[], None] = "ignore"
) -> Any:
    """Show a figure.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    key : str
        Stable name of the chart; without one a selection is lost when the data change.
    alt : str
        One sentence with what is to be seen, for readers who cannot see it.
    on_select : {"ignore", "rerun"} or callable, default="ignore"
        As in ``st.plotly_chart``; points only.

    Returns
    -------
    The selection (see `selected_id`) if ``on_select`` is not "ignore".
    """
    if on_select != "ignore":
        figure.update_traces(
            unselected={"marker": {"opacity": 0.6}},
            selected={"marker": {"size": 16}},
            selector={"type": "scatter"},
        )
    return st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        theme="streamlit",
        on_select=on_select,
        selection_mode="points",
        config=CONFIG,
    )


def selected_id(event: Any) -> Any:
    """Return the first selected point's ``customdata`` (its first entry, if a list), or None."""
    points = event["selection"]["points"] if event else []
    if not points or "customdata" not in points[0]:
        return None
    data = points[0]["customdata"]
    if isinstance(data, dict):
        return next(iter(data.values()), None)
    return data[0] if isinstance(data, (list, tuple)) else data
