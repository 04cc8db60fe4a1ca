"""The Data page's findings: possible problems, and columns with a better use, each with a fix."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from rulekit.binning.words import holds_words
from rulekit.data import QualityNote, Table, quality_notes
from rulekit.data.cells import numbers_in
from rulekit.data.column import Column
from ui.cache import kept
from ui.data.choices import refresh_editor, set_role
from ui.escape import md
from ui.shell import once
from ui.state import CATEGORIES, IGNORED, NUMERIC, app_state
from ui.workspace import change

SHOWN = 5
NUMBERS_SHARE = 0.9  # of the cells of a column that may be read as numbers
FIXES = {
    "ignore": "Ignore it",
    "group": "Keep its rows together",
    "as_numeric": "Make numbers",
    "as_category": "They are codes",
}


def quality_card() -> None:
    """List the findings, warnings first, each with its fix."""
    state = app_state()
    table = state.table
    key = repr((table.digest, [(c.name, c.role) for c in table.columns]))
    notes = kept("quality", key, lambda: quality_notes(table))
    st.markdown("**What to know about this table**")
    if not notes:
        st.caption("No problem found: no constant, empty, repeated or give-away column.")
    for index, note in enumerate(notes[:SHOWN]):
        _finding(note, index)
    if len(notes) > SHOWN:
        with st.expander(f"{len(notes) - SHOWN} more findings"):
            for index, note in enumerate(notes[SHOWN:], SHOWN):
                _finding(note, index)


def apply_fix(note: QualityNote) -> None:
    """Apply the fix of a finding."""
    state = app_state()
    if note.suggestion in ("as_numeric", "as_category"):
        kind = NUMERIC if note.suggestion == "as_numeric" else CATEGORIES
        columns = [*state.options.get(kind, ()), note.column]
        table = getattr(state.table, note.suggestion)(note.column)
        change(table=table, options=state.options | {kind: columns})
    elif note.suggestion is not None:
        set_role(note.column, note.suggestion)


def _finding(note: QualityNote, index: int) -> None:
    text, button = st.columns([7, 3], vertical_alignment="center")
    sign = ":material/warning: " if note.severity == "warning" else ""
    text.markdown(f"{sign}{md(note.sentence, 500)}")
    if note.suggestion is None or _is_done(note):
        return
    button.button(
        FIXES[note.suggestion],
        key=f"fix_{index}_{note.kind.replace(' ', '_')}",
        on_click=apply_fix,
        args=(note,),
        width="stretch",
    )


def _is_done(note: QualityNote) -> bool:
    """Whether the column is ignored already, so that nothing is proposed for it.

    A column of numbers with a few texts is the exception: it was set aside only for its texts.
    """
    state = app_state()
    role = state.table.column(note.column).role
    if note.suggestion == "as_numeric":
        return note.column in state.options.get(IGNORED, ()) or _mostly_text(note.column)
    return role in ("ignore", "id")


def _mostly_text(name: str) -> bool:
    """Whether too many cells of a column hold text for a column of numbers."""
    present = app_state().table.frame[name].dropna()
    return float(np.isfinite(numbers_in(present)).mean()) < NUMBERS_SHARE


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


def left_out(table: Table, ignored: Collection[str] = ()) -> dict[str, str]:
    """Return the columns set aside that conditions could use, with their content.

    `ignored` are the columns that a person has set to ignore; they are not proposed.
    """
    reasons = {}
    for column in table.columns:
        if column.role != "ignore" or column.n_distinct < 2 or column.name in ignored:
            continue
        if column.kind == "date":
            reasons[column.name] = "dates"
        elif column.kind == "text" and holds_words(table.frame[column.name].dropna().tolist()):
            reasons[column.name] = "words"
    return reasons


def grades_of(column: Column) -> tuple[str, ...]:
    """Return a column's levels in the order of grades; empty if they are none or have an order."""
    if column.kind != "category" or column.role != "feature" or column.order:
        return ()
    levels = {str(level).strip().lower(): str(level) for level in column.levels}
    for line in GRADES:
        if len(levels) > 2 and len(levels) == column.n_distinct and levels.keys() <= set(line):
            return tuple(levels[word] for word in line if word in levels)
    return ()


def proposals(table: Table, ignored: Collection[str] = ()) -> list[Proposal]:
    """List the columns with a better use, in the table's order."""
    reads = {"dates": "date, year, month, weekday and hour", "words": "single words"}
    reasons, found = left_out(table, ignored), []
    for column in table.columns:
        if column.name in reasons:
            holds = reasons[column.name]
            found.append(Proposal(column.name, holds, reads[holds]))
        elif order := grades_of(column):
            read = f"the order {' < '.join(order)}"
            found.append(Proposal(column.name, "grades", read, order))
    return found


def proposal_lines() -> None:
    """Show each proposal with its button; nothing without any."""
    found = _kept("proposals", proposals)
    for number, one in enumerate(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            text = f"**{md(one.name, 60)}** holds {one.holds}. Rules would read {md(one.reads)}."
            st.caption(text, width="content")
            st.button(
                "Use as feature",
                key=f"use_column_{number}",
                type="tertiary",
                on_click=once(lambda one=one: use_proposal(one)),
            )


def use_proposal(proposal: Proposal) -> None:
    """Make the column a feature, with its order of levels if it has one."""
    if not proposal.order:
        use_as_features([proposal.name])
        return
    change(table=app_state().table.with_order(proposal.name, list(proposal.order)))
    refresh_editor()


def left_out_line() -> None:
    """Show buttons that use columns set aside; nothing without any."""
    reasons = _kept("left out", left_out)
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
            help="Rules then read the date, year, month, weekday and hour of dates, and the words "
            "of texts. The curve is searched again.",
        )


def use_as_features(names: Sequence[str]) -> None:
    """Set the role of columns that were set aside to feature."""
    change(table=app_state().table.with_roles(dict.fromkeys(names, "feature")))
    refresh_editor()


def _kept(name: str, found: Callable[..., Any]) -> Any:
    """Compute something about the table once for its roles and orders."""
    state = app_state()
    table, ignored = state.table, state.options.get(IGNORED, ())
    roles = [(c.name, c.role, c.order) for c in table.columns]
    return kept(name, repr((table.digest, roles, ignored)), lambda: found(table, ignored))
