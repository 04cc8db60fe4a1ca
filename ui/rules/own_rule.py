"""A rule that a person writes as text: checked against the table, used, and compared."""

import re
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.evaluation import improve_rule
from rulekit.exceptions import DataError, RuleError
from rulekit.export import from_json, from_text, to_text
from rulekit.rules import RuleSet
from rulekit.style.phrases import cap_list, join_list
from ui.escape import md
from ui.picked import OWN
from ui.rules.editor import keep, versions_of
from ui.shell import once
from ui.state import KEEP, AppState, app_state
from ui.words import difference, wording

TEXT = "own_rule"  # session key of the text
MOST_ADDED = 2  # conditions
LAST = re.compile(r"^\s*OTHERWISE ", re.MULTILINE)


def read_own(text: str, state: AppState) -> RuleSet:
    """Read a rule from text and check columns, levels and outcomes against the training rows."""
    # Without a last line OTHERWISE, all other rows get the other one of two outcomes.
    last = None if state.several else state.labels[1]
    rule = from_text(text, default=last)
    if not LAST.search(text) and {str(label) for label in rule.labels} == {str(last)}:
        rule = replace(rule, default=state.labels[0])
    X = state.training[0]
    for name in rule.features:
        if name not in X.columns:
            near = get_close_matches(name, map(str, X.columns), 1)
            hint = f"Did you mean {near[0]!r}?" if near else "Choose one of the features on Data."
            raise DataError(f"The rule reads column {name!r}, which is no feature. {hint}")
        _check_levels(rule, X[name])
    return replace(
        rule,
        labels=tuple(_outcome(label, state) for label in rule.labels),
        default=_outcome(rule.default, state),
    )


def _check_levels(rule: RuleSet, column: pd.Series) -> None:
    """Raise DataError if a rule compares a column with a word that it does not have."""
    values = [
        value
        for clause in rule.clauses
        for literal in clause.literals
        if literal.feature == column.name and literal.op in ("==", "!=", "in", "not-in")
        for value in (literal.value if isinstance(literal.value, tuple) else (literal.value,))
    ]
    levels = sorted(map(str, column.dropna().unique())) if any(map(_is_word, values)) else []
    for value in filter(_is_word, values):
        if value not in levels:
            known = cap_list([*map(repr, levels)], 10)
            raise DataError(f"Column {column.name!r} has no level {value!r}. It has {known}.")


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _outcome(label: Any, state: AppState) -> Any:
    """Return an outcome of the table by its text."""
    outcomes = {str(known): known for known in state.labels}
    if str(label) not in outcomes:
        raise DataError(f"{str(label)!r} is no outcome. Use {join_list(map(repr, outcomes))}.")
    return outcomes[str(label)]


def own_rule_card(rule: RuleSet, state: AppState) -> None:
    """Show a field for a rule as text, and how such a rule differs from the one before it."""
    lines = [line for line in to_text(rule).splitlines() if not line.startswith("#")]
    with st.expander("Bring your own rule"):
        st.text_area(
            "A clause per line; the first that matches decides",
            "\n".join(lines),
            key=TEXT,
            help="For example: IF age > 60 AND bmi >= 30 THEN ill. Words are in double quotes.",
            **KEEP,
        )
        st.button("Use this rule", key="take_own", on_click=once(_take))
    if (state.setting or {}).get("edited") != OWN:
        return
    st.button(
        f"Improve it by at most {MOST_ADDED} conditions",
        key="improve_own",
        on_click=once(_improve),
        help="Keeps your conditions, and adds those that correct the most training rows.",
    )
    if (first := versions_of(state).items[0]["rule_json"]) is not None:
        sentences, _ = difference(from_json(first), rule, *state.training, wording(state))
        st.markdown("**From the first rule to yours**")
        st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in sentences))


def _improve() -> None:
    """Add conditions to the selected rule; undo restores it."""
    state = app_state()
    improved = improve_rule(
        state.model,
        *state.training,
        n_conditions=MOST_ADDED,
        binarizer=state.binning.binarizer(),
        sample_weight=state.training_weight,
    )
    if not improved:
        raise RuleError("No condition corrects more training rows than it spoils.")
    keep(improved[-1], OWN)


def _take() -> None:
    """Use the rule of the field; undo restores the one before."""
    keep(read_own(st.session_state[TEXT], app_state()), OWN)
