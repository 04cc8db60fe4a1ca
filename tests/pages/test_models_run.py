"""A run on Models: how it begins, what stands while it goes on, how it is stopped."""

import threading

import pytest

from rulekit.data import load_sample
from rulekit.evaluation import compare
from tests.pages.driving import finished, small, standing, text, the_job
from tests.waiting import PATIENCE, until
from ui import jobs
from ui.learners.offered import LEARNERS, families, settings_of_run
from ui.learners.spec import RunSpec
from ui.models.points import RunResult
from ui.state import AppState


def test_a_first_visit_finds_a_front_with_a_rule_picked_and_nobody_pressed_run(open_app):
    app = standing(open_app("models", sample="credit"))
    assert not app.exception
    state = app.session_state["app"]
    assert state.sweep.points["folds"].eq(10).all()
    assert state.setting == state.sweep.settings[state.sweep.suggestion["default"]]
    assert "THEN" in app.code[0].value
    assert app.get("plotly_chart")


@pytest.mark.slow
def test_the_first_pass_is_told_as_such_and_refined_in_place_while_one_reads(open_app):
    app = small(open_app("models", sample="credit"))
    job = the_job()
    until(lambda: job.standing is not None)
    first = job.standing
    assert first.draft.startswith("First pass, without disturbances")
    assert not first.complete
    app = finished(app)
    found = app.session_state["app"].sweep
    assert found.complete
    assert found is not first
    assert "First pass" not in text(app)
    objectives = found.points["objective"]
    assert (objectives <= first.points["objective"] + 1e-9).all()  # the archive only improves


@pytest.mark.slow
def test_changed_settings_are_followed_while_nobody_has_pressed_run(open_app):
    app = open_app("models", sample="credit")
    (before,) = jobs.registry()._jobs.values()
    app = small(app)
    (after,) = jobs.registry()._jobs.values()
    assert before.state == "cancelled"
    assert after.total == 20
    app = finished(app)
    assert app.session_state["app"].sweep.spec.thetas == (2.0, 20.0)


@pytest.mark.slow
def test_a_stopped_run_is_not_begun_again_by_itself(open_app):
    app = standing(open_app("models", sample="credit"))
    (job,) = jobs.registry()._jobs.values()
    job.cancel()
    app = small(app.run())
    assert list(jobs.registry()._jobs.values()) == [job]
    assert "was stopped" in text(app)
    assert "other settings" in text(app)
    assert app.get("plotly_chart")


def test_a_first_pass_that_is_stopped_keeps_its_points_and_is_not_called_a_part_of_the_run(
    open_app, monkeypatch
):
    stopped = threading.Event()
    monkeypatch.setattr(compare._Comparing, "keep_models", lambda *_: stopped.wait(PATIENCE))
    app = open_app("models", sample="credit")
    job = the_job()
    until(lambda: job.results)
    job.cancel()
    stopped.set()
    assert job.standing is None
    app.run()
    assert not app.exception
    found = app.session_state["app"].sweep
    assert found.finished == 0
    assert "The points of the first pass stay" in text(app)
    assert "First pass, not brought to its end" in text(app)
    assert app.button(key="run").label == "Resume"
    assert app.get("plotly_chart")


@pytest.mark.slow
def test_a_large_table_is_first_searched_in_a_stated_part(open_app, monkeypatch):
    monkeypatch.setattr(compare, "QUICK_CELLS", 0)
    monkeypatch.setattr(compare, "QUICK_ROWS", 200)
    messages, report = [], jobs.Job.report

    def noted(job, *results, **told):
        messages.append(told.get("message"))
        report(job, *results, **told)

    monkeypatch.setattr(jobs.Job, "report", noted)
    app = small(open_app("models", sample="credit"))
    job = the_job()
    until(lambda: job.standing is not None)
    assert "learned from 200 of the 560 rows of a fold" in job.standing.draft
    assert "First pass on 200 of the 560 rows of a fold, fold 1 of 5" in messages
    assert set(job.standing.points["theta"]) == {2.0, 20.0}
    app = finished(app)
    assert app.session_state["app"].sweep.complete
    assert "rows of a fold" not in text(app)


def test_the_parts_of_a_run_number_their_settings_as_the_run_does():
    spec = RunSpec(
        learners=("set_cover", "search", "column_generation", "one_level"), thetas=(1.0, 2.0)
    )
    state = AppState(table=load_sample("credit"))
    parts = families(spec, state)
    listed = settings_of_run(spec)
    numbered = [
        {k: v for k, v in setting.items() if k in ("theta", "n_clauses")} | {"words": part.name}
        for part in parts
        for setting in part.settings
    ]
    assert len(numbered) == len(listed)
    for mine, theirs in zip(numbered, listed, strict=True):
        assert mine.get("theta") == theirs["theta"]
        assert mine.get("n_clauses") == theirs.get("n_clauses")
        plain = set(theirs) <= {"learner", "theta", "n_clauses"}
        assert (mine["words"] == LEARNERS[theirs["learner"]].name) == plain


@pytest.mark.slow
def test_changed_settings_mark_the_results_as_stale(swept_credit):
    app = finished(swept_credit)  # from now on runs wait for the button
    assert "other settings" not in text(app)
    app.text_input(key="run_thetas").set_value("3").run()
    assert "These results are for other settings" in text(app)


@pytest.mark.slow
def test_a_cancelled_run_keeps_its_points_and_is_resumed(open_app):
    app = small(open_app("models", sample="credit"), "0.5, 1, 2, 5, 10, 20")
    job = the_job()
    until(lambda: job.done)
    job.cancel()
    done = job.done
    app.run()
    assert not app.exception
    assert f"partial: {done} of 60 fits" in text(app) or not done
    assert app.button(key="run").label == "Resume"
    assert app.get("plotly_chart")


def test_nothing_measured_is_no_point():
    found = RunResult((), RunSpec())
    assert found.finished == 0
    assert not found.suggestion
