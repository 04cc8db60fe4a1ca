"""The Rules page: the rule in words, figures, switches, the editor, empty and perfect rules."""

import json
import re
import sys
from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rulekit import Table, load_sample, to_json
from rulekit.learners import Certificate, FixedRuleClassifier
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from tests.export.sheets.test_rows import RULE
from tests.pages.driving import as_table, finished, listed_conditions, on_tab, text
from tests.ui.tasks import Giving
from tests.waiting import PATIENCE, until
from ui.learners.offered import RunSpec
from ui.learners.tree import TREE
from ui.rule_numbers import rows_of
from ui.rules.cards import MANY
from ui.runs import jobs
from ui.state import AppState, ColumnName
from ui.words import clause_words, rule_words, wording

QUOTED = re.compile("“(.+?)”")
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()
INCOME = RuleSet((Clause((Literal("income", ">", 3.0),)),), ("high",), "dnf", "low")


def with_model(open_app, page, table, setting, **more):
    """Open a page on an analysis whose setting is chosen and not fitted yet, as after a reload."""
    return open_app(page, state=AppState(table=table, setting=setting, run_settings=QUICK, **more))


@pytest.fixture
def on_credit(open_app):
    def opened(page="rules", theta=2.0, **more):
        setting = {"learner": "alternating", "theta": theta, "n_clauses": 2}
        return with_model(open_app, page, load_sample("credit"), setting, **more)

    return opened


@pytest.mark.slow
def test_the_rule_is_reported_with_figures_of_training_and_test_rows(on_credit):
    app = on_credit(wording={"late_payments": ColumnName("Late payments", "in five years")})
    state = app.session_state["app"]
    shown, rule = text(app), state.model.rule_set_
    assert "Late payments > 1 in five years" in shown
    assert "**high** if" in shown
    assert "otherwise **low**" in shown
    assert all(clause_words(clause, wording(state)) in shown for clause in rule.clauses)
    assert state.test_looks == 1
    (table,) = [t.value for t in app.dataframe if "lift" in t.value]
    X, y = state.training
    assert table["rows"].sum() == len(X)
    assert table["correct"].sum() == (state.model.predict(X) == y).sum()
    assert len(app.get("plotly_chart")) == 1
    assert app.dataframe[-1].proto.placeholder == "missing"


def looks(app):
    return next(m.help for m in app.metric if m.label == "Error, test rows")


@pytest.mark.slow
def test_rule_shown_after_reloads_is_one_look_at_the_test_rows(on_credit, open_app):
    app = on_credit()
    address = {"analysis": app.query_params["analysis"]}
    for _ in range(2):
        app = open_app("rules", query=address)
        assert "Looked at for 1 rule so far" in looks(app)
        assert app.session_state["app"].test_looks == 1
    before = app.session_state["app"]
    other = before.setting | {"n_clauses": 1}
    app.session_state["app"] = replace(before, setting=other, model=None, rule_json=None)
    app.run()
    assert app.session_state["app"].rule_json != before.rule_json
    assert "Looked at for 2 rules so far" in looks(app)


def trust_views(app):
    """Return the views of the tab Trust; the tab Errors is open again afterwards."""
    (views,) = [c for c in on_tab(app, "Trust").segmented_control if "view_Trust" in c.key]
    on_tab(app, "Errors")
    return views.options


def without_the_first(app):
    switch = next(t for t in app.toggle if t.label == "Use clause 1")
    switch.set_value(False).run()
    assert "Without clause 1" in text(app)
    return app.button(key="keep_shorter").click().run()


@pytest.mark.slow
def test_undo_redo_and_back_restore_rules_with_their_own_figures(on_credit):
    app = on_credit()
    app.session_state["app"] = learned = replace(app.session_state["app"], error=0.123)
    assert "12.3 % wrong" in text(app.run())
    assert not [b for b in app.button if b.key == "undo_edit"]
    assert "Optimality" in trust_views(app)
    app = without_the_first(app)
    edited = app.session_state["app"]
    assert edited.model.rule_set_.n_clauses == learned.model.rule_set_.n_clauses - 1
    assert "Optimality" not in trust_views(app)
    assert "12.3 % wrong" not in text(app)
    for key, state in (
        ("undo_edit", learned),
        ("redo_edit", edited),
        ("back_to_learned", learned),
        ("redo_edit", edited),
    ):
        app.button(key=key).click().run()
        now = app.session_state["app"]
        fields = ("setting", "rule_json", "error")
        assert [getattr(now, f) for f in fields] == [getattr(state, f) for f in fields]
        assert now.model.rule_set_ == state.model.rule_set_
        assert app.button(key="undo_edit").disabled == (state is learned)
        assert app.button(key="redo_edit").disabled == (state is edited)


@pytest.mark.slow
def test_undo_and_redo_are_offered_after_a_reload(on_credit, open_app):
    app = on_credit()
    learned = app.session_state["app"].rule_json
    app = without_the_first(app)
    edited = app.session_state["app"].rule_json
    address = {"analysis": app.query_params["analysis"]}
    app = open_app("rules", query=address).button(key="undo_edit").click().run()
    assert app.session_state["app"].rule_json == learned
    app = open_app("rules", query=address).button(key="redo_edit").click().run()
    assert app.session_state["app"].rule_json == edited
    assert "edited by hand" in text(app)
    assert app.button(key="redo_edit").disabled


@pytest.mark.slow
def test_a_clause_is_added_to_a_rule_also_to_an_empty_one(on_credit, monkeypatch):
    app = on_credit(theta=1e6)
    (reported,) = [w.value for w in app.warning]
    assert "The rule has no condition" in reported
    assert "Always **low**" in text(app)
    editor = sys.modules["ui.rules.editor"]
    row = {"column": "income", "test": ">", "value": "3", "holds if missing": False}
    monkeypatch.setattr(editor.st, "data_editor", lambda rows, **_: pd.DataFrame([row]))
    app.button(key="edit_0").click().run()
    app.button(key="score_edit").click().run()
    assert not app.error, app.error[0].value
    assert app.session_state["app"].model.rule_set_ == INCOME


@pytest.mark.slow
def test_a_scorecard_is_edited_as_one_card_with_its_totals(open_app):
    setting = {"learner": "scorecard", "max_conditions": 3}
    app = with_model(open_app, "rules", load_sample("credit"), setting)
    size = app.session_state["app"].model.rule_set_.n_conditions
    assert {m.label: m.value for m in app.metric}["Conditions"] == str(size)  # no clauses to count
    (before,) = scorecard_of(app.session_state["app"].model.rule_set_)
    assert "Add a clause" not in [button.label for button in app.button]
    on_tab(app, "Operating points")
    assert not [box for box in app.segmented_control if box.key == "operating_by"]
    on_tab(app, "Probabilities")
    helps = " ".join(m.help or "" for m in app.markdown)
    assert "Each total of points has a probability of its own" in helps
    app.button(key="edit_0").click().run()
    app.number_input(key="edit_total_0").set_value(before.total + 1).run()
    app.button(key="score_edit").click().run()
    (after,) = scorecard_of(app.session_state["app"].model.rule_set_)
    assert (after.given, after.total) == (before.given, before.total + 1)
    assert "edited by hand" in text(app)


@pytest.mark.slow
def test_bands_of_a_scorecard_have_totals_and_count_conditions_once(open_app):
    state = AppState(table=load_sample("credit"))
    tests = (Literal("income", ">", 3.0), Literal("age", "<=", 40.0))
    bands = tuple(Clause((PointsSplit(tests, (2, 1), total),)) for total in (3, 1))
    model = FixedRuleClassifier(RuleSet(bands, ("high", "low"), "dnf", "high"))
    model.fit(*state.training)
    state = replace(state, model=model, rule_json=to_json(model), setting={"edited": "text"})
    app = open_app("rules", state=state)
    assert {m.label: m.value for m in app.metric}["Conditions"] == "2"
    (shown,) = [t.value for t in app.dataframe if "lift" in t.value]
    assert shown["part"].tolist() == ["Total from 3", "Total from 1 to 2", "Total below 1"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [MANY - 1, MANY])
def test_table_of_many_clauses_is_folded(open_app, n):
    clauses = tuple(Clause((Literal("age", ">", 70.0 - k),)) for k in range(n))
    rule = to_json(RuleSet(clauses, ("high",) * n, "dnf", "low"))
    state = AppState(table=load_sample("credit"), setting={"edited": "a test"}, rule_json=rule)
    app = open_app("rules", state=state)
    folded = "The same counts as a table" in [box.label for box in app.expander]
    assert folded is (n == MANY)
    height = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["height"]
    assert height < 560


@pytest.mark.slow
def test_rule_of_sums_states_why_it_is_not_editable(open_app):
    setting = {"learner": TREE, "theta": 0.05, "max_exponents": 2, "max_depth": 2}
    app = with_model(open_app, "rules", load_sample("credit"), setting)
    rule = app.session_state["app"].model.rule_set_
    adding = app.button(key=f"edit_{rule.n_clauses}")
    assert adding.disabled
    assert adding.help.startswith("A rule that computes with several columns")
    (k, i), *_ = [
        (k, i)
        for k, clause in enumerate(rule.clauses)
        for i, condition in enumerate(clause.conditions)
        if not isinstance(condition, Literal)
    ]
    app.button(key=f"edit_{k}").click().run()
    listed_conditions(app).set_value(i).run()
    assert "It cannot be edited here" in text(app)
    assert not [b for b in app.button if b.key == "score_edit"]


@pytest.mark.slow
def test_a_rule_emptied_by_hand_names_the_buttons_of_the_page(on_credit):
    app = on_credit()
    while not app.session_state["app"].model.rule_set_.is_constant:
        app = without_the_first(app)
    labels = {b.label for b in app.button}
    (reported,) = [w.value.replace("\\", "") for w in app.warning]
    named = QUOTED.findall(reported)
    assert len(named) == 2
    assert labels >= set(named)


def test_a_perfect_rule_names_the_column_that_may_leak(open_app):
    frame = pd.DataFrame({"code": np.arange(60) % 2, "age": 7 * np.arange(60) % 20})
    frame["ill"] = np.where(frame["code"] == 1, "yes", "no")
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    setting = {"learner": "alternating", "theta": 1.0, "n_clauses": 1}
    app = with_model(open_app, "rules", table, setting)
    assert "correct for all" in text(app)
    assert "known only after it: code." in text(app)


@pytest.mark.slow
def test_rows_behind_the_figures_can_be_narrowed_to_wrong_decisions(on_credit):
    app = on_credit()
    model, (X, y) = app.session_state["app"].model, app.session_state["app"].training
    wrong = model.predict(X) != y
    assert f"{wrong.sum()} of 700 training rows" in text(app)
    app.selectbox(key="covered_which").set_value(model.rule_set_.n_clauses).run()
    app.toggle(key="covered_wrong").set_value(True).run()
    missed = wrong & (model.predict(X) == "low")
    assert f"{missed.sum()} of 700 training rows" in text(app)


@pytest.mark.slow
def test_a_proof_is_looked_for_on_request_and_kept(on_credit, monkeypatch):
    monkeypatch.setattr("ui.learners.literal.PROOF_SECONDS", PATIENCE)
    app = on_tab(on_credit(theta=30.0), "Optimality")
    assert "best possible" not in text(app)
    app = finished(app.button(key="begin_certify").click().run())
    words = " ".join(e.value for e in [*app.success, *app.info])
    assert "no rule over these conditions" in words
    assert "does not bound the error that counts each row once" in words
    app.segmented_control(key="rules_part").set_value("test").run()
    assert words == " ".join(e.value for e in [*app.success, *app.info])


def proof_of_one_clause(open_app):
    """Open a rule of one clause, wait for its quick proof, and draw the page anew."""
    setting = {"learner": "search", "theta": 30.0, "n_clauses": 1}
    app = on_tab(with_model(open_app, "rules", load_sample("credit"), setting), "Optimality")
    job = jobs.registry().get(f"{app.session_state['analysis_id']}/proof")
    until(lambda: not job.active)
    return app.run()


@pytest.mark.slow
def test_one_clause_rule_is_proved_without_a_click(open_app, monkeypatch):
    monkeypatch.setattr("ui.learners.literal.SHORT_PROOF_SECONDS", PATIENCE)
    app = proof_of_one_clause(open_app)
    shown = " ".join(e.value for e in app.success).replace("\\", "")
    assert shown.startswith("**Proven optimal (training errors of one clause).**")
    assert "no rule of one clause over these conditions has fewer" in shown
    assert not [b for b in app.button if b.key == "begin_certify"]


@pytest.mark.slow
def test_unproved_results_are_not_mentioned(open_app, monkeypatch):
    card = sys.modules["ui.learners.literal"]
    nothing = Certificate(9.0, None, False, "Nothing is proved: for this test.")
    monkeypatch.setattr(card, "partial", lambda *_: Giving(nothing))
    app = proof_of_one_clause(open_app)
    assert "proved" not in text(app)
    assert app.button(key="begin_certify")


@pytest.mark.slow
def test_a_better_rule_that_a_proof_met_can_be_taken(open_app, monkeypatch):
    card = sys.modules["ui.learners.literal"]
    result = Certificate(9.0, 8.0, False, "Within 12.5 %.", better=INCOME)
    task = {"prove": Giving(result)}
    monkeypatch.setattr(
        card, "partial", lambda f, *a, **b: task.get(f.__name__, partial(f, *a, **b))
    )
    app = proof_of_one_clause(open_app)
    app.button(key="take_better").click().run()
    assert app.session_state["app"].model.rule_set_ == INCOME


def test_intervals_and_filters_are_reported_in_words():
    names = wording(AppState())
    between = Clause((Literal("age", ">", 20.0), Literal("age", "<=", 50.0)))
    assert clause_words(between, names) == "20 < age <= 50"
    assert rule_words(RULE.negate(), names).splitlines()[-2:] == ["THEN well", "OTHERWISE ill"]
    assert rule_words(RULE.negate(), names).count("\nAND (") == 1
    for empty in (RULE.take_clauses(()), RULE.negate().take_clauses(())):
        assert empty.is_constant
        assert rule_words(empty, names) == "ALWAYS well"


@pytest.mark.slow
def test_viewed_rule_stays_although_a_reload_would_learn_another(open_app):
    setting = {"learner": "search", "theta": 30.0, "n_clauses": 1}
    state = AppState(table=load_sample("credit"), setting=setting, rule_json=to_json(INCOME))
    app = open_app("rules", state=state)
    assert app.session_state["app"].model.rule_set_ == INCOME


@pytest.mark.slow
def test_a_clause_is_edited_in_place_and_only_by_changes(on_credit, monkeypatch):
    app = on_credit()
    before = app.session_state["app"]
    app.button(key="edit_0").click().run()
    app.button(key="score_edit").click().run()
    after = app.session_state["app"]
    assert (after.setting, after.rule_json) == (before.setting, before.rule_json)
    assert "edited by hand" not in text(app)
    app.button(key="edit_0").click().run()
    before = app.session_state["app"].model.rule_set_
    assert not [b for b in app.button if b.key == "score_edit"]
    editor = sys.modules["ui.rules.editor"]
    monkeypatch.setattr(editor.st, "data_editor", lambda rows, **_: rows.iloc[:1])
    as_table(app.button(key="edit_1").click().run())
    app.button(key="score_edit").click().run()
    after = app.session_state["app"].model.rule_set_
    assert after.clauses[0] == before.clauses[0]
    assert after.clauses[1].conditions == before.clauses[1].conditions[:1]
    assert not [b for b in app.button if b.key == "score_edit"]


GRADES = ("low", "mid", "high")


def mixed(n=400):
    """A table with gaps, dates and levels, and a rule with one condition of each kind."""
    rng = np.random.default_rng(5)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    frame = pd.DataFrame({"dose": rng.gamma(2, 10, n).round(1), "grade": rng.choice(GRADES, n)})
    frame["day"] = day.strftime("%Y-%m-%d")
    frame["relapse"] = np.where((frame["dose"] > 20) & (frame["grade"] != "low"), "yes", "no")
    frame.loc[::7, "dose"] = np.nan
    roles = {"relapse": "target", "day": "feature"}
    table = Table.from_frame(frame).as_date("day").with_roles(roles, positive_label="yes")
    conditions = (
        Literal("dose", ">", 12.25, missing=True),
        Literal("grade", "in", ("low", "mid")),
        Literal("day", ">", "2021-03-01", part="date"),
        Literal("day", "in", (1.0, 2.0), part="month"),
        Literal("grade", ">=", "mid", order=GRADES),
        Literal("dose", "not-missing"),
    )
    clauses = (Clause(conditions[:2]), Clause(conditions[2:]))
    return table, RuleSet(clauses, ("yes", "yes"), "dnf", "no")


@pytest.fixture
def on_mixed(open_app):
    def opened(clause, condition):
        table, rule = mixed()
        state = AppState(table=table, setting={"edited": "a test"}, rule_json=to_json(rule))
        app = open_app("rules", state=state)
        app.button(key=f"edit_{clause}").click().run()
        return listed_conditions(app).set_value(condition).run()

    return opened


def with_key(elements, start):
    (element,) = [e for e in elements if (e.key or "").startswith(start)]
    return element


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "field", "value", "expected"),
    [
        ((0, 0), "number_input", 21.75, Literal("dose", ">", 21.75, missing=True)),
        ((0, 1), "multiselect", ["high", "mid"], Literal("grade", "in", ("high", "mid"))),
        ((1, 0), "date_input", date(2021, 9, 5), Literal("day", ">", "2021-09-05", part="date")),
        ((1, 1), "multiselect", [1.0, 12.0], Literal("day", "in", (1.0, 12.0), part="month")),
        ((1, 2), "select_slider", "high", Literal("grade", ">=", "high", order=GRADES)),
    ],
)
def test_edited_condition_has_its_errors_shown_before_it_applies(
    on_mixed, place, field, value, expected
):
    app = on_mixed(*place)
    before = app.session_state["app"]
    starts = {"multiselect": "levels_", "select_slider": "level_"}
    with_key(app.get(field), starts.get(field, "cut_")).set_value(value).run()
    rule = before.model.rule_set_
    conditions = [list(c.conditions) for c in rule.clauses]
    conditions[place[0]][place[1]] = expected
    edited = replace(rule, clauses=tuple(Clause(tuple(c)) for c in conditions))
    for rows in rows_of(before, before.model):
        now, then = rule.predict(rows.columns), edited.predict(rows.columns)
        errors = [f"{100 * (answer != rows.y).mean():.1f} %" for answer in (now, then)]
        line = (
            f"{rows.name.capitalize()} rows: {errors[0]} → {errors[1]} wrong; "
            f"{(now != then).sum()} of {len(now)} change their prediction."
        )
        assert line in text(app)
    assert app.session_state["app"].rule_json == before.rule_json
    app.button(key="score_edit").click().run()
    after = app.session_state["app"]
    assert after.model.rule_set_ == edited
    assert after.error is None
    app.button(key="undo_edit").click().run()
    assert app.session_state["app"].model.rule_set_ == rule


@pytest.mark.slow
def test_slider_and_typed_cut_point_follow_each_other(on_mixed):
    app = on_mixed(0, 0)
    slider, typed = with_key(app.slider, "slide_"), with_key(app.number_input, "cut_")
    assert slider.value == typed.value == 12.25
    slider.set_value(30.0).run()
    assert with_key(app.number_input, "cut_").value == 30.0
    with_key(app.number_input, "cut_").set_value(1e6).run()
    assert with_key(app.slider, "slide_").value == slider.max
    app.button(key="score_edit").click().run()
    rule = app.session_state["app"].model.rule_set_
    assert rule.clauses[0].conditions[0] == Literal("dose", ">", 1e6, missing=True)


@pytest.mark.slow
def test_conditions_without_an_editor_have_a_sentence(on_mixed):
    app = on_mixed(1, 3)
    assert "A test for missing values has no cut point" in text(app)
    listed_conditions(app).set_value(1).run()
    with_key(app.multiselect, "levels_").set_value([]).run()
    assert "Choose at least one level" in text(app)
    assert not [b for b in app.button if b.key == "score_edit"]
