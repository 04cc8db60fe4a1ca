"""What a run is made of: the quick pass and the longer search of a curve, and their rows."""

import pytest

from rulekit.data import load_sample
from ui.learners.offered import curve_key, settings_of_run, varied
from ui.learners.spec import QUICK, RunSpec
from ui.models.run import is_in_hand, longer, part_words, quick, work
from ui.state import AppState


@pytest.fixture
def state(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    return AppState(table=load_sample("credit"))


def test_quick_pass_and_longer_search_share_a_curve(state):
    asked = RunSpec(learners=("lp",), view="prices", folds=5, form="cnf", budget=10.0)
    specs = (asked, quick(asked), longer(asked))
    assert len({curve_key(spec, state) for spec in specs}) == 1
    assert all(QUICK in s and "max_conditions" in s for s in settings_of_run(quick(asked)))
    assert len(varied(longer(asked))) == 10
    assert longer(asked).budget is None


def test_a_run_learns_from_the_training_rows_alone(state):
    asked = work(quick(RunSpec()), state)
    assert len(asked.X) == len(asked.y) == 700
    assert len(asked.folds) == 10
    assert asked.key == curve_key(RunSpec(), state)
    assert part_words(state) == ""


def test_a_rule_is_in_hand_once_it_was_picked_read_or_written(state):
    assert not is_in_hand(state)
    state.setting = {"learner": "search", "max_conditions": 2}
    assert not is_in_hand(state)
    state.in_hand = True
    assert is_in_hand(state)
    state.in_hand, state.setting = False, {"edited": "by hand"}
    assert is_in_hand(state)
