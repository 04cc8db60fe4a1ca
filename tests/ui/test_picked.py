"""Promises on the pages: told where they are kept, a warning with two rows where they are not."""

from dataclasses import replace

import pytest

from rulekit.data import load_sample
from rulekit.export import from_text, to_json
from tests.pages.driving import opened, routed, text
from ui.learners.offered import RunSpec
from ui.picked import promises
from ui.state import AppState, Wording

ASKED = RunSpec(
    thetas=(2.0,), folds=5, baselines=False, directions=(("income", "<"), ("age", "<"))
).to_dict()


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))

    def on(name, **more):
        setting = {"learner": "alternating", "theta": 2.0, "n_clauses": 2}
        state = AppState(
            table=load_sample("credit"),
            setting=setting,
            run_settings=ASKED,
            wording={"income": Wording("Yearly income")},
        )
        app = opened(name, state=replace(state, **more))
        assert not app.exception
        return app

    with routed():
        yield on


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rules", "explain"])
def test_a_kept_promise_is_said_by_the_name_people_use(page, name):
    app = page(name)
    state = app.session_state["app"]
    checks = promises(state.model.rule_set_, state)
    assert [check.kept for check in checks] == [True, True]
    said = text(app)
    if name == "rules":
        assert "As Yearly income falls and all else stays, the answer may turn to high" in said
        assert not app.warning
    else:
        assert "Yearly income alone could not turn this answer" in said


def test_a_rule_edited_so_that_it_breaks_a_promise_is_warned_of(page):
    rule = from_text("1. IF income > 30000 THEN high\nOTHERWISE low")
    app = page("rules", setting={"edited": "by hand"}, rule_json=to_json(rule))
    assert len(app.warning) >= 1
    assert "Yearly income = 30001 is answered high and Yearly income = 30000 is not" in text(app)
