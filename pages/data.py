"""Data: what am I modelling, and on which rows."""

import streamlit as st

from ui.data.choices import columns_card, split_card, target_card
from ui.data.load import options_card, sample_buttons, upload_card
from ui.data.parquet_file import server_card
from ui.data.quality import quality_card
from ui.data.session import session_card
from ui.escape import md
from ui.shell import ONWARD, guard, header
from ui.state import app_state

guard("data")
header("data")
state = app_state()

if state.table is None:
    st.markdown(
        "A table goes in, a short rule that a person can check comes out: **Models** shows what "
        "each further condition buys, **Rules** reads the rule and says where it is wrong, "
        "**Explain** answers why for a single case, and **Export** takes the rule away. A table "
        "needs a row a case, and a column that holds what the rule should predict."
    )
    left, right = st.columns([3, 2], gap="large")
    with left, st.container(border=True):
        upload_card()
        options_card()
    with right, st.container(border=True):
        st.markdown("**Or try a sample**")
        sample_buttons()
        server_card()
    st.stop()

table = state.table
numbers = st.container(horizontal=True, gap="large")
numbers.metric("Table", md(table.name, 40), width="content")
numbers.metric("Rows", f"{table.n_rows:,}", width="content")
numbers.metric("Columns", f"{table.n_columns:,}", width="content")
with st.expander("Load another table", expanded=bool(st.session_state.get("upload_error"))):
    left, right = st.columns([3, 2], gap="large")
    with left:
        upload_card()
    with right:
        sample_buttons()
        server_card()
options_card()

left, right = st.columns(2)
with left, st.container(border=True):
    target_card()
with right, st.container(border=True):
    split_card()
if app_state().ready:
    with st.container(horizontal=True, gap="medium"):
        st.markdown("**Ready to learn.**", width="content")
        st.page_link("pages/models.py", label="On to Models", icon=ONWARD)
        st.page_link("pages/binning.py", label="Look at the cut points first")
with st.container(border=True):
    quality_card()
with st.container(border=True):
    columns_card()
with st.expander("First rows"):
    st.dataframe(table.frame.head(100), alt="The first rows of the table.")
with st.container(border=True):
    session_card()
