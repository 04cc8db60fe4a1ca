"""New cases as the first table was read, and their outcomes as the rule calls them."""

import pandas as pd
import pytest

from rulekit.data import Table
from ui.score.new_cases import as_before, outcomes_of
from ui.state import CATEGORIES, AppState

FIRST = Table.from_frame(pd.DataFrame({"x": range(60), "died": [0, 1, 1] * 20}), name="first")


@pytest.fixture
def state():
    table = FIRST.with_roles({"died": "target"}, positive_label=1)
    return AppState(table=table, outcomes={"0": "survived", "1": "died"})


CODES = [1, 0, 1, 1, 0, 0]


def second(values):
    return Table.from_frame(pd.DataFrame({"x": range(len(values)), "died": values}), name="second")


def test_outcomes_are_called_by_their_names(state):
    assert outcomes_of(second([1, 0, 1]), state).tolist() == ["died", "survived", "died"]


def test_a_column_with_gaps_still_gives_the_names(state):
    assert outcomes_of(second([1, None, 0]), state).tolist() == ["died", None, "survived"]


def test_unknown_outcomes_are_none(state):
    assert outcomes_of(second([None, None]), state) is None
    assert outcomes_of(Table.from_frame(pd.DataFrame({"x": [1, 2]})), state) is None


def test_all_classes_but_the_described_one_are_the_rest():
    frame = pd.DataFrame({"x": range(90), "kind": ["a", "b", "c"] * 30})
    table = Table.from_frame(frame).with_roles({"kind": "target"}, positive_label="b")
    state = AppState(table=table)
    assert outcomes_of(table, state).tolist()[:3] == ["not b", "b", "not b"]


def test_columns_made_codes_are_codes_in_the_second_table(state):
    coded = AppState(table=state.table, options={CATEGORIES: ["x"]})
    assert as_before(second(CODES), coded).column("x").kind == "category"
    assert as_before(second(CODES), state).column("x").is_number
