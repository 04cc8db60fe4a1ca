"""What Score hands out: the library's files of scored cases, smallest changes included."""

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rulekit.data import Table
from rulekit.explain import score
from rulekit.export import from_text
from ui.learners.spec import RunSpec
from ui.rule_numbers import as_before
from ui.score.answers import (
    NewCases,
    _file,
    cost_sentence,
    count_predictions,
    outcomes_of,
)
from ui.state import CATEGORIES, AppState


def test_a_download_holds_every_case_with_its_smallest_change():
    table = pd.DataFrame({"age": [7, 60]})
    scored = score(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"), table)
    file = pd.read_csv(io.BytesIO(_file("csv", scored, {"age": pa.array(["7 years", "60 years"])})))
    assert file["answer"].tolist() == ["well", "ill"]
    assert file["age"].tolist() == ["7 years", "60 years"]
    assert (
        file["smallest change"].tolist() == scored.table(changes=True)["smallest change"].tolist()
    )


def test_shares_of_predictions_stand_beside_those_of_training():
    new, before = np.array([1, 0, 0]), np.array([1, 0])
    words = "Predicted 1: 1 of 3 (33.3 %; training 50.0 %)."
    assert count_predictions(new, before, [1, 0]) == words
    assert count_predictions(new, before, [1, 0, 2]).endswith(
        "; 2: 0 of 3 (0.0 %; training 0.0 %)."
    )


def test_cost_of_wrong_predictions_of_known_cases_is_shown():
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    table = pd.DataFrame({"age": [60, 61, 20, 21, 22]})
    truth = np.array(["ill", "well", "ill", "well", None], dtype=object)
    labels = ["ill", "well"]
    costs = RunSpec(costs=(5.0, 1.0), cost_unit="EUR").error_costs(labels)
    state = SimpleNamespace(costs=costs, labels=labels)
    cases = NewCases("new", table, truth, "key")
    assert cost_sentence(cases, score(rule, table), state) == (
        "Errors cost 150 EUR a 100 cases; always predicting ill would cost 50 EUR."
    )
    plain = SimpleNamespace(costs=None, labels=labels)
    assert cost_sentence(cases, score(rule, table), plain) == ""


FIRST = Table.from_frame(pd.DataFrame({"x": range(60), "died": [0, 1, 1] * 20}), name="first")


@pytest.fixture
def state():
    table = FIRST.with_roles({"died": "target"}, positive_label=1)
    return AppState(table=table, outcomes={"0": "survived", "1": "died"})


CODES = [1, 0, 1, 1, 0, 0]


def second(values):
    return Table.from_frame(pd.DataFrame({"x": range(len(values)), "died": values}), name="second")


def test_outcomes_are_called_by_their_names_or_the_rest(state):
    assert outcomes_of(second([1, 0, 1]), state).tolist() == ["died", "survived", "died"]
    assert outcomes_of(second([1, None, 0]), state).tolist() == ["died", None, "survived"]
    assert outcomes_of(second([None, None]), state) is None
    assert outcomes_of(Table.from_frame(pd.DataFrame({"x": [1, 2]})), state) is None
    frame = pd.DataFrame({"x": range(90), "kind": ["a", "b", "c"] * 30})
    table = Table.from_frame(frame).with_roles({"kind": "target"}, positive_label="b")
    state = AppState(table=table)
    assert outcomes_of(table, state).tolist()[:3] == ["not b", "b", "not b"]
    coded = AppState(table=state.table, options={CATEGORIES: ["x"]})
    assert as_before(second(CODES), coded).column("x").kind == "category"
    assert as_before(second(CODES), state).column("x").is_number
