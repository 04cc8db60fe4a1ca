"""Editor of a rule: edit, add or remove clauses or points, undo and redo."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.export import points_to_rows, rows_to_points, rows_to_rule, rule_to_rows
from rulekit.rules import RuleSet, scorecard_of
from rulekit.rules.literal import OPERATORS
from rulekit.style.phrases import condition_text
from rulekit.style.wording import percent, plural
from ui.escape import md
from ui.picked import OWN, setting_words
from ui.rule_numbers import Cases, error
from ui.rules.condition_editor import TABLE, edit_condition
from ui.shell import sentences
from ui.state import AppState, app_state
from ui.words import drop_clauses, wording
from ui.workspace import change, pick_rule

EDITED = "_edited_clause"  # session key of the clause being edited
FIELDS = ("setting", "rule_json", "error")  # of an analysis: a rule and its figures


@dataclass(frozen=True)
class Versions:
    """Versions of `FIELDS`, the first one before any edit, with the number of the selected one."""

    items: tuple[dict[str, Any], ...]
    index: int = 0

    @property
    def current(self) -> dict[str, Any]:
        """The selected version."""
        return self.items[self.index]

    def select(self, index: int) -> "Versions":
        """Select another version; the first or last one if there is no such number."""
        return replace(self, index=min(max(index, 0), len(self.items) - 1))

    def append(self, version: dict[str, Any]) -> "Versions":
        """Append a version after the selected one, unless it has the same rule."""
        if version["rule_json"] == self.current["rule_json"]:
            return self
        return Versions((*self.items[: self.index + 1], version), self.index + 1)


def version_of(state: Any) -> dict[str, Any]:
    """Return the selected rule of an analysis as a version."""
    return {name: getattr(state, name) for name in FIELDS}


def versions_of(state: Any) -> Versions:
    """Return the stored versions of an analysis if they belong to its rule; else new ones."""
    now = version_of(state)
    if state.edits:
        stored = Versions(state.edits).select(state.edit)
        if all(stored.current[name] == now[name] for name in ("setting", "rule_json")):
            return stored
    return Versions((now,))


def edit_card(rule: RuleSet, train: Cases, test: Cases | None, state: AppState) -> RuleSet | None:
    """Show the card as an editable table; return it once "Apply" is pressed, else None."""
    st.caption(
        "A row is a condition; values of a set are separated by semicolons, and 0 points leave it "
        "out. Nothing changes before “Apply”."
    )
    rows = st.data_editor(
        points_to_rows(rule),
        num_rows="dynamic",
        key=f"editor_points_{state.rule_json}",
        hide_index=True,
        column_config=_cells(train, points=st.column_config.NumberColumn(step=1, default=1)),
        alt="The conditions of the scorecard and their points, editable",
    )
    totals = [
        int(
            st.number_input(
                f"Points required for {label}", value=split.total, step=1, key=f"edit_total_{k}"
            )
        )
        for k, (split, label) in enumerate(zip(scorecard_of(rule), rule.labels, strict=True))
    ]
    pressed = st.button("Apply", key="score_edit", type="primary")
    edited = rows_to_points(rows, totals, rule, train.columns)
    if edited != rule and not pressed:
        st.info("  \n".join(map(md, effects(rule, edited, train, test))))
    return edited if pressed else None


def effects(rule: RuleSet, edited: RuleSet, train: Cases, test: Cases | None) -> list[str]:
    """Return how many predictions an edit changes, and the errors, a sentence for each part."""
    lines = []
    for rows in filter(None, (train, test)):
        moved = int((rule.predict(rows.columns) != edited.predict(rows.columns)).sum())
        lines.append(
            f"{moved:,} of {len(rows.y):,} {rows.name} rows change their prediction; wrong: "
            f"{percent(error(rule, rows))} → {percent(error(edited, rows))}."
        )
    return lines


def _cells(train: Cases, **more: Any) -> dict[str, Any]:
    """Return the formats of the cells of a condition."""
    return {
        "column": st.column_config.SelectboxColumn(options=_names(train), required=True),
        "test": st.column_config.SelectboxColumn(options=list(OPERATORS), default=">"),
        "value": st.column_config.TextColumn(),
        "holds if missing": st.column_config.CheckboxColumn(default=False),
        **more,
    }


def _names(train: Cases) -> list[str]:
    """List the columns of the training rows, read by the rule or not."""
    return list(getattr(train.columns, "names", train.columns))


def offer_without(rule: RuleSet, off: frozenset[int], train: Cases, test: Cases | None) -> None:
    """Show the effect of switching clauses off, with a button to keep that rule."""
    if not off:
        return
    shorter = drop_clauses(rule, off)
    names = ", ".join(str(k + 1) for k in sorted(off))
    head = f"**Without clause {names}:** {plural(shorter.n_conditions, 'condition')}."
    st.info("  \n".join([head, *map(md, effects(rule, shorter, train, test))]))
    st.button("Keep the shorter rule", key="keep_shorter", on_click=keep, args=(shorter, source()))


def obstacle(rule: RuleSet) -> str:
    """Return why clauses cannot be written as a table of conditions; empty if they can."""
    if scorecard_of(rule):
        return ""
    if any(len(c.literals) < len(c.conditions) for c in rule.clauses):
        return "A rule that computes with several columns at once takes no further clauses here."
    return ""


def edit_button(rule: RuleSet, k: int, label: str, state: AppState) -> None:
    """Show a button that edits clause k, or adds one as number k (to a scorecard none)."""
    if k == rule.n_clauses and scorecard_of(rule):
        return
    why = obstacle(rule) if k == rule.n_clauses else ""
    st.button(
        label,
        key=f"edit_{k}",
        type="tertiary",
        disabled=bool(why),
        help=why or None,
        on_click=st.session_state.update,
        args=({EDITED: (None if get_edited_clause(state) == k else k, state.rule_json)},),
    )


def get_edited_clause(state: AppState) -> int | None:
    """Return which clause of the selected rule is being edited, if any."""
    k, rule_json = st.session_state.get(EDITED, (None, None))
    return k if rule_json == state.rule_json else None


@st.fragment
def editor(rule: RuleSet, k: int, train: Cases, test: Cases | None, state: AppState) -> None:
    """Show the conditions of clause k, a table to write them, or the whole scorecard."""
    with sentences():
        if scorecard_of(rule):
            edited = edit_card(rule, train, test, state)
        elif (i := _condition(rule, k, state)) is not None:
            edited = edit_condition(rule, k, i, train, test, state)
        else:
            edited = _edit_table(rule, k, train, state)
        if edited is not None:
            keep(edited, source())
            st.rerun()


def _condition(rule: RuleSet, k: int, state: AppState) -> int | None:
    """Show the conditions of clause k as a list; return the chosen one, None for the table."""
    if k == rule.n_clauses:
        return None
    conditions = [md(condition_text(c, wording(state)), 200) for c in rule.clauses[k].conditions]
    choices = conditions if obstacle(rule) else [*conditions, TABLE]
    i = st.radio(
        f"Condition of clause {k + 1} to edit",
        range(len(choices)),
        format_func=choices.__getitem__,
        key=f"conditions_{k}_{hash(state.rule_json)}",
    )
    return None if i == len(conditions) else i


def _edit_table(rule: RuleSet, k: int, train: Cases, state: AppState) -> RuleSet | None:
    """Show the conditions of clause k, or of a new clause, as a table; return it on "Apply"."""
    every = rule_to_rows(rule)
    mine = (every["clause"] == k + 1).to_numpy()
    st.caption(
        "A row is a condition; values of a set are separated by semicolons. “Read as” says what is "
        "read of a date (date, year, month, weekday, hour, days since 2024-01-01) or the order of "
        "levels (low < middle < high). Nothing changes before “Apply”."
    )
    rows = st.data_editor(
        every[mine].drop(columns="clause"),
        num_rows="dynamic",
        key=f"editor_{k}_{state.rule_json}",
        hide_index=True,
        column_config=_cells(train, **{"read as": st.column_config.TextColumn(default="")}),
        alt=f"The conditions of clause {k + 1}, editable",
    )
    label = _answer(rule, k, state) if state.several else None
    if not st.button("Apply", key="score_edit", type="primary"):
        return None
    changed = pd.concat([rows.assign(clause=k + 1), every[~mine]], ignore_index=True)
    edited = rows_to_rule(changed, rule, train.columns)
    if label is not None:  # clauses keep their order and their classes
        numbers = sorted(set(changed["clause"][changed["column"].notna()]))
        labels = (*rule.labels, label)
        given = tuple(label if n == k + 1 else labels[n - 1] for n in map(int, numbers))
        edited = replace(edited, labels=given)
    elif not rule.labels:  # an empty rule does not name the class it could describe
        other = next(v for v in state.labels if v != rule.default)
        edited = replace(edited, labels=(other,) * edited.n_clauses)
    return edited


def _answer(rule: RuleSet, k: int, state: AppState) -> Any:
    """Return the selected class of clause k of a list."""
    now = rule.labels[k] if k < rule.n_clauses else None
    return st.selectbox(
        "Predicted",
        state.labels,
        index=state.labels.index(now) if now in state.labels else 0,
        key=f"editor_answer_{k}_{state.rule_json}",
        help="The first matching clause decides; a new clause comes last.",
    )


def undo(state: AppState) -> None:
    """Show buttons that undo an edit, redo it, and restore the learned rule."""
    versions = versions_of(state)
    last = len(versions.items) - 1
    if not last:
        return
    for key, label, index, end in (
        ("undo_edit", "Undo", versions.index - 1, 0),
        ("redo_edit", "Redo", versions.index + 1, last),
        ("back_to_learned", "Back to the learned rule", 0, 0),
    ):
        st.button(
            label,
            key=key,
            disabled=versions.index == end,
            on_click=_select,
            args=(versions.select(index),),
        )


def keep(rule: RuleSet, origin: str) -> None:
    """Select an edited rule; `undo` restores the previous one. An equal rule changes nothing."""
    state = app_state()
    if rule == state.model.rule_set_:
        return
    before = versions_of(state)
    pick_rule(rule, source=origin)
    st.session_state.pop(EDITED, None)
    versions = before.append(version_of(app_state()))
    change(edits=versions.items, edit=versions.index, **_own(versions.current))


def source() -> str:
    """Return the origin of the selected rule."""
    setting = app_state().setting or {}
    return setting["edited"] if "edited" in setting else setting_words(setting)


def _select(versions: Versions) -> None:
    now = versions.current
    change(model=None, edits=versions.items, edit=versions.index, **now, **_own(now))


def _own(version: dict[str, Any]) -> dict[str, Any]:
    """Return the field of a person's rule if a version is one."""
    is_own = (version["setting"] or {}).get("edited") == OWN
    return {"own_rule": version["rule_json"]} if is_own else {}
