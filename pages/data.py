"""Data: what am I modelling, and on which rows."""

import streamlit as st

from ui import analyses
from ui.data.choices import columns_card, target_card
from ui.data.load import options_card, refusal, sample_buttons, upload_card
from ui.data.parquet_file import server_card
from ui.data.quality import quality_card
from ui.data.session import saved_card, session_card
from ui.data.split import split_card
from ui.shell import ONWARD, guard, header, two_columns
from ui.state import app_state

guard("data")
header("data")
analyses.ask_browser()
analyses.claim()
state = app_state()
refusal()

if state.table is None:
    left, right = two_columns()
    with left:
        st.markdown(
            "A table goes in, a short rule that a person can check comes out. It needs a row a "
            "case, and a column that holds what the rule should predict."
        )
        upload_card()
        options_card()
        server_card()
        saved_card()
    with right:
        st.markdown("**Or try a sample**")
        sample_buttons()
    st.stop()

left, right = two_columns()
with left, st.container(border=True):
    target_card()
    if app_state().ready:
        with st.container(horizontal=True, gap="medium"):
            st.page_link("pages/models.py", label="**On to Models**", icon=ONWARD)
            st.page_link("pages/binning.py", label="Look at the cut points first")
with right:
    with st.container(border=True):
        split_card()
    with st.container(border=True):
        quality_card()

COLUMNS, ROWS, READ, OTHER, THIS = (
    "Columns",
    "First rows",
    "How the file was read",
    "Another table",
    "This analysis",
)
columns, rows, read, other, this = st.tabs([COLUMNS, ROWS, READ, OTHER, THIS])
with columns:
    columns_card()
with rows:
    st.dataframe(state.table.frame.head(100), alt="The first rows of the table.")
with read:
    options_card()
with other:
    left, right = st.columns([3, 2], gap="large")
    with left:
        upload_card()
        server_card()
        saved_card()
    with right:
        sample_buttons()
with this:
    session_card()
