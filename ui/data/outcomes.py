"""Choose names of the outcome's classes, and leave out or join classes of few rows."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from rulekit.exceptions import DataError
from rulekit.export import from_json, to_json
from rulekit.style.phrases import cap_list
from ui.escape import md
from ui.learners.offered import curve_key, rename_costs
from ui.shell import once
from ui.state import CUT, AppState, app_state
from ui.words import relabel
from ui.workspace import change

FEWEST_ROWS = 5  # a class of fewer rows may be left out, or joined with others as
OTHER = "other"
IN_A_ROW = 4
# with numbers and single letters: they have no meaning for a reader
CODES = {"true", "false", "yes", "no"}


def outcome_fields(key: str) -> None:
    """Show a field for the name of each class; two classes cannot have the same name."""
    state = app_state()
    classes = [label for label in state.class_counts if state.get_display_name(label) is not None]
    target, is_cut = md(state.target, 40), state.target in state.options.get(CUT, {})
    if (are_codes := all(map(is_code, classes))) and not state.outcomes:
        values = " and ".join(md(c, 20) for c in classes) if len(classes) == 2 else "its values"
        st.markdown(f"**What do {values} mean?**")
    in_a_row = are_codes and len(classes) <= IN_A_ROW
    places = st.columns(len(classes)) if in_a_row else [st.expander("Names of the classes")]

    def take_names() -> None:
        names = {str(c): st.session_state[f"{key}_name_{k}"] for k, c in enumerate(classes)}
        name_outcomes(app_state().outcomes | names)

    for number, label in enumerate(classes):
        with places[number % len(places)]:
            st.text_input(
                f"Name for “{md(label, 40)}”" if is_cut else f"{target} = {md(label, 30)} means",
                state.outcomes.get(str(label), ""),
                max_chars=40,
                placeholder=str(label)[:40],
                key=f"{key}_name_{number}",
                on_change=once(take_names),
                help="Such as “died”. Rules, sentences, figures and every export then give this "
                "name instead of the value; empty: the value itself.",
            )


def rare_classes_line() -> None:
    """Offer to leave out or join the classes of few rows, or to bring them back."""
    state = app_state()
    counts, n_classes = state.class_counts, len(state.classes)
    aside = [label for label in counts if state.get_display_name(label) in (None, OTHER)]
    rare = {label: n for label, n in counts.items() if n < FEWEST_ROWS and label not in aside}
    names = [f"{describe_class(label, state)} ({n})" for label, n in rare.items()]
    back = [label for label in aside if label != OTHER]
    sentences = [f"Fewer than {FEWEST_ROWS} rows: {cap_list(names, 5)}."] * bool(rare)
    sentences += ["A class of one row cannot be learned."] * (1 in rare.values())
    sentences += [f"Left out or joined: {cap_list([md(c, 40) for c in back], 5)}."] * bool(back)
    if not sentences:
        return
    them = "it" if len(rare or back) == 1 else "them"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" ".join(sentences), width="content")
        for name, label, fits in (
            (None, f"Leave {them} out", n_classes - len(rare) >= 2),
            (OTHER, f"Join them as “{OTHER}”", sum(rare.values()) >= 2 and n_classes > 2),
        ):
            if rare and fits:
                look = "secondary" if state.ready or name else "primary"
                leave = once(partial(rename, rare, name))
                st.button(label, f"rare_{name}", on_click=leave, type=look)
        if back:
            bring_back = once(partial(rename, back, ""))
            st.button(f"Bring {them} back", "rare_back", type="tertiary", on_click=bring_back)


def rename(labels: Iterable[Any], name: str | None) -> None:
    """Set the name of some classes, "" for their own, None to leave them out."""
    state = app_state()
    name_outcomes(state.outcomes | dict.fromkeys(map(str, labels), name))
    state = app_state()
    if state.positive is None:
        classes = [c for c in state.class_counts if state.get_display_name(c) is not None]
        largest = max(classes, key=state.class_counts.__getitem__)
        change(table=state.table.with_roles({}, positive_label=largest))


def describe_class(label: Any, state: AppState) -> str:
    """Return a class as its value and its name."""
    called = state.get_display_name(label)
    return md(label, 40) if str(called) == str(label) else f"{md(called, 40)} ({md(label, 20)})"


def is_code(label: Any) -> bool:
    """Whether the value of a class has no meaning for a reader: a number, a boolean, a letter."""
    text = str(label).strip().lower()
    return len(text) < 2 or text in CODES or text.lstrip("+-").replace(".", "", 1).isdigit()


def name_outcomes(names: Mapping[Any, str | None]) -> None:
    """Set the names of the target's classes, None to leave out; edited rules keep their clauses."""
    state = app_state()
    given = {str(c): name and " ".join(name.split()) for c, name in names.items()}
    given = {label: name for label, name in given.items() if name not in ("", label)}
    fresh = replace(state, outcomes=given)
    called = [fresh.get_display_name(label) for label in state.class_counts]
    joined = (None, OTHER)
    if twice := next((c for c in called if called.count(c) > 1 and c not in joined), None):
        raise DataError(f"Two classes cannot both be called {twice!r}. Use different names.")
    if given == state.outcomes:
        return
    new, same_rows = state.new_names(fresh), state.has_classes_of(fresh)
    rule = None
    if state.rule_json is not None and (state.is_edited or same_rows):
        before = from_json(state.rule_json)
        if gone := next((c for c in before.classes if new.get(c, c) is None), None):
            raise DataError(
                f"The rule that you edited predicts {gone!r}. Select a learned rule on Models, or "
                "change its prediction on Rules, before you leave that class out."
            )
        rule = to_json(relabel(before, new))
    answers = {str(old): str(name) for old, name in new.items()}
    notes = {
        row: {k: answers.get(v, v) if k == "answer" else v for k, v in note.items()}
        for row, note in state.case_notes.items()
    }
    error = state.error if rule is not None and same_rows else None
    renamed = _rename_parts(state, fresh) if same_rows else {"edits": (), "edit": 0}
    # the rule stays in use; a learned one is learned again when it is next read
    renamed |= {"outcomes": given, "case_notes": notes, "rule_json": rule, "error": error}
    renamed["run_settings"], *runs = (
        run | {"costs": rename_costs(run["costs"], state, fresh)} if run.get("costs") else run
        for run in (state.run_settings, *state.runs)
    )
    renamed["runs"] = tuple(runs)
    st.session_state.pop("_form_begins", None)  # the form begins with the costs of the last run
    change(model=None, **renamed)


def _rename_parts(state: AppState, fresh: AppState) -> dict[str, Any]:
    """Return curve, versions of a rule, a person's own rule and scale for the new names."""
    new, result = state.new_names(fresh), state.result
    if result is not None and result.specs and result.key == curve_key(result.specs[0], state):
        result = result.rename(state, fresh)

    def rename_rule(text: str | None) -> str | None:
        return None if text is None else to_json(relabel(from_json(text), new))

    if (scale := state.scale) is not None:
        scale = scale | {"label": new.get(scale["label"], scale["label"])}
    return {
        "result": result,
        "own_rule": rename_rule(state.own_rule),
        "edits": tuple(v | {"rule_json": rename_rule(v["rule_json"])} for v in state.edits),
        "scale": scale,
    }
