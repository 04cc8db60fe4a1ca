"""Models: how it opens, the slider, the thorough search, the selected rule, what runs add."""

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone

from rulekit import Costs, RuleClassifier, from_text, group_metrics, to_json
from rulekit.data import Table, load_sample, make_folds, read_table
from tests.pages.driving import (
    chosen,
    compared,
    finished,
    opened_constraints,
    opened_tab,
    slider,
    small,
    text,
    the_job,
    ticked,
)
from ui.learners.ideal import IDEAL_DNF
from ui.learners.offered import learner_of, look_of
from ui.learners.spec import QUICK, RunSpec, quiet
from ui.models.run import FIRST, LONGER, start_choice
from ui.picked import OWN, model_key
from ui.runs import jobs
from ui.state import AppState, BinningSpec, SplitSpec, update

pytestmark = pytest.mark.slow


@pytest.fixture
def no_fits(monkeypatch):
    """Forbid fits in this process, so that everything shown was looked up."""

    def refused(*_, **__):
        raise AssertionError("something was fitted")

    monkeypatch.setattr(sys.modules["ui.picked"], "fit_path", refused)


@pytest.fixture
def app(swept_credit):
    """Models on the sample "credit", its first rules there."""
    return finished(swept_credit)


def longer(app):
    return finished(app.button(key="search_longer").click().run())


def reloaded(app, open_app):
    """Open the address again on a server that has just started: no job is known."""
    jobs.registry().forget(app.session_state["analysis_id"])
    return open_app("models", query={"analysis": app.query_params["analysis"]})


@pytest.mark.parametrize("picked", [False, True])
def test_the_rule_of_the_library_takes_over_unless_one_is_picked(open_app, monkeypatch, picked):
    monkeypatch.setattr("ui.models.run.start_choice", start_choice)
    app = finished(open_app("models", sample="credit"))
    quick_rule = app.session_state["app"].model.rule_set_
    assert "Looking for a better rule" in text(app)
    assert "Quick search done" in text(app)
    if picked:
        slider(app, "limit").set_value(2).run()
    app = finished(app)
    state = app.session_state["app"]
    library = RuleClassifier().fit(*state.training).rule_set_
    suggested = state.result.settings[state.result.suggestion.number]
    assert state.result.models[model_key(suggested)].rule_set_ == library
    assert (state.model.rule_set_ == library) == (not picked)
    assert (" rule found: " in text(app)) == (not picked and library != quick_rule)
    assert ("A run suggests another rule" in text(app)) == picked
    assert "A thorough search takes " in text(app)
    again = finished(open_app("models", query={"analysis": app.query_params["analysis"]}))
    assert again.session_state["app"].model.rule_set_ == state.model.rule_set_


def test_a_rule_of_a_comparison_does_not_narrow_the_next_search(open_app):
    """A comparison describes one class only; the form keeps its own default."""
    compared_as = replace(RunSpec(), against=False, budget=60.0).to_dict()
    app = open_app("models", state=AppState(table=load_sample("credit"), run_settings=compared_as))
    assert app.toggle(key="run_against").value


def test_page_opens_with_full_points_and_the_suggested_rule(open_app):
    app = finished(open_app("models", sample="credit"))
    assert not app.error
    state = app.session_state["app"]
    assert state.result.points["limit"].tolist() == 2 * list(range(1, 13))  # either side
    assert state.result.points["folds"].eq(10).all()
    assert len(state.result.models) == 24
    assert state.setting == state.result.settings[state.result.suggestion.number]
    assert not state.rule_selected
    assert "THEN high" in app.text[0].value
    assert app.get("plotly_chart")
    assert "Quick search done. A thorough search takes " in text(app)
    assert [job.title for job in jobs.registry()._jobs.values()] == [FIRST]


def test_error_costs_are_set_once_and_used_everywhere(open_app):
    app = finished(small(open_app("models", sample="credit")))
    before = app.session_state["app"].result
    app = finished(app.selectbox(key="run_weight").set_value("costs").run())
    assert "All errors cost the same, so errors are counted" in text(app)
    assert app.session_state["app"].result is before
    app.text_input(key="run_cost_unit").set_value("EUR").run()
    app.number_input(key="run_cost_1").set_value(0.0).run()
    assert "Every cost must be a positive number; predicting high for low has none" in text(app)
    app.number_input(key="run_cost_1").set_value(1.0).run()
    app = finished(app.number_input(key="run_cost_0").set_value(5.0).run())
    assert not app.error
    state = app.session_state["app"]
    assert state.run_settings["costs"] == (5.0, 1.0)
    points, labels = state.result.points, ["high", "low"]
    assert app.selectbox(key="front_cost").value == "test_cost_per_100"
    model = state.model
    assert model.costs.to_matrix(labels) == Costs(5, 1, "EUR", positive="high").to_matrix(labels)
    plain = points.loc[state.result.suggestion.number, "test_cost_per_100"]
    y = state.training[1]
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    named = " ".join(a["text"] for a in figure["layout"]["annotations"])
    cheapest = min(5 * (y == "high").mean(), (y == "low").mean())
    assert f"always {'low' if 5 * (y == 'high').sum() < (y == 'low').sum() else 'high'}" in named
    assert f"{100 * cheapest:.4g}" in named
    assert figure["layout"]["yaxis"]["title"]["text"].endswith("(EUR)")
    assert f"{float(f'{plain:.4g}'):.4g} EUR a 100 cases" in text(app)
    app.switch_page("pages/rules.py").run()
    predicted = model.predict(state.testing[0])
    missed, alarm = ((state.testing[1] == c).to_numpy() & (predicted != c) for c in labels)
    cost = 100 * (5 * missed.sum() + alarm.sum()) / len(predicted)
    result = {m.label: m.value for m in app.metric}
    assert result["Cost a 100, test rows"] == f"{float(f'{cost:.4g}'):.4g} EUR"
    assert result["Cost a 100, always high"].startswith(f"{100 * cheapest:.4g}")


def test_kept_rule_is_measured_with_new_costs_on_demand(app):
    slider(app, "limit").set_value(2).run()
    state = app.session_state["app"]
    rule, own = state.model.rule_set_, state.result.points.loc[state.result.number_of_rule(state)]
    app.selectbox(key="run_weight").set_value("costs").run()
    app = finished(app.number_input(key="run_cost_0").set_value(5.0).run())
    state = app.session_state["app"]
    assert state.model.rule_set_ == rule
    others = {f"**{100 * e:.1f} %" for e in state.result.points["test_error"]}
    assert "not measured with these costs" in text(app)
    assert not [figure for figure in others if figure in text(app)]
    app = finished(app.button(key="begin_measure").click().run())
    assert not app.error
    X, y = state.training
    quiet()  # a fold may learn a constant rule
    costs = []
    for train, test in make_folds(y, 10, random_state=0):
        answers = clone(state.model).fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test])
        missed, alarm = ((y.iloc[test] == c) & (answers != c) for c in ("high", "low"))
        costs.append(100 * (5 * missed.sum() + alarm.sum()) / len(test))
    words, cost = text(app), np.mean(costs)
    assert f"**{100 * own['test_error']:.1f} % ± {100 * own['test_error_se']:.1f}** wrong" in words
    assert f", {float(f'{cost:.4g}'):.4g} a 100 cases in ten folds" in words
    assert "Found under other settings, measured with these." in words
    app = finished(app.segmented_control(key="run_folds").set_value(5).run())
    assert "not measured with these settings" in text(app)
    assert "begin_measure" in {b.key for b in app.button}


def test_only_rules_within_the_gap_are_suggested(open_app):
    app = finished(small(open_app("models", sample="breast_cancer")))
    state = app.session_state["app"]
    X, y = state.training
    column = state.table.frame.loc[X.index, "texture error"]

    def gap(rule):
        result = group_metrics(rule, X, y, column, positive="malignant").gaps
        return max(result[name].size for name in ("found", "false_alarms"))

    gaps = {k: gap(m.rule_set_) for k, m in state.result.models.items()}
    before = gap(state.model.rule_set_)
    limit = np.floor(100 * np.quantile(list(gaps.values()), 0.3))
    assert before > limit / 100, "the limit changes nothing"
    assert app.selectbox(key="run_gap_column").options == []  # the expander is closed
    app.session_state["run_gap"] = True
    app.run()
    app.selectbox(key="run_gap_column").set_value("texture error").run()
    app.number_input(key="run_max_gap").set_value(limit).run()
    assert not app.error
    state = app.session_state["app"]
    now = gap(state.model.rule_set_)
    assert now <= limit / 100
    words = f"Gap by texture error: {100 * now:.1f} points on the training rows ({limit:g} points"
    assert words in text(app)
    n = sum(g <= limit / 100 for g in gaps.values())
    assert f"Among the {n} of {len(gaps)} rules with a gap of at most {limit:g} points" in text(app)
    app.number_input(key="run_max_gap").set_value(0.0).run()
    if min(gaps.values()) > 0:
        assert "No rule here keeps a gap of at most 0 points" in text(app)
    app.number_input(key="run_max_gap").set_value(None).run()
    assert gap(app.session_state["app"].model.rule_set_) == before


def test_slider_moves_along_the_curve_and_selects_the_rule(app, no_fits):
    slider(app, "limit").set_value(2).run()
    state = app.session_state["app"]
    assert state.setting["max_conditions"] == 2
    assert state.model.rule_set_.n_conditions <= 2
    assert state.rule_selected
    row = state.result.points.loc[state.result.number_of(state.setting)]
    assert f"{100 * row['test_error']:.1f} % ± " in text(app)
    assert slider(app, "limit").value == 2


def test_an_error_of_the_rule_leaves_the_curve(app, monkeypatch):
    def fail(*_):
        raise ValueError("This rule does not fit the table.")

    monkeypatch.setattr("ui.models.picked_rule.show_picked", fail)
    app.run()
    assert "This rule does not fit" in app.error[0].value
    assert app.get("plotly_chart")
    assert [b for b in app.button if b.key == "search_longer"]


@pytest.mark.parametrize("moved", [False, True])
def test_a_slider_whose_key_has_changed_picks_only_what_it_is_moved_to(app, moved):
    old = slider(app, "limit")
    old.set_value(2).run()
    app.button(key="pick_suggested").click().run()
    suggested = chosen(app)["max_conditions"]
    new = slider(app, "limit")
    assert new.key != old.key
    assert new.value == suggested != 2
    limit = next(int(one) for one in new.options if int(one) not in (2, suggested)) if moved else 2
    reported = app._tree.get_widget_states()  # a browser may still show the old slider
    reported.widgets.append(old.set_value(limit)._widget_state)
    expected = limit if moved else suggested
    assert chosen(app._run(reported))["max_conditions"] == expected
    assert slider(app, "limit").value == expected
    assert chosen(app.run())["max_conditions"] == expected


def test_page_is_drawn_at_once_while_the_first_search_is_in_the_queue(open_app, monkeypatch):
    monkeypatch.setattr(jobs.registry(), "_dispatch", lambda: None)
    clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _: pytest.fail("The page waited."))
    monkeypatch.setattr("ui.models.run.time", clock)
    app = open_app("models", sample="credit")
    assert not app.exception
    assert not app.error
    (job,) = [j for j in jobs.registry()._jobs.values() if j.title == FIRST]
    assert job.state == "queued"
    jobs.registry().forget(job.owner)


def test_longer_search_replaces_quick_points_and_unpicked_rules(open_app):
    app = longer(finished(small(open_app("models", sample="credit"))))
    state = app.session_state["app"]
    assert the_job().title == LONGER
    assert not any(QUICK in s for s in state.result.settings)
    assert QUICK not in state.setting
    assert not state.rule_selected
    number = state.result.number_of_rule(state)
    assert slider(app, "limit").value == state.result.points.loc[number, "limit"]
    assert "A run suggests another rule" not in text(app)
    assert "Thorough search done." in text(app)


def test_current_rule_keeps_its_figures_beside_an_offered_one(open_app):
    app = finished(small(open_app("models", sample="credit")))
    slider(app, "limit").set_value(1).run()
    mine, rule = chosen(app), app.text[0].value
    before = app.session_state["app"].result
    error = before.points.loc[before.number_of(mine), "test_error"]
    app = longer(app)
    state = app.session_state["app"]
    assert app.text[0].value == rule
    kept = state.result.points.loc[state.result.number_of(state.setting), "test_error"]
    assert kept == pytest.approx(error) or QUICK not in state.setting
    assert "A run suggests another rule" in text(app)
    app.toggle(key="_offer_shown").set_value(True).run()
    assert "From “Selected” to “Suggested”" in text(app)
    offered = app.session_state["app"].result.suggestion.number
    app.button(key="take_offer").click().run()
    assert chosen(app) == state.result.settings[offered]
    assert "A run suggests another rule" not in text(app)


def test_learners_that_are_compared_join_the_curve_and_are_looked_up(open_app):
    app = finished(small(open_app("models", sample="credit")))
    first = app.session_state["app"].result
    app = compared(app, "One clause", "Every combination")
    result = app.session_state["app"].result
    assert len(result.settings) > len(first.settings)
    assert set(result.curve()["series"]) >= {"Short rule", "Every combination"}
    assert all(model_key(s) in result.models for s in result.settings)
    table = next(d.value for d in app.dataframe if "learner" in d.value)
    assert table["learner"].tolist() == ["Every combination", "One clause, proved best"]
    looks = [look_of({"learner": key}) for key in ("ideal", "one_level_exact")]
    assert table["mark"].tolist() == [look.image for look in looks]
    for name, error in zip(table["learner"], table["error"], strict=True):
        own = result.points[[learner_of(s).name == name for s in result.settings]]
        assert error in (100 * own["test_error"]).tolist()


def test_swept_prices_and_clauses_are_on_the_curve_too(open_app, no_fits):
    app = opened_tab(finished(small(open_app("models", sample="credit"))), "By price and clauses")
    app.text_input(key="run_thetas").set_value("2, 20")
    app.slider(key="run_clauses").set_value((1, 2)).run()
    app = finished(app.button(key="sweep_prices").click().run())
    result = app.session_state["app"].result
    assert len(result.get_price_points("n_conditions", "test_error")) == 4
    assert "Short rule, by price" in set(result.curve()["series"])
    keys = [c.key for c in app.get("plotly_chart") if c.key != "flow_small"]
    assert keys == ["front_0", "prices_0"]
    app.session_state["app"] = replace(
        app.session_state["app"], setting={"learner": "search", "n_clauses": 2, "theta": 2.0}
    )
    app.run()
    slider(app, "theta").set_value(20.0).run()
    assert chosen(app) == {"learner": "search", "n_clauses": 2, "theta": 20.0}


def test_invalid_prices_give_a_sentence_and_disable_the_sweep(app):
    app = opened_tab(app, "By price and clauses")
    for requested, message in (("0.1, cheap", "found 'cheap'"), (" , ", "at least one price")):
        app.text_input(key="run_thetas").set_value(requested).run()
        assert message in text(app)
        assert "sweep_prices" not in [b.key for b in app.button]


def test_no_learner_and_one_that_keeps_no_constraints_are_sentences(app):
    app = opened_constraints(opened_tab(app, "Learners"))
    ticked(app)
    assert "Choose at least one learner" in text(app)
    app.multiselect(key="run_forbidden").set_value(["amount"]).run()
    ticked(app, "A formula")
    assert "does not support constraints" in text(app)
    app.multiselect(key="run_forbidden").set_value([]).run()
    app.multiselect(key="run_direction_up").set_value(["income"]).run()
    assert "does not support monotonic constraints" not in text(app)
    ticked(app, IDEAL_DNF.name)
    assert "does not support monotonic constraints" in text(app)


def test_constraints_are_kept_when_closed_and_when_the_page_is_left(app):
    app = opened_constraints(app)
    app.multiselect(key="run_direction_up").set_value(["income"]).run()
    assert "income" not in app.multiselect(key="run_direction_down").options
    app.multiselect(key="run_forbidden").set_value(["amount", "age"]).run()
    opened_constraints(app, False)
    for _ in range(2):
        assert app.multiselect(key="run_required").options == []
        assert app.multiselect(key="run_forbidden").options == ["amount", "age"]
        assert app.multiselect(key="run_forbidden").value == ["amount", "age"]
        app.switch_page("pages/data.py").run()
        app.switch_page("pages/models.py").run()


def test_a_constraint_on_a_column_that_is_ignored_for_a_while_stays(app):
    app = opened_constraints(app)
    for key in ("run_forbidden", "run_required", "run_direction_up"):
        app.multiselect(key=key).set_value(["amount", "age"]).run()
        for role, names in (("ignore", ["age"]), ("feature", ["age", "amount"])):
            state = app.session_state["app"]
            table = state.table.with_roles({"amount": role})
            app.session_state["app"] = update(state, table=table)
            assert sorted(app.run().multiselect(key=key).value) == names
        app.multiselect(key=key).set_value([]).run()


def test_other_forms_and_cut_points_begin_a_curve_of_their_own(app):
    slider(app, "limit").set_value(3).run()
    rule = app.text[0].value
    app = finished(app.segmented_control(key="run_form_shape").set_value("cnf").run())
    state = app.session_state["app"]
    assert {spec.form for spec in state.result.specs} == {"cnf"}
    assert state.rule_selected
    assert app.text[0].value == rule
    state = app.session_state["app"]
    app.session_state["app"] = replace(state, binning=BinningSpec("median"), model=None)
    app = finished(app.run())
    key = app.session_state["app"].result.key
    assert key != state.result.key
    assert "median" in key


def test_the_curves_of_both_outcomes_are_under_how_it_was_found(app):
    def names(app):
        figures = [
            json.loads(c.proto.spec) for c in app.get("plotly_chart") if c.key != "flow_small"
        ]
        return [[t.get("name", "").strip() for t in figure["data"]] for figure in figures]

    assert not any(" for " in name for name in names(app)[0])
    state = app.session_state["app"]
    (curve, sides) = names(opened_tab(app, "How it was found"))
    lines = {f"Short rule for {label}" for label in (state.positive, state.other_label)}
    assert lines <= set(sides)
    assert not lines & set(curve)
    before = "describes" in chosen(app)
    (side,) = [s for s in app.segmented_control if s.key.startswith("side_")]
    side.set_value("for" if before else "other").run()
    assert ("describes" in chosen(app)) != before


def test_points_and_own_rule_are_compared_held_out_errors_counted(app):
    mine = from_text("IF income <= 25000 THEN high\nOTHERWISE low")
    app.session_state["app"] = state = replace(app.session_state["app"], own_rule=to_json(mine))
    X, y = app.run().session_state["app"].training
    answers = [np.asarray(rule.predict(X)) for rule in (state.model, mine)]
    rows = answers[0] != answers[1]
    wrong, right = (answers[1] != y).mean(), [(a[rows] == y[rows]).sum() for a in answers]
    assert f"Yours: 1 condition, {100 * wrong:.1f} % of training rows wrong." in text(app)
    differing = f"is right for {right[0]} of them, yours for {right[1]}."
    assert f"Predictions differ for {rows.sum()} of 700" in text(app)
    assert differing in text(app)
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    (yours,) = [t for t in figure["data"] if t.get("name") == "yours"]
    assert yours["y"] == [pytest.approx(wrong)]
    app.button(key="pick_own").click().run()
    assert chosen(app) == {"edited": OWN}
    assert app.session_state["app"].model.rule_set_ == mine
    assert app.session_state["app"].test_looks == 0
    app.button(key="held_out").click().run()
    assert "of 300 test rows wrong" in text(app)
    app.run()
    assert app.session_state["app"].test_looks == 1
    app = opened_tab(app, "Compare rules")
    numbers = app.session_state["app"].result.curve().index
    app.multiselect(key="compare").set_value([numbers[0], numbers[-1]]).run()
    assert "of 700 training rows" in text(app)
    result = app.code[-1]
    assert result.language == "diff"
    assert {line[0] for line in result.value.splitlines()} <= set("+- ")


def test_points_of_longer_runs_return_after_a_restart_without_fits(open_app):
    app = longer(finished(small(open_app("models", sample="credit"))))
    before = app.session_state["app"]
    for name in ("", "risky"):
        if name:  # of an outcome, after the runs
            app.switch_page("pages/data.py").run()
            next(f for f in app.text_input if f.label.endswith("high means")).set_value(name).run()
        again = reloaded(app, open_app)
        assert not again.error
        state = again.session_state["app"]
        assert_frame_equal(state.result.points, before.result.points, check_like=True)
        assert state.setting == before.setting
        assert set(state.model.rule_set_.classes) == {name or "high", "low"}
        assert not {*jobs.registry()._jobs} - {"nobody"}  # it started a worker


def test_class_of_one_row_gives_a_sentence_and_few_rows_few_folds(open_app):
    frame = pd.DataFrame({"age": [7 * k % 20 for k in range(40)], "ill": ["yes"] + ["no"] * 39})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    app = open_app("models", state=AppState(table=table, split=SplitSpec(test_share=0.0)))
    assert "'yes'" in text(app)
    assert app.session_state["app"].result is None


def test_stopped_search_keeps_its_results_and_place(app, monkeypatch):
    app.button(key="search_longer").click().run()
    the_job().cancel()
    monkeypatch.setattr("ui.models.run.start_choice", start_choice)  # starts nothing after Stop
    app.run()
    assert "Searching was stopped" in text(app)
    assert "“Search longer” continues from there" in text(app)
    assert len(app.session_state["app"].result.points) >= 12
    assert app.button(key="search_longer")


def test_left_out_dates_become_features_in_a_new_search(open_app):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(range(120), "D")
    frame = pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "size": [k % 7 for k in range(120)]})
    frame["outcome"] = ["late" if day.month == 2 else "on time" for day in days]
    made = read_table(frame.to_csv(index=False).encode(), name="orders")
    table = made.with_roles({"outcome": "target"}, positive_label="late")
    app = finished(open_app("models", state=AppState(table=table)))
    assert "Not used: day (dates)." in text(app)
    app = finished(app.button(key="use_left_out").click().run())
    assert "Not used" not in text(app)
    assert app.session_state["app"].features == ["day", "size"]
    assert len(app.session_state["app"].result.points) >= 12
