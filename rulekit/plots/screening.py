"""Conditions removed by screening, by column and by test."""

import pandas as pd
import plotly.graph_objects as go

from rulekit.style.palette import BLUE, GREY, ORANGE, SKY, base_layout, plain_names
from rulekit.style.wording import plural

MAX_COLUMNS = 30

#: What became of a condition: the columns of `ConditionScreening.count_by_column`, in words of one
#: condition and of several, colour and hatch.
VERDICTS = {
    "kept": ("may matter", "", BLUE, ""),
    "simple": ("costs as much as it saves", "they cost as much as they save", GREY, "/"),
    "pairs": ("another does the same for no more", "another does the same for no more", SKY, "x"),
    "duality": ("every rule with it is worse", "every rule with them is worse", ORANGE, "."),
}


def screening_table(per_column: pd.DataFrame, limit: int = MAX_COLUMNS) -> pd.DataFrame:
    """Select the columns with the most remaining conditions.

    Parameters
    ----------
    per_column : DataFrame
        `rulekit.ConditionScreening.count_by_column`.
    limit : int, default=30

    Returns
    -------
    DataFrame
        As `per_column`, the column with most conditions left first; columns without conditions
        are left out.
    """
    some = per_column[per_column["conditions"] > 0]
    order = ["kept", "conditions", "column"]
    return some.sort_values(order, ascending=[False, False, True], ignore_index=True).head(limit)


def screening_figure(table: pd.DataFrame) -> go.Figure:
    """Draw one bar per column: its conditions, divided by what removed them.

    Parameters
    ----------
    table : DataFrame
        From `screening_table`.

    Returns
    -------
    plotly.graph_objects.Figure
        Verdicts differ by colour and by hatch.
    """
    shown = table.iloc[::-1]
    figure = go.Figure(layout=base_layout(120 + 24 * len(shown)))
    for verdict, (words, _, colour, hatch) in VERDICTS.items():
        if verdict not in table:
            continue
        figure.add_bar(
            y=plain_names(shown["column"]),
            x=shown[verdict],
            orientation="h",
            name=words,
            marker={"color": colour, "pattern": {"shape": hatch, "fillmode": "overlay"}},
            hovertemplate="%{y}: %{x} conditions, " + words + "<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.25, legend={"traceorder": "normal"})
    figure.update_xaxes(title_text="candidate conditions")
    return figure.update_yaxes(type="category")


def screening_sentence(per_column: pd.DataFrame) -> str:
    """Return the result of the screening, as a text alternative of the figure."""
    total, kept = int(per_column["conditions"].sum()), int(per_column["kept"].sum())
    if total == 0:
        return "There are no candidate conditions."
    parts = [
        f"{int(per_column[name].sum()):,} because {reason}"
        for name, (_, reason, *_) in VERDICTS.items()
        if reason and name in per_column
    ]
    most = screening_table(per_column, 1).iloc[0]
    left = f" Most are left of {most['column']}: {int(most['kept']):,}." if kept else ""
    return (
        f"Of {plural(total, 'candidate condition')} {kept:,} may matter; removed: "
        f"{', '.join(parts)}.{left}"
    )
