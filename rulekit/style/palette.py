"""Colours and layout of all figures, distinguishable with colour-blindness (Okabe and Ito)."""

# Colour is never the only sign: shapes, hatches or words stand beside it.

import html
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import plotly.graph_objects as go

from rulekit.data.headers import shorten

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
PINK = "#CC79A7"
SKY = "#56B4E9"
ORANGE = "#E69F00"
GREY = "#7A7A7A"  # of what belongs to no outcome: seen on a light and on a dark page

SERIES = (BLUE, VERMILION, GREEN, PINK, SKY, ORANGE)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
MARK = {"color": "#111111", "line": {"color": "#FFFFFF", "width": 1.5}}  # of a case; on any page
MARKS = {  # outlines of the symbols in a square of 16
    "circle": "M8 2a6 6 0 1 0 .01 0z",
    "square": "M2 2h12v12H2z",
    "diamond": "M8 1l7 7-7 7-7-7z",
    "triangle-up": "M8 1l7 13H1z",
    "cross": "M5 1h6v4h4v6h-4v4H5v-4H1V5h4z",
    "star": "M8 1l2 5h5l-4 3 2 6-5-4-5 4 2-6-4-3h5z",
    "x": "M3 3l10 10M13 3L3 13",
    "line-ew": "M1 8h2m2 0h2m2 0h2m2 0h2",
}
HATCHES = ("", "/", "\\", "x", "-", "+")
SHAPES = ("circle", "square", "diamond", "cross")  # of which three dimensions know as many


@dataclass(frozen=True)
class Look:
    """Colour, hatch and symbol of an outcome, or of a learner, in all figures."""

    colour: str
    hatch: str
    symbol: str

    @property
    def ink(self) -> str:
        """The text colour on a filled bar: white where readable, else black."""
        return "#FFFFFF" if self.colour == BLUE else "#000000"

    @property
    def image(self) -> str:
        """The mark of a learner, or of a reference model, as the address of an SVG image."""
        path = f'<path d="{MARKS[self.symbol]}" fill="{self.colour}" stroke="{self.colour}"/>'
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16">{path}</svg>'
        return f"data:image/svg+xml,{quote(svg)}"


REST = Look(GREY, ".", "x")  # of everything but the class that is described


def outcome_looks(labels: Iterable[Any], classes: Iterable[Any] | None = None) -> list[Look]:
    """Return the look of each outcome by its position among the classes, sorted as text."""
    labels = list(labels)
    looks = {
        name: Look(SERIES[k % 6], HATCHES[(k + k // 6) % 6], SHAPES[k % 4])
        for k, name in enumerate(sorted({str(c) for c in (labels if classes is None else classes)}))
    }
    return [looks.get(str(v), REST) for v in labels]


def learner_look(place: int, variant: str = "") -> Look:
    """Return the look of a learner by its place; variants share its colour, not its symbol."""
    symbol = SYMBOLS[(place + place // len(SYMBOLS)) % len(SYMBOLS)]
    symbols = {"": symbol, "against": "hourglass", "price": "pentagon", "quick": "hexagon"}
    return Look(SERIES[place % len(SERIES)], "", symbols[variant])


def bars(*looks: Look) -> dict[str, Any]:
    """Return the marker of filled bars: of one look, or of one look each."""
    colours, hatches = ([getattr(look, part) for look in looks] for part in ("colour", "hatch"))
    one = len(looks) == 1
    shape = {"shape": hatches[0] if one else hatches, "fillmode": "overlay", "fgcolor": "white"}
    return {
        "color": colours[0] if one else colours,
        "line": {"width": 0.5, "color": "white"},
        "pattern": {**shape, "size": 7, "solidity": 0.15},
    }


def outcome_colours(labels: Iterable[Any], classes: Iterable[Any] | None = None) -> dict[Any, str]:
    """Return each outcome's colour, whatever class a rule describes; see `outcome_looks`."""
    names = [] if classes is None else list(classes)
    labels = [*labels, *names]
    looks = outcome_looks(labels, names or None)
    return {label: look.colour for label, look in zip(labels, looks, strict=True)}


def has_legend(labels: Iterable[Any]) -> bool:
    """Return whether the names of outcomes fit above a figure; else its bars name them."""
    lengths = [len(str(label)) + 6 for label in labels]
    return len(lengths) <= 3 or sum(lengths) <= 90


def base_layout(height: int = 360) -> go.Layout:
    """Return the base layout of all figures."""
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
    """Return text from data made safe for Plotly's HTML: no markup, one line, shortened."""
    line = html.escape(shorten(" ".join(str(text).split()), limit))
    return line.replace("&quot;", "&#34;")  # the form that Plotly decodes


def plain_names(names: Iterable[object], limit: int = 30) -> list[str]:
    """Return names as `plain` writes them, longer where different ones would look the same."""
    names = list(names)
    while len({plain(name, limit) for name in names}) < len({plain(n, 10_000) for n in names}):
        limit += 10
    return [plain(name, limit) for name in names]
