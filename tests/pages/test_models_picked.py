"""The picked rule on Models: which it is, how one moves along the front, how rules are compared."""

import re
import sys

import pytest

from tests.pages.driving import chosen, finished, slider, small, standing, text
from ui import jobs
from ui.picked import fitted, model_key
from ui.words import size_words


@pytest.mark.slow
def test_what_a_person_picked_stays_picked_when_better_points_come(open_app):
    app = standing(small(open_app("models", sample="credit")))
    found = app.session_state["app"].sweep
    other = next(k for k in found.points.index if found.settings[k] != chosen(app))
    mine = found.settings[other]
    slider(app, "theta").set_value(mine["theta"])
    slider(app, "n_clauses").set_value(mine["n_clauses"]).run()
    mine = chosen(app)
    app = finished(app)
    assert chosen(app) == mine
    state = app.session_state["app"]
    assert state.sweep.complete
    assert state.model is state.sweep.models[model_key(mine)]


@pytest.mark.slow
def test_rules_against_the_class_and_robust_ones_are_moved_to_by_look_up(open_app, monkeypatch):
    app = small(open_app("models", sample="credit"))
    app.toggle(key="run_against").set_value(True)
    app.toggle(key="run_robust").set_value(True).run()
    app = finished(app)
    found = app.session_state["app"].sweep
    assert len(found.points) == 4 * 6
    assert len(found.models) == 4 * 6

    def refused(*_, **__):
        raise AssertionError("something was fitted")

    monkeypatch.setattr(sys.modules["ui.picked"], "fit_path", refused)
    side = "other" if "describes" not in chosen(app) else "for"
    segment(app, "slider_describes").set_value(side).run()
    assert not app.exception
    assert ("describes" in chosen(app)) == (side == "other")
    segment(app, "slider_robustness").set_value(0.3 if "robustness" not in chosen(app) else 0.0)
    app.run()
    assert not app.exception
    last = app.code[0].value.splitlines()[-1]
    assert last == ("OTHERWISE high" if side == "other" else "OTHERWISE low")


@pytest.mark.slow
def test_kinds_of_rule_that_were_not_joined_give_way_to_each_other(open_app):
    app = small(open_app("models", sample="credit"))
    app.toggle(key="run_robust").set_value(True)
    app.toggle(key="run_doubting").set_value(True).run()
    app = finished(app)
    kinds = {(s.get("robustness", 0), s.get("doubt", 0)) for s in _measured(app)}
    assert kinds == {(0, 0), (0.1, 0), (0.3, 0), (0, 1), (0.1, 1)}
    for name, value in (("robustness", 0.1), ("doubt", 1.0), ("robustness", 0.3), ("doubt", 0.0)):
        segment(app, f"slider_{name}").set_value(value)
        app.run()
        assert not app.exception
        assert chosen(app).get(name, 0.0) == value
    model = app.session_state["app"].model
    assert (model.robustness, model.doubt) == (0.3, 0.0)


def _measured(app):
    found = app.session_state["app"].sweep
    return [found.settings[k] for k in found.points.index]


def segment(app, key):
    return next(w for w in app.segmented_control if w.key == key)


def test_a_run_ends_with_the_simplest_good_rule_picked(open_app):
    app = finished(small(open_app("models", sample="credit")))
    assert not app.exception
    state = app.session_state["app"]
    assert state.setting == state.sweep.settings[state.sweep.suggestion["default"]]
    assert "THEN high" in app.code[0].value
    assert app.get("plotly_chart")
    assert "Suggested is" in text(app)


def test_moving_the_price_picks_another_computed_setting_and_sweeps_nothing(swept_credit):
    app = swept_credit
    other = next(v for v in (2.0, 20.0) if v != app.session_state["app"].setting["theta"])
    slider(app, "theta").set_value(other).run()
    assert app.session_state["app"].setting["theta"] == other
    assert not jobs.registry()._jobs


def test_the_size_of_the_picked_rule_is_told_in_the_same_words_here_and_in_the_sidebar(
    swept_credit,
):
    app = swept_credit
    size = size_words(app.session_state["app"].model.rule_set_)
    assert f"Size of this rule: {size}." in text(app)
    assert size in [c.value for c in app.sidebar.caption]


def test_the_held_out_error_is_shown_on_request_and_counted(swept_credit):
    app = swept_credit
    assert app.session_state["app"].test_looks == 0
    app.button(key="held_out").click().run()
    assert app.session_state["app"].test_looks == 1
    assert "of 300 test rows" in text(app)
    app.run()
    assert app.session_state["app"].test_looks == 1


def test_compared_settings_are_told_apart_in_words(swept_credit):
    app = swept_credit
    found = app.session_state["app"].sweep
    short, long = (
        found.number_of({"learner": "search", "theta": theta, "n_clauses": n})
        for theta, n in ((20.0, 1), (2.0, 2))
    )
    app.multiselect(key="compare").set_value([short]).run()
    assert "From A short rule" not in text(app)
    app.multiselect(key="compare").set_value([short, long]).run()
    assert not app.exception
    assert not app.error
    assert "From A short rule, θ 20, at most 1 clause to A short rule, θ 2, at most 2" in text(app)
    said = re.search(r"(\d+) of 700 learning rows get another answer", text(app))
    state = app.session_state["app"]
    X, _ = state.training
    rules = [fitted(state, found.settings[k], found.spec) for k in (short, long)]
    assert int(said[1]) == (rules[0].predict(X) != rules[1].predict(X)).sum() > 0
    told = app.code[-1]
    assert told.language == "diff"
    assert {line[0] for line in told.value.splitlines()} <= set("+- ")
