"""A tree as a figure: nodes with conditions, leaves with predictions, and row counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rulekit.rules import Branch, Columns, Tree
from rulekit.style.palette import GREY, base_layout, outcome_looks, plain

STEP = 90  # pixels from one level to the next


@dataclass(frozen=True)
class _Box:
    """One node with its position: leaves side by side, inner nodes above the middle of theirs."""

    x: float
    level: int
    text: str
    n: int
    label: Any
    parent: "tuple[float, int] | None"
    side: str


def tree_figure(
    tree: Tree,
    columns: Columns,
    labels: Sequence[Any] | NDArray[Any],
    *,
    classes: Sequence[Any] | None = None,
) -> go.Figure:
    """Draw a tree with the rows at each node.

    Parameters
    ----------
    tree : Branch or Leaf
    columns : mapping of str to ndarray of shape (n,)
        The rows.
    labels : array of shape (n,)
        Their true classes.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`.

    Returns
    -------
    plotly.graph_objects.Figure
        Splits are numbered from the root, level by level; leaves carry their class, the number of
        rows, and how many of these are of the class.
    """
    boxes = _boxes(tree, columns, np.asarray(labels, dtype=object))
    leaves = [b.label for b in boxes if b.label is not None]
    labelled = [*labels, *leaves] if classes is None else classes
    colours = dict(zip(leaves, (v.colour for v in outcome_looks(leaves, labelled)), strict=True))
    depth = max(b.level for b in boxes)
    figure = go.Figure(layout=base_layout(130 + STEP * depth))
    for box in boxes:
        if box.parent is None:
            continue
        x, level = box.parent
        figure.add_trace(
            go.Scatter(
                x=[x, box.x],
                y=[-level, -box.level],
                mode="lines",
                line={"color": GREY, "width": 1.5},
                hoverinfo="skip",
                showlegend=False,
            )
        )
        figure.add_annotation(
            x=(x + box.x) / 2,
            y=-(level + box.level) / 2,
            text=box.side,
            showarrow=False,
            bgcolor="rgba(255,255,255,0.92)",
            font={"color": "#1a1a1a"},
        )
    for box in boxes:
        colour = GREY if box.label is None else colours[box.label]
        figure.add_annotation(
            x=box.x,
            y=-box.level,
            text=box.text,
            showarrow=False,
            bordercolor=colour,
            borderwidth=2,
            borderpad=6,
            bgcolor="rgba(255,255,255,0.92)",
            font={"color": "#1a1a1a"},
        )
    width = max(b.x for b in boxes)
    figure.update_xaxes(visible=False, range=[-0.6, width + 0.6])
    figure.update_yaxes(visible=False, range=[-depth - 0.5, 0.5])
    figure.update_layout(margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def tree_sentence(tree: Tree, columns: Columns, labels: Sequence[Any] | NDArray[Any]) -> str:
    """Return the content of `tree_figure` as one sentence."""
    boxes = _boxes(tree, columns, np.asarray(labels, dtype=object))
    leaves = [b for b in boxes if b.label is not None]
    splits = len(boxes) - len(leaves)
    rows = ", ".join(f"{b.label}: {b.n} rows" for b in leaves)
    return f"{splits} split{'s' * (splits != 1)} and {len(leaves)} leaves ({rows})."


def _boxes(tree: Tree, columns: Columns, labels: NDArray[Any]) -> list[_Box]:
    """Place every node, the root first, level by level."""
    places: dict[int, float] = {}
    free = iter(range(10_000))

    def position(node: Tree) -> float:
        if isinstance(node, Branch):
            x = (position(node.yes) + position(node.no)) / 2
        else:
            x = float(next(free))
        places[id(node)] = x
        return x

    position(tree)
    boxes: list[_Box] = []
    number = 0
    todo: list[tuple[Tree, NDArray[np.bool_], int, tuple[float, int] | None, str]]
    todo = [(tree, np.ones(len(labels), dtype=bool), 0, None, "")]
    while todo:
        node, here, level, parent, side = todo.pop(0)
        x, n = places[id(node)], int(here.sum())
        if isinstance(node, Branch):
            number += 1
            boxes.append(_Box(x, level, f"split {number}<br>{n} rows", n, None, parent, side))
            held = node.condition.mask(columns)
            todo.append((node.yes, here & held, level + 1, (x, level), "yes"))
            todo.append((node.no, here & ~held, level + 1, (x, level), "no"))
        else:
            right = int(np.equal(labels[here], node.label).sum())
            text = f"<b>{plain(node.label, 30)}</b><br>{right} of {n} rows"
            boxes.append(_Box(x, level, text, n, node.label, parent, side))
    return boxes
