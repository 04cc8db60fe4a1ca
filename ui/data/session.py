"""The current analysis (notes, storage, download, a rule from a file), and the saved ones."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from rulekit.data.headers import shown
from rulekit.exceptions import RuleError
from rulekit.export import from_json
from ui import analyses, login, workspace
from ui.escape import md
from ui.shell import once
from ui.state import AppState, app_state, to_plain
from ui.workspace import change, pick_rule

SHOWN = 6  # number of saved analyses shown; earlier ones are a click away


def _json_file(name: str, take: Callable[[bytes, str], None], words: str, **options: Any) -> None:
    """Show an upload of a JSON file, which is empty again after `take` got content and name."""
    generation = st.session_state.setdefault(f"upload_{name}_turn", 0)
    key = f"upload_{name}_{generation}"

    def uploaded() -> None:
        if (file := st.session_state[key]) is not None:
            st.session_state[f"upload_{name}_turn"] = generation + 1
            take(file.getvalue(), file.name[:80])

    label = f"Load {name if name == 'settings' else f'a {name}'} (JSON) for this table"
    options |= {"type": ["json"], "help": words, "on_change": once(uploaded)}
    st.file_uploader(label, key=key, **options)


def take_rule(content: bytes, name: str) -> None:
    """Select a rule from a file; raise an error if it does not fit the table."""
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


def _load_settings() -> None:
    """Show an upload of saved settings for the current table."""

    def take(content: bytes, name: str) -> None:
        if message := workspace.load_settings(content):
            st.session_state["_message"] = message

    words = (
        "The file that “Save settings” gave. It begins a new analysis of the current table; this "
        "one stays under its own address."
    )
    _json_file("settings", take, words)


def session_card() -> None:
    """Show the notes, the effect of a reload, and buttons to save settings and to delete all."""
    state = app_state()
    notes = st.text_area(
        "Notes",
        state.notes,
        key=f"notes_{workspace.analysis_id()}",
        placeholder="The question, who needs the answer, what was decided and why. Kept here.",
        max_chars=20_000,
    )
    if notes != state.notes:
        change(notes=notes)
    if workspace.folder() is None:
        st.caption(
            "Nothing is written to disk (`RULEKIT_WORKSPACE=off`): a reload starts a new analysis."
        )
    else:
        st.caption(
            "Kept in a folder on this machine that only its owner can read. The page's address "
            "brings it back after a reload or a restart"
            + (", for you alone." if login.is_on() else ": keep it like a password.")
        )
        if analyses.OWNER in st.session_state and not analyses.is_listed():
            st.button("Add it to your saved analyses", key="add_saved", on_click=analyses.add)
    left, right = st.columns([1, 1])
    left.download_button(
        "Save settings (JSON)",
        data=lambda: json.dumps(to_plain(app_state()), indent=1),
        file_name="analysis.json",
        mime="application/json",
        on_click="ignore",
        help="Roles, target, split, cut points, chosen rule and notes, with the fingerprint of "
        "the data; not the data.",
    )
    _load_settings()
    words = "A file from Export or the command line. It becomes the current rule."
    _json_file("rule", take_rule, words, disabled=not app_state().ready)
    with right.popover("Forget this analysis"):
        st.write("Deletes the table, the settings, the results and the notes from this machine.")
        st.button("Yes, delete it all", key="forget", on_click=workspace.forget)


def saved_card() -> None:
    """List this browser's analyses, the latest first; nothing without any."""
    saved_analyses = analyses.listed()
    if not saved_analyses:
        return
    st.markdown("**Your saved analyses**")
    for saved in saved_analyses[:SHOWN]:
        _line(saved)
    if len(saved_analyses) > SHOWN:
        with st.expander(f"{len(saved_analyses) - SHOWN} earlier ones"):
            for saved in saved_analyses[SHOWN:]:
                _line(saved)


def _line(saved: analyses.Saved) -> None:
    here = saved.id == workspace.analysis_id()
    words = [saved.table] if saved.name != saved.table else []
    words += [f"{saved.rows:,} rows", saved.rule or "no rule yet", f"{saved.when:%d %b %Y, %H:%M}"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            md(saved.name, 50),
            key=f"open_{saved.id}",
            type="tertiary",
            icon=":material/folder_open:",
            disabled=here,
            help="This one is open." if here else "Open it.",
            on_click=once(lambda: workspace.reopen(saved.id)),
        )
        st.caption(md(" · ".join(words), 160))
        with st.popover("", icon=":material/more_horiz:", help="Rename, duplicate, forget"):
            key = f"rename_{saved.id}"
            st.text_input(
                "Name",
                saved.name,
                max_chars=80,
                key=key,
                on_change=lambda: analyses.rename(saved, st.session_state[key]),
            )
            st.button(
                "Duplicate", key=f"copy_{saved.id}", on_click=analyses.duplicate, args=(saved,)
            )
            if st.toggle("Forget: delete it from this machine", key=f"ask_forget_{saved.id}"):
                st.button(
                    "Yes, delete table, settings and results",
                    key=f"forget_{saved.id}",
                    on_click=analyses.forget,
                    args=(saved,),
                )
