"""The form of a run on Models: what is asked, what is refused, how it counts its settings."""

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from tests.pages.driving import small, text
from ui import jobs
from ui.learners.offered import LEARNERS, RunSpec, settings_of_run
from ui.learners.prices import parsed_prices
from ui.state import AppState, SplitSpec


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
    app = open_app("models", state=AppState(table=table, split=SplitSpec(test_share=0.0)))
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
        parsed_prices(text)


def test_prices_are_sorted_and_met_once():
    assert parsed_prices("2; 0.5 2, 1e1") == (0.5, 2.0, 10.0)


def test_a_run_survives_being_written_as_json():
    spec = RunSpec(learners=("set_cover", "one_level"), thetas=(1.0,), directions=(("a", ">"),))
    assert RunSpec.from_dict(spec.to_dict()) == spec


def test_settings_are_as_many_as_the_run_says():
    spec = RunSpec(learners=("alternating", "one_level", "set_cover"), thetas=(1.0, 2.0))
    assert len(settings_of_run(spec)) == 22
    assert len(settings_of_run(RunSpec(thetas=(1.0, 2.0)))) == 100  # five kinds of rule, two sides


def test_column_generation_is_offered_and_asked_for_no_number_of_clauses():
    spec = RunSpec(learners=("column_generation", "search"), thetas=(1.0,), clauses=(1, 2))
    own = [s for s in settings_of_run(spec) if s["learner"] == "column_generation"]
    assert own == [{"learner": "column_generation", "theta": 1.0}]
    assert "bound" in LEARNERS["column_generation"].good_for


def test_directions_are_turned_for_a_rule_against_the_class():
    spec = RunSpec(directions=(("income", ">"),))
    assert spec.constraints(["income"])["directions"] == {"income": ">"}
    assert spec.constraints(["income"], against=True)["directions"] == {"income": "<"}
