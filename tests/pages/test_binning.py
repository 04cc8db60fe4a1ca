"""The Binning page: methods, a column's own cut points, what they make of the table."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.learners import screen_conditions
from tests.pages.driving import finished, text
from tests.ui.tasks import Quiet
from ui.binning.cards import LAST, METHODS, parse_cuts, screen
from ui.data.choices import set_roles
from ui.learners.offered import RunSpec
from ui.state import AppState, BinningSpec, app_state


def cut_box(app):
    return next(box for box in app.text_input if box.label.startswith("Cut points"))


def look_at(app, column):
    """Choose a column, as a click in the list does."""
    app.session_state["binning_column"] = column
    return app.run()


def screened(app):
    """Turn to the tab on how many conditions can matter."""
    app.session_state["binning_tab"] = "How many of them can matter?"
    return finished(app.run())


def metric(app, label):
    return next(m.value for m in app.metric if m.label == label)


def count(app, label):
    return int(metric(app, label).partition(" ")[0].replace(",", ""))


def test_page_without_a_target_names_it(open_app):
    app = open_app()
    app.file_uploader[0].upload("t.csv", b"a,b\n1,x\n2,y\n1,x\n2,y\n3,x\n").run()
    app.switch_page("pages/binning.py").run()
    assert "target" in app.info[0].value
    assert not app.get("plotly_chart")


@pytest.mark.slow
def test_every_method_works_and_more_cut_points_give_more_conditions(open_app):
    app = open_app("binning", sample="breast_cancer")
    before = count(app, "Candidate conditions")
    app.number_input(key="binning_count").set_value(20).run()
    assert count(app, "Candidate conditions") > before
    assert app.session_state["app"].binning.n_thresholds == 20
    for method in METHODS:
        app.radio(key="binning_method").set_value(method).run()
        assert not app.error, method
        assert app.session_state["app"].binning.method == method


@pytest.mark.slow
def test_columns_are_listed_with_conditions_of_the_chosen_one(open_app):
    app = open_app("binning", sample="credit")
    state = app.session_state["app"]
    assert app.dataframe[0].value["column"].tolist() == [state.label(n) for n in state.features]
    for name in state.features:
        look_at(app, name)
        assert not app.error, name
    look_at(app, "employment")
    assert "employment" in app.dataframe[-1].value["condition"][0]
    assert app.header[0].value == "employment"
    assert not [t for t in app.text_input if t.label.startswith("Cut points")]
    assert len(app.get("plotly_chart")) == 1  # of its levels


@pytest.mark.slow
def test_a_cut_at_every_distinct_value_is_shown_and_screened(open_app):
    app = open_app("binning", sample="iris")
    few = count(app, "Candidate conditions")
    app.checkbox(key="binning_every").check().run()
    assert app.session_state["app"].binning.n_thresholds is None
    every = count(app, "Candidate conditions")
    assert every > few
    screened(app)
    assert count(app, "May matter") + count(app, "Removed with proof") == every


def test_more_cut_points_than_can_be_typed_are_thinned_with_a_note(open_app):
    frame = pd.DataFrame({"income": np.arange(4000) * 1.5, "ill": np.arange(4000) % 3 == 0})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label=True)
    state = AppState(table=table, binning=BinningSpec(n_thresholds=None))
    app = open_app("binning", state=state)
    n_rows = len(state.training[0])
    assert metric(app, "Cut points") == f"{n_rows - 1:,}"
    assert f"{n_rows - 1:,} cut points, too many to edit" in text(app)
    assert not app.text_input
    (shares,) = [d.value for d in app.dataframe if "share" in d.value]
    assert len(shares) == 101
    assert shares["rows"].sum() == n_rows
    (listed,) = [d.value for d in app.dataframe if "condition" in d.value]
    assert len(listed) == 1000


@pytest.mark.slow
def test_every_certificate_is_checked_on_demand(open_app):
    app = screened(open_app("binning", sample="credit"))
    removed = metric(app, "Removed with proof").split(" ")[0]
    app = finished(app.button(key="begin_certificates").click().run())
    assert app.success[0].value == f"All {removed} certificates hold."


@pytest.mark.slow
def test_a_higher_price_leaves_fewer_conditions(open_app):
    app = screened(open_app("binning", sample="breast_cancer"))
    before = count(app, "May matter")
    app = finished(app.number_input(key="screening_theta").set_value(20.0).run())
    assert count(app, "May matter") < before


@pytest.mark.slow
def test_large_tables_are_screened_when_requested(open_app, monkeypatch):
    monkeypatch.setattr("ui.binning.cards.AT_ONCE", 0)
    app = screened(open_app("binning", sample="iris"))
    assert "May matter" not in {m.label for m in app.metric}
    app = finished(app.button(key="begin_screening").click().run())
    assert metric(app, "May matter")


def test_counted_removals_show_while_the_program_is_solved():
    state, heard = AppState(table=load_sample("credit")), Quiet()
    whole = screen(state, 1.0, heard)
    interim = heard.reports[-1]["interim"]
    X, y = state.training
    own = state.binning.binarizer()
    counted = screen_conditions(X, y, how="counting", positive_label="high", binarizer=own)
    proved = screen_conditions(X, y, how="duality", positive_label="high", binarizer=own)
    assert interim.n_removed == counted.n_removed < whole.n_removed == proved.n_removed
    assert LAST in set(whole.counts["test"]) - set(interim.counts["test"])


@pytest.mark.slow
def test_cut_points_are_typed_in_taken_back_refused_or_removed(open_app):
    app = open_app("binning", sample="breast_cancer")
    automatic = cut_box(app).value
    cut_box(app).set_value("12; 15.5 20").run()
    assert not app.error
    assert app.session_state["app"].binning.thresholds == {"mean radius": [12.0, 15.5, 20.0]}
    assert cut_box(app).value == "12; 15.5; 20"
    app.button(key="drop_one").click().run()
    assert cut_box(app).value == automatic
    assert app.session_state["app"].binning.thresholds is None
    cut_box(app).set_value("12; twelve").run()
    assert "twelve" in app.error[0].value
    assert cut_box(app).value == automatic
    assert app.session_state["app"].binning.thresholds is None
    cut_box(app).set_value("").run()
    assert metric(app, "Columns that give conditions") == "29 of 30"


@pytest.mark.slow
def test_manual_begins_with_the_cut_points_shown(open_app):
    app = open_app("binning", sample="iris")
    before = cut_box(app).value
    app.radio(key="binning_method").set_value("manual").run()
    assert cut_box(app).value == before
    state = app.session_state["app"]
    assert set(state.binning.thresholds) == set(state.features)
    app.button(key="drop_cuts").click().run()
    assert app.radio(key="binning_method").value == "quantile"
    assert app.session_state["app"].binning.thresholds is None


@pytest.mark.slow
def test_cut_points_of_a_column_that_is_set_aside_do_not_block(open_app):
    app = open_app("binning", sample="iris")
    first = app.session_state["app"].features[0]
    cut_box(app).set_value("5").run()
    app.switch_page("pages/data.py").run()
    target = next(b for b in app.selectbox if b.label == "Target column")
    target.set_value(first).run()
    target = next(b for b in app.selectbox if b.label == "Target column")
    target.set_value("species").run()
    app.switch_page("pages/binning.py").run()
    assert not app.error


def learned(app, **run):
    """Pick a setting on Models, as a click on a point does, and return the columns of its rule."""
    spec = RunSpec(learners=("one_level",), thetas=(2.0,), folds=5, baselines=False, **run)
    state = app.session_state["app"]
    setting = {"learner": "one_level", "theta": 2.0}
    app.session_state["app"] = replace(
        state, setting=setting, run_settings=spec.to_dict(), model=None
    )
    app.switch_page("pages/rules.py").run()
    assert not app.error
    return app.session_state["app"].model.rule_set_.features


def with_role(app, monkeypatch, name, role):
    """Set the role of a column, as the editor on Data does."""

    def edited():
        if app_state().table.column(name).role != role:
            set_roles([name], role)

    app.switch_page("pages/data.py")
    with monkeypatch.context() as patched:
        patched.setattr("ui.data.split.split_card", edited)
        return app.run()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["quantile", "manual"])
def test_column_with_own_cuts_can_be_ignored_and_restored(open_app, monkeypatch, method):
    app = open_app("binning", sample="iris")
    app.radio(key="binning_method").set_value(method).run()
    first = app.session_state["app"].features[0]
    cut_box(app).set_value("5; 6").run()
    assert dict(app.session_state["app"].binning.cuts)[first] == (5.0, 6.0)
    with_role(app, monkeypatch, first, "ignore")
    assert first not in dict(app.session_state["app"].binning.cuts)
    assert first not in learned(app)
    with_role(app, monkeypatch, first, "feature")
    assert first in app.session_state["app"].features
    assert learned(app)
    assert (first in dict(app.session_state["app"].binning.cuts)) is (method == "manual")


@pytest.mark.slow
def test_constraint_on_an_ignored_column_does_not_stop_the_fit(open_app, monkeypatch):
    app = open_app("binning", sample="iris")
    first, second = app.session_state["app"].features[:2]
    with_role(app, monkeypatch, first, "ignore")
    assert learned(app, forbidden=(first,), directions=((first, ">"), (second, ">")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nan", "must be a finite number"),
        ("1; -inf", "must be a finite number"),
        ("1,5; 2", r"decimal point.*got '1,5'"),
    ],
)
def test_cut_points_are_read_sorted_once_or_refused(text, message):
    assert parse_cuts(" 3; 1 2;2;; 1e1\n") == (1.0, 2.0, 3.0, 10.0)
    with pytest.raises(ValueError, match=message):
        parse_cuts(text)
