"""Explain: why this case gets its prediction, and what would change it."""

import streamlit as st

from ui.cases import case_frame, row_name, row_number
from ui.escape import md
from ui.explain.cards import (
    case_table,
    choose_part,
    chosen_case,
    conditions,
    facts,
    review,
    similar,
    verdict,
    what_if,
    which,
)
from ui.learners.offered import CARDS
from ui.picked import constraints_of_case, needed_model
from ui.rule_numbers import rows_of
from ui.shell import guard, header, open_tab, sentences, two_columns
from ui.state import KEEP, app_state
from ui.words import wording

guard("explain")
plain = bool(st.session_state.get("presenter"))
header("explain", status_line=not plain)
with sentences():
    model = needed_model()
    state, rule = app_state(), model.rule_set_
    train, test = rows_of(state, model)
    words = wording(state, spoken=plain)
    left, right = two_columns()

    parts = {"test": test, "training": train} if test is not None else {"training": train}
    if not plain:
        choose_part(left, list(parts))
    part, show = which(list(parts))
    rows = parts[part]
    frame = case_frame(rule, rows, state)
    if plain:  # cases of other people are not shown to the person concerned
        chosen = chosen_case(frame)
    else:
        with left:
            chosen = case_table(frame, show, rule, rows, train, state)

    with right:
        heading = st.container(horizontal=True, horizontal_alignment="distribute")
        if chosen is not None:
            X, truth = rows.X.iloc[[chosen]], rows.y[chosen]
            number = row_number(int(X.index[0]))
            st.query_params["row"] = str(number)
            name = md(row_name(int(X.index[0]), state), 120)
            heading.header(name, anchor=False, width="content")
            explanation = verdict(model, X, truth, train, words)
            constraints_of_case(rule, explanation.prediction, model.read_columns(X), state)
            if plain:
                with left:
                    facts(explanation, words)
                    for cards in CARDS:
                        cards.explain(model, X, train, words, plain=True)
            titles = ["What if?", "Similar past cases", "Do you agree?"]
            title, tab = open_tab(titles if plain else ["Why", *titles], "explain_tab")
            with tab:
                if title == "Why":
                    for cards in CARDS:
                        cards.explain(model, X, train, words, plain=False)
                    conditions(explanation, rule, model.read_columns(X), train, words)
                elif title == "What if?":
                    what_if(model, X, explanation, train, words)
                elif title == "Similar past cases":
                    similar(explanation, rule, train, state, plain=plain)
                else:
                    review(number, explanation, plain=plain)
        heading.toggle(
            "Presenter mode",
            key="presenter",
            help="Plain words and only this case, to show the prediction to the person concerned.",
            **KEEP,
        )
