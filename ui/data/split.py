"""The test rows: their number, classes, and which rows stay together."""

# The first figure of a session loads the drawing library, which takes longer than drawing; here
# this happens while the user looks at the table, and the curve on Models appears at once.

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from rulekit.style.palette import bars, base_layout, has_legend, outcome_looks, plain
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import plural
from ui.data.choices import this_round
from ui.data.outcomes import is_code
from ui.escape import md
from ui.shell import sentences
from ui.state import AppState, SplitSpec, app_state
from ui.theme import chart
from ui.widgets import menu
from ui.workspace import change

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
    label, key = "Rows held back for the test", f"split_share_{turn}"
    share = left.slider(label, 0, 50, share, 5, "%d %%", key, words)
    options = {"key": f"split_seed_{turn}", "help": "Of the shuffle."}
    seed = right.number_input("Seed", 0, 10_000, seed, **options)
    if columns := state.time_columns:
        words = (
            "The latest rows show how a rule learned from earlier ones holds up. Cross-validation "
            "then goes forward in time, too."
        )
        choices = {"": "drawn at random"} | {name: f"the latest by {name}" for name in columns}
        options = {"persist_state": None, "help": words}
        by = menu("Test rows are", choices, by, f"split_by_{turn}", **options)
    wanted = SplitSpec(share / 100, int(seed), state.split.keep_twins, by)
    if wanted != state.split:
        state = change(split=wanted)
    if state.ready:
        with sentences():
            _twins(state)
            _show_parts(app_state())


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
            f"{twins:,} of {n_test:,} test rows {'has' if twins == 1 else 'have'} an exact twin "
            "among the training rows, which makes the test error optimistic."
        )
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
    kept_together = f"whole groups of {md(group, 40)}" if group else "the same class shares in both"
    if (times := state.times) is not None and len(test):
        kept_together = f"test rows from {times.iloc[test].min():%Y-%m-%d}"
    counts = {
        name: {str(label): int((classes[rows] == label).sum()) for label in state.labels}
        for name, rows in (("Training", train), ("Test", test))
    }
    positive = str(state.positive)
    called = f"{state.target} = {positive}" if is_code(positive) else write_outcome(positive)
    parts = [
        f"{name}: {sum(part.values()):,} rows"
        + ("" if state.several else f", {md(called, 60)} in {part[positive]:,}")
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
