"""Widgets with exactly one selected option, or one selected row of a table."""

import json

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from tests.waiting import PATIENCE


def page():
    import streamlit as st

    from ui.widgets import choice, menu

    words = {1: "one", 2: "two"}
    st.markdown(f"{choice('Buttons', words, 2, 'buttons')} {menu('List', words, 3, 'list')}")


def test_options_are_shown_by_their_words_with_one_selected():
    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert app.segmented_control(key="buttons").options == ["one", "two"]
    assert app.selectbox(key="list").options == ["one", "two"]
    assert app.markdown[0].value == "2 1"
    app.segmented_control(key="buttons").set_value(1)
    assert app.selectbox(key="list").set_value(2).run().markdown[0].value == "1 2"


def table_page():
    """Draw a table of the requested size; record each pick."""
    import pandas as pd
    import streamlit as st

    from ui.widgets import pick_row

    def picked(place):
        st.session_state["picked"] = place
        st.session_state["picks"] = [*st.session_state["picks"], place]

    st.session_state.setdefault("picks", [])
    st.session_state.setdefault("picked", 2)
    table = pd.DataFrame({"setting": [f"s{k}" for k in range(st.session_state.get("rows", 3))]})
    pick_row(table, st.session_state["picked"], picked, key="table", alt="Settings")


@pytest.fixture
def app():
    return AppTest.from_function(table_page).run()


def report(app, table, row):
    """Report, as a browser does, that a row of a table drawn earlier has the mark."""
    states = WidgetStates()
    state = states.widgets.add()
    state.id = table.proto.id
    state.string_value = json.dumps(
        {"selection": {"rows": [row], "columns": [], "cells": [[row, "setting"]]}}
    )
    return app._run(states)


def test_picking_a_row_keeps_the_table_and_its_keyboard_focus(app):
    before = app.dataframe[0].proto.id
    app = report(app, app.dataframe[0], 0)
    assert app.dataframe[0].proto.id == before
    app = report(app, app.dataframe[0], 1)
    assert app.session_state["picks"] == [0, 1]
    assert app.dataframe[0].proto.id == before


@pytest.mark.parametrize("rows", [3, 5])
def test_late_report_does_not_undo_a_pick_made_elsewhere(app, rows):
    before = app.dataframe[0]
    app.session_state["rows"], app.session_state["picked"] = rows, 1
    app.run()
    app = report(app, before, 2)
    assert not app.exception
    assert app.session_state["picks"] == []
    assert app.session_state["picked"] == 1
