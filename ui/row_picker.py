"""A table with exactly one selected row: by its mark, its cells or the arrow keys."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st


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
    """Show a table and tell which row is picked.

    Parameters
    ----------
    table : DataFrame
    picked : int or None
        Position of the row that is picked now.
    on_pick : callable
        Called with the position of a newly picked row, before the page runs again.
    key : str
    alt : str
        What the table holds and what picking does, in one sentence.
    shown : pandas.io.formats.style.Styler, optional
        The same table with colours.
    **options
        Handed on to ``st.dataframe``.

    Notes
    -----
    Streamlit marks a row by mouse only, but cells are walked with the arrow keys. So a chosen cell
    picks its row too, and the table works by keyboard alone.

    A browser goes on reporting the mark it shows until it has drawn another. So a table whose row
    was picked elsewhere, or was moved by new rows, is drawn as a new one, and a late report of the
    old one picks nothing. One picked in the table leaves it standing, with the keyboard in it.
    """
    drawn, generation = f"{key}_drawn", f"{key}_turn"
    if picked != st.session_state.get(drawn, picked) and not st.session_state.pop(f"{key}_own", 0):
        st.session_state[generation] = st.session_state.get(generation, 0) + 1
    name = f"{key}_{st.session_state.get(generation, 0)}"

    def changed() -> None:
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
    with st.container(key=key):
        st.dataframe(
            table if shown is None else shown,
            key=name,
            on_select=changed,
            selection_mode=[
                "single-row" if picked is None else "single-row-required",
                "single-cell",
            ],
            hide_index=True,
            alt=alt,
            **options,
        )
