"""Coverage and errors of a rule as labelled bars."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import Look, bars, base_layout, outcome_looks, plain
from rulekit.style.phrases import whole_percent
from rulekit.style.wording import percent


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
        texts = [f"{int(n)}" if n else "" for n in counts[part]]
        figure.add_trace(_bar(counts["name"], counts[part], texts, name, looks))
    figure.update_layout(height=110 + 42 * max(len(counts), 1), barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title="Rows matched")
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
    texts = [
        [f"{n:,} {word}" if n else "" for n in part]
        for word, part in (("correct", right), ("wrong", wrong))
    ]
    figure.add_trace(_bar(names, right, texts[0], "predicted correctly", looks))
    hollow = _bar(names, wrong, texts[1], "predicted wrongly", looks)
    hollow.insidetextfont.color = None  # as the page's other words
    hollow.marker.update(
        color="rgba(0,0,0,0)", line={"width": 2, "color": [v.colour for v in looks]}, pattern=None
    )
    figure.add_trace(hollow)
    figure.update_layout(height=80 + 42 * len(confusion), barmode="stack", showlegend=False)
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    longest = max(confusion.sum(axis=1), default=0)
    # room for the words behind the longest bar
    figure.update_xaxes(title="Rows", range=[0, 1.4 * max(longest, 1)])
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


def _bar(
    names: Sequence[str],
    counts: Sequence[int],
    texts: Sequence[str],
    legend: str,
    looks: Sequence[Look],
) -> go.Bar:
    """Add one part of each bar, with its text; one look for all parts, or one for each."""
    return go.Bar(
        y=[plain(name, 40) for name in names],
        x=list(counts),
        name=plain(legend),
        orientation="h",
        text=texts,
        textposition="auto",
        textangle=0,
        insidetextanchor="middle",
        insidetextfont={"color": [look.ink for look in looks], "size": 13},
        hovertemplate="%{x} rows<extra></extra>",
        marker=bars(*looks),
    )
