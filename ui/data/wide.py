"""Choice of the columns of a wide file, by their names."""

from collections.abc import Callable, Sequence

import streamlit as st

from rulekit.data import Limits
from rulekit.data.target import likely_target
from ui.escape import md

SHOWN = 12


def wide_card(names: Sequence[str], read: Callable[[str, tuple[str, ...]], None], key: str) -> None:
    """Show the choice of which columns of a wide file are read.

    Parameters
    ----------
    names : sequence of str
        All columns of the file.
    read : callable
        Called with the column to be predicted and all columns to be read, that one included.
    key : str
        Of the widgets: names the file.
    """
    most = Limits().max_columns
    st.warning(
        f"The file has {len(names):,} columns, and up to {most:,} can be read. Choose the "
        "ones that may matter."
    )
    left, right = st.columns(2)
    target = left.selectbox(
        "Column to predict",
        names,
        names.index(likely_target(names)),
        key=f"upload_wide_target_{key}",
    )
    words = right.text_input(
        "Columns whose name contains",
        key=f"upload_wide_words_{key}",
        placeholder="age, glucose, gene_1",
        help="Any of these words, commas between them; empty: every column, the first ones kept.",
    )
    more = st.multiselect(
        "And these",
        names,
        key=f"upload_wide_more_{key}",
        placeholder="Search for a name",
        help="These columns are always read.",
    )
    columns = proposed(names, target, words, more)
    rest = f" and {len(columns) - SHOWN:,} more" if len(columns) > SHOWN else ""
    st.caption(f"{len(columns):,} columns: {md(', '.join(columns[:SHOWN]), 400)}{rest}.")
    st.button(
        f"Read these {len(columns):,} columns",
        key="read_wide",
        type="primary",
        on_click=read,
        args=(target, columns),
    )


def proposed(
    names: Sequence[str], target: str, words: str = "", more: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns to read, in the file's order: target, those named, then those found.

    As many of those whose name contains one of the words (all, without words) are taken as there
    is room for, the first ones first.
    """
    wanted = [word.strip().lower() for word in words.split(",") if word.strip()]
    taken = {target, *more}
    for name in names:
        if len(taken) >= Limits().max_columns:
            break
        if not wanted or any(word in name.lower() for word in wanted):
            taken.add(name)
    return tuple(name for name in names if name in taken)
