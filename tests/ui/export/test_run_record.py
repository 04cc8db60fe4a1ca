"""The run record: what another person needs to get the same rule, as plain values."""

import json

import pytest

from rulekit.data import load_sample
from ui.export.run_record import run_record
from ui.learners.spec import RunSpec
from ui.picked import fit_path, model_key
from ui.state import AppState, SplitSpec

SETTING = {"learner": "one_level", "theta": 2.0}
SPEC = RunSpec(learners=("one_level",), thetas=(2.0,))


def recorded(split):
    state = AppState(
        table=load_sample("iris"),
        setting=SETTING,
        run_settings=SPEC.to_dict(),
        split=split,
        test_looks=3,
    )
    model = fit_path([SETTING], SPEC, state)[model_key(SETTING)]
    return state, model, run_record(state, model)


@pytest.mark.slow
def test_record_has_data_settings_sizes_and_versions():
    state, model, record = recorded(SplitSpec(0.3, 7))
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["data"]["sha256"] == state.table.digest
    assert record["split"]["training_rows"] + record["split"]["test_rows"] == 150
    assert record["split"]["seed"] == 7
    assert record["split"]["test_rows_looked_at"] == 3
    assert record["setting"] == SETTING
    assert record["run"]["thetas"] == [2.0]
    assert record["result"]["conditions"] == model.n_conditions_
    X, y = state.testing
    wrong = float((model.predict(X) != y.to_numpy()).mean())
    assert record["result"]["test_error"] == pytest.approx(wrong)
    assert record["versions"]["numpy"]


def test_without_test_rows_there_is_no_test_error():
    _, _, record = recorded(SplitSpec(0.0))
    assert record["result"]["test_error"] is None
    assert record["split"]["test_rows"] == 0
