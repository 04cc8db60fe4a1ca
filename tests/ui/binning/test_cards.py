"""Parts of Binning: outcomes by name and colour, counts, conditions in the order of values."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from rulekit.data import load_sample
from ui.state import AppState


def test_each_row_s_code_is_the_place_of_its_outcome_among_the_labels():
    state = AppState(table=load_sample("iris"), every_class=True)
    codes, (_, y) = state.outcome_codes, state.training
    assert np.array(state.labels, dtype=object)[codes].tolist() == y.tolist()
    numbered = AppState(table=load_sample("wine"), every_class=True)
    assert set(numbered.outcome_codes) == {0, 1, 2}


@pytest.mark.slow
def test_outcome_may_have_the_name_of_a_share_column():
    def page():
        from types import SimpleNamespace

        from ui.binning.cards import _outcome_table

        state = SimpleNamespace(several=True, labels=["rows", "values"])
        figures = [3, 0], None, [[1.0, 0.0], [None, None]]
        _outcome_table(state, ["≤ 2", "missing"], figures, "")

    app = AppTest.from_function(page).run()
    assert not app.exception
    table = app.dataframe[0].value
    assert table["rows"].tolist() == [3, 0]
    assert table["rows, %"].tolist()[0] == 100
    assert np.isnan(table["values, %"].tolist()[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcome", "called"),
    [("rows", "rows"), ("share", "share"), ("self", "self"), (1, "outcome 1"), ("0", "outcome 0")],
)
def test_described_outcome_may_have_the_name_of_a_column_or_number(outcome, called):
    def page(outcome):
        from types import SimpleNamespace

        from ui.binning.cards import _outcome_table

        state = SimpleNamespace(several=False, positive=outcome)
        figures = [3, 4], [1, 2], [[0.25], [0.5]]
        _outcome_table(state, ["1.0", "2.0"], figures, "by value")

    app = AppTest.from_function(page, args=(outcome,)).run()
    assert not app.exception
    counts = json.loads(app.dataframe[0].proto.columns)
    assert counts["rows"]["type_config"]["format"] == "localized"
    assert counts[f"{called}, rows"]["type_config"]["format"] == "localized"
    table = app.dataframe[0].value
    assert table["rows"].tolist() == [3, 4]
    assert table[f"{called}, rows"].tolist() == [1, 2]
    assert table["share"].tolist() == [25, 50]


def test_conditions_are_listed_by_value_for_each_operator():
    def page():
        import pandas as pd

        from rulekit.binning import Binarizer
        from ui.binning.cards import conditions_list

        numbers = pd.DataFrame({"age": [4, 37, 100, None] * 5})
        conditions_list(Binarizer(n_thresholds=None).fit(numbers, [0, 1, 0, 1] * 5), "age")

    app = AppTest.from_function(page).run()
    listed = app.dataframe[0].value["condition"].tolist()
    assert [c for c in listed if "missing" not in c and "present" not in c] == [
        "age <= 4",
        "age <= 37",
        "age > 4",
        "age > 37",
    ]
