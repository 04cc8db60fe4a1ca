"""The test rows: their number, classes, and which rows stay together."""

# The first figure of a session loads the drawing library, which takes longer than drawing; here
# this happens while the user looks at the table, and the curve on Models appears at once.

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from rulekit.data import Table
from rulekit.data.headers import quote
from rulekit.exceptions import DataError
from rulekit.style.palette import bars, base_layout, has_legend, outcome_looks, plain
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import plural
from ui.data.choices import refresh_editor, this_round
from ui.data.outcomes import is_code
from ui.escape import md
from ui.rule_numbers import read_as_before
from ui.shell import once, sentences
from ui.state import AppState, app_state, from_plain, to_plain, update
from ui.widgets import chart, menu
from ui.workspace import change, change_upload, current_upload, file_of_analysis

MOST_FOLDS = 20  # values of a column of fold numbers
KINDS = {"b": "yes and no", "M": "dates", "m": "durations"} | dict.fromkeys("iuf", "numbers")
Counts = Mapping[str, Mapping[str, int]]


def split_card() -> None:
    """Show how many rows are held back for the test, and the resulting split."""
    state = app_state()
    (left, right), turn = st.columns([3, 1]), this_round()
    share, seed, by = round(state.split.test_share * 100), state.split.seed, state.split.by
    words = (
        "They take no part in learning or in choosing a rule, and are scored once at the end. "
        "Cross-validation inside the other rows draws the curve on Models."
    )
    label, key, own = "Rows held back for the test", f"split_share_{turn}", state.split.own_rows
    share = left.slider(label, 0, 50, share, 5, "%d %%", key, words, disabled=own > 0)
    options = {"key": f"split_seed_{turn}", "help": "Of the shuffle.", "disabled": own > 0}
    seed = right.number_input("Seed", 0, 10_000, seed, **options)
    if (columns := state.time_columns) and not own:
        words = (
            "The latest rows show how a rule learned from earlier ones holds up. Cross-validation "
            "then goes forward in time, too."
        )
        choices = {"": "drawn at random"} | {name: f"the latest by {name}" for name in columns}
        options = {"persist_state": None, "help": words}
        by = menu("Test rows are", choices, by, f"split_by_{turn}", **options)
    wanted = replace(state.split, test_share=share / 100, seed=int(seed), by=by)
    if wanted != state.split:
        state = change(split=wanted)
    if state.ready:
        with sentences():
            _twins(state)
            _show_parts(app_state())
            _own_fields(app_state(), turn)


def _own_fields(state: AppState, turn: str) -> None:
    """Show the fields for test rows of a second file and for folds of a column."""
    file, folds = f"test_file_{turn}", f"split_folds_{turn}"

    def take_file() -> None:
        if (given := st.session_state[file]) is not None:
            take_test_rows(given.getvalue(), given.name[:80])

    def take_folds() -> None:
        state, name = app_state(), st.session_state[folds]
        table = state.table.with_roles({name: "ignore"} if name else {})
        split = replace(state.split, folds=name)
        if name and update(state, table=table, split=split).fold_numbers is None:
            refresh_editor()  # the field shows what it was
            raise DataError(
                f"The values of {quote(name)} are no folds: outside each of them there must be "
                "rows of two outcomes. Choose another column."
            )
        change(table=table, split=split)
        refresh_editor()

    key = "own_rows"  # otherwise a sentence above the page would close it
    card = st.expander("Test rows or folds of your own", key=key, on_change="rerun")
    with card:
        if state.split.own_rows:
            st.button("Remove your test rows", "drop_test_rows", on_click=once(drop_test_rows))
        else:
            words = "Its rows are the test rows then, instead of those held back. It needs the "
            words += "columns that rules read and the outcome, and is read as the table was."
            label = "A second file, of test rows"
            st.file_uploader(label, key=file, help=words, on_change=once(take_file))
        columns = [c for c in state.table.columns if c.name in state.fold_columns]
        names = [c.name for c in columns if 2 <= c.n_distinct <= MOST_FOLDS and not c.n_missing]
        if names and card.open:  # thousands of names take the browser a second
            choices = {"": "at random"} | {name: f"by the values of {name}" for name in names}
            words = "Each value of the column is a fold: rules learned from the other rows are "
            words += "tested on its rows. No rule reads the column then."
            options = {"persist_state": None, "help": words, "on_change": once(take_folds)}
            menu("Folds of cross-validation", choices, state.split.folds, folds, **options)


def take_test_rows(content: bytes, name: str) -> None:
    """Add the rows of a file to the table as its test rows; DataError if they do not fit."""
    state = app_state()
    if (problem := state.problem()) is not None:  # of a table that is read again
        raise DataError(f"{problem} Then load {quote(name)} again.")
    table, known = state.table, state.class_counts
    given = read_as_before(content, name, table.frame.columns, state)
    for column in (c.name for c in table.columns if c.role not in ("ignore", "id")):
        if column not in given.frame.columns:
            raise DataError(
                f"{quote(name)} has no column {quote(column)}. Load a file with the columns of the "
                "table."
            )
        if given.frame[column].notna().any():
            dtypes = [frame[column].dtype for frame in (table.frame, given.frame)]
            holds = [KINDS.get(dtype.kind, "text") for dtype in dtypes]
            if holds == ["text", "numbers"]:
                given = given.as_category(column)
            elif holds[0] != holds[1]:
                raise DataError(
                    f"Column {quote(column)} holds {holds[1]} in {quote(name)}, and {holds[0]} in "
                    "the table. Load a file whose columns hold the same."
                )
    outcomes = given.frame[state.target].dropna().unique().tolist()
    if strange := [value for value in outcomes if value not in known]:
        raise DataError(f"{quote(name)} has the outcome {quote(strange[0])}; the table has not.")
    if not outcomes:
        raise DataError(f"No row of {quote(name)} has an outcome in {quote(state.target)}.")
    frame = pd.concat([table.frame, given.frame.reindex(columns=table.frame.columns)])
    _set_rows(frame, given.n_rows, name)
    if file_of_analysis() == current_upload().file_id:
        change_upload(test=(content, name))  # the table may be read again in another way


def drop_test_rows() -> None:
    """Remove the rows of a second file; test rows are held back again."""
    state = app_state()
    change_upload(test=None)
    _set_rows(state.table.frame.iloc[: state.table.n_rows - state.split.own_rows], 0, "")


def _set_rows(frame: pd.DataFrame, n_own: int, name: str) -> None:
    state = app_state()
    table, frame = state.table, frame.reset_index(drop=True)
    new = Table.from_frame(frame, name=table.name, notes=table.notes)
    split = replace(state.split, own_rows=n_own, own_name=name)
    change(table=from_plain(to_plain(state), new).table, split=split)


def _twins(state: AppState) -> None:
    """Count the test rows that occur in the training rows, too, and offer to keep them together."""
    if state.times is not None:
        return
    n_test, together = len(state.rows()[1]), state.split.keep_twins
    twins = 0 if together else state.twins
    if not twins and not together:
        return
    if twins:
        st.caption(
            f"{twins:,} of {n_test:,} test rows {'equals' if twins == 1 else 'equal'} a training "
            "row, so the test error is optimistic."
        )
    if state.split.own_rows:
        return
    key = f"split_twins_{this_round()}"
    st.toggle(
        "Keep rows of equal features together",
        together,
        key=key,
        on_change=lambda: change(split=replace(state.split, keep_twins=st.session_state[key])),
        help="On one side of the test split, and of every fold.",
    )


def _show_parts(state: AppState) -> None:
    """Show the rows of each class in both parts."""
    _, y = state.data
    train, test = state.rows()
    classes = y.to_numpy()
    group = state.column_with_role("group")
    kept_together = f"whole groups of {md(group, 40)}" if group else "same class shares"
    if state.split.own_rows:
        kept_together = f"test rows of {md(state.split.own_name, 60)}"
    elif (times := state.times) is not None and len(test):
        kept_together = f"test rows from {times.iloc[test].min():%Y-%m-%d}"
    counts = {
        name: {str(label): int((classes[rows] == label).sum()) for label in state.labels}
        for name, rows in (("Training", train), ("Test", test))
    }
    positive = str(state.positive)
    called = f"{state.target} = {positive}" if is_code(positive) else write_outcome(positive)
    parts = [
        f"{name}: {sum(part.values()):,} rows"
        + ("" if state.several else f", {md(called, 40)} in {part[positive]:,}")
        for name, part in counts.items()
    ]
    st.caption(f"{'. '.join(parts)} ({kept_together}).")
    counts = {name: part for name, part in counts.items() if sum(part.values())}
    chart(split_figure(counts, state.classes), "split", split_sentence(counts))


def split_figure(counts: Counts, classes: Sequence[Any] | None = None) -> go.Figure:
    """Draw a bar for each part of the table, divided by outcome."""
    figure = go.Figure(layout=base_layout(60 + 42 * len(counts)))
    labels = list(next(iter(counts.values())))
    for label, look in zip(labels, outcome_looks(labels, classes), strict=True):
        figure.add_trace(
            go.Bar(
                y=list(counts),
                x=[part[label] for part in counts.values()],
                name=plain(label, 60),
                orientation="h",
                marker=bars(look),
                hovertemplate="%{x} rows<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(barmode="stack", margin={"l": 72, "t": 28, "b": 24})
    figure.update_layout(showlegend=has_legend(labels))
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    return figure


def split_sentence(counts: Counts) -> str:
    """Return the content of the figure as one sentence."""
    parts = [
        f"{name}: " + ", ".join(f"{plural(n, 'row')} {label}" for label, n in part.items())
        for name, part in counts.items()
    ]
    return "; ".join(parts) + "."
