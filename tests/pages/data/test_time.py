"""Test rows that are the latest ones: chosen on Data, drawn by month on Rules."""

import pytest

from tests.pages.driving import on_tab, opened, text
from ui.state import AppState


@pytest.mark.slow
def test_latest_rows_are_tested_and_errors_drawn_by_month(open_app):
    app = open_app("data", sample="credit")
    box = next(s for s in app.selectbox if s.label == "Test rows are")
    assert box.options == ["drawn at random", "the latest by opened_on"]
    app = box.set_value("opened_on").run()
    state = app.session_state["app"]
    assert state.split.by == "opened_on"
    first = state.dates("opened_on").iloc[state.rows()[1]].min()
    assert f"test rows from {first:%Y-%m-%d}" in text(app)
    setting = {"learner": "search", "max_conditions": 2}
    state = AppState(table=state.table, split=state.split, setting=setting)
    app = on_tab(opened("rules", state=state), "Stability")
    assert "Error by month of opened_on" in text(app)
    table = app.dataframe[-1].value
    assert set(table["rows"]) == {"training", "test"}
    assert table.groupby("rows")["n"].sum().to_dict() == {"training": 700, "test": 300}
