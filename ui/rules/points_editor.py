"""Editor of a scorecard: conditions, points and required totals."""

import streamlit as st

from rulekit.export import points_to_rows, rows_to_points
from rulekit.rules import RuleSet, scorecard_of
from rulekit.rules.literal import OPERATORS
from ui.rule_numbers import Rows
from ui.state import AppState


def edited_card(rule: RuleSet, train: Rows, state: AppState) -> RuleSet | None:
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
        column_config={
            "column": st.column_config.SelectboxColumn(options=list(train.columns), required=True),
            "test": st.column_config.SelectboxColumn(options=list(OPERATORS), default=">"),
            "value": st.column_config.TextColumn(),
            "holds if missing": st.column_config.CheckboxColumn(default=False),
            "points": st.column_config.NumberColumn(step=1, default=1),
        },
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
    if not st.button("Apply", key="score_edit", type="primary"):
        return None
    return rows_to_points(rows, totals, rule, train.columns)
