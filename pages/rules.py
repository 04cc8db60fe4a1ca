"""Rules: the selected rule, its errors and how to change it."""

import streamlit as st

from rulekit.families import IdealDNFClassifier
from ui.data.server_tables import all_rows_card
from ui.escape import md
from ui.learners.literal import LEARNED
from ui.learners.offered import CARDS
from ui.picked import constraint_lines, require_model, setting_words
from ui.rule_numbers import rows_of
from ui.rules import cards, editor, trust
from ui.shell import guard, header, open_tab, sentences, two_columns
from ui.state import app_state
from ui.widgets import choice
from ui.words import wording

guard("rules")
header("rules")
with sentences():
    model = require_model()
    state, rule = app_state(), model.rule_set_
    train, test = rows_of(state, model)
    left, right = two_columns()

    with left:
        cards.headline(rule, train, test)
        cards.alarms(rule, train)
        all_rows_card(model, state)
        off = cards.clause_lines(model, train, test, state)
        editor.offer_without(rule, off, train, test)
        constraint_lines(rule, state)
        if editor.get_edited_clause(state) == rule.n_clauses:
            editor.editor(rule, rule.n_clauses, train, test, state)
        with st.container(horizontal=True):
            editor.edit_button(rule, rule.n_clauses, "Add a clause", state)
            cards.name_conditions(rule, state)
            editor.undo(state)
        st.caption(md(setting_words(state.setting or {}, several=state.several), 200))
        editor.own_rule_card(rule, state)
        picture = st.container()

    with right:
        part = "training"
        if test is not None:
            parts = {"training": "training rows", "test": "test rows"}
            part = choice("Count on", parts, "training", "rules_part", label_visibility="collapsed")
            if own := state.split.own_name:
                st.caption(f"The test rows are those of {md(own, 60)}, a file of your own.")
        rows = test if part == "test" and test is not None else train
        if not rule.is_constant:
            with picture:
                cards.where_rows_go(rule, rows, state)
        title, tab = open_tab(("Errors", "Trust", "Groups", "Alternatives"), "rules_tab")
        with tab:
            if title == "Errors":
                view = cards.view(title, "Predictions", "Operating points", "Overlap")
                if view == "Predictions":
                    cards.predictions_card(rule, rows, state)
                    for card in CARDS:
                        card.pictures(model, train, rows, wording(state))
                elif view == "Overlap":
                    cards.overlap_card(rule, rows)
                else:
                    cards.operating_card(model, rows, state)
            elif title == "Trust":
                views = ["Checks", "Probabilities", "Stability"]
                views += ["Optimality"] * isinstance(model, (*LEARNED, IdealDNFClassifier))
                view = cards.view(title, *views)
                if view == "Checks":
                    cards.checks_card(model, train, state)
                elif view == "Probabilities":
                    cards.chances_card(model, rows, state)
                elif view == "Stability":
                    trust.months_card(model, train, test, state)
                    trust.how_stable_card(model, train, state)
                else:
                    for card in CARDS:
                        card.rules(model, state)
            elif title == "Groups":
                trust.groups_card(model, rows, state)
            else:
                trust.just_as_good_card(model, train, state)
