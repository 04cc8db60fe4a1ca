"""Ignored columns of dates and phrases, with one button that makes them features."""

import streamlit as st

from rulekit.binning.words import holds_words
from rulekit.data import Table
from ui.cache import kept
from ui.data.choices import refresh_editor
from ui.escape import md
from ui.shell import once
from ui.state import app_state
from ui.workspace import change

MOST_NAMED = 4


def left_out(table: Table) -> dict[str, str]:
    """Return the ignored columns that conditions could use, with their content."""
    reasons = {}
    for column in table.columns:
        if column.role != "ignore" or column.n_distinct < 2:
            continue
        if column.kind == "date":
            reasons[column.name] = "dates"
        elif column.kind == "text" and holds_words(table.frame[column.name].dropna().tolist()):
            reasons[column.name] = "words"
    return reasons


def left_out_line() -> None:
    """Show buttons that use ignored columns; nothing without any."""
    state = app_state()
    table = state.table
    roles = repr((table.digest, [(c.name, c.role) for c in table.columns]))
    reasons = kept("left out", roles, lambda: left_out(table))
    if not reasons:
        return
    named = [f"{name} ({reason})" for name, reason in reasons.items()]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(md(f"Not used: {', '.join(named[:MOST_NAMED])}{more}.", 400), width="content")
        st.button(
            "Use as features",
            key="use_left_out",
            type="tertiary",
            on_click=once(lambda: use_as_features(list(reasons))),
            help="Rules then read dates by year, month and weekday, and texts by the words in "
            "them. The curve is searched again.",
        )


def use_as_features(names: list[str]) -> None:
    """Set the role of ignored columns to feature."""
    change(table=app_state().table.with_roles(dict.fromkeys(names, "feature")))
    refresh_editor()
