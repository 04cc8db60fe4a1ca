"""What is kept between reruns: by content, per session."""

import pytest
from streamlit.testing.v1 import AppTest


def counted():
    import streamlit as st

    from ui.cache import compute_once

    calls = st.session_state.setdefault("calls", [])
    for key in st.session_state.get("keys", ["a", "a", "b"]):
        compute_once("number", key, lambda key=key: calls.append(key) or key)
        compute_once("object", key, lambda key=key: calls.append(key.upper()) or [key], copy=False)


@pytest.mark.slow
def test_each_key_is_computed_once_a_session():
    app = AppTest.from_function(counted).run()
    app.run()
    assert not app.exception
    assert app.session_state["calls"] == ["a", "A", "b", "B"]


def test_outside_a_page_nothing_is_kept():
    from ui.cache import compute_once

    calls = []
    for _ in range(2):
        compute_once("number", "a", lambda: calls.append(1))
    assert len(calls) == 2
