"""The tab "Groups" of Rules: errors and predictions by group, in words, a chart and a table."""

from typing import Any

import pandas as pd
import streamlit as st

from rulekit.data import RowGroups, row_groups
from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import GroupMetrics, group_metrics
from rulekit.exceptions import DataError
from rulekit.plots import group_figure, group_sentence
from ui.cache import kept
from ui.escape import md
from ui.rule_numbers import Rows
from ui.rules.gap_curve import gap_curve_card
from ui.state import KEEP, AppState
from ui.theme import chart

FEW_GROUPS = 8  # columns with at most this many values are listed first
TITLES = {
    "error": "Error",
    "found": "True positive rate",
    "false_alarms": "False positive rate",
    "called_positive": "Predicted",
}
READ = (
    "Shares with 95 % intervals. *True positive rate*: share of the actual {0} predicted {0}. "
    "*False positive rate*: share of the others predicted {0}. *Predicted*: share of all rows."
)


def groups_card(model: Any, rows: Rows, state: AppState) -> None:
    """Show a choice of columns, and the figures of the groups of one."""
    left, seen = st.columns([3, 2], vertical_alignment="bottom")
    columns = [c.name for c in state.table.columns if c.name != state.target]
    column = left.selectbox(
        "Groups by",
        columns,
        columns.index(_first(columns, rows, state)),
        format_func=lambda name: md(state.label(name), 60),
        key="groups_column",
        help="Any column of the table, whether the rule reads it or not. Numbers of many values "
        "are cut into four bins of about equally many rows.",
        **KEEP,
    )
    positive = state.positive
    if state.several:
        positive = seen.selectbox("Outcome", state.labels, key="groups_outcome", **KEEP)
    try:
        groups = _groups(column, rows, state)
    except DataError as error:
        st.info(md(str(error), 400))
        return
    key = repr((state.fit_key, state.rule_json, column, rows.name, positive))
    metrics = kept(
        "groups",
        key,
        lambda: group_metrics(model, rows.X, rows.y, groups, positive=positive),
        copy=False,
    )
    measure = st.segmented_control(
        "Share",
        list(GROUP_MEASURES),
        format_func=TITLES.get,
        default="error",
        required=True,
        key="groups_share",
        label_visibility="collapsed",
        **KEEP,
    )
    chart(group_figure(metrics, measure), f"groups_{rows.name}", group_sentence(metrics, measure))
    for sentence in metrics.sentences():
        st.markdown(f"- {md(sentence, 600)}")
    _table(metrics)
    st.caption(READ.format(md(positive, 60)))
    if rows.name == "training":
        gap_curve_card(column, groups, state)


def _first(columns: list[str], rows: Rows, state: AppState) -> str:
    """Return the default column: the first with few values, else the first."""
    frame = state.table.frame.loc[rows.X.index]
    few = (name for name in columns if 2 <= frame[name].nunique() <= FEW_GROUPS)
    return next(few, columns[0])


def _groups(column: str, rows: Rows, state: AppState) -> RowGroups:
    return row_groups(state.table.frame.loc[rows.X.index, column], state.label(column))


def _table(metrics: GroupMetrics) -> None:
    """Show the figures of each group, and of all rows."""
    table = pd.concat([metrics.table, metrics.overall.to_frame().T])
    shown = pd.DataFrame({metrics.name: table.index, "rows": table["rows"].astype(int).to_numpy()})
    for measure, title in TITLES.items():
        ends = table[[measure, f"{measure}_low", f"{measure}_high"]].itertuples(index=False)
        shown[title] = [
            "no rows"
            if share != share
            else f"{100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f})"
            for share, low, high in ends
        ]
    st.dataframe(shown, hide_index=True, alt="; ".join(metrics.sentences()))
