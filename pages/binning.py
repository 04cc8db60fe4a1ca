"""Binning: how numbers and categories are turned into conditions."""

import streamlit as st

from ui.binning.cards import column_card, fitted, method_card, overview
from ui.binning.screening_card import screening_card
from ui.escape import md
from ui.shell import ONWARD, empty, guard, header, sentences
from ui.state import app_state

guard("binning")
header("binning")
if (missing := app_state().problem()) is not None:
    empty(md(missing, 300))

with st.container(border=True):
    method_card()
state = app_state()
with sentences():
    binarizer = fitted(state)
    table = overview(state, binarizer)
    numbers = st.container(horizontal=True, gap="large")
    n_conditions = int(table["conditions"].sum())
    numbers.metric("Candidate conditions", f"{n_conditions:,}", width="content")
    numbers.metric("Cut points", f"{table['cut points'].sum():,}", width="content")
    numbers.metric(
        "Columns that give conditions",
        f"{(table['conditions'] > 0).sum():,} of {len(table):,}",
        width="content",
    )
    st.caption(
        f"From the {len(state.training[0]):,} learning rows. Every rule is put together from these "
        "conditions; more of them give finer rules and slower runs."
    )
    with st.container(border=True):
        name = st.selectbox("Column", state.features, key="binning_column", persist_state="session")
        if name in state.features:
            column_card(state, binarizer, name)
    with st.expander("All columns", expanded=len(table) <= 15):
        st.dataframe(
            table,
            hide_index=True,
            column_config={"column": st.column_config.TextColumn("column", pinned=True)},
            alt="Cut points and conditions of every column.",
        )
    with st.container(border=True):
        screening_card(state, n_conditions)
st.page_link("pages/models.py", label="On to Models", icon=ONWARD)
