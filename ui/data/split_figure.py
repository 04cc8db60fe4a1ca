"""How many rows of each class there are to learn from and to test on, as a small figure.

The first figure of a session loads the drawing library, which takes longer than drawing; here it
does so while the table is looked at, and the front on Models is there at once.
"""

from collections.abc import Mapping

import plotly.graph_objects as go

from rulekit.plots.palette import NEGATIVE, POSITIVE, SERIES, base_layout, plain
from rulekit.plots.wording import plural

Counts = Mapping[str, Mapping[str, int]]
COLOURS = (POSITIVE, NEGATIVE, *(c for c in SERIES if c not in (POSITIVE, NEGATIVE)))
HATCHES = ("/", "", "\\", "x", "-", "|", "+", ".")


def split_figure(counts: Counts) -> go.Figure:
    """Draw a bar for each part of the table, the described class hatched and named.

    Parameters
    ----------
    counts : mapping of part to mapping of class to int
        The described class first.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure(layout=base_layout(60 + 42 * len(counts)))
    classes = list(next(iter(counts.values())))
    for k, label in enumerate(classes):
        colour, shape = COLOURS[k % len(COLOURS)], HATCHES[k % len(HATCHES)]
        figure.add_trace(
            go.Bar(
                y=list(counts),
                x=[part[label] for part in counts.values()],
                name=plain(label, 60),
                orientation="h",
                marker={"color": colour, "pattern": {"shape": shape}},
                hovertemplate="%{x} rows<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(barmode="stack", margin={"l": 72, "t": 28, "b": 24})
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    return figure


def split_sentence(counts: Counts) -> str:
    """Say in one sentence what the figure shows."""
    parts = [
        f"{name}: " + ", ".join(f"{plural(n, 'row')} {label}" for label, n in part.items())
        for name, part in counts.items()
    ]
    return "; ".join(parts) + "."
