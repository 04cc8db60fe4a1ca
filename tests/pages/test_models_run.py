"""A run on Models: how it begins, what stands while it goes on, how it is stopped."""

import time

from rulekit.data import load_sample
from rulekit.evaluation.grid import settings_of
from tests.pages.driving import finished, small, standing, text
from ui import jobs
from ui import models_rounds as rounds
from ui.learners import RunSpec, settings_of_run
from ui.models_points import outcome_of
from ui.state import AppState


def test_a_first_visit_finds_a_front_with_a_rule_picked_and_nobody_pressed_run(open_app):
    app = standing(open_app("models", sample="credit"))
    assert not app.exception
    state = app.session_state["app"]
    assert state.sweep.points["folds"].eq(10).all()
    assert state.setting == state.sweep.settings[state.sweep.suggestion["default"]]
    assert "THEN" in app.code[0].value
    assert app.get("plotly_chart")


def test_the_first_pass_is_told_as_such_and_refined_in_place_while_one_reads(open_app):
    app = small(open_app("models", sample="credit"))
    (job,) = jobs.registry()._jobs.values()
    while job.standing is None:
        time.sleep(0.005)
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


def test_changed_settings_are_followed_while_nobody_has_pressed_run(open_app):
    app = open_app("models", sample="credit")
    (before,) = jobs.registry()._jobs.values()
    app = small(app)
    (after,) = jobs.registry()._jobs.values()
    assert before.state == "cancelled"
    assert after.total == 20
    app = finished(app)
    assert app.session_state["app"].sweep.spec.thetas == (2.0, 20.0)


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
    def slowly(*_, **__):
        time.sleep(0.5)
        return {}

    monkeypatch.setattr(rounds, "fit_path", slowly)
    app = open_app("models", sample="credit")
    (job,) = jobs.registry()._jobs.values()
    while not job.results:
        time.sleep(0.002)
    job.cancel()
    assert job.standing is None
    app.run()
    assert not app.exception
    found = app.session_state["app"].sweep
    assert found.finished == 0
    assert "The points of the first pass stay" in text(app)
    assert "First pass, not brought to its end" in text(app)
    assert app.button(key="run").label == "Resume"
    assert app.get("plotly_chart")


def test_a_large_table_is_first_searched_in_a_stated_part(open_app, monkeypatch):
    monkeypatch.setattr(rounds, "DRAFT_CELLS", 0)
    monkeypatch.setattr(rounds, "DRAFT_ROWS", 200)
    messages, report = [], jobs.Job.report

    def noted(job, *results, **told):
        messages.append(told.get("message"))
        report(job, *results, **told)

    monkeypatch.setattr(jobs.Job, "report", noted)
    app = small(open_app("models", sample="credit"))
    (job,) = jobs.registry()._jobs.values()
    while job.standing is None:
        time.sleep(0.005)
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
    parts = rounds.parts_of(spec, state)
    listed = settings_of_run(spec)
    numbered = [
        {k: v for k, v in setting.items() if k in ("theta", "n_clauses", "method")}
        for part in parts
        for setting in settings_of(part.grid)
    ]
    assert len(numbered) == len(listed) == spec.n_settings
    for mine, theirs in zip(numbered, listed, strict=True):
        assert mine.get("theta") == theirs["theta"]
        assert mine.get("n_clauses") == theirs.get("n_clauses")
        assert mine.get("method", theirs["learner"]) == theirs["learner"]


def test_changed_settings_mark_the_results_as_stale(open_app):
    app = finished(small(open_app("models", sample="credit")))
    app.button(key="run").click().run()  # from now on runs wait for the button
    app = finished(app)
    assert "other settings" not in text(app)
    app.text_input(key="run_thetas").set_value("3").run()
    assert "These results are for other settings" in text(app)


def test_a_cancelled_run_keeps_its_points_and_is_resumed(open_app):
    app = small(open_app("models", sample="credit"), "0.5, 1, 2, 5, 10, 20")
    (job,) = jobs.registry()._jobs.values()
    while not job.done:
        time.sleep(0.002)
    job.cancel()
    done = job.done
    app.run()
    assert not app.exception
    assert f"partial: {done} of 60 fits" in text(app) or not done
    assert app.button(key="run").label == "Resume"
    assert app.get("plotly_chart")


def test_nothing_measured_is_no_point():
    found = outcome_of([], RunSpec())
    assert found.finished == 0
    assert not found.suggestion
