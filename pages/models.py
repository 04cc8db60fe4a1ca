"""Models: how short a rule can be before accuracy suffers."""

import streamlit as st

from ui.data.quality import show_left_out
from ui.data.server_tables import whole_file_card
from ui.escape import md
from ui.models.curve import curve, learners_tab, own_line, points_table, prices_tab, suggestion_line
from ui.models.form import measure_choice, settings
from ui.models.picked_rule import both, compare, how_it_was_found, offer, show_picked
from ui.models.run import run_line, update
from ui.shell import empty, guard, header, sentences, two_columns
from ui.state import app_state

guard("models")
header("models")
TABS = ("Points", "Compare rules", "Learners", "By price and clauses", "How it was found")
if (problem := app_state().problem()) is not None:
    empty(md(problem, 300))

with sentences():
    whole_file_card(app_state())
    with st.sidebar:
        spec, place = settings(app_state())
    result = update(spec)
    with place:
        y = measure_choice(result)

    left, right = two_columns()
    with right, sentences():  # first: the chart takes the browser longest
        show_picked(result, spec)
        offer(result)
    with left:
        if len(result.points):
            curve(result, y)
            suggestion_line(result)
            own_line(app_state())
        run_line(result, spec)
        show_left_out()
    both(result)

    points, rules, learners, prices, how = st.tabs(TABS, key="models_tab", on_change="rerun")
    with learners:
        if learners.open:
            learners_tab(result, spec)
    with prices:
        if prices.open:
            prices_tab(result, spec, y)
    if len(result.points):
        with points:
            if points.open:
                number = result.number_of_rule(app_state())
                points_table(result, result.curve(y, number), "limit", y, "front_table")
        with rules:
            if rules.open:
                compare(result)
        with how:
            if how.open:
                how_it_was_found(result, y)
