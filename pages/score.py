"""Score: the rule applied to new cases, and whether it still holds."""

import streamlit as st

from ui.picked import require_model
from ui.score import answers
from ui.shell import guard, header, sentences, two_columns
from ui.state import app_state

guard("score")
header("score")
with sentences():
    model = require_model()
    state = app_state()
    left, right = two_columns()
    with left:
        cases = answers.choose_cases(state, model.rule_set_.features)
        if cases is None:
            st.stop()
        with sentences():
            cases, result = answers.score_cases(cases, model, state)
            answers.differences(cases, result)
            picked = answers.case_table(cases, result, state)
            with right:
                answers.then_and_now(cases, result)
                answers.one_case(result, picked)
                st.markdown("**Download**")
                answers.downloads(cases, result)
