"""What a rule covers and where it is wrong, as bars whose words do not need their colours."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from rulekit.plots.palette import NEGATIVE, POSITIVE, base_layout, plain
from rulekit.plots.wording import percent

HATCHES = ("", "/")


def clause_figure(
    counts: pd.DataFrame, positive: str, other: str, *, against: bool = False
) -> go.Figure:
    """Draw the rows each clause matches, split by their true class.

    Parameters
    ----------
    counts : DataFrame, a row a clause
        Columns ``name`` (how the clause is called), ``of_class`` and ``other`` (counts of matched
        rows of the class that the clauses give and of the other one).
    positive, other : str
        Names of the two classes.
    against : bool, default=False
        Whether the clauses give the class that is not described elsewhere: a class has the same
        colour in all figures.

    Returns
    -------
    plotly.graph_objects.Figure
        One horizontal bar a clause, first clause on top; the other class is hatched.
    """
    figure = go.Figure(layout=base_layout())
    colours = (NEGATIVE, POSITIVE) if against else (POSITIVE, NEGATIVE)
    for part, name, colour, hatch in zip(
        ("of_class", "other"), (positive, other), colours, HATCHES, strict=True
    ):
        figure.add_trace(_bar(counts["name"], counts[part], name, colour, hatch))
    figure.update_layout(height=110 + 42 * max(len(counts), 1), barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title="Rows matched")
    return figure


def clause_sentence(counts: pd.DataFrame, positive: str) -> str:
    """Say in one sentence what `clause_figure` shows: the widest and the purest clause.

    Parameters
    ----------
    counts : DataFrame
        As for `clause_figure`.
    positive : str
        Name of the described class.

    Returns
    -------
    str
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


def outcome_figure(confusion: pd.DataFrame) -> go.Figure:
    """Draw, for each true class, how many rows were decided rightly and wrongly.

    Parameters
    ----------
    confusion : DataFrame
        Counts, a row a true class, a column a decided class, both in the same order.

    Returns
    -------
    plotly.graph_objects.Figure
        One bar a true class; wrong decisions are hatched and named in words.
    """
    names = [f"truly {label}" for label in confusion.index]
    right = [int(confusion.iloc[i, i]) for i in range(len(confusion))]
    wrong = [int(row.sum()) - right[i] for i, (_, row) in enumerate(confusion.iterrows())]
    figure = go.Figure(layout=base_layout())
    figure.add_trace(_bar(names, right, "decided rightly", NEGATIVE, ""))
    figure.add_trace(_bar(names, wrong, "decided wrongly", POSITIVE, "/"))
    figure.update_layout(height=110 + 42 * len(confusion), barmode="stack")
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(title="Rows")
    return figure


def outcome_sentence(confusion: pd.DataFrame) -> str:
    """Say in one sentence what a confusion table shows.

    Parameters
    ----------
    confusion : DataFrame
        As for `outcome_figure`.

    Returns
    -------
    str
        For each true class the rows found, then the share of wrong decisions.
    """
    total = int(confusion.to_numpy().sum())
    if not total:
        return "No row has been decided."
    right = [int(confusion.iloc[i, i]) for i in range(len(confusion))]
    parts = [
        f"{right[i]:,} of {int(confusion.iloc[i].sum()):,} rows that are {label} were found"
        for i, label in enumerate(confusion.index)
    ]
    wrong = total - sum(right)
    share = percent(wrong / total)
    return f"{', '.join(parts)}; {wrong:,} of {total:,} decisions are wrong ({share})."


def _bar(
    names: Sequence[str], counts: Sequence[int], legend: str, colour: str, hatch: str
) -> go.Bar:
    return go.Bar(
        y=[plain(name, 40) for name in names],
        x=list(counts),
        name=plain(legend),
        orientation="h",
        text=[str(int(c)) if c else "" for c in counts],
        textposition="auto",
        insidetextanchor="middle",
        insidetextfont={"color": "white", "size": 13},
        hovertemplate="%{x} rows<extra></extra>",
        marker={
            "color": colour,
            "line": {"width": 0.5, "color": "white"},
            "pattern": {
                "shape": hatch,
                "fillmode": "overlay",
                "size": 7,
                "solidity": 0.15,
                "fgcolor": "white",
            },
        },
    )
