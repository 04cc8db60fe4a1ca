"""What the pages show of the ideal DNF, and of a file on the server's disk."""

import numpy as np
import pandas as pd
import pytest

from rulekit import IdealDNFClassifier
from rulekit.data import Table, load_sample
from rulekit.export import to_json
from tests.pages.driving import (
    compared,
    finished,
    on_tab,
    opened_constraints,
    opened_tab,
    pick_here,
    slider,
    small,
    text,
)
from ui.learners.ideal import NO_PAST_CASE, curve_table
from ui.rule_numbers import row_number
from ui.state import AppState

pytestmark = pytest.mark.slow


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
    frame = pd.DataFrame({"a": [0, 1] * 80, "said": ["no"] * 140 + ["yes"] * 20})
    table = Table.from_frame(frame).with_roles({"said": "target"}, positive_label="yes")
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
    frame["said"] = np.where(answer, "yes", "no")
    table = Table.from_frame(frame).with_roles({"said": "target"}, positive_label="yes")
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
    frame["said"] = np.where((frame["a"] > 0) ^ (rng.random(60) < 0.1), "yes", "no")
    table = Table.from_frame(frame).with_roles({"said": "target"}, positive_label="yes")
    app = open_app("models", state=AppState(table=table))
    app = finished(app.segmented_control(key="run_folds").set_value(42).run())
    assert set(app.session_state["app"].result.points["folds"]) == {42}
