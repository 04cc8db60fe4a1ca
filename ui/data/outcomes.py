"""The names of the target's classes, such as "died" for "0"; set once, used everywhere."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from rulekit.exceptions import DataError
from rulekit.export import from_json, to_json
from rulekit.rules import RuleSet
from ui.escape import md
from ui.shell import once
from ui.state import CUT, AppState, app_state
from ui.workspace import change

IN_A_ROW = 4
# with numbers and single letters: they have no meaning for a reader
CODES = {"true", "false", "yes", "no"}


def outcome_fields(key: str) -> None:
    """Show a field for the name of each class; two classes cannot have the same name."""
    state = app_state()
    classes = list(state.class_counts)
    target, is_cut = md(state.target, 40), state.target in state.options.get(CUT, {})
    if not state.outcomes and all(map(is_code, classes)):
        values = " and ".join(md(c, 20) for c in classes) if len(classes) == 2 else "its values"
        st.markdown(f"**What do {values} mean?** Sentences, figures and exports will say it.")
    cells = st.columns(min(len(classes), IN_A_ROW)) if len(classes) <= IN_A_ROW else None
    container = st.container() if cells else st.expander(f"Names of the {len(classes)} classes")
    for number, label in enumerate(classes):
        with cells[number] if cells else container:
            st.text_input(
                f"Name for “{md(label, 40)}”" if is_cut else f"{target} = {md(label, 30)} means",
                state.outcomes.get(str(label), ""),
                max_chars=40,
                placeholder=str(label)[:40],
                key=f"{key}_name_{number}",
                on_change=once(lambda: _read_fields(classes, key)),
                help="Such as “died”. Rules, sentences, figures and every export then give this "
                "name instead of the value; empty: the value itself.",
            )
    if state.model is not None and "edited" not in (state.setting or {}):
        st.caption("With a new name the current rule is learned again, with the same settings.")


def is_code(label: Any) -> bool:
    """Whether the value of a class has no meaning for a reader: a number, a boolean, a letter."""
    text = str(label).strip().lower()
    return len(text) < 2 or text in CODES or text.lstrip("+-").replace(".", "", 1).isdigit()


def name_outcomes(names: Mapping[Any, str]) -> None:
    """Set the names of the target's classes; edited rules keep their clauses."""
    state = app_state()
    given = {str(label): " ".join(name.split()) for label, name in names.items()}
    given = {label: name for label, name in given.items() if name not in ("", label)}
    fresh = replace(state, outcomes=given)
    called = fresh.classes
    if twice := next((name for name in called if called.count(name) > 1), None):
        raise DataError(f"Two classes cannot both be called {twice!r}. Use different names.")
    if given == state.outcomes:
        return
    rule = None
    if state.rule_json is not None and "edited" in (state.setting or {}):  # avoids learning again
        rule = to_json(relabelled(from_json(state.rule_json), state, fresh))
    notes = _answers_renamed(state, fresh)
    change(outcomes=given, case_notes=notes, model=None, rule_json=rule)  # the rule stays in use


def relabelled(rule: RuleSet, before: AppState, after: AppState) -> RuleSet:
    """Return a rule with the labels of the same classes under other names."""
    new = _translation(before, after)
    labels = tuple(new.get(label, label) for label in rule.labels)
    return replace(rule, labels=labels, default=new.get(rule.default, rule.default))


def _translation(before: AppState, after: AppState) -> dict[Any, Any]:
    """Map each label of a rule to its current name."""
    new = {before.called(c): after.called(c) for c in before.class_counts}
    return {before.other_label: after.other_label} | new


def _answers_renamed(before: AppState, after: AppState) -> dict[str, Any]:
    """Return the case notes with the new names of the reviewed predictions."""
    new = {str(old): str(name) for old, name in _translation(before, after).items()}
    return {
        row: note | {"answer": new.get(note["answer"], note["answer"])}
        if "answer" in note
        else note
        for row, note in before.case_notes.items()
    }


def _read_fields(classes: list[Any], key: str) -> None:
    name_outcomes({c: st.session_state[f"{key}_name_{i}"] for i, c in enumerate(classes)})
