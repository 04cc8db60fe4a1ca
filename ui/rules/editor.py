"""Editor of a rule: change clauses or points, or write a rule as text; undo and redo."""

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from pandas.api.types import infer_dtype

from rulekit import export
from rulekit.evaluation import improve_rule
from rulekit.exceptions import DataError, RuleError
from rulekit.export.documents.text import DATE, NUMBER
from rulekit.rules import RuleSet, scorecard_of
from rulekit.rules.literal import EQUALITIES, OPERATORS
from rulekit.style.phrases import cap_list, condition_text, join_list
from rulekit.style.wording import percent, plural
from ui.escape import md
from ui.picked import OWN, setting_words
from ui.rule_numbers import Cases, error
from ui.rules.condition_editor import TABLE, edit_condition
from ui.shell import once, sentences
from ui.state import KEEP, AppState, app_state
from ui.streamlit_private import rerun
from ui.words import difference, wording
from ui.workspace import change, pick_rule

TEXT = "own_rule"  # session key of the text of a rule
MOST_ADDED = 2  # conditions
LAST = re.compile(r"^\s*OTHERWISE ", re.MULTILINE)
QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
SIGNS = re.compile(r" *(<=|>=|==|=>|=<|!=|<>|≤|≥|≠|<|>|=) *")
SPELLED = {"==": "=", "=>": ">=", "=<": "<=", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
COMPARED = re.compile(rf'( [<>]=? )"({DATE}|{NUMBER})"(?! OF )')
SMALL = re.compile(r"\s*(?:\d+\. )?(?!IF|OR|ELSE|OTHERWISE)(?i:((?:or |else )?if|otherwise))\b")
KEYWORDS = re.compile(r"(?i)\b(if|or|else|and|not in|in|is missing|is not missing)\b")
EDITED = "_edited_clause"  # session key of the clause being edited
FIELDS = ("setting", "rule_json", "error")  # of an analysis: a rule and its figures


Versions = tuple[tuple[dict[str, Any], ...], int]  # of `FIELDS`, and the number of the selected one


def version_of(state: AppState) -> dict[str, Any]:
    """Return the selected rule of an analysis as a version."""
    return {name: getattr(state, name) for name in FIELDS}


def versions_of(state: AppState) -> Versions:
    """Return the stored versions of an analysis if they belong to its rule; else new ones."""
    # The first one is the rule before any edit.
    now = version_of(state)
    if state.edits:
        stored = state.edits[state.edit]
        if all(stored[name] == now[name] for name in ("setting", "rule_json")):
            return state.edits, state.edit
    return (now,), 0


def append_version(versions: Versions, version: dict[str, Any]) -> Versions:
    """Append a version after the selected one, unless it has the same rule."""
    items, index = versions
    if version["rule_json"] == items[index]["rule_json"]:
        return versions
    return (*items[: index + 1], version), index + 1


def edit_card(rule: RuleSet, train: Cases, test: Cases | None, state: AppState) -> RuleSet | None:
    """Show the card as an editable table; return it once "Apply" is pressed, else None."""
    st.caption(
        "A row is a condition; values of a set are separated by semicolons, and 0 points leave it "
        "out. Nothing changes before “Apply”."
    )
    points = {"points": st.column_config.NumberColumn(step=1, default=1)}
    alt = "The conditions of the scorecard and their points, editable"
    key = f"editor_points_{state.rule_json}"
    rows = _edit_rows(export.points_to_rows(rule), key, alt, train, points)
    totals = []
    for k, (split, label) in enumerate(zip(scorecard_of(rule), rule.labels, strict=True)):
        title, key = f"Points required for {label}", f"edit_total_{k}"
        totals.append(int(st.number_input(title, value=split.total, step=1, key=key)))
    pressed = st.button("Apply", key="score_edit", type="primary")
    edited = export.rows_to_points(rows, totals, rule, train.columns)
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


def _edit_rows(
    rows: pd.DataFrame, key: str, alt: str, train: Cases, more: dict[str, Any]
) -> pd.DataFrame:
    """Show conditions on any column of the training rows as a table to edit."""
    names = list(getattr(train.columns, "names", train.columns))
    cells = more | {
        "column": st.column_config.SelectboxColumn(options=names, required=True),
        "test": st.column_config.SelectboxColumn(options=list(OPERATORS), default=">"),
        "value": st.column_config.TextColumn(),
        "holds if missing": st.column_config.CheckboxColumn(default=False),
    }
    options = {"num_rows": "dynamic", "hide_index": True, "column_config": cells}
    return st.data_editor(rows, key=key, alt=alt, **options)


def offer_without(rule: RuleSet, off: frozenset[int], train: Cases, test: Cases | None) -> None:
    """Show the effect of switching clauses off, with a button to keep that rule."""
    if not off:
        return
    shorter = rule.take_clauses(k for k in range(rule.n_clauses) if k not in off)
    names = ", ".join(str(k + 1) for k in sorted(off))
    head = f"**Without clause {names}:** {plural(shorter.n_conditions, 'condition')}."
    st.info("  \n".join([head, *map(md, effects(rule, shorter, train, test))]))
    st.button("Keep the shorter rule", key="keep_shorter", on_click=keep, args=(shorter, source()))


def obstacle(rule: RuleSet) -> str:
    """Return why clauses cannot be written as a table of conditions; empty if they can."""
    computes = any(len(clause.literals) < len(clause.conditions) for clause in rule.clauses)
    if scorecard_of(rule) or not computes:
        return ""
    return "A rule that computes with several columns at once takes no further clauses here."


def edit_button(rule: RuleSet, k: int, label: str, state: AppState) -> None:
    """Show a button that edits clause k, or adds one as number k (to a scorecard none)."""
    if k == rule.n_clauses and scorecard_of(rule):
        return
    why = obstacle(rule) if k == rule.n_clauses else ""
    edited = None if get_edited_clause(state) == k else k, state.rule_json
    act = partial(st.session_state.update, {EDITED: edited})
    st.button(label, f"edit_{k}", why or None, act, type="tertiary", disabled=bool(why))


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
            rerun()


def _condition(rule: RuleSet, k: int, state: AppState) -> int | None:
    """Show the conditions of clause k as a list; return the chosen one, None for the table."""
    if k == rule.n_clauses:
        return None
    conditions = [md(condition_text(c, wording(state)), 200) for c in rule.clauses[k].conditions]
    choices = conditions if obstacle(rule) else [*conditions, TABLE]
    label, key = f"Condition of clause {k + 1} to edit", f"conditions_{k}_{hash(state.rule_json)}"
    i = st.radio(label, range(len(choices)), format_func=choices.__getitem__, key=key)
    return None if i == len(conditions) else i


def _edit_table(rule: RuleSet, k: int, train: Cases, state: AppState) -> RuleSet | None:
    """Show the conditions of clause k, or of a new clause, as a table; return it on "Apply"."""
    every = export.rule_to_rows(rule)
    mine = (every["clause"] == k + 1).to_numpy()
    st.caption(
        "A row is a condition; values of a set are separated by semicolons. “Read as” says what is "
        "read of a date (date, year, month, weekday, hour, days since 2024-01-01) or the order of "
        "levels (low < middle < high). Nothing changes before “Apply”."
    )
    alt = f"The conditions of clause {k + 1}, editable"
    shown, key = every[mine].drop(columns="clause"), f"editor_{k}_{state.rule_json}"
    rows = _edit_rows(shown, key, alt, train, {"read as": st.column_config.TextColumn(default="")})
    label = None
    if state.several:
        now = rule.labels[k] if k < rule.n_clauses else None
        index = state.labels.index(now) if now in state.labels else 0
        words = "The first matching clause decides; a new clause comes last."
        key = f"editor_answer_{k}_{state.rule_json}"
        label = st.selectbox("Predicted", state.labels, index, key=key, help=words)
    if not st.button("Apply", key="score_edit", type="primary"):
        return None
    changed = pd.concat([rows.assign(clause=k + 1), every[~mine]], ignore_index=True)
    edited = export.rows_to_rule(changed, rule, train.columns)
    if label is not None:  # clauses keep their order and their classes
        numbers = sorted(set(changed["clause"][changed["column"].notna()]))
        labels = (*rule.labels, label)
        given = tuple(label if n == k + 1 else labels[n - 1] for n in map(int, numbers))
        edited = replace(edited, labels=given)
    elif not rule.labels:  # an empty rule does not name the class it could describe
        other = next(v for v in state.labels if v != rule.default)
        edited = replace(edited, labels=(other,) * edited.n_clauses)
    return edited


def undo(state: AppState) -> None:
    """Show buttons that undo an edit, redo it, and restore the learned rule."""
    items, now = versions_of(state)
    if not (last := len(items) - 1):
        return
    for key, label, index in (
        ("undo_edit", "Undo", max(now - 1, 0)),
        ("redo_edit", "Redo", min(now + 1, last)),
        ("back_to_learned", "Back to the learned rule", 0),
    ):
        version = items[index]
        fields = {"model": None, "edits": items, "edit": index, **version, **_own(version)}
        st.button(label, key=key, disabled=index == now, on_click=change, kwargs=fields)


def keep(rule: RuleSet, origin: str) -> None:
    """Select an edited rule; `undo` restores the previous one. An equal rule changes nothing."""
    state = app_state()
    if rule == state.model.rule_set_:
        return
    before = versions_of(state)
    pick_rule(rule, source=origin)
    st.session_state.pop(EDITED, None)
    items, index = append_version(before, version_of(app_state()))
    change(edits=items, edit=index, **_own(items[index]))


def source() -> str:
    """Return the origin of the selected rule."""
    setting = app_state().setting or {}
    return setting["edited"] if "edited" in setting else setting_words(setting)


def _own(version: dict[str, Any]) -> dict[str, Any]:
    """Return the field of a person's rule if a version is one."""
    is_own = (version["setting"] or {}).get("edited") == OWN
    return {"own_rule": version["rule_json"]} if is_own else {}


def _tidy_line(line: str) -> str:
    """Space operators and write keywords as `to_text` does, up to the outcome and unquoted."""
    if (is_small := SMALL.match(line)) and is_small[1].lower() == "otherwise":
        return re.sub("(?i)otherwise", "OTHERWISE", line, count=1)
    if line.lstrip().startswith(("OTHERWISE ", "THEN ")):
        return line
    parts = re.split(r"(?i:\s+then\s+)" if is_small else r"\s+THEN\s+", line, maxsplit=1)
    head = QUOTED.split(parts[0])
    head[::2] = [SIGNS.sub(lambda m: f" {SPELLED.get(m[1], m[1])} ", part) for part in head[::2]]
    if is_small:
        head[::2] = [KEYWORDS.sub(lambda m: m[0].upper(), part) for part in head[::2]]
    return " THEN ".join([COMPARED.sub(r"\1\2", "".join(head)), *parts[1:]])


def read_own(text: str, state: AppState) -> RuleSet:
    """Read a rule from text and check columns, levels and outcomes against the training rows."""
    # Without a last line OTHERWISE, all other rows get the other one of two outcomes.
    last = None if state.several else state.labels[1]
    if not text.strip():
        raise DataError("There is no rule. Write a line such as: IF age > 60 THEN ill.")
    text = "\n".join(map(_tidy_line, text.splitlines()))
    rule = export.from_text(text, default=last)
    if not LAST.search(text) and {str(label) for label in rule.labels} == {str(last)}:
        rule = replace(rule, default=state.labels[0])
    X = state.training[0]
    for name in rule.features:
        if name not in X.columns:
            near = get_close_matches(name, map(str, X.columns), 1)
            hint = f"Did you mean {near[0]!r}?" if near else "Choose one of the features on Data."
            raise DataError(f"The rule reads column {name!r}, which is no feature. {hint}")
    _check_values(rule, X, state)
    outcomes = {str(label): label for label in state.labels}
    for label in map(str, (*rule.labels, rule.default)):
        if label not in outcomes:
            raise DataError(f"{label!r} is no outcome. Use {join_list(map(repr, outcomes))}.")
    labels = tuple(outcomes[str(label)] for label in rule.labels)
    return replace(rule, labels=labels, default=outcomes[str(rule.default)])


def _check_values(rule: RuleSet, X: pd.DataFrame, state: AppState) -> None:
    """Raise DataError if a test compares words with numbers, or names an unknown level."""
    for literal in (literal for clause in rule.clauses for literal in clause.literals):
        words = [value for value in literal.values if isinstance(value, str)]
        name, is_number = literal.feature, state.table.column(literal.feature).is_number
        are_words = infer_dtype(X[name], skipna=True) == "string"
        if (is_number and words) or (are_words and len(words) < len(literal.values)):
            kind = "numbers" if is_number else "words"
            value = f"{literal.op} {literal.value!r}"
            raise DataError(f"Column {name!r} holds {kind}; it cannot be compared by {value}.")
        if literal.op in EQUALITIES and words:
            levels = sorted(map(str, X[name].dropna().unique()))
            if unknown := [word for word in words if word not in levels]:
                known = cap_list([*map(repr, levels)], 10)
                raise DataError(f"Column {name!r} has no level {unknown[0]!r}. It has {known}.")


def own_rule_card(rule: RuleSet, state: AppState) -> None:
    """Show a field for a rule as text, and how such a rule differs from the one before it."""
    lines = [line for line in export.to_text(rule).splitlines() if not line.startswith("#")]
    title = "A clause per line; the first that matches decides"
    example = "For example: IF age > 60 AND bmi >= 30 THEN ill. Words are in double quotes."
    with st.expander("Bring your own rule", key="own_rule_open"):
        st.text_area(title, "\n".join(lines), key=TEXT, help=example, **KEEP)
        take = once(lambda: keep(read_own(st.session_state[TEXT], app_state()), OWN))
        st.button("Use my rule", key="take_own", on_click=take)
    if (state.setting or {}).get("edited") != OWN:
        return
    label = f"Improve it by at most {MOST_ADDED} conditions"
    words = "Keeps your conditions, and adds those that correct the most training rows."
    st.button(label, "improve_own", words, once(_improve))
    if (first := versions_of(state)[0][0]["rule_json"]) is not None:
        sentences, _ = difference(export.from_json(first), rule, *state.training, wording(state))
        st.markdown("**From the first rule to yours**")
        st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in sentences))


def _improve() -> None:
    """Add conditions to the selected rule; undo restores it."""
    state = app_state()
    options = {"binarizer": state.binning.binarizer(), "sample_weight": state.training_weight}
    improved = improve_rule(state.model, *state.training, n_conditions=MOST_ADDED, **options)
    if not improved:
        raise RuleError("No condition corrects more training rows than it spoils.")
    keep(improved[-1], OWN)
