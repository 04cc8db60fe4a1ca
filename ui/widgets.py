"""Figures, a rule as text, and widgets with exactly one selected option or row, which is kept."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from rulekit.plots import flow_sentence, flow_table, plot_rule
from ui.escape import file_name
from ui.state import KEEP, app_state
from ui.words import wording

COUNT = st.column_config.NumberColumn(format="localized")
SHARE = st.column_config.NumberColumn(format="%.1f %%")
MISSING = "missing"  # in cells of cases without a value
MANY = 9  # from this number on, clauses scroll in a box


LIFT = st.column_config.NumberColumn(
    format="%.2f", help="Share of correct rows, divided by the share of the prediction in all rows."
)


def parts_table(table: pd.DataFrame, name: str) -> None:
    """Show the counts of a `flow_table`; the texts of clauses stand in its figure."""
    names = [part.split(": ")[0] for part in table["part"]]
    st.dataframe(
        table.assign(part=names, share=100 * table["share"]),
        hide_index=True,
        column_config={**dict.fromkeys(("rows", "correct"), COUNT), "share": SHARE, "lift": LIFT},
        alt=f"The rows of each part of the rule, on the {name} rows",
    )


def rule_text(text: str, n_clauses: int = 0) -> None:
    """Show a rule, one of many clauses in a box that scrolls; spaces at its ends are dropped."""
    is_long = n_clauses >= MANY
    # the keyboard reaches the sign of the hint, and scrolls the box
    hint = "Rules lists the clauses with their counts." if is_long else None
    with st.container(height=260 if is_long else "content", border=False):
        # `st.code` would first load 1.5 MB of grammars into the browser
        st.text(text, width="stretch", help=hint)


def choice(
    label: str, words: Mapping[Any, str], usual: Any, key: str, *, place: Any = st, **options: Any
) -> Any:
    """Show options, given with their words, as buttons; return the selected one."""
    options = {"required": True, "key": key, **KEEP, **options}
    options["format_func"] = lambda option: words.get(option, str(option))
    default = usual if usual in words else next(iter(words))
    return place.segmented_control(label, list(words), default=default, **options)


def menu(
    label: str, words: Mapping[Any, str], usual: Any, key: str, *, place: Any = st, **options: Any
) -> Any:
    """Show options, given with their words, as a list to open; return the selected one."""
    names = list(words)
    index = names.index(usual) if usual in words else 0
    options = {**KEEP, **options}
    return place.selectbox(label, names, index, format_func=words.get, key=key, **options)


def pick_row(
    table: pd.DataFrame,
    picked: int | None,
    on_pick: Callable[[int], None],
    *,
    key: str,
    alt: str,
    shown: Any = None,
    **options: Any,
) -> None:
    """Show a table with one selected row; a selected cell selects its row, for the keyboard."""
    # A browser reports its selection until another table is drawn. A row selected elsewhere gives
    # the table a new key, so late reports have no effect; a selection here keeps key and focus.
    drawn, generation = f"{key}_drawn", f"{key}_turn"
    if picked != st.session_state.get(drawn, picked) and not st.session_state.pop(f"{key}_own", 0):
        st.session_state[generation] = st.session_state.get(generation, 0) + 1
    name = f"{key}_{st.session_state.get(generation, 0)}"

    def store_row() -> None:
        if name != st.session_state[f"{key}_name"]:
            return
        selection = st.session_state[name]["selection"]
        rows = [row for row, _ in selection["cells"]] + list(selection["rows"])
        before = st.session_state.get(drawn)
        fresh = [row for row in rows if row != before]
        if fresh and 0 <= fresh[0] < len(table):
            st.session_state[f"{key}_own"] = True
            on_pick(int(fresh[0]))

    if picked is not None:
        held = st.session_state.get(name)
        column = next((c for _, c in held["selection"]["cells"]), None) if held else None
        wanted = {"rows": [picked], "columns": [], "cells": [(picked, column or table.columns[0])]}
        if not held or held["selection"] != wanted:
            st.session_state[name] = {"selection": wanted}
    st.session_state[drawn], st.session_state[f"{key}_name"] = picked, name
    mode = "single-row" if picked is None else "single-row-required"
    with st.container(key=key):
        st.dataframe(
            table if shown is None else shown,
            key=name,
            on_select=store_row,
            selection_mode=[mode, "single-cell"],
            hide_index=True,
            alt=alt,
            **{"placeholder": "", **options},
        )


# a drag and a double click do the same as these buttons, which would cover the legend
CONFIG: dict[str, Any] = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
CONFIG["modeBarButtonsToRemove"] += ["zoomIn2d", "zoomOut2d", "autoScale2d"]


OnSelect = Callable[[Any], None] | None


def chart(figure: go.Figure, key: str, alt: str, *, on_select: OnSelect = None) -> None:
    """Show a figure; a click on a point calls `on_select` with its ``customdata``."""
    turn = f"{key}_turn"  # a drawn figure keeps its selection: after a click it is another one
    name = key if on_select is None else f"{key}_{st.session_state.get(turn, 0)}"

    def select() -> None:
        event = st.session_state.get(name)
        st.session_state[turn] = st.session_state.get(turn, 0) + 1
        points = event["selection"]["points"] if event else []
        data = points[0].get("customdata") if points else None
        if isinstance(data, dict):
            data = next(iter(data.values()), None)
        elif isinstance(data, list | tuple):
            data = data[0]
        if data is not None and on_select is not None:
            on_select(data)

    if on_select is not None:
        figure.update_traces(
            unselected={"marker": {"opacity": 0.6}},
            selected={"marker": {"size": 16}},
            selector={"type": "scatter"},
        )
    table = app_state().table
    file = file_name("chart", "png", "" if table is None else table.name)
    st.plotly_chart(
        figure,
        key=name,  # keeps the selection when the data change
        alt=alt,
        theme="streamlit",
        on_select="ignore" if on_select is None else select,
        selection_mode="points",
        config=CONFIG | {"toImageButtonOptions": {"filename": file.removesuffix(".png")}},
    )


def flow_chart(
    model: Any, X: Any, y: Any, key: str, *, on_select: OnSelect = None, **options: Any
) -> pd.DataFrame:
    """Show where the rows go; return the same counts as a table, see `flow_table`."""
    state = app_state()
    words = options.pop("wording", None) or wording(state)
    table = flow_table(model, X, y, wording=words)
    figure = plot_rule(model, X, y, classes=state.classes, wording=words, **options)
    chart(figure, key, flow_sentence(table), on_select=on_select)
    return table
