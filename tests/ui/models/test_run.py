"""What a run is made of: the quick pass and the longer search of a curve, and their rows."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, Clause, Literal, RuleSet, load_sample, read_table, to_json
from ui.learners.offered import curve_key, list_variants, settings_of_run
from ui.learners.spec import CHOSEN, LIMITS, QUICK, QUICK_LIMITS, RunSpec
from ui.models import run
from ui.models.picked_rule import never_predicted
from ui.models.points import RunResult
from ui.models.run import (
    LONGER,
    better_words,
    columns_words,
    describe_stopped,
    is_selected,
    longer,
    part_words,
    progress_words,
    quick,
    seconds_longer,
    span_words,
    work,
)
from ui.runs.jobs import Job
from ui.state import AppState


@pytest.fixture
def state(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    return AppState(table=load_sample("credit"))


def test_the_quick_pass_learns_from_training_rows_on_one_curve(state):
    requested = RunSpec(learners=("lp",), view="prices", folds=5, form="cnf", budget=10.0)
    specs = (requested, quick(requested), longer(requested))
    assert len({curve_key(spec, state) for spec in specs}) == 1
    assert all(QUICK in s and "max_conditions" in s for s in settings_of_run(quick(requested)))
    assert len(list_variants(longer(requested))) == 10
    assert longer(requested).budget is None
    requested = work(quick(RunSpec()), state)
    assert len(requested.X) == len(requested.y) == 700
    assert len(requested.folds) == 10
    assert requested.key == curve_key(RunSpec(), state)
    assert part_words(state) == ""
    requested = quick(RunSpec(), several=True)
    limits = [s["max_conditions"] for s in settings_of_run(requested)]
    assert limits == list(QUICK_LIMITS)
    assert set(limits) < set(LIMITS)


def test_estimate_of_a_thorough_search_grows_less_than_the_rows(state, monkeypatch):
    settings = ({"learner": "search", "max_conditions": 1, QUICK: True},)
    result = RunResult(settings, points=pd.DataFrame({"seconds": [0.01], "folds": [10]}))
    monkeypatch.setattr(run, "app_state", lambda: state)
    low, high = {}, {}
    for n_rows in (500, 4_000):
        monkeypatch.setattr(run, "_part", lambda _, n_rows=n_rows: (500, n_rows))
        low[n_rows], high[n_rows] = seconds_longer(result, RunSpec())
    assert 1 < low[500] < high[500] < 10
    assert 3 < low[4_000] / low[500] < 6


def test_never_predicted_outcomes_and_unsearched_columns_are_named(state):
    assert columns_words(state) == ""
    X = pd.DataFrame(np.arange(1_830.0).reshape(30, 61)).add_prefix("x")
    content = X.assign(ill=["yes", "no"] * 15).to_csv(index=False).encode()
    table = read_table(content, name="wide").with_roles({"ill": "target"}, positive_label="yes")
    assert columns_words(AppState(table=table)) == (
        "Searched the 60 most promising of 61 columns; “Search longer” searches all."
    )
    table = load_sample("iris")
    state = AppState(table=table, every_class=True)
    clause = Clause((Literal("petal_width", "<=", 0.8),))
    rule = RuleSet((clause,), ("setosa",), "dnf", "virginica")
    assert never_predicted(rule, state) == "This rule never predicts versicolor."
    constant = RuleSet((), (), "dnf", "virginica")
    assert never_predicted(constant, state) == "This rule never predicts setosa and versicolor."
    whole = RuleSet((clause, clause), ("setosa", "versicolor"), "dnf", "virginica")
    assert never_predicted(whole, state) == ""


def test_rule_is_selected_once_picked_read_or_written(state):
    assert not is_selected(state)
    state.setting = {"learner": "search", "max_conditions": 2}
    assert not is_selected(state)
    state.rule_selected = True
    assert is_selected(state)
    state.rule_selected, state.setting = False, {"edited": "by hand"}
    assert is_selected(state)


def test_next_suggestion_is_offered_after_an_equal_rule(state, monkeypatch):
    settings = [{"learner": "search", "max_conditions": k} for k in (1, 2)]
    model = SimpleNamespace(rule_set_="a rule")
    selected = replace(state, setting=settings[0], rule_selected=True, model=model)
    monkeypatch.setattr(run, "app_state", lambda: selected)
    monkeypatch.setattr(run.st, "session_state", {})
    result = SimpleNamespace(settings=settings, models={run.model_key(settings[0]): model})
    for number, offered in ((0, None), (1, 1)):
        result.suggestion = SimpleNamespace(number=number)
        assert run.get_offer(result) == offered


def test_selected_rule_has_the_error_of_its_last_measurement(state, monkeypatch):
    """Status, pages and the saved analysis show this one."""
    setting = {"learner": "search", "max_conditions": 2}
    points = pd.DataFrame({"test_error": [0.2], "test_error_se": [0.01], "limit": [2]})
    result = RunResult((setting,), (RunSpec(),), points)
    chosen = replace(state, setting=setting, run_settings=RunSpec().to_dict(), error=0.3)
    monkeypatch.setitem(run.st.session_state, "app", chosen)
    run._keep_figures(result)
    assert run.app_state().error == 0.2
    other = replace(chosen, run_settings=RunSpec(folds=5).to_dict())
    monkeypatch.setitem(run.st.session_state, "app", other)
    run._keep_figures(result)
    assert run.app_state().error == 0.3


def test_quick_rule_found_again_is_one_point_and_its_earlier_error_is_kept(state, monkeypatch):
    settings = [{"learner": "search", "max_conditions": 2, QUICK: True}]
    settings += [{"learner": "search", "max_conditions": 3, CHOSEN: True}]
    model = BoxSearchClassifier(max_conditions=2).fit(*state.training)
    models = {run.model_key(setting): model for setting in settings}
    points = pd.DataFrame({"test_error": [0.196, 0.194], "limit": [2, 2]})
    result = RunResult(tuple(settings), (RunSpec(),) * 2, points, models, key="curve")
    chosen = {"setting": settings[0], "error": 0.196, "model": model, "rule_json": to_json(model)}
    selected = replace(state, **chosen, run_settings=RunSpec().to_dict(), rule_selected=True)
    monkeypatch.setitem(run.st.session_state, "app", replace(selected, result=result))
    monkeypatch.setattr("ui.picked.curve_key", lambda *_: "curve")
    run._join(result)
    after = run.app_state()
    assert (after.setting, after.error) == (settings[1], 0.194)
    assert run.earlier_words(after) == " (19.6 % in an earlier search)"
    assert run.earlier_words(replace(after, rule_json="another rule")) == ""


@pytest.fixture(autouse=True)
def _kernels_are_compiled(monkeypatch):
    monkeypatch.setattr(run.preparing, "words", lambda: None)


def job(done, total, message=""):
    result = Job(LONGER, "owner", "")
    result._begin()
    result._take({"done": done, "total": total, "message": message})
    return result


def test_run_shows_its_progress_and_keeps_it_when_stopped(monkeypatch):
    monkeypatch.setattr(run.preparing, "words", lambda: "Preparing")
    assert progress_words(Job(run.FIRST, "owner", "")) == "Preparing"  # only the first search waits
    assert progress_words(job(0, 0)) == "Searching"
    points = pd.DataFrame({"limit": [4, 4, 2], "test_error": [0.2, 0.1, 0.1]})
    found = RunResult(points=points)
    assert better_words(found, 1, 0) == "**Better rule found: 4 conditions**, as many as before."
    assert better_words(found, 0, 2) == "**Another rule found: 4 conditions** instead of 2."
    found = RunResult(points=points.assign(test_cost_per_100=[1.0, 1.0, 2.0]))  # costs decide
    assert better_words(found, 0, 2) == "**Better rule found: 4 conditions** instead of 2."
    shown = progress_words(job(26, 100, "Robustness 0.1: fold 6 of 10"))
    assert shown.startswith("Searching: Robustness 0.1: fold 6 of 10 (26 of 100)")
    running = job(26, 100)
    shown = describe_stopped(running, has_points=True)
    assert "stopped at 26 of 100. Finished points stay." in shown
    assert "“Search longer” continues from there." in shown
    assert "26 of 100" in progress_words(running)
    assert "Finished points" not in describe_stopped(job(0, 100), has_points=False)
    running.key, running._reached = ("", RunSpec(budget=60.0), {}), 50.0
    running.finished = running.started + 50
    assert progress_words(running) == "Searching (26 of 100), 10 s to go"


@pytest.mark.parametrize(
    ("state", "complete"), [("done", True), ("cancelled", False), ("failed", False), (None, True)]
)
def test_a_stopped_search_is_not_called_complete(monkeypatch, state, complete):
    ended = None if state is None else SimpleNamespace(state=state)
    monkeypatch.setattr(run, "latest", lambda *_: ended)
    assert run.search_is_complete(SimpleNamespace(is_searched=True)) is complete
    assert not run.search_is_complete(SimpleNamespace(is_searched=False))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.2, 1.1, "1 to 2 s"),
        (3, 8, "3 to 8 s"),
        (12, 41, "10 to 45 s"),
        (70, 200, "1 to 4 min"),
        (230, 238, "about 4 min"),
        (7.6, 8, "7 to 8 s"),
        (80, 80, "about 80 s"),
    ],
)
def test_time_estimate_is_rounded_to_its_precision(low, high, words):
    assert span_words(low, high) == words
