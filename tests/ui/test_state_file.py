"""An analysis as plain data: what older versions wrote is read, too."""

from rulekit.data import load_sample
from ui import state_file
from ui.learners.spec import RunSpec
from ui.state import AppState


def test_analysis_saved_with_a_number_of_looks_keeps_it():
    state = AppState(table=load_sample("iris"), test_looks=3)
    older = {k: v for k, v in state_file.to_plain(state).items() if k != "looked_at"}
    back = state_file.from_plain(older, state.table)
    assert (back.test_looks, back.looked_at) == (3, ())


def test_analysis_saved_before_outcome_names_loads_without_them():
    state = AppState(table=load_sample("iris"))
    older = state_file.to_plain(state)
    del older["outcomes"], older["split"]["keep_twins"]
    back = state_file.from_plain(older, state.table)
    assert (back.outcomes, back.fit_key) == ({}, state.fit_key)


def test_settings_saved_under_former_parameter_names_are_read():
    state = AppState(table=load_sample("iris"))
    older = state_file.to_plain(state)
    older["setting"] = {"learner": "search", "max_conditions": 3, "doubt": 1.0}
    older["run_settings"] = {"doubting": False}
    older["in_hand"] = not older.pop("rule_selected")
    back = state_file.from_plain(older, state.table)
    assert back.setting == {"learner": "search", "max_conditions": 3, "label_noise": 1.0}
    assert back.rule_selected
    assert RunSpec.from_dict(back.run_settings) == RunSpec(noisy=False)
