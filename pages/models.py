"""Models: how simple a rule can be before accuracy suffers."""

import streamlit as st

from ui.escape import md
from ui.ideal_file import whole_file_card
from ui.learners import CARDS, run_key
from ui.models_form import run_form
from ui.models_front import axes, choose, compare, curve, suggestions
from ui.models_progress import ended, progress
from ui.models_run import (
    begin,
    came_back,
    collect,
    follow,
    plan_words,
    resumable,
    standing,
    sweeping,
    wanted,
)
from ui.models_sliders import sliders
from ui.picked import held_out, picked_model, setting_words
from ui.rule_view import rule_words, wording
from ui.shell import ONWARD, empty, guard, header, sentences
from ui.state import app_state

guard("models")
header("models")
if (problem := app_state().problem()) is not None:
    empty(md(problem, 300))

with sentences():
    whole_file_card(app_state())
    with st.container(border=True):
        spec, rest = run_form(app_state())
        if spec is not None:
            follow(spec)
        job = collect()
        running, landing = job is not None and job.active, sweeping(job)
        if spec is not None:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    "Resume" if resumable(spec, app_state(), job) else "Run",
                    type="primary",
                    disabled=running and job.key == run_key(spec, app_state()),
                    on_click=begin,
                    args=(spec,),
                    key="run",
                    shortcut="Ctrl+Enter",
                    width=200,
                )
                st.caption(plan_words(spec, app_state()))

    state, found = app_state(), app_state().sweep
    above, place = st.container(), st.empty()  # of the curve, while it grows and after
    with above:
        if running:
            progress(job, place)
        elif job is not None:
            ended(job)
        else:
            came_back(state)

    if found is None:
        if not running:
            st.caption("Run the sweep to see what each further condition buys.")
    elif not landing:
        if (number := wanted(found, job)) is not None:
            choose(found, number, own=False)
            state = app_state()
        with above:
            if spec is None or state.sweep_key != run_key(spec, state):
                st.warning(
                    "These results are for other settings than the ones above. Run to update."
                )
            standing(found, running)
            x, y = axes(found)
        curve(found, x, y, place)
        suggestions(found)

        model = picked_model()
        if model is not None:
            with st.container(border=True):
                st.subheader("The picked rule", anchor=False)
                st.caption(md(setting_words(state.setting), 200))
                sliders(found)
                st.code(rule_words(model.rule_set_, wording(state)), None, wrap_lines=True)
                for cards in CARDS:
                    cards.models(model, state)
                held_out(model)
                st.page_link("pages/rules.py", label="Read it in full on Rules", icon=ONWARD)
        with st.expander("Compare settings"):
            compare(found)
    rest()
