"""How Models opens: what is drawn at once, and what of it the rest of the visit keeps."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from tests.pages.driving import the_job
from tests.waiting import PATIENCE, until
from ui.learners.offered import run_key
from ui.models import picked_rule, progress
from ui.models.form import fold_choices
from ui.state import AppState, SplitSpec


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """Wait for a first fold as long as a busy machine takes."""
    monkeypatch.setattr(progress, "FIRST_SECONDS", PATIENCE)


@pytest.mark.parametrize("sample", ["breast_cancer", "credit"])
def test_the_very_first_drawing_holds_the_points_of_a_first_fold(open_app, sample):
    app = open_app("models", sample=sample)
    assert not app.exception
    (chart,) = app.get("plotly_chart")
    first = the_job().glimpse.points
    assert first[["test_error", "n_conditions"]].notna().all(axis=None)
    drawn = json.loads(chart.proto.spec)["data"][0]
    assert sorted(number for (number,) in drawn["customdata"]) == sorted(first.index)


def test_settings_in_fold_outs_that_are_filled_after_the_curve_are_those_the_run_has(open_app):
    app = open_app("models", sample="breast_cancer")
    job = the_job()
    assert app.text_input(key="run_thetas").value
    assert app.multiselect(key="run_forbidden").value == []
    app.run()
    assert the_job() is job
    assert job.key == app.session_state["_run"].key


def test_what_was_chosen_before_the_fold_outs_were_filled_is_kept(open_app):
    app = open_app("models")
    app.session_state["app"] = AppState(table=load_sample("breast_cancer"))
    app.session_state["run_folds"] = 5
    app.run()
    assert not app.exception
    assert app.session_state["app"].run_settings["folds"] == 5
    app.run()
    assert the_job().key == app.session_state["_run"].key


def test_a_class_of_few_rows_is_offered_no_more_folds_than_it_can_fill(open_app):
    frame = pd.DataFrame({"a": range(60), "ill": ["yes"] * 56 + ["no"] * 4})
    table = Table.from_frame(frame, name="few").with_roles(
        {"a": "feature", "ill": "target"}, positive_label="no"
    )
    app = open_app("models", state=AppState(table=table, split=SplitSpec(0.0)))
    assert not app.exception
    assert not app.error
    assert app.session_state["app"].run_settings["folds"] == 4
    assert app.get("plotly_chart")


@pytest.mark.parametrize(
    ("n_rows", "n_least", "offered"),
    [(500, 80, [10, 5]), (500, 7, [5]), (500, 3, [3]), (500, 1, [2]), (60, 30, [10, 5, 60])],
)
def test_folds_offered_fit_the_rarest_class(n_rows, n_least, offered):
    assert list(fold_choices(n_rows, n_least)) == offered


@pytest.mark.slow
def test_a_slider_that_reports_an_old_position_by_a_timer_picks_nothing(open_app, monkeypatch):
    app = open_app("models", sample="breast_cancer")
    job = the_job()
    until(lambda: job.standing is not None)
    job.cancel()
    app.run()
    picked = app.session_state["app"].setting
    slider = next(s for s in app.select_slider if s.key.startswith("slider_theta_"))
    other = next(price for price in slider.options if float(price) != picked["theta"])

    by_timer = SimpleNamespace(fragment_ids_this_run=["progress"])
    monkeypatch.setattr(picked_rule, "get_script_run_ctx", lambda **_: by_timer)
    slider.set_value(float(other)).run()
    assert app.session_state["app"].setting == picked

    monkeypatch.setattr(
        picked_rule, "get_script_run_ctx", lambda **_: SimpleNamespace(fragment_ids_this_run=None)
    )
    slider = next(s for s in app.select_slider if s.key.startswith("slider_theta_"))
    assert slider.value == picked["theta"]
    slider.set_value(job.standing.settings[0]["theta"]).run()
    assert app.session_state["app"].setting["theta"] == job.standing.settings[0]["theta"]


def test_the_run_that_begins_by_itself_is_named_after_its_settings(open_app):
    app = open_app("models", sample="breast_cancer")
    state = app.session_state["app"]
    assert the_job().key == run_key(the_job().glimpse.spec, state)
