"""The Data page's card on how a file was read: its lines, each decision and what changes it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import streamlit as st

from rulekit.data import ParseOptions, Table
from rulekit.data.options import DELIMITERS, Decision, apply_decision
from rulekit.data.reading.layout import Line
from rulekit.data.reading.loading import kind_of_file
from rulekit.exceptions import DataError
from ui import workspace
from ui.data.load import read
from ui.escape import md
from ui.rule_numbers import row_number
from ui.shell import once
from ui.state import app_state
from ui.widgets import MISSING, menu
from ui.workspace import Upload, change_upload, current_upload

DETECT = ""  # the choice to detect an option
NO_HEADER = "none"
NO_WORD = "(none)"  # of the missing words: only empty cells are missing
ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be")
MARKS = {".": "point", ",": "comma"}
FIRST_LINES = 8  # of a file that was not read
SHOWN = 12  # decisions; further ones are a click away
PREVIEW = 5  # rows


def options_card() -> None:
    """Show how the file was read; a change reads it again at once."""
    upload, table = current_upload(), app_state().table
    if upload.file_id:
        not_read = upload.error or upload.layout is None
        lines = first_lines(upload) if not_read else upload.layout.lines
        # images and programs have no readable lines
        if lines and not any("\0" in text for _, text, _ in lines):
            st.caption("The file's first lines, as they are:")
            st.code(format_lines(lines), None)
    notes = table.notes if table is not None else ()
    for number, note in enumerate(notes[:SHOWN]):
        _decision(note, number, upload)
    if len(notes) > SHOWN:
        with st.expander(f"{len(notes) - SHOWN} more"):
            for number, note in enumerate(notes[SHOWN:], SHOWN):
                _decision(note, number, upload)
    if not upload.file_id:
        return
    _fields(upload)
    if replace(upload.options, columns=None) != ParseOptions():
        columns = ParseOptions(columns=upload.options.columns)
        st.button("Read as detected", key="read_detected", on_click=once(lambda: read(columns)))
    if table is not None and not upload.error:
        st.caption("The first rows, as they are read:")
        show_first_rows(table, PREVIEW)


def show_first_rows(table: Table, n: int) -> None:
    """Show the first rows by their numbers on all pages, days without a time."""
    rows = table.frame.head(n)
    days = {
        name: st.column_config.DateColumn(format="YYYY-MM-DD")
        for name, column in rows.select_dtypes("datetime").items()
        if (column.dropna() == column.dropna().dt.normalize()).all()
    }
    rows = rows.set_axis(row_number(rows.index))
    st.dataframe(rows, alt="The first rows of the table.", column_config=days, placeholder=MISSING)


def first_lines(upload: Upload) -> tuple[Line, ...]:
    """Return the first lines of a text file that was not read."""
    if _kind(upload) != "text":
        return ()
    text = upload.content[:20_000].decode(upload.options.encoding or "utf-8", errors="replace")
    lines = text.splitlines()[:FIRST_LINES]
    return tuple((number, line[:200], "") for number, line in enumerate(lines, 1))


def format_lines(lines: Sequence[Line]) -> str:
    """Write lines with their numbers and marks; "..." for those between."""
    parts, before = [], lines[0][0] - 1
    for number, text, mark in lines:
        if number > before + 1 and before:
            parts.append(f"{'...':>17}")
        parts.append(f"{mark:>8} {number:>7}  {text}")
        before = number
    return "\n".join(parts)


def _kind(upload: Upload) -> str:
    try:
        return kind_of_file(upload.content)
    except DataError:
        return ""


def _decision(note: str, number: int, upload: Upload) -> None:
    """Show a sentence, with the button that changes what it says."""
    if not (isinstance(note, Decision) and note.change and upload.file_id):
        st.markdown(f"- {md(note, 400)}")
        return
    text, button = st.columns([7, 3], vertical_alignment="center")
    text.markdown(f"- {md(note, 400)}")
    key = f"decision_{number}_{crc32(note.encode())}"
    act = once(lambda: change_reading(note.change))
    button.button(note.label, key, on_click=act, width="stretch")


def change_reading(change: Mapping[str, Any]) -> None:
    """Read the file again with changed options; what was set on Data for single columns stays."""
    upload, options = current_upload(), current_upload().options
    if workspace.file_of_analysis() == upload.file_id and not upload.error:
        used = app_state().options
        options = replace(
            options, merged=used.get("merged") or None, missing_in=used.get("missing_in") or None
        )
    try:
        options = apply_decision(options, change)
    except ValueError as error:
        change_upload(error=str(error))
        return
    read(options)


def _fields(upload: Upload) -> None:
    """Show what can be set for the whole file, with the detected values."""
    options, layout, kind = upload.options, upload.layout, _kind(upload)
    used = {} if upload.error else app_state().options
    top, low = st.columns(4), st.columns(4)

    def choose(place: Any, label: str, name: str, choices: Mapping[Any, str]) -> None:
        _choose(upload, place, label, name, dict(choices), getattr(options, name), used.get(name))

    def type_in(place: Any, label: str, name: str, now: str, parse: Callable[[str], Any]) -> None:
        key = f"upload_option_{name}_{upload.file_id}_{crc32(now.encode())}"

        def change() -> None:
            change_reading({name: parse(st.session_state[key])})

        place.text_input(label, now, key=key, placeholder="detected", on_change=change)

    if kind == "text":
        choose(top[0], "Between cells", "delimiter", DELIMITERS)
        choose(top[1], "Encoding", "encoding", {name: name for name in ENCODINGS})
    elif layout is not None and len(layout.sheets) > 1:
        choose(top[0], "Sheet", "sheet", {name: name for name in layout.sheets})
    choose(top[2], "Decimal mark", "decimal", MARKS)
    if kind == "text" or layout is not None:
        begin = None if upload.error else layout
        lines = first_lines(upload) if begin is None else begin.lines[: 3 * FIRST_LINES]
        now = NO_HEADER if options.header is False else options.header_row
        found = None if begin is None else begin.header or NO_HEADER
        numbers = {n for n in (*(n for n, _, _ in lines), now, found) if isinstance(n, int)}
        choices = {NO_HEADER: "no names"} | {n: f"line {n}" for n in sorted(numbers)}
        now = found if options.header else now
        _choose(upload, top[3], "Header row", "header", choices, now, found)
        rows = ", ".join(map(str, options.skip_rows or ()))
        type_in(low[0], "Lines not read", "skip_rows", rows, numbers_of)
        last = "" if options.skip_last is None else str(options.skip_last)
        label = "Lines not read at the end"
        type_in(low[1], label, "skip_last", last, lambda text: (numbers_of(text) or (None,))[0])
    words = NO_WORD if options.missing == () else ", ".join(options.missing or ())
    type_in(low[2], "Words for “missing”", "missing", words, words_of)


def numbers_of(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a text such as "2, 5-7"; None without any."""
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[-–]\s*(\d+))?", text):
        numbers += range(int(first), min(int(last or first), int(first) + 999) + 1)
    return tuple(numbers) or None


def words_of(text: str) -> tuple[str, ...] | None:
    """Return the words of a text, commas between them; None without any."""
    if text.strip() == NO_WORD:
        return ()
    return tuple(word.strip() for word in text.split(",") if word.strip()) or None


def _choose(
    upload: Upload, place: Any, label: str, name: str, choices: dict[Any, str], now: Any, found: Any
) -> None:
    """Show a list of choices, the first of which detects the value."""
    choices = {DETECT: "detect"} | choices
    if found is not None:
        choices[DETECT] = f"{choices.get(found, found)} (detected)"
    # A browser identifies a choice by its label: if labels change, it is another field.
    key = f"upload_option_{name}_{upload.file_id}_{choices[DETECT]}"

    def take() -> None:
        value = None if st.session_state[key] == DETECT else st.session_state[key]
        if name != "header":
            change_reading({name: value})
        elif value == NO_HEADER:
            change_reading({"header": False, "header_row": None})
        else:
            change_reading({"header": None, "header_row": value})

    menu(label, choices, now, key, place=place, persist_state=None, on_change=take)
