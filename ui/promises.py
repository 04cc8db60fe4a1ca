"""What was promised about columns, and whether the rule in hand keeps it."""

from typing import Any

import streamlit as st

from rulekit.rules import Columns, Constraints, PromiseCheck, RuleSet, missing_in, promises_of
from ui.escape import md
from ui.learners.spec import RunSpec
from ui.state import AppState


def promises(rule: RuleSet, state: AppState) -> tuple[PromiseCheck, ...]:
    """Check the directions that the rule's run was asked for; also of a rule edited since."""
    asked = RunSpec.from_dict(state.run_settings).constraints(state.features, state.positive) or {}
    wishes = {name: asked[name] for name in ("directions", "towards") if name in asked}
    return promises_of(rule, Constraints.from_dict(wishes))


def promise_lines(rule: RuleSet, state: AppState) -> None:
    """Say each promise: that it is kept, or in a box that it is not, with two rows that show it."""
    for check in promises(rule, state):
        show = st.caption if check.kept else st.warning
        show(md(check.told(state.label), 600))


def promises_of_case(rule: RuleSet, answer: Any, row: Columns, state: AppState) -> None:
    """Say what promises that are kept mean for one case, of columns that it has a value of."""
    for check in promises(rule, state):
        if check.kept and check.feature in row and not missing_in(row[check.feature]).any():
            st.caption(md(check.of_row(answer, state.label), 300))
