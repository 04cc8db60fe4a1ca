"""A rule from a file: a rule written by Export or the command line becomes the current rule."""

import streamlit as st

from rulekit.data.headers import shown
from rulekit.exceptions import RuleError
from rulekit.export import from_json
from ui.shell import once
from ui.state import AppState, app_state
from ui.workspace import change, pick_rule


def rule_file() -> None:
    """Show an upload of a rule file for the current table."""
    generation = st.session_state.setdefault("upload_rule_turn", 0)
    key = f"upload_rule_{generation}"

    def take() -> None:
        file = st.session_state[key]
        if file is None:
            return
        st.session_state["upload_rule_turn"] = generation + 1  # the field is empty after this
        take_rule(file.getvalue(), file.name[:80])

    st.file_uploader(
        "Load a rule (JSON) for this table",
        type=["json"],
        key=key,
        on_change=once(take),
        help="A file from Export or the command line. It becomes the current rule.",
        disabled=not app_state().ready,
    )


def take_rule(content: bytes, name: str) -> None:
    """Select a rule from a file.

    Raises
    ------
    ExportError, RuleError, DataError
        If it is no rule, answers otherwise than the target's classes are called, or reads columns
        that the table does not have, or has as something else.
    """
    rule = from_json(content)
    _check_answers(rule.classes, app_state())
    rule.predict(app_state().training[0])  # says which column holds something else
    pick_rule(rule, source=f"the file {name}")
    change(rule_selected=True)


def _check_answers(answers: tuple[object, ...], state: AppState) -> None:
    strange = [label for label in answers if label not in state.labels]
    if strange:
        outcomes = " or ".join(shown(label) for label in state.labels)
        raise RuleError(
            f"The rule predicts {shown(strange[0])}, but the outcomes here are {outcomes}. Select "
            "the class it describes as the positive one, or rename the classes on Data."
        )
