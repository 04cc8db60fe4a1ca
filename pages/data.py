"""Data: what am I modelling, and on which rows."""

import streamlit as st

from ui.data import load
from ui.data.choices import columns_card, describe_task, target_card
from ui.data.quality import proposal_lines, quality_card, readings_card
from ui.data.reading import options_card, show_first_rows
from ui.data.server_tables import server_card
from ui.data.split import split_card
from ui.shell import ONWARD, guard, header, two_columns
from ui.state import app_state

guard("data")
header("data")
state = app_state()
load.refusal()

if state.table is None:
    left, right = two_columns()
    with left:
        st.markdown("Upload a table: one row per case, and a column with the outcome to predict.")
        load.upload_card()
        options_card()
        server_card()
        st.markdown("**Or try a sample**")
        load.sample_buttons(load.FIRST_SAMPLE)
        load.show_saved()
    with right:
        load.example_card()
    st.stop()

left, right = two_columns()
with left:
    with st.container(border=True):
        target_card()
        if (state := app_state()).ready:
            n_classes = len(state.classes) * state.several
            words = describe_task(state.target, state.positive, n_classes)
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                if st.button(words, key="onward", type="primary", icon=ONWARD):
                    st.switch_page("pages/models.py", query_params=dict(st.query_params))
                st.page_link("pages/binning.py", label="Look at the cut points first")
    columns, rows, read, other, this = st.tabs(
        ["Columns", "First rows", "How the file was read", "Load another table", "This analysis"],
        key=load.tabs_key(),
        on_change="rerun",
    )
with right:
    with st.container(border=True):
        split_card()
    with st.container(border=True):
        quality_card()
with columns:
    proposal_lines()
    columns_card()
    readings_card()
with rows:
    if rows.open:  # thousands of columns take the browser a second
        show_first_rows(state.table, 100)
with read:
    if read.open:  # the file's first lines load 1.5 MB into the browser
        options_card()
with other:
    load.upload_card()
    server_card()
    load.sample_buttons()
    load.show_saved()
with this:
    load.session_card()
