"""What a run is made of: the quick pass and the longer search of a curve, and their rows."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, Literal, RuleSet
from rulekit.data import load_sample, read_table
from ui.learners.offered import curve_key, settings_of_run, varied
from ui.learners.spec import LIMITS, QUICK, QUICK_LIMITS, RunSpec
from ui.models.picked_rule import never_predicted
from ui.models.run import columns_words, is_selected, longer, part_words, quick, work
from ui.state import AppState


@pytest.fixture
def state(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    return AppState(table=load_sample("credit"))


def test_quick_pass_and_longer_search_share_a_curve(state):
    requested = RunSpec(learners=("lp",), view="prices", folds=5, form="cnf", budget=10.0)
    specs = (requested, quick(requested), longer(requested))
    assert len({curve_key(spec, state) for spec in specs}) == 1
    assert all(QUICK in s and "max_conditions" in s for s in settings_of_run(quick(requested)))
    assert len(varied(longer(requested))) == 10
    assert longer(requested).budget is None


def test_a_run_learns_from_the_training_rows_alone(state):
    requested = work(quick(RunSpec()), state)
    assert len(requested.X) == len(requested.y) == 700
    assert len(requested.folds) == 10
    assert requested.key == curve_key(RunSpec(), state)
    assert part_words(state) == ""


def test_wide_table_states_how_many_columns_were_searched(state):
    assert columns_words(state) == ""
    X = pd.DataFrame(np.arange(1_830.0).reshape(30, 61)).add_prefix("x")
    content = X.assign(ill=["yes", "no"] * 15).to_csv(index=False).encode()
    table = read_table(content, name="wide").with_roles({"ill": "target"}, positive_label="yes")
    assert columns_words(AppState(table=table)) == (
        "Searched the 60 most promising of 61 columns; “Search longer” looks at all."
    )


def test_the_quick_pass_of_several_outcomes_has_fewer_points():
    requested = quick(RunSpec(), several=True)
    limits = [s["max_conditions"] for s in settings_of_run(requested)]
    assert limits == list(QUICK_LIMITS)
    assert set(limits) < set(LIMITS)


def test_never_predicted_outcome_is_reported():
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
