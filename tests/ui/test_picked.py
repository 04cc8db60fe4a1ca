"""Promises on the pages: told where they are kept, a warning with two rows where they are not."""

from dataclasses import replace

import pytest

from rulekit import from_text, load_sample, to_json
from tests.pages.driving import opened, routed, text
from ui.learners.offered import RunSpec
from ui.picked import monotonicity
from ui.state import AppState, ColumnName

ASKED = RunSpec(
    thetas=(2.0,), folds=5, baselines=False, directions=(("income", "<"), ("age", "<"))
).to_dict()


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))

    def on(name, **more):
        state = AppState(
            table=load_sample("credit"),
            setting={"learner": "alternating", "theta": 2.0, "n_clauses": 2},
            run_settings=ASKED,
            wording={"income": ColumnName("Yearly income")},
        )
        return opened(name, state=replace(state, **more))

    with routed():
        yield on


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rules", "explain"])
def test_a_satisfied_constraint_is_shown_by_its_label(page, name):
    app = page(name)
    state = app.session_state["app"]
    checks = monotonicity(state.model.rule_set_, state)
    assert [check.kept for check in checks] == [True, True]
    message = text(app)
    if name == "rules":
        assert "If only Yearly income falls, the prediction may change to high" in message
        assert not app.warning
    else:
        assert "Yearly income alone cannot change this prediction" in message


def test_a_rule_edited_to_violate_a_constraint_warns(page):
    rule = from_text("1. IF income > 30000 THEN high\nOTHERWISE low")
    app = page("rules", setting={"edited": "by hand"}, rule_json=to_json(rule))
    assert len(app.warning) >= 1
    assert (
        "the prediction is high for Yearly income = 30001 and not for Yearly income = 30000"
        in text(app)
    )
