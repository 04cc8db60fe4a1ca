"""Colours and layout that every figure shares: told apart by people who see colours differently.

The two classes are blue and vermilion (Okabe and Ito's): their distance stays large under all
three kinds of colour blindness, where red and green fall together. Colour is never the only
sign: shapes, hatches or words stand beside it.
"""

import html

import plotly.graph_objects as go

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
PINK = "#CC79A7"
SKY = "#56B4E9"
ORANGE = "#E69F00"
GREY = "#7A7A7A"

POSITIVE = VERMILION
NEGATIVE = BLUE
SERIES = (BLUE, VERMILION, GREEN, PINK, SKY, ORANGE)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")


def base_layout(height: int = 360) -> go.Layout:
    """Return the layout all figures start from.

    Parameters
    ----------
    height : int, default=360
        In pixels.

    Returns
    -------
    plotly.graph_objects.Layout
        Transparent background (so that it follows a light or a dark page), thin grey grid.
    """
    axis = {"showgrid": True, "gridcolor": "rgba(128,128,128,0.25)", "zeroline": False}
    return go.Layout(
        height=height,
        margin={"l": 56, "r": 16, "t": 32, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=list(SERIES),
        xaxis=axis,
        yaxis=axis,
        # traceorder: from left to right as bars are stacked, which is not the default
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )


def plain(text: object, limit: int = 60) -> str:
    """Return data-derived text made safe for a figure: no markup, one line, shortened.

    Plotly reads a few HTML tags in titles, hover texts and legends, links included.
    """
    line = " ".join(str(text).split())
    shown = line if len(line) <= limit else line[: limit - 1] + "…"
    return html.escape(shown, quote=True)
