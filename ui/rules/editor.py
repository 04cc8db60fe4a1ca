"""A rule changed by hand: condition by condition, or with clauses left out."""

import streamlit as st

from rulekit.export import rows_to_rule, rule_to_rows
from rulekit.plots.wording import percent, plural
from rulekit.rules import OPERATORS, RuleSet
from ui.escape import md
from ui.picked import repick, setting_words
from ui.rule_numbers import Rows, error
from ui.state import AppState, app_state
from ui.words import without_clauses
from ui.workspace import pick_rule


def without(rule: RuleSet, off: frozenset[int], train: Rows, test: Rows | None) -> None:
    """Say what changes when clauses are left out, and offer to keep the shorter rule."""
    if not off:
        return
    shorter = without_clauses(rule, off)
    names = ", ".join(str(k + 1) for k in sorted(off))
    lines = [f"**Without clause {names}:** {plural(shorter.n_conditions, 'condition')}."]
    for rows in (train, test):
        if rows is not None:
            moved = int((rule.predict(rows.columns) != shorter.predict(rows.columns)).sum())
            lines.append(
                f"{moved} of {len(rows.y)} {rows.name} rows change their answer; wrong: "
                f"{percent(error(rule, rows))} → {percent(error(shorter, rows))}."
            )
    st.info("  \n".join([lines[0], *map(md, lines[1:])]))
    st.button(
        "Keep the shorter rule", key="keep_shorter", on_click=_keep, args=(shorter, _source())
    )


def editor(rule: RuleSet, train: Rows, state: AppState) -> None:
    """Let the reader change the rule by hand and score it."""
    if len(set(rule.labels)) > 1:
        st.caption("Only a rule whose clauses give one class can be edited here.")
        return
    if any(len(c.literals) < len(c.conditions) for c in rule.clauses):
        st.caption("A rule that computes with several columns at once cannot be edited here.")
        return
    st.caption(
        "A row is a condition; rows of one clause number belong together. Values of a set are "
        "separated by semicolons. Nothing changes before “Score this rule”."
    )
    rows = st.data_editor(
        rule_to_rows(rule),
        num_rows="dynamic",
        key=f"editor_{state.rule_json}",
        hide_index=True,
        column_config={
            "clause": st.column_config.NumberColumn(min_value=1, max_value=99, default=1, step=1),
            "column": st.column_config.SelectboxColumn(options=list(train.columns), required=True),
            "test": st.column_config.SelectboxColumn(options=list(OPERATORS), default=">"),
            "value": st.column_config.TextColumn(),
            "holds if missing": st.column_config.CheckboxColumn(default=False),
        },
        alt="The conditions of the rule, editable",
    )
    left, right = st.columns(2)
    if left.button("Score this rule", key="score_edit", type="primary"):
        edited = rows_to_rule(rows, rule, train.columns)
        _keep(edited, _source())
        st.rerun()
    if "edited" in (state.setting or {}) and st.session_state.get("_learned"):
        right.button("Back to the learned rule", key="undo_edit", on_click=_back)


def _keep(rule: RuleSet, source: str) -> None:
    state = app_state()
    if "edited" not in (state.setting or {}):
        st.session_state["_learned"] = dict(state.setting or {})
    pick_rule(rule, source=source)


def _source() -> str:
    setting = app_state().setting or {}
    return setting["edited"] if "edited" in setting else setting_words(setting)


def _back() -> None:
    repick(st.session_state.pop("_learned"))
