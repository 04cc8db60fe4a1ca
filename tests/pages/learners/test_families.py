"""Boxes from a plane, the ideal DNF, scorecards and proved rules, through the pages."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import IdealDNFClassifier, Table, load_sample, to_json
from rulekit.families.hyperplane.hyperplane import plane_price
from rulekit.rules import scorecard_of
from tests.pages.driving import (
    compared,
    exported,
    finished,
    on_tab,
    opened_constraints,
    opened_tab,
    pick_here,
    slider,
    small,
    text,
    ticked,
)
from tests.ui.tasks import Quiet
from ui.learners.hyperplane import HYPERPLANE
from ui.learners.ideal import NO_PAST_CASE, curve_table
from ui.learners.literal import part_words, prove
from ui.learners.offered import RunSpec
from ui.picked import fit_path, fit_setting, model_key
from ui.rule_numbers import row_number
from ui.runs import jobs
from ui.state import AppState

pytestmark = pytest.mark.slow
PLANES = RunSpec(learners=(HYPERPLANE,), nus=(0.01, 0.1), clauses=(1, 3), folds=5, baselines=False)
PLANE = {"learner": HYPERPLANE, "theta": 0.1, "n_clauses": 3}


@pytest.fixture
def on_cancer(open_app):
    """Open a page on the breast cancer sample with boxes from a plane."""
    state = AppState(
        table=load_sample("breast_cancer"), setting=PLANE, run_settings=PLANES.to_dict()
    )
    return lambda page: open_app(page, state=replace(state))


def test_a_picked_model_has_boxes_a_confidence_or_the_planes_answer():
    state = AppState(table=load_sample("breast_cancer"))
    model = fit_path([PLANE], PLANES, state)[model_key(PLANE)]
    assert model.linear_.nu == 0.1
    assert model.n_rules_ <= 3
    assert model.plane_.confidence is not None
    spec = RunSpec.from_dict(PLANES.to_dict() | {"plane_answers": True})
    model = fit_path([PLANE], spec, state)[model_key(PLANE)]
    X, _ = state.training
    assert (model.predict(X) == model.linear_.predict(X)).all()


def test_rules_shows_the_boxes_in_bars_in_two_columns_and_by_size(on_cancer):
    app = on_cancer("rules")
    assert "The boxes on the plane's sides" in [e.label for e in app.expander]
    assert "the case is inside" in text(app)
    assert "The case meets" in text(app)
    assert "the rule predicts benign for them" in text(app)
    assert "the largest box covers" in text(app)
    assert len(app.get("plotly_chart")) == 4
    number = next(n for n in app.number_input if "Training row" in n.label)
    before = text(app)
    number.set_value(2 if number.value != 2 else 3).run()
    assert text(app) != before  # the tick and the words have moved
    app.segmented_control(key="cubes_side").set_value(1).run()
    assert any("Box 1" in s.options[0] for s in app.selectbox)


def test_explain_shows_the_box_of_the_case_and_its_confidence(on_cancer):
    app = on_cancer("explain")
    labels = {m.label: m.value for m in app.metric}
    assert labels["Confidence of the plane"].endswith("%")
    assert {"Right in this box", "Size of the box", "Distance to the plane"} <= set(labels)
    assert "The plane predicts" in text(app)
    app.button(key="presenter_on").click().run()
    assert not app.metric


def test_models_offers_the_learner_with_prices_and_without_constraints(open_app):
    app = opened_tab(open_app("models", sample="iris"), "Learners")
    ticked(app, "From a linear model")
    assert float(app.text_input(key="run_nus").value) == plane_price(35)
    app.text_input(key="run_nus").set_value("none").run()
    assert "Each price ν must be a positive number" in text(app)
    app.text_input(key="run_nus").set_value("0.1").run()
    app.toggle(key="run_not_equal").set_value(False).run()
    assert "From a linear model does not support constraints" in text(app)


@pytest.fixture
def on_credit(open_app):
    """Open a page on an analysis whose chosen model is an ideal DNF."""

    def opened(page, table=None, **parameters):
        app = open_app(page)
        state = AppState(table=table or load_sample("credit"))
        X, y = state.training
        model = IdealDNFClassifier(positive_label=state.positive, random_state=0, **parameters)
        model.fit(X, y)
        state.model, state.rule_json = model, to_json(model)
        state.setting = {"edited": "a test"}
        app.session_state["app"] = state
        return app.run(), model

    return opened


def test_rules_page_shows_the_results_of_counting(on_credit):
    app, model = on_credit("rules")
    on_tab(app, "Optimality")
    shown = text(app)
    assert "is wrong on fewer training rows" in shown
    assert "How many conditions it needs" in shown
    for sentence in model.guarantee().sentences():
        assert sentence in shown
    assert "The types of cases it counted" in shown
    table = curve_table(model.validation_curve_)
    assert table["conditions"].tolist() == list(range(1, len(table) + 1))
    assert (table["chosen"] == "★").sum() == 1


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_conditions_that_the_formula_does_not_keep_are_not_praised(on_credit):
    frame = pd.DataFrame({"a": [0, 1] * 80, "outcome": ["no"] * 140 + ["yes"] * 20})
    table = Table.from_frame(frame).with_roles({"outcome": "target"}, positive_label="yes")
    app, model = on_credit("rules", table, selection="ranking")
    on_tab(app, "Optimality")
    assert model.conditions_
    assert model.rule_set_.is_constant
    assert "The formula uses none of the 1 condition chosen" in text(app)
    assert "right for" not in text(app)


def test_a_case_of_a_type_without_rows_is_flagged(on_credit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (160, 6)), columns=list("abcdef"))
    answer = (rng.random(64) < 0.5)[frame.to_numpy() @ (1 << np.arange(6))]
    frame["outcome"] = np.where(answer, "yes", "no")
    table = Table.from_frame(frame).with_roles({"outcome": "target"}, positive_label="yes")
    app, model = on_credit("explain", table, selection="ranking", tolerance=0.0)
    state = app.session_state["app"]
    X, _ = state.testing
    unseen = X.index[~model.has_seen(X)]
    assert len(unseen)
    assert (NO_PAST_CASE in text(app)) == (not model.has_seen(X.head(1))[0])
    app.text_input(key="explain_words").set_value(str(row_number(int(unseen[0])))).run()
    assert NO_PAST_CASE in text(app)


def test_the_ideal_dnf_is_on_the_curve_and_has_a_slider(open_app):
    app = compared(small(open_app("models", sample="credit")), "Every combination")
    result = app.session_state["app"].result
    names = {"Short rule", "Every combination"}
    assert set(result.curve()["series"]) == names
    ideal = [s for s in result.settings if s["learner"] == "ideal"]
    assert [s["max_variables"] for s in ideal] == list(range(1, 11))
    mine = result.points.loc[[result.number_of(s) for s in ideal]]
    assert (mine["limit"] >= mine["n_conditions"]).all()
    assert mine["test_error"].notna().all()
    app = pick_here(app, result, {"learner": "ideal", "max_variables": 1})
    app = opened_tab(app, "How it was found")
    assert "How many conditions it needs" in text(app)
    along = slider(app, "limit")
    along.set_value(int(along.options[-1])).run()
    picked = app.session_state["app"].setting
    assert picked["learner"] == "ideal"
    assert picked["max_variables"] > 1


def test_unsupported_constraints_of_counting_give_a_sentence(open_app):
    app = opened_constraints(small(open_app("models", sample="credit")))
    app.multiselect(key="run_required").set_value([load_sample("credit").features[0]]).run()
    app = compared(app, "Every combination")
    assert "can only forbid whole columns" in text(app)


def test_a_small_table_is_offered_leave_one_out(open_app):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60).round(2), "b": rng.normal(size=60).round(2)})
    frame["outcome"] = np.where((frame["a"] > 0) ^ (rng.random(60) < 0.1), "yes", "no")
    table = Table.from_frame(frame).with_roles({"outcome": "target"}, positive_label="yes")
    app = open_app("models", state=AppState(table=table))
    app = finished(app.segmented_control(key="run_folds").set_value(42).run())
    assert set(app.session_state["app"].result.points["folds"]) == {42}


CARD = {"learner": "scorecard", "max_conditions": 3}
CARDS = RunSpec(learners=("scorecard",), limits=(3,), folds=3)


def test_lenders_scale_is_shown_on_rules_and_exported(open_app):
    state = AppState(table=load_sample("credit"), setting=CARD, run_settings=CARDS.to_dict())
    app = open_app("rules", state=state)
    assert "double the odds" not in text(app)
    learned = app.session_state["app"].rule_json
    app.toggle(key="scale_on").set_value(True).run()
    app.radio(key="scale_label").set_value("low").run()
    app.number_input(key="scale_base_odds").set_value(30).run()
    assert "600 points mean odds of 30 to 1 for low; each 20 points more double" in text(app)
    assert "every case" in app.table[0].value.index
    assert app.session_state["app"].rule_json == learned
    app = exported(app.switch_page("pages/export.py").run(), "text")
    assert any("THEN low" in code.value for code in app.code)
    assert [e.value for e in app.success]
    app.switch_page("pages/score.py").run()
    (split,) = scorecard_of(app.session_state["app"].model.rule_set_)
    assert max(split.points) <= 10
    assert " points are " in text(app)
    assert app.session_state["app"].scale["base_odds"] == 30
    again = open_app("rules", state=app.session_state["app"])
    assert again.toggle(key="scale_on").value
    assert again.number_input(key="scale_base_odds").value == 30
    assert again.radio(key="scale_label").value == "low"
    (condition, *_) = scorecard_of(app.session_state["app"].model.rule_set_)[0].conditions
    again.text_input(key=f"name_{condition}").set_value("my *name*").run()
    assert any(f"my *name* ({condition.feature}" in row for row in again.table[0].value.index)
    assert again.session_state["app"].texts == {str(condition): "my *name*"}


def test_a_proved_rule_comes_with_its_proof_in_words(open_app):
    app = compared(small(open_app("models", sample="iris")), "One clause, proved")
    assert "proves it" in text(app)
    result = app.session_state["app"].result
    proved = [s for s in result.settings if s["learner"] == "one_level_exact"]
    pick_here(app, result, proved[-1])
    app = opened_tab(app, "How it was found")
    model = app.session_state["app"].model
    assert model.proved_optimal_
    (message,) = [s.value for s in app.success if "Proved optimal" in s.value]
    assert f"Cost {model.objective_:.6g}, and no rule of one clause costs less" in message
    assert "were ruled out with certificates" in text(app)
    app = on_tab(app.switch_page("pages/rules.py").run(), "Optimality")
    assert not [
        name for name in jobs.registry()._jobs if name.endswith("/proof")
    ]  # what is proved is not looked into again
    assert len([s for s in app.success if "Proved optimal" in s.value]) == 1
    assert "begin_certify" not in [b.key for b in app.button]


def test_other_learners_have_no_proof_card(open_app):
    app = opened_tab(finished(open_app("models", sample="iris")), "How it was found")
    assert not [s for s in app.success if "Proved optimal" in s.value]


@pytest.mark.parametrize("costs", [(), (1.0, 5.0)])
def test_rule_of_the_quick_search_is_bounded_on_its_own_rows(costs):
    frame = pd.concat([load_sample("credit").frame] * 12, ignore_index=True)
    table = Table.from_frame(frame.drop(columns="loan_id")).with_roles(
        {"risk": "target"}, positive_label="high"
    )
    setting = {"learner": "search", "max_conditions": 3, "quick": True}
    spec = RunSpec(thorough=False, costs=costs)
    state = AppState(table=table, setting=setting, run_settings=spec.to_dict())
    certificate = prove(fit_setting(state, setting, spec), state, 1.0, Quiet())
    assert certificate.objective > 0
    assert "of 8,400 training rows, and the bound is for those" in part_words(state)
    assert part_words(replace(state, setting={"learner": "search"})) is None
