"""Explain: why this decision for this case."""

import streamlit as st

from ui.cases import row_name, row_number
from ui.escape import md
from ui.explain.cards import conditions, verdict, what_if
from ui.explain.choice import case_table
from ui.explain.past_cases import review, similar
from ui.learners.offered import CARDS
from ui.models.run import keep_up
from ui.picked import needed_model
from ui.rule_numbers import rows_of
from ui.shell import guard, header, sentences
from ui.state import app_state
from ui.words import wording

guard("explain")
header("explain")
with sentences():
    keep_up()
    model = needed_model()
    state, rule = app_state(), model.rule_set_
    train, test = rows_of(state, model)

    left, right = st.columns([3, 1], vertical_alignment="bottom")
    part = left.segmented_control(
        "Cases from",
        ["test", "training"] if test is not None else ["training"],
        format_func=lambda name: f"{name} rows",
        default="test" if test is not None else "training",
        required=True,
        key="explain_part",
        persist_state="session",
    )
    plain = right.toggle(
        "Presenter mode",
        key="presenter",
        persist_state="session",
        help="Plain words only: for showing a decision to the person it is about.",
    )
    words = wording(state, clause="reason" if plain else "clause")
    rows = test if part == "test" and test is not None else train

    chosen = case_table(rule, rows, train, state)
    if chosen is not None:
        X, truth = rows.X.iloc[[chosen]], rows.y[chosen]
        number = row_number(int(X.index[0]))
        st.query_params["row"] = str(number)
        st.subheader(md(row_name(int(X.index[0]), state), 120), anchor=False)
        found = verdict(model, X, truth, train, words, plain=plain)
        for cards in CARDS:
            cards.explain(model, X, train, words, plain=plain)
        conditions(found, rule, model.read_columns(X), train, words, plain=plain)
        with st.expander("What if? Change the values the rule reads"):
            what_if(model, X, found, train, words)
            if not plain:
                st.multiselect(
                    "Columns the smallest change must leave alone",
                    list(rule.features),
                    format_func=lambda name: md(state.label(name)),
                    key="explain_fixed",
                )
        with st.expander("Similar past cases"):
            similar(found, train, state)
        with st.container(border=True):
            review(number, found)
