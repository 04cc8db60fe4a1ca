"""Binning: how numbers and categories are turned into conditions."""

import streamlit as st

from ui.binning import cards
from ui.escape import md
from ui.shell import ONWARD, empty, guard, header, sentences, two_columns
from ui.state import app_state

guard("binning")
header("binning")
LISTED, SCREENED = "Conditions of this column", "How many of them can matter?"
if (missing := app_state().problem()) is not None:
    empty(md(missing, 300))

with st.sidebar:
    cards.method_card()
state = app_state()
with sentences():
    binarizer = cards.get_binarizer(state)
    table = cards.overview(state, binarizer)
    left, right = two_columns()
    with left:
        n_conditions = int(table["conditions"].sum())
        with st.container(horizontal=True, gap="large"):
            st.metric("Candidate conditions", f"{n_conditions:,}", width="content")
            st.metric("Cut points", f"{table['cut points'].sum():,}", width="content")
            giving = f"{(table['conditions'] > 0).sum():,} of {len(table):,}"
            st.metric("Columns that give conditions", giving, width="content")
        name = cards.choose_column(state, table)
        st.caption(
            f"From the {len(state.training[0]):,} training rows. Every rule is put together from "
            "these conditions; more of them give finer rules and slower runs."
        )
        st.page_link("pages/models.py", label="On to Models", icon=ONWARD)
    with right:
        cards.column_card(state, binarizer, name)
    listed, screened = st.tabs([LISTED, SCREENED], key="binning_tab", on_change="rerun")
    if listed.open:
        with listed:
            cards.conditions_list(binarizer, name)
    if screened.open:
        with screened:
            cards.screening_card(state, n_conditions)
