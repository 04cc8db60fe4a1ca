"""A run that goes on: what refreshes itself on Models does so alone, and writes inside itself."""

import threading
from dataclasses import replace

import pytest
from streamlit.testing.v1 import local_script_runner

from rulekit.evaluation import compare
from tests.pages.driving import text, the_job
from tests.waiting import PATIENCE, until
from ui import jobs
from ui.models import progress


@pytest.fixture
def held_first_pass(monkeypatch):
    """Let a run wait in its first pass until the test says go on; some folds have landed."""
    go_on, give_way = threading.Event(), jobs.Job.give_way

    def waiting(job, seconds):
        give_way(job, seconds)
        go_on.wait(PATIENCE)

    monkeypatch.setattr(jobs.Job, "give_way", waiting)
    yield go_on
    go_on.set()


def refreshed(app, monkeypatch):
    """Run what refreshes itself, and nothing else, as a browser's timer does."""
    asked = local_script_runner.RerunData
    alone = list(app._fragment_storage._fragments)
    assert alone

    def by_timer(**told):
        return replace(asked(**told), fragment_id_queue=list(alone), is_auto_rerun=True)

    with monkeypatch.context() as patched:
        patched.setattr(local_script_runner, "RerunData", by_timer)
        return app.run()


def test_points_that_land_after_the_page_was_drawn_appear_without_the_rest_of_the_page(
    open_app, held_first_pass, monkeypatch
):
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.0)
    begin, search = threading.Event(), compare._Comparing.answer_quickly

    def waiting(*asked):
        begin.wait(PATIENCE)
        search(*asked)

    monkeypatch.setattr(compare._Comparing, "answer_quickly", waiting)
    app = open_app("models", sample="credit")
    assert not app.get("plotly_chart")
    job = the_job()
    begin.set()
    until(lambda: job.glimpse is not None)
    app = refreshed(app, monkeypatch)
    assert not app.exception
    assert not app.error
    assert "First pass" in app.get("progress")[0].proto.text
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.slow
def test_when_points_stand_one_curve_takes_the_place_of_the_growing_one(
    open_app, held_first_pass, monkeypatch
):
    app = open_app("models", sample="credit")
    held_first_pass.set()
    job = the_job()
    until(lambda: job.standing is not None)
    job.cancel()
    app = refreshed(app, monkeypatch)
    assert not app.exception
    assert "was stopped" in text(app)
    assert len(app.get("plotly_chart")) == 1
    assert app.button(key="run").label == "Resume"
