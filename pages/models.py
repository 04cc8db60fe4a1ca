"""Models: how simple a rule can be before accuracy suffers."""

import streamlit as st

from ui.data.parquet_file import whole_file_card
from ui.escape import md
from ui.learners.offered import run_key
from ui.models.form import run_form
from ui.models.front import axes, choose, curve, own_pick, suggestions
from ui.models.picked_rule import compare, picked_card
from ui.models.progress import progress, run_button, told_of
from ui.models.run import Run
from ui.shell import empty, guard, header, sentences
from ui.state import app_state

guard("models")
header("models")
if (problem := app_state().problem()) is not None:
    empty(md(problem, 300))

with sentences():
    whole_file_card(app_state())
    with st.container(border=True):
        spec, rest = run_form(app_state())
        run = Run.current() if spec is None else Run.current().follow(spec)
        run.update()
        if spec is not None:
            run_button(run, spec)

    state, found = app_state(), app_state().sweep
    above, place = st.container(), st.empty()  # the curve's place, while it grows and after
    with above:
        progress(run, place)

    if found is None:
        if not run.is_active:
            st.caption("Run the sweep to see what each further condition buys.")
    elif not run.has_nothing_yet:
        number = run.setting_to_open(found, own_pick=own_pick())
        if number is not None:
            choose(found, number, own=False)
        with above:
            if spec is None or state.sweep_key != run_key(spec, state):
                st.warning(
                    "These results are for other settings than the ones above. Run to update."
                )
            told_of(found, run.is_active)
            x, y = axes(found)
        curve(found, x, y, place)
        suggestions(found)
        picked_card(found)
        with st.expander("Compare settings"):
            compare(found)
    rest()
