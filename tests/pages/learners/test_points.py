"""A scorecard through the pages: its scale of points, its reasons, and its exports."""

import pytest

from rulekit.data import load_sample
from rulekit.rules import scorecard_of
from tests.pages.driving import exported, text
from ui.learners.offered import RunSpec
from ui.state import AppState

SETTING = {"learner": "scorecard", "max_conditions": 3}
SPEC = RunSpec(learners=("scorecard",), limits=(3,), folds=3)


@pytest.mark.slow
def test_lenders_scale_is_shown_on_rules_and_exported(open_app):
    state = AppState(table=load_sample("credit"), setting=SETTING, run_settings=SPEC.to_dict())
    app = open_app("rules", state=state)
    assert "double the odds" not in text(app)
    learned = app.session_state["app"].rule_json
    app.toggle(key="scale_on").set_value(True).run()
    app.radio(key="scale_label").set_value("low").run()
    app.number_input(key="scale_base_odds").set_value(30).run()
    assert "600 points mean odds of 30 to 1 for low; each 20 points more double" in text(app)
    assert "every case" in app.table[0].value.index
    assert app.session_state["app"].rule_json == learned
    app = exported(app.switch_page("pages/export.py").run(), "text")
    assert any("THEN low" in code.value for code in app.code)
    assert [e.value for e in app.success]
    app.switch_page("pages/score.py").run()
    (split,) = scorecard_of(app.session_state["app"].model.rule_set_)
    assert max(split.points) <= 10
    assert " points are " in text(app)
    assert app.session_state["app"].scale["base_odds"] == 30
    again = open_app("rules", state=app.session_state["app"])
    assert again.toggle(key="scale_on").value
    assert again.number_input(key="scale_base_odds").value == 30
    assert again.radio(key="scale_label").value == "low"
    (condition, *_) = scorecard_of(app.session_state["app"].model.rule_set_)[0].conditions
    again.text_input(key=f"name_{condition}").set_value("my *name*").run()
    assert any(f"my *name* ({condition.feature}" in row for row in again.table[0].value.index)
    assert again.session_state["app"].texts == {str(condition): "my *name*"}
