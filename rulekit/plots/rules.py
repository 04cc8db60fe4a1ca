"""Coverage and errors of a rule as labelled bars."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import Look, bars, base_layout, outcome_looks, plain
from rulekit.style.phrases import whole_percent
from rulekit.style.wording import percent

ROOM = 1.4  # length of the axis in longest bars, with the words beside one


def clause_figure(
    counts: pd.DataFrame, positive: str, other: str, *, classes: Sequence[Any] | None = None
) -> go.Figure:
    """Draw the rows each clause matches, split by their true class.

    Parameters
    ----------
    counts : DataFrame, a row a clause
        Columns ``name`` (how the clause is called), ``of_class`` and ``other`` (counts of matched
        rows of the class that the clauses give and of the other one). Where each clause gives a
        class of its own, ``gives`` names it.
    positive, other : str
        Names of the two classes.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`.

    Returns
    -------
    plotly.graph_objects.Figure
        One horizontal bar a clause, first clause on top.
    """
    figure = go.Figure(layout=base_layout())
    first, second = outcome_looks((positive, other), classes)
    right = [first]
    if "gives" in counts:
        right = outcome_looks(counts["gives"], classes)
    for part, name, looks in (("of_class", positive, right), ("other", other, [second])):
        figure.add_trace(_bar(counts["name"], counts[part], name, looks))
    figure.update_layout(height=110 + 42 * max(len(counts), 1))
    total = counts["of_class"] + counts["other"]
    texts = [
        f"{int(n):,}<br>of {int(of):,}" for n, of in zip(counts["of_class"], total, strict=True)
    ]
    _finish(figure, total, texts, "Rows matched")
    return figure


def clause_sentence(counts: pd.DataFrame, positive: str) -> str:
    """Return the widest and the purest clause, as one sentence.

    Parameters
    ----------
    counts : DataFrame
        As for `clause_figure`.
    positive : str
        Name of the described class.
    """
    if counts.empty:
        return "The rule has no clause."
    total = counts["of_class"] + counts["other"]
    widest = total.idxmax()
    share = counts.loc[widest, "of_class"] / total[widest] if total[widest] else float("nan")
    return (
        f"{counts.loc[widest, 'name']} matches most rows, {int(total[widest]):,}; "
        f"{percent(share)} of them are {positive}."
    )


def outcome_figure(confusion: pd.DataFrame, *, classes: Sequence[Any] | None = None) -> go.Figure:
    """Draw, for each actual class, how many rows were predicted correctly and wrongly.

    Parameters
    ----------
    confusion : DataFrame
        Counts, a row a true class, a column a decided class, both in the same order.
    classes : sequence, optional
        As for `clause_figure`.

    Returns
    -------
    plotly.graph_objects.Figure
        One bar a true class, in its colour; wrong decisions are hollow, and both are named in
        words.
    """
    names = [f"actual {label}" for label in confusion.index]
    right = [int(confusion.iloc[i, i]) for i in range(len(confusion))]
    wrong = [int(row.sum()) - right[i] for i, (_, row) in enumerate(confusion.iterrows())]
    figure = go.Figure(layout=base_layout())
    looks = outcome_looks(confusion.index, classes)
    figure.add_trace(_bar(names, right, "predicted correctly", looks))
    hollow = _bar(names, wrong, "predicted wrongly", looks)
    hollow.marker.update(
        color="rgba(0,0,0,0)", line={"width": 2, "color": [v.colour for v in looks]}, pattern=None
    )
    figure.add_trace(hollow)
    figure.update_layout(height=80 + 42 * len(confusion), showlegend=False)
    texts = [f"{a:,} correct<br>{b:,} wrong" for a, b in zip(right, wrong, strict=True)]
    _finish(figure, confusion.sum(axis=1), texts, "Rows")
    return figure


def outcome_sentence(confusion: pd.DataFrame) -> str:
    """Return the content of a confusion table as one sentence.

    Parameters
    ----------
    confusion : DataFrame
        As for `outcome_figure`.

    Returns
    -------
    str
        The correct predictions of each true class, then the share of wrong ones.
    """
    total = int(confusion.to_numpy().sum())
    if not total:
        return "No row to count."
    right = [int(confusion.iloc[i, i]) for i in range(len(confusion))]
    parts = [
        _correct_words(label, right[i], int(confusion.iloc[i].sum()))
        for i, label in enumerate(confusion.index)
    ]
    wrong = total - sum(right)
    share = percent(wrong / total)
    return f"{'; '.join(parts)}. {wrong:,} of {total:,} predictions are wrong ({share})."


def _correct_words(label: Any, right: int, total: int) -> str:
    """Write how many rows of a class are predicted correctly."""
    share = f" ({whole_percent(right, total)})" if total else ""
    return f"{label}: {right:,} of {total:,} correct{share}"


def _bar(names: Sequence[str], counts: Sequence[int], legend: str, looks: Sequence[Look]) -> go.Bar:
    """Create one part of each bar; one look for all parts, or one for each."""
    return go.Bar(
        y=[plain(name, 40) for name in names],
        x=list(counts),
        name=plain(legend),
        orientation="h",
        hovertemplate="%{x} rows<extra></extra>",
        marker=bars(*looks),
    )


def _finish(figure: go.Figure, ends: Sequence[int], texts: Sequence[str], title: str) -> None:
    """Stack the parts, and write the counts beside the bars: on hatching they are hard to read."""
    for k, (end, text) in enumerate(zip(ends, texts, strict=True)):
        # by its place: Plotly would read the name of a bar called "2" as a place
        place = {"x": end, "y": k, "xanchor": "left", "xshift": 4, "align": "left"}
        figure.add_annotation(place, text=text, showarrow=False)
    figure.update_layout(barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title=title, range=[0, ROOM * max([*ends, 1])])
