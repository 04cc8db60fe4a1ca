"""Widgets with exactly one selected option."""

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
