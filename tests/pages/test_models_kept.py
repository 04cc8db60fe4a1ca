"""What is left of a run on Models after a reload or a restart of the server."""

import sys
from dataclasses import replace

import pandas as pd
import pytest

from tests.pages.driving import finished, small, text, the_job
from tests.waiting import until
from ui import jobs
from ui.state import BinningSpec

SWEEP = sys.modules["rulekit.evaluation.sweep"]  # the package holds the function of this name


def reloaded(app, open_app):
    """Open the address again on a server that has just started: no job is known."""
    jobs.registry().forget(app.session_state["analysis_id"])
    return open_app("models", query={"analysis": app.query_params["analysis"]})


@pytest.fixture
def no_fits(monkeypatch):
    """Let nothing be fitted by a sweep, so that what is shown was stored."""

    def refused(*_):
        raise AssertionError("a sweep has fitted something")

    return lambda: monkeypatch.setattr(SWEEP, "_do", refused)


@pytest.mark.slow
def test_after_a_restart_all_points_are_back_and_nothing_is_fitted(open_app, no_fits):
    app = finished(small(open_app("models", sample="credit")))
    before = app.session_state["app"]
    no_fits()
    again = reloaded(app, open_app)
    assert not again.exception
    assert not again.error
    state = again.session_state["app"]
    pd.testing.assert_frame_equal(state.sweep.points, before.sweep.points)
    assert state.sweep.suggestion == before.sweep.suggestion
    assert state.setting == before.setting
    assert again.get("plotly_chart")
    assert "other settings" not in text(again)
    assert again.button(key="run").label == "Run"
    assert jobs.registry().get(again.session_state["analysis_id"]) is None


@pytest.mark.slow
def test_after_a_restart_a_cancelled_run_shows_its_points_and_is_resumed(open_app, no_fits):
    app = small(open_app("models", sample="credit"), "0.5, 1, 2, 5, 10, 20")
    job = the_job()
    until(lambda: job.done)
    job.cancel()
    until(lambda: not jobs.registry()._threads)  # what its thread still finishes is kept, too
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SWEEP, "_do", None)
        again = reloaded(app, open_app)
    assert not again.exception
    found = again.session_state["app"].sweep
    assert job.done <= found.finished < 60
    assert f"Partial: {found.finished} of 60 fits" in text(again)
    assert again.button(key="run").label == "Resume"
    assert again.get("plotly_chart")
    ended = finished(again)
    assert ended.session_state["app"].sweep.complete
    (job,) = jobs.registry()._jobs.values()
    assert sum(row["from_store"] for row in job.results) >= found.finished


@pytest.mark.slow
def test_after_a_restart_the_form_is_set_as_the_run_was(open_app):
    app = small(open_app("models", sample="credit"), "0.125, 2, 20")
    app.segmented_control(key="run_form_shape").set_value("cnf")
    app.multiselect(key="run_forbidden").set_value(["amount"]).run()
    app.multiselect(key="run_direction_up").set_value(["income"]).run()
    app = finished(app)
    again = reloaded(app, open_app)
    assert not again.exception
    assert not again.warning
    for key in ("run_thetas", "run_clauses", "run_form_shape", "run_forbidden", "run_direction_up"):
        one, other = (next(w for w in a if w.key == key) for a in (widgets(app), widgets(again)))
        assert one.value == other.value
    assert again.session_state["app"].sweep.complete


def widgets(app):
    return [*app.text_input, *app.slider, *app.segmented_control, *app.multiselect]


def test_points_of_other_cut_points_do_not_come_back(swept_credit, no_fits):
    app = swept_credit
    app.session_state["app"] = replace(
        app.session_state["app"], sweep=None, binning=BinningSpec("median"), model=None
    )
    jobs.registry().forget(app.session_state["analysis_id"])
    del app.session_state["_run"]  # as in a session that comes back
    no_fits()
    app.run()
    assert not app.exception
    assert app.session_state["app"].sweep is None
    assert "are not kept for this table" in text(app)


def test_a_damaged_store_is_a_sentence_and_a_run_can_be_asked_for(
    open_app, swept_credit, workspace_folder
):
    (store,) = workspace_folder.glob("*/sweep.sqlite")
    for path in workspace_folder.glob("*/sweep.sqlite-*"):
        path.unlink()
    store.write_bytes(b"no database" * 100)
    again = reloaded(swept_credit, open_app)
    assert not again.exception
    assert "sweep.sqlite" in again.error[0].value.replace("\\", "")
    assert again.button(key="run").label == "Run"
