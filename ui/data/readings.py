"""The Data page's settings of how a column is read: levels with an order, dates, durations."""

from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

from rulekit.data import Table
from rulekit.data.column import Column
from rulekit.data.headers import shown
from ui.data.choices import refresh_editor
from ui.escape import md
from ui.shell import once
from ui.state import DATES, DURATIONS, app_state
from ui.workspace import change

ORDER, DATE, DURATION = "Levels with an order", "Dates", "Durations"
DAY_FIRST = {
    None: "found out from the cells",
    True: "first: 03/04 is the 3rd of April",
    False: "second: 03/04 is the 4th of March",
}


def readings_card() -> None:
    """Show how columns of text are read, with choices; nothing if there is no such column."""
    state = app_state()
    names = [c.name for c in state.table.columns if ways(state.table, c)]
    readings = converted(state.table, state.options)
    if not names and not readings:
        return
    key = "readings"  # otherwise a sentence above the page would close it
    with st.expander("Orders of levels, dates and durations", key=key, on_change="rerun"):
        for sentence in readings:
            st.caption(md(sentence, 400))
        if not names:
            return
        table = state.table.digest[:12]
        name = st.selectbox("Column of text", names, key=f"reading_{table}")
        key = f"{table}_{crc32(name.encode())}"
        column = state.table.column(name)
        way = st.radio(
            "It holds", ways(state.table, column), horizontal=True, key=f"reading_way_{key}"
        )
        if way == ORDER:
            _order(column, key)
        elif way == DATE:
            _dates(name, key)
        else:
            st.button(
                "Read as durations, in days",
                key="read_durations",
                on_click=once(lambda: read_durations(name)),
                help="Such as 06:30:00 or 2 days 12:00:00. Loading the table again undoes it.",
            )


def ways(table: Table, column: Column) -> list[str]:
    """Return the other types that a text column can be read as; none if its role forbids it."""
    fixed = column.is_number or column.n_distinct < 2
    if fixed or column.role in ("target", "weight", "group"):
        return []
    dtype = table.frame[column.name].dtype
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype):
        return []
    kinds = [DATE, DURATION] if column.kind == "date" else [DURATION, DATE]
    return [ORDER, *kinds] if column.kind in ("category", "boolean") else kinds


def converted(table: Table, options: dict[str, Any]) -> list[str]:
    """Return the table's notes on columns converted to dates or durations."""
    names = [*options.get(DATES, {}), *options.get(DURATIONS, ())]
    begins = tuple(f"Column {shown(name)} was read as" for name in names)
    return [note for note in table.notes if begins and note.startswith(begins)]


def typed_levels(text: str, column: Column) -> list[str]:
    """Return the levels of a text, one per line, with blanks normalised."""
    levels = {" ".join(str(level).split()): str(level) for level in column.levels}
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [levels.get(line, line) for line in lines if line]


def set_order(name: str, levels: list[str]) -> None:
    """Set the order of a column's levels, the lowest first; an empty list removes it."""
    change(table=app_state().table.with_order(name, levels))
    refresh_editor()


def read_dates(name: str, day_first: bool | None) -> None:
    """Convert a text column to dates that a rule may use.

    The order of day and month found in the cells is kept for later files with ambiguous dates.
    """
    state = app_state()
    table = state.table.as_date(name, day_first=day_first)
    if day_first is None:
        same = [g for g in (True, False) if _agrees(state.table, table, name, g)]
        day_first = same[0] if len(same) == 1 else None
    dates = {**state.options.get(DATES, {}), name: day_first}
    change(table=table, options=state.options | {DATES: dates})
    refresh_editor()


def _agrees(before: Table, after: Table, name: str, day_first: bool) -> bool:
    return before.as_date(name, day_first=day_first).digest == after.digest


def read_durations(name: str) -> None:
    """Convert a text column of durations to days."""
    state = app_state()
    durations = [*state.options.get(DURATIONS, ()), name]
    change(table=state.table.as_duration(name), options=state.options | {DURATIONS: durations})
    refresh_editor()


def _order(column: Column, key: str) -> None:
    """Show a field for the levels of a column, the lowest first."""
    field = f"order_{key}"
    st.text_area(
        "Levels, the lowest first, one a line",
        "\n".join(map(str, column.order or column.levels)),
        key=field,
        height=min(300, 60 + 24 * len(column.levels)),
        help="Rules then ask for “at least” and “at most” a level. Every level that occurs must be "
        "named; levels that may come later can be.",
    )
    with st.container(horizontal=True):
        st.button(
            "Use this order",
            key="use_order",
            on_click=once(
                lambda: set_order(column.name, typed_levels(st.session_state[field], column))
            ),
        )
        if column.order:
            st.button("No order", key="no_order", on_click=once(lambda: set_order(column.name, [])))
    if column.order:
        st.caption(f"In use: {md(' < '.join(column.order), 300)}")


def _dates(name: str, key: str) -> None:
    """Show whether the day comes first, and a button to read dates."""
    day_first = st.selectbox(
        "In dates like 03/04/2024 the day is",
        list(DAY_FIRST),
        format_func=DAY_FIRST.get,
        key=f"day_first_{key}",
    )
    st.button(
        "Read as dates",
        key="read_dates",
        on_click=once(lambda: read_dates(name, day_first)),
        help="Rules then ask for the date, its year, month, weekday and hour. Cells that are no "
        "date become missing. Loading the table again undoes it.",
    )
