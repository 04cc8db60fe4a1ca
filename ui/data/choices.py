"""The Data page's decisions: what is predicted, and what columns are for."""

from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.data import Table, suggest_positive, suggest_target, target_notes
from rulekit.data.column import looks_like_id, two_classes
from rulekit.data.target import check_target
from rulekit.exceptions import DataError
from ui.data.outcomes import outcome_fields
from ui.data.overview import column_figures, looks_protected, protected_features, sampled
from ui.escape import md
from ui.shell import once
from ui.state import CUTS, AppState, Wording, app_state
from ui.workspace import change

MAX_CLASSES = 20  # as in `check_target`
CUT_PLACES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
TYPED = "another number"
EDITABLE_ROLES = ["feature", "ignore", "id", "weight", "group", "target"]


def positive_for(table: Table, target: str) -> Any:
    """Return the class suggested for description; None unless there are 2 to 20 classes."""
    fits = 2 <= table.column(target).n_distinct <= MAX_CLASSES
    return suggest_positive(table, target) if fits else None


def choose_target(name: str | None) -> None:
    """Set the target column, with all its classes described; None removes it."""
    table = app_state().table
    if name is None:
        table = table.with_roles({table.target: "feature"}) if table.target else table
        change(table=table, every_class=True)
    else:
        with_target = table.with_roles({name: "target"})
        label = positive_for(with_target, name)
        change(table=with_target.with_roles({}, positive_label=label), every_class=True)
    refresh_editor()


def choose_positive(label: Any) -> None:
    """Set the class that the rule describes."""
    change(table=app_state().table.with_roles({}, positive_label=label))


def set_role(name: str, role: str) -> None:
    """Set a column's role, from outside the editor."""
    change(table=app_state().table.with_roles({name: role}))
    refresh_editor()


def target_card() -> None:
    """Show the fields of target, described class and class names, and what is wrong with them."""
    state = app_state()
    names = [c.name for c in state.table.columns]
    key = f"target_{this_round()}"
    st.selectbox(
        "Target column",
        names,
        index=names.index(state.target) if state.target else None,
        placeholder="Choose the column the rule should predict",
        key=key,
        on_change=lambda: choose_target(st.session_state[key]),
        persist_state="session",
    )
    if state.target is None:
        _suggestion(state.table)
        return
    numbers = _numbers_to_cut(state)
    for sentence in check_target(state.table, state.target):
        (st.error if numbers is None else st.caption)(md(sentence, 400))
    if numbers is not None:
        _cut_fields(numbers, key)
    counts = state.class_counts
    if not 2 <= len(counts) <= MAX_CLASSES:
        return
    if len(counts) > 2:
        _one_class(len(counts), key)
    if not state.several:
        _described(state, counts, key)
    outcome_fields(key)
    for sentence in target_notes(state.table, state.target):
        st.caption(md(sentence, 400))
    if left_out := set_aside(state.table):
        st.caption(md(left_out, 400))


def _numbers_to_cut(state: AppState) -> NDArray[np.float64] | None:
    """Return the known numbers of a target that can be cut in two classes; None for others."""
    name, table = state.target, state.table
    column = table.column(f"{name} as numbers" if name in state.options.get(CUTS, {}) else name)
    series = table.frame[column.name]
    few = not column.is_number or column.n_distinct < 3
    if few or looks_like_id(series, name, column.n_distinct):
        return None
    return series.dropna().to_numpy(dtype=float)


def _cut_fields(values: NDArray[np.float64], key: str) -> None:
    """Show where a target of numbers is cut in two classes."""
    state = app_state()
    name = state.target
    now = state.options.get(CUTS, {}).get(name)
    words = "Two classes by a cut" if now is None else f"Cut at {now:.12g}"
    with st.expander(words, expanded=now is None and len(np.unique(values)) > MAX_CLASSES):
        places = {place: float(np.quantile(values, q)) for place, q in CUT_PLACES.items()}
        place = st.segmented_control(
            f"Cut {md(name, 40)} at",
            [*places, TYPED],
            default="median" if now is None else TYPED,
            required=True,
            key=f"{key}_cut",
        )
        above = places.get(place)
        if above is None:
            first = places["median"] if now is None else now
            above = st.number_input("Number", value=float(first), format="%.12g", key=f"{key}_at")
        n_above = int((values > above).sum())
        higher, lower = two_classes(name, above)
        st.caption(
            f"{md(higher, 80)}: {n_above:,} of {len(values):,} rows ({n_above / len(values):.0%}). "
            f"{md(lower, 80)}: {len(values) - n_above:,}."
        )
        st.button(
            "Use these two outcomes",
            key="use_cut",
            type="primary" if now is None else "secondary",
            disabled=n_above in (0, len(values)) or above == now,
            on_click=once(lambda: cut_target(above)),
        )


def cut_target(above: float) -> None:
    """Make two classes of a target of numbers; the rule describes the rows above the cut."""
    state = app_state()
    name = state.target
    table = state.table.as_two_classes(name, above)
    table = table.with_roles({}, positive_label=two_classes(name, above)[0])
    cuts = {**state.options.get(CUTS, {}), name: above}
    change(table=table, outcomes={}, options=state.options | {CUTS: cuts})
    refresh_editor()


def _described(state: AppState, counts: dict[Any, int], key: str) -> None:
    """Show the choice of the class that the rule describes."""
    classes, positive = list(counts), state.table.positive_label
    total = sum(counts.values())
    radio = f"{key}_class_{crc32(repr(state.outcomes).encode())}"  # its options hold the names
    st.radio(
        "The rule describes the class",
        classes,
        index=classes.index(positive) if positive in classes else None,
        format_func=lambda c: f"{_named(c, state)} ({counts[c]:,} rows, {counts[c] / total:.0%})",
        horizontal=len(classes) <= 4,
        key=radio,
        on_change=lambda: choose_positive(st.session_state[radio]),
        help="The rule describes this class; all other rows get the other label. "
        "Suggested: the class named yes, fraud or the like; else the rarest of 30 rows or more.",
    )


def _named(label: Any, state: AppState) -> str:
    """Return a class as its value and its name."""
    called = state.called(label)
    return md(label, 40) if str(called) == str(label) else f"{md(called, 40)} ({md(label, 20)})"


def set_aside(table: Table) -> str:
    """Return a sentence on the columns that no rule may use, and why; empty without any."""
    reasons = {"id": "names a row or a case", "date": "dates", "text": "free text"}
    columns = []
    for column in table.columns:
        if column.role in ("id", "ignore"):
            usual = "audit only" if looks_protected(column.name) else "set aside"
            reason = reasons.get("id" if column.role == "id" else column.kind, usual)
            columns.append(f"{column.name} ({reason})")
    if not columns:
        return ""
    more = f" and {len(columns) - 6} more" if len(columns) > 6 else ""
    return f"Not used: {', '.join(columns[:6])}{more}. Their roles are under Columns."


def _one_class(n_classes: int, key: str) -> None:
    """Show a toggle for one class against the rest instead of all classes."""
    key = f"{key}_one"
    st.toggle(
        "One class against the rest",
        not app_state().every_class,
        key=key,
        on_change=lambda: change(every_class=not st.session_state[key], setting=None),
        help=f"If off, an ordered list describes all {n_classes} classes: if … then this one, "
        "else if … then that one, otherwise another. If on, the rule describes one class.",
    )


def _suggestion(table: Table) -> None:
    """Suggest a target column with few classes; the user has to confirm it."""
    name = suggest_target(table)
    if name is None:
        st.caption(
            "No column of few classes was found. A column of numbers can be cut in two classes."
        )
        return
    n_classes, label = table.column(name).n_distinct, suggest_positive(table, name)
    what = f"all {n_classes} classes" if n_classes > 2 else md(label, 30)
    st.button(
        f"Predict {md(name, 40)}, describe {what}",
        on_click=choose_target,
        args=(name,),
        key="use_suggestion",
        type="primary",
    )


def columns_card() -> None:
    """Show every column with its role, a name for people and a unit, all editable."""
    state = app_state()
    st.caption(
        "Roles: a *feature* may appear in rules; *id* and *ignore* never do; *weight* counts a "
        "row more than once; rows of one *group* stay on one side of every split. The name for "
        "people and the unit are used in sentences and figures. Association with the outcome: 0 "
        "for none beyond chance, 1 where the column determines it (Cramér's V of at most six "
        f"groups).{sampled(state.table)}"
    )
    _audit_line(state.table)
    key = f"columns_{this_round()}"
    if st.session_state.get("columns_base_key") != key:
        st.session_state["columns_base"] = editor_frame(state.table, state.wording)
        st.session_state["columns_base_key"] = key
    st.data_editor(
        st.session_state["columns_base"],
        key=key,
        hide_index=True,
        height=min(460, 38 + 35 * state.table.n_columns),  # a row cut in half says: scroll
        disabled=["column", "spread", "association", "holds", "distinct", "missing"],
        column_config={
            "column": st.column_config.TextColumn("Column", pinned=True, width="medium"),
            "role": st.column_config.SelectboxColumn("Role", options=EDITABLE_ROLES, required=True),
            "spread": st.column_config.BarChartColumn("Values", width="small", y_min=0),
            "association": st.column_config.ProgressColumn(
                "Association", format="%.2f", min_value=0, max_value=1, width="small"
            ),
            "holds": "Holds",
            "distinct": st.column_config.NumberColumn("Distinct", format="localized"),
            "missing": st.column_config.NumberColumn("Missing", format="percent"),
            "label": st.column_config.TextColumn("Name for people", max_chars=60),
            "unit": st.column_config.TextColumn("Unit", max_chars=20),
        },
        on_change=_edited,
        args=(key,),
        alt="Columns of the table with their roles, names for people and units.",
    )


def editor_frame(table: Table, wording: dict[str, Wording]) -> pd.DataFrame:
    """Return what the column editor starts from: a row a column, in the table's order."""
    rows = [
        {
            "column": c.name,
            "role": c.role,
            "holds": f"{c.kind}, ordered" if c.order else c.kind,
            "distinct": c.n_distinct,
            "missing": c.n_missing / max(1, table.n_rows),
            "label": wording.get(c.name, Wording()).label,
            "unit": wording.get(c.name, Wording()).unit,
        }
        for c in table.columns
    ]
    frame = pd.DataFrame(rows)
    figures = column_figures(table)
    if figures is not None:
        frame.insert(2, "spread", figures["spread"])
        frame.insert(3, "association", figures["association"])
    return frame


def _audit_line(table: Table) -> None:
    """Offer to keep protected attributes out of rules with one button; nothing without any."""
    names = protected_features(table)
    if not names:
        return
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(md(f"Protected attributes among the features: {shown}.", 400), width="content")
        st.button(
            "Use for audit only",
            key="audit_only",
            type="tertiary",
            on_click=_audit_only,
            args=(names,),
            help="No rule reads these columns then. Groups, on Rules, still shows the errors in "
            "each of their groups.",
        )


def _audit_only(names: list[str]) -> None:
    """Set the role of columns to ignore: groups are measured by any column."""
    change(table=app_state().table.with_roles(dict.fromkeys(names, "ignore")))
    refresh_editor()


def apply_edits(edits: dict[int, dict[str, Any]]) -> None:
    """Apply the editor's edited cells (row number to new values) to the analysis.

    Raises
    ------
    DataError
        If a role is not possible; nothing is changed then.
    """
    state = app_state()
    names = [c.name for c in state.table.columns]
    roles = {names[row]: cells["role"] for row, cells in edits.items() if "role" in cells}
    now = {c.name: c.role for c in state.table.columns}
    roles = {name: role for name, role in roles.items() if now[name] != role}
    wording = dict(state.wording)
    for row, cells in edits.items():
        old = wording.get(names[row], Wording())
        label = str(cells.get("label", old.label) or "").strip()
        unit = str(cells.get("unit", old.unit) or "").strip()
        wording[names[row]] = Wording(label, unit)
    table = state.table.with_roles(roles) if roles else state.table
    if table.target is not None and table.positive_label is None:
        table = table.with_roles({}, positive_label=positive_for(table, table.target))
    change(table=table, wording=wording)
    if {"target", "weight", "group"} & set(roles.values()) or state.target != table.target:
        refresh_editor()  # another column has lost its role


def _edited(key: str) -> None:
    edits = {int(row): cells for row, cells in st.session_state[key]["edited_rows"].items()}
    try:
        apply_edits(edits)
    except DataError as error:
        st.session_state["_message"] = str(error)
        refresh_editor()


def this_round() -> str:
    """Return a key of this table and state of the editor; widgets of another one start afresh."""
    return f"{app_state().table.digest[:12]}_{st.session_state.get('columns_round', 0)}"


def refresh_editor() -> None:
    """Reset the column editor to the current table."""
    st.session_state["columns_round"] = st.session_state.get("columns_round", 0) + 1
