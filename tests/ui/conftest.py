"""A session without Streamlit's own."""

import pytest


@pytest.fixture
def session(monkeypatch, tmp_path):
    """A session that holds the state of a browser tab."""
    held = {}
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "space"))
    for module in ("ui.workspace", "ui.state", "ui.analyses"):
        monkeypatch.setattr(f"{module}.st.session_state", held)
        monkeypatch.setattr(f"{module}.st.query_params", {})
    monkeypatch.setattr("ui.workspace.cache.forget", lambda: None)  # of a running script
    return held
