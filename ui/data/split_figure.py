"""How many rows of each class there are to learn from and to test on, as a small figure.

The first figure of a session loads the drawing library, which takes longer than drawing; here it
does so while the table is looked at, and the front on Models is there at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rulekit.plots.palette import bars, base_layout, outcome_looks, plain
from rulekit.plots.wording import plural

Counts = Mapping[str, Mapping[str, int]]


def split_figure(counts: Counts, classes: Sequence[Any] | None = None) -> go.Figure:
    """Draw a bar for each part of the table, divided by outcome.

    Parameters
    ----------
    counts : mapping of part to mapping of class to int
        The described class first.
    classes : sequence, optional
        All classes of the table, see `rulekit.plots.palette.outcome_looks`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure(layout=base_layout(60 + 42 * len(counts)))
    labels = list(next(iter(counts.values())))
    for label, look in zip(labels, outcome_looks(labels, classes), strict=True):
        figure.add_trace(
            go.Bar(
                y=list(counts),
                x=[part[label] for part in counts.values()],
                name=plain(label, 60),
                orientation="h",
                marker=bars(look),
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
