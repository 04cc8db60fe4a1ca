"""Rules: what the model says, and where it is wrong."""

import streamlit as st

from ui.escape import md
from ui.learners.offered import CARDS
from ui.models.run import keep_up
from ui.picked import needed_model, setting_words
from ui.rule_numbers import rows_of
from ui.rules.cards import (
    alarms,
    clause_cards,
    clause_overview,
    covered_rows,
    headline,
    outcomes,
)
from ui.rules.editor import editor, without
from ui.shell import guard, header, sentences
from ui.state import app_state
from ui.words import rule_words, wording

guard("rules")
header("rules")
with sentences():
    keep_up()
    model = needed_model()
    state, rule = app_state(), model.rule_set_
    train, test = rows_of(state, model)

    st.caption(md(setting_words(state.setting or {}), 200))
    st.code(rule_words(rule, wording(state)), None, wrap_lines=True)
    headline(rule, train, test)
    alarms(model, rule, train)
    for cards in CARDS:
        cards.rules(model, state)

    part = "training"
    if test is not None:
        part = st.segmented_control(
            "Count on",
            ["training", "test"],
            format_func=lambda name: f"{name} rows",
            default="training",
            required=True,
            key="rules_part",
            persist_state="session",
        )
    rows = test if part == "test" and test is not None else train

    if rule.n_clauses:
        st.subheader("Clause by clause", anchor=False)
        off = clause_cards(rule, train, test, state)
        without(rule, off, train, test)
        clause_overview(rule, rows, state)
    for cards in CARDS:
        cards.pictures(model, train, rows, wording(state))
    st.subheader("Where it is right and wrong", anchor=False)
    outcomes(rule, rows, state.labels)
    with st.expander("The rows behind these figures"):
        covered_rows(rule, rows, state)
    with st.expander("Change the rule by hand"):
        editor(rule, train, state)
