"""The Data page's findings, each with a fix, and how columns of text are read."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import streamlit as st

from rulekit.binning.dates import PERIODS, find_recurring_parts
from rulekit.binning.views import is_dates
from rulekit.binning.words import holds_words
from rulekit.data import QualityNote, Table, columns_of, quality_notes
from rulekit.data.cells.numbers import numbers_in
from rulekit.data.column import Column
from rulekit.data.options import CONVERTED, has_kind
from rulekit.rules.condition import DATE_PARTS
from rulekit.style.phrases import cap_list
from rulekit.style.wording import plural
from ui.cache import compute_once
from ui.data.choices import read_dates, refresh_editor, set_roles, use_columns
from ui.escape import md
from ui.shell import once
from ui.state import CATEGORIES, DATES, DURATIONS, IGNORED, NUMERIC, app_state
from ui.widgets import menu
from ui.workspace import change

SHOWN = 3
NUMBERS_SHARE = 0.9  # of the cells of a column that may be read as numbers
FIXES = {
    "ignore": "Ignore it",
    "group": "Keep its rows together",
    "weight": "Weigh rows by it",
    "as_numeric": "Make numbers",
    "as_category": "They are codes",
    "merge": "Make them one",
    "blank": "It means missing",
}


def quality_card() -> None:
    """List the findings, warnings first, each with its fix."""
    table = app_state().table
    key = repr((table.digest, [(c.name, c.role) for c in table.columns]))
    notes = compute_once("quality", key, lambda: quality_notes(table))
    st.markdown("**What to know about this table**")
    if not notes:
        st.caption("No problem found: no constant, empty, repeated or give-away column.")
    for index, note in enumerate(notes[:SHOWN]):
        _finding(note, index)
    if len(notes) > SHOWN:
        with st.expander(plural(len(notes) - SHOWN, "more finding")):
            for index, note in enumerate(notes[SHOWN:], SHOWN):
                _finding(note, index)


def apply_fix(note: QualityNote) -> None:
    """Apply the fix of a finding."""
    state, name = app_state(), note.column
    if note.suggestion == "as_numeric":
        _convert(state.table.as_numeric(name), NUMERIC, name)
    elif note.suggestion == "as_category":
        _convert(state.table.as_category(name), CATEGORIES, name)
    elif note.suggestion == "merge":
        _convert(state.table.with_merged_levels(name), "merged", name)
    elif note.suggestion == "blank":
        missing = dict(state.options.get("missing_in") or {}) | {name: [note.value]}
        table = state.table.with_missing(name, [note.value])
        change(table=table, options=state.options | {"missing_in": missing})
    elif note.suggestion is not None:
        set_roles([name], note.suggestion)


def _convert(table: Table, option: str, name: str) -> None:
    """Use a table with a converted column, whose name is added to an option."""
    options = app_state().options
    change(table=table, options=options | {option: [*(options.get(option) or ()), name]})


def _finding(note: QualityNote, index: int) -> None:
    sign = ":material/warning: " if note.severity == "warning" else ""
    words = f"{sign}{md(note.sentence, 500)}"
    if note.suggestion is None or _is_done(note):
        st.markdown(words)
        return
    text, button = st.columns([7, 3], vertical_alignment="center")
    text.markdown(words)
    key, fix = f"fix_{index}_{note.kind.replace(' ', '_')}", partial(apply_fix, note)
    button.button(FIXES[note.suggestion], key, on_click=fix, width="stretch")


def _is_done(note: QualityNote) -> bool:
    """Return whether the fix of a finding is applied, or a person has decided otherwise."""
    state = app_state()
    is_done = state.table.column(note.column).role in ("ignore", "id")
    if note.suggestion == "as_numeric":  # its role was only a consequence of a few texts
        present = state.table.frame[note.column].dropna()
        mostly_text = float(np.isfinite(numbers_in(present)).mean()) < NUMBERS_SHARE
        is_done = mostly_text or note.column in state.options.get(IGNORED, ())
    return is_done


MOST_NAMED = 4
#: Words for grades, the lowest first; a column of levels of one line has this order.
GRADES = (
    ("none", "very low", "low", "middle", "mid", "medium", "moderate", "high", "very high"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("very small", "small", "medium", "large", "very large"),
    ("none", "mild", "moderate", "severe", "critical"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("primary", "secondary", "tertiary"),
    ("first", "second", "third", "fourth", "fifth"),
)


@dataclass(frozen=True)
class Proposal:
    """A column with what it holds, and what rules would read of it."""

    name: str
    holds: str
    reads: str
    order: tuple[str, ...] = ()


def find_left_out(table: Table, ignored: Collection[str] = ()) -> dict[str, str]:
    """Return the columns set aside that conditions could use, except those a person `ignored`."""
    reasons = {}
    for column in table.columns:
        if column.role != "ignore" or column.n_distinct < 2 or column.name in ignored:
            continue
        if column.kind == "date":
            reasons[column.name] = "dates"
        elif column.kind == "text" and holds_words(table.frame[column.name].dropna().tolist()):
            reasons[column.name] = "words"
    return reasons


def proposals(table: Table, ignored: Collection[str] = ()) -> list[Proposal]:
    """List the columns with a better use, in the table's order."""
    reasons, found = find_left_out(table, ignored), []
    for column in table.columns:
        if holds := reasons.get(column.name):
            read = "single words"
            if holds == "dates":
                cells = columns_of(table.frame[column.name].to_frame("dates"))["dates"]
                parts = find_recurring_parts(cells) if is_dates(cells) else DATE_PARTS
                read = f"{', '.join(parts[:-1])} and {parts[-1]}"
                once_only = [part for part in DATE_PARTS if part not in parts]
                periods = " and ".join(f"{part}s in one {PERIODS[part]} only" for part in once_only)
                read += f" (there are {periods})" * bool(once_only)
            found.append(Proposal(column.name, holds, read))
        elif column.kind == "category" and column.role == "feature" and not column.order:
            levels = {str(level).strip().lower(): str(level) for level in column.levels}
            fits = len(levels) > 2 and len(levels) == column.n_distinct
            line = next((line for line in GRADES if fits and levels.keys() <= set(line)), ())
            if order := tuple(levels[word] for word in line if word in levels):
                read = f"the order {' < '.join(order)}"
                found.append(Proposal(column.name, "grades", read, order))
    return found


def proposal_lines() -> None:
    """Show each proposal with its button; nothing without any."""
    for number, one in enumerate(_compute_once("proposals", proposals)):
        with st.container(horizontal=True, vertical_alignment="center"):
            text = f"**{md(one.name, 60)}** holds {one.holds}. Rules would read {md(one.reads)}."
            use = partial(use_columns, [one.name])
            if one.order:
                use = partial(set_order, one.name, list(one.order))
            st.caption(text, width="content")
            st.button("Use as feature", f"use_column_{number}", type="tertiary", on_click=once(use))


def show_left_out() -> None:
    """Show buttons that use columns set aside; nothing without any."""
    if not (reasons := _compute_once("left out", find_left_out)):
        return
    named = [f"{name} ({reason})" for name, reason in reasons.items()]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(md(f"Not used: {cap_list(named, MOST_NAMED)}.", 400), width="content")
        words = (
            "Rules then read the date and year of dates, their month, weekday and hour where these "
            "come again, and the words of texts. The curve is searched again."
        )
        use = once(partial(use_columns, reasons))
        st.button("Use as features", "use_left_out", words, use, type="tertiary")


def _compute_once(name: str, found: Callable[..., Any]) -> Any:
    """Compute something about the table once for its roles and orders."""
    state = app_state()
    table, ignored = state.table, state.options.get(IGNORED, ())
    roles = [(c.name, c.role, c.order) for c in table.columns]
    return compute_once(name, repr((table.digest, roles, ignored)), lambda: found(table, ignored))


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
    readings = list_conversions(state.table, state.options)
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
            field = f"order_{key}"
            st.text_area(
                "Levels, the lowest first, one a line",
                "\n".join(map(str, column.order or column.levels)),
                key=field,
                height=min(300, 60 + 24 * len(column.levels)),
                help="Rules then ask for “at least” and “at most” a level. Every level that occurs "
                "must be named; levels that may come later can be.",
            )
            with st.container(horizontal=True):
                use = once(lambda: set_order(name, parse_levels(st.session_state[field], column)))
                st.button("Use this order", key="use_order", on_click=use)
                if column.order:
                    drop = once(partial(set_order, name, []))
                    st.button("No order", key="no_order", on_click=drop)
            if column.order:
                st.caption(f"In use: {md(' < '.join(column.order), 300)}")
        elif way == DATE:
            mark = "In dates like 03/04/2024 the day is"
            day_first = menu(mark, DAY_FIRST, None, f"day_first_{key}", persist_state=None)
            words = (
                "Rules then read the date and its year; month, weekday and hour where these come "
                "again. Cells that are no date become missing. Loading the table again undoes it."
            )
            convert = once(partial(read_dates, name, day_first))
            st.button("Read as dates", "read_dates", words, convert)
        else:
            words = "Such as 06:30:00 or 2 days 12:00:00. Loading the table again undoes it."
            convert = once(partial(read_durations, name))
            st.button("Read as durations, in days", "read_durations", words, convert)


def ways(table: Table, column: Column) -> list[str]:
    """Return the other types that a text column can be read as; none if its role forbids it."""
    if column.is_number or column.n_distinct < 2 or column.role in ("target", "weight", "group"):
        return []
    dtype = table.frame[column.name].dtype
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype):
        return []
    kinds = [DATE, DURATION] if column.kind == "date" else [DURATION, DATE]
    return [ORDER, *kinds] if column.kind in ("category", "boolean") else kinds


def list_conversions(table: Table, options: dict[str, Any]) -> list[str]:
    """Return the table's notes on columns converted to dates or durations."""
    names = [*options.get(DATES, {}), *options.get(DURATIONS, ())]
    return [n for n in table.notes if has_kind(n, CONVERTED) and n.column in names]


def parse_levels(text: str, column: Column) -> list[str]:
    """Return the levels of a text, one per line, with blanks normalised."""
    levels = {" ".join(str(level).split()): str(level) for level in column.levels}
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [levels.get(line, line) for line in lines if line]


def set_order(name: str, levels: list[str]) -> None:
    """Set the order of a column's levels, the lowest first; an empty list removes it."""
    change(table=app_state().table.with_order(name, levels))
    refresh_editor()


def read_durations(name: str) -> None:
    """Convert a text column of durations to days."""
    _convert(app_state().table.as_duration(name), DURATIONS, name)
