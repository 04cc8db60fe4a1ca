"""Score: the rule applied to new cases, and whether it still holds."""

import streamlit as st

from ui.picked import needed_model
from ui.score.answers import (
    case_table,
    chosen_cases,
    differences,
    downloads,
    one_case,
    scored,
    then_and_now,
)
from ui.shell import guard, header, sentences, two_columns
from ui.state import app_state

guard("score")
header("score")
with sentences():
    model = needed_model()
    state = app_state()
    left, right = two_columns()
    with left:
        cases = chosen_cases(state, model.rule_set_.features)
        if cases is None:
            st.stop()
        with sentences():
            result = scored(cases, model, state)
            differences(cases, result)
            picked = case_table(cases, result, state)
            with right:
                then_and_now(cases, result)
                one_case(result, picked)
                st.markdown("**Download**")
                downloads(cases, result)
