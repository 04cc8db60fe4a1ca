"""Explain: why this case gets its prediction, and what would change it."""

from functools import partial

import streamlit as st

from ui.escape import md
from ui.explain import cards
from ui.learners.offered import CARDS
from ui.picked import constraints_of_case, require_model
from ui.rule_numbers import case_frame, row_name, row_number, rows_of
from ui.shell import guard, header, open_tab, sentences, two_columns
from ui.state import app_state
from ui.words import wording

guard("explain")
presenting = bool(st.session_state.get(cards.PRESENTER))
if not presenting:
    header("explain")
with sentences():
    model = require_model()
    state, rule = app_state(), model.rule_set_
    train, test = rows_of(state, model)
    words = wording(state, spoken=presenting)
    parts = {"test": test, "training": train} if test is not None else {"training": train}
    part, show = cards.which(list(parts))
    if presenting:  # cases of other people are not shown to the person concerned
        X = parts[part].X
        X = X.iloc[[cards.get_selected_case(case_frame(rule, parts[part], state))]]
        header("explain", title=row_name(int(X.index[0]), state))
        cards.presenter(model, X, train, words)
    else:
        left, right = two_columns()
        cards.choose_part(left, list(parts))
        part, show = cards.which(list(parts))
        rows = parts[part]
        with left:
            chosen = cards.case_table(case_frame(rule, rows, state), show, rule, rows, train, state)

        if chosen is not None:
            with right:
                heading = st.container(horizontal=True, horizontal_alignment="distribute")
                X, truth = rows.X.iloc[[chosen]], rows.y[chosen]
                number = row_number(int(X.index[0]))
                st.query_params["row"] = str(number)
                name = md(row_name(int(X.index[0]), state), 120)
                heading.header(name, anchor=False, width="content")
                words_on = "This case in plain words, to show to the person concerned or to print."
                present = partial(st.session_state.update, {cards.PRESENTER: True})
                heading.button("Presenter mode", "presenter_on", words_on, present)
                explanation = cards.explain_case(model, X, train, words)
                cards.verdict(explanation, words, truth)
                constraints_of_case(rule, explanation.prediction, model.read_columns(X), state)
                titles = ["Why", "What if?", "Similar past cases", "Do you agree?"]
                title, tab = open_tab(titles, "explain_tab")
                with tab:
                    if title == "Why":
                        for card in CARDS:
                            card.explain(model, X, train, words, plain=False)
                        cards.conditions(explanation, rule, model.read_columns(X), train, words)
                    elif title == "What if?":
                        cards.what_if(model, X, explanation, train, words)
                    elif title == "Similar past cases":
                        cards.similar(explanation, rule, model.read_columns(X), train, state)
                    else:
                        cards.review(number, explanation)
