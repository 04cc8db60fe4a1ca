"""The Models page: settings, runs, points that are picked, what is said when things go wrong."""

import re
import sys
import time
from dataclasses import replace

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.evaluation.grid import settings_of
from ui import jobs
from ui import models_rounds as rounds
from ui.learners import LEARNERS, RunSpec, settings_of_run
from ui.models_form import parsed_thetas
from ui.models_points import outcome_of
from ui.picked import fitted, model_key
from ui.state import AppState, BinningSpec, SplitSpec

SWEEP = sys.modules["rulekit.evaluation.sweep"]  # the package holds the function of this name


def small(app, thetas="2, 20"):
    """Ask for few prices and no reference models, as far as the learners read it."""
    asked = [
        (app.text_input(key="run_thetas"), thetas),
        (app.toggle(key="run_baselines"), False),
        (app.segmented_control(key="run_folds"), 5),
        (app.slider(key="run_clauses"), (1, 2)),
        (app.toggle(key="run_against"), False),
        (app.toggle(key="run_robust"), False),
    ]
    for widget, value in asked:
        if not widget.disabled:
            widget.set_value(value)
    return app.run()


def finished(app, seconds=180):
    """Press Run, unless a run goes on, and wait for its end as a browser polling does."""
    if not app.button(key="run").disabled:
        app.button(key="run").click().run()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (job,) = jobs.registry()._jobs.values()
        if not job.active:
            return app.run()
        time.sleep(0.1)
    raise AssertionError(f"The run did not end within {seconds} s.")


def slider(app, name):
    """Find the slider along a setting, whatever it offers."""
    return next(s for s in app.select_slider if s.key.startswith(f"slider_{name}_"))


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.markdown]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


def test_without_a_table_the_page_says_so_and_draws_nothing(open_app):
    app = open_app("models")
    assert not app.exception
    assert "No table is loaded yet" in text(app)
    assert not app.get("plotly_chart")


def test_before_a_run_of_a_slow_learner_there_is_no_chart_but_the_size_of_the_run(open_app):
    app = open_app("models")
    table = load_sample("credit")
    app.session_state["app"] = AppState(table=table, run_settings={"learners": ["set_cover"]})
    app.run()
    assert not app.exception
    assert "90 settings in 10 folds: 900 fits" in text(app)
    assert not app.get("plotly_chart")
    assert not jobs.registry()._jobs


def standing(app, seconds=120):
    """Wait until something stands of the run that goes on, and draw the page anew."""
    (job,) = jobs.registry()._jobs.values()
    end = time.monotonic() + seconds
    while job.standing is None and job.active:
        assert time.monotonic() < end
        time.sleep(0.02)
    return app.run()


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


def chosen(app):
    return app.session_state["app"].setting


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


def segment(app, key):
    return next(w for w in app.segmented_control if w.key == key)


def test_column_generation_is_offered_and_asked_for_no_number_of_clauses():
    spec = RunSpec(learners=("column_generation", "search"), thetas=(1.0,), clauses=(1, 2))
    own = [s for s in settings_of_run(spec) if s["learner"] == "column_generation"]
    assert own == [{"learner": "column_generation", "theta": 1.0}]
    assert "bound" in LEARNERS["column_generation"].good_when


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


def test_directions_are_turned_for_a_rule_against_the_class():
    spec = RunSpec(directions=(("income", ">"),))
    assert spec.constraints(["income"])["directions"] == {"income": ">"}
    assert spec.constraints(["income"], against=True)["directions"] == {"income": "<"}


def test_a_run_ends_with_the_simplest_good_rule_picked(open_app):
    app = finished(small(open_app("models", sample="credit")))
    assert not app.exception
    state = app.session_state["app"]
    assert state.setting == state.sweep.settings[state.sweep.suggestion["default"]]
    assert "THEN high" in app.code[0].value
    assert app.get("plotly_chart")
    assert "Suggested is" in text(app)


def test_moving_the_price_picks_another_computed_setting_and_sweeps_nothing(open_app):
    app = finished(small(open_app("models", sample="credit")))
    (before,) = jobs.registry()._jobs.values()
    other = next(v for v in (2.0, 20.0) if v != app.session_state["app"].setting["theta"])
    slider(app, "theta").set_value(other).run()
    (after,) = jobs.registry()._jobs.values()
    assert app.session_state["app"].setting["theta"] == other
    assert after is before


def test_changed_settings_mark_the_results_as_stale(open_app):
    app = finished(small(open_app("models", sample="credit")))
    app.button(key="run").click().run()  # from now on runs wait for the button
    app = finished(app)
    assert "other settings" not in text(app)
    app.text_input(key="run_thetas").set_value("3").run()
    assert "These results are for other settings" in text(app)


def test_the_held_out_error_is_shown_on_request_and_counted(open_app):
    app = finished(small(open_app("models", sample="credit")))
    assert app.session_state["app"].test_looks == 0
    app.button(key="held_out").click().run()
    assert app.session_state["app"].test_looks == 1
    assert "of 300 test rows" in text(app)
    app.run()
    assert app.session_state["app"].test_looks == 1


def test_compared_settings_are_told_apart_in_words(open_app):
    app = finished(small(open_app("models", sample="credit")))
    found = app.session_state["app"].sweep
    short, long = (
        found.number_of({"learner": "search", "theta": theta, "n_clauses": n})
        for theta, n in ((20.0, 1), (2.0, 2))
    )
    app.multiselect(key="compare").set_value([short]).run()
    assert "From Box search" not in text(app)
    app.multiselect(key="compare").set_value([short, long]).run()
    assert not app.exception
    assert not app.error
    assert "From Box search, θ 20, at most 1 clause to Box search, θ 2, at most 2" in text(app)
    said = re.search(r"(\d+) of 700 learning rows get another answer", text(app))
    state = app.session_state["app"]
    X, _ = state.training
    rules = [fitted(state, found.settings[k], found.spec) for k in (short, long)]
    assert int(said[1]) == (rules[0].predict(X) != rules[1].predict(X)).sum() > 0
    told = app.code[-1]
    assert told.language == "diff"
    assert {line[0] for line in told.value.splitlines()} <= set("+- ")


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


def test_after_a_restart_a_cancelled_run_shows_its_points_and_is_resumed(open_app, no_fits):
    app = small(open_app("models", sample="credit"), "0.5, 1, 2, 5, 10, 20")
    (job,) = jobs.registry()._jobs.values()
    while not job.done:
        time.sleep(0.002)
    job.cancel()
    time.sleep(0.5)  # what the job's thread still finishes is kept, too
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


def test_points_of_other_cut_points_do_not_come_back(open_app, no_fits):
    app = finished(small(open_app("models", sample="credit")))
    app.session_state["app"] = replace(
        app.session_state["app"], sweep=None, binning=BinningSpec("median"), model=None
    )
    jobs.registry().forget(app.session_state["analysis_id"])
    del app.session_state["_followed"]  # as in a session that comes back
    no_fits()
    app.run()
    assert not app.exception
    assert app.session_state["app"].sweep is None
    assert "are not kept for this table" in text(app)


def test_a_damaged_store_is_a_sentence_and_a_run_can_be_asked_for(open_app, workspace_folder):
    app = finished(small(open_app("models", sample="credit")))
    (store,) = workspace_folder.glob("*/sweep.sqlite")
    for path in workspace_folder.glob("*/sweep.sqlite-*"):
        path.unlink()
    store.write_bytes(b"no database" * 100)
    again = reloaded(app, open_app)
    assert not again.exception
    assert "sweep.sqlite" in again.error[0].value.replace("\\", "")
    assert again.button(key="run").label == "Run"


def test_a_price_that_is_no_number_is_named_and_nothing_can_be_run(open_app):
    app = small(open_app("models", sample="credit"), "0.1, cheap")
    assert "found 'cheap'" in text(app)
    assert "run" not in {b.key for b in app.button}


def test_no_learner_is_a_sentence(open_app):
    app = open_app("models", sample="credit")
    app.multiselect(key="run_learners").set_value([]).run()
    assert "Choose at least one learner" in text(app)


def test_a_class_with_fewer_rows_than_folds_is_a_sentence(open_app):
    frame = pd.DataFrame({"age": [7 * k % 20 for k in range(40)], "ill": ["yes"] + ["no"] * 39})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    app = open_app("models")
    app.session_state["app"] = AppState(table=table, split=SplitSpec(test_share=0.0))
    app.run()
    assert not app.exception
    assert "'yes'" in text(app)
    app.button(key="run").click().run()
    assert not app.exception
    assert "'yes'" in text(app)
    assert app.session_state["app"].sweep is None


def test_a_column_cannot_be_given_both_directions(open_app):
    app = open_app("models", sample="credit")
    app.multiselect(key="run_direction_up").set_value(["income"]).run()
    assert "income" not in app.multiselect(key="run_direction_down").options


@pytest.mark.parametrize("text", ["", " , ", "0", "-1", "nan", "inf", "1,x"])
def test_prices_that_are_not_positive_numbers_are_refused(text):
    with pytest.raises(ValueError, match="price"):
        parsed_thetas(text)


def test_prices_are_sorted_and_met_once():
    assert parsed_thetas("2; 0.5 2, 1e1") == (0.5, 2.0, 10.0)


def test_a_run_survives_being_written_as_json():
    spec = RunSpec(learners=("set_cover", "one_level"), thetas=(1.0,), directions=(("a", ">"),))
    assert RunSpec.from_dict(spec.to_dict()) == spec


def test_settings_are_as_many_as_the_run_says():
    spec = RunSpec(learners=("alternating", "one_level", "set_cover"), thetas=(1.0, 2.0))
    assert len(settings_of_run(spec)) == spec.n_settings == 22
    assert RunSpec(thetas=(1.0, 2.0)).n_settings == 60  # three degrees of robustness, two sides


def test_nothing_measured_is_no_point():
    found = outcome_of([], RunSpec())
    assert found.finished == 0
    assert not found.suggestion
