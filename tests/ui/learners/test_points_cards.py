"""Points to add up on the pages: the card adds up to what the model says."""

import pytest

from rulekit import load_sample
from rulekit.explain import Wording, read_points
from rulekit.explain.subject import row_values
from rulekit.learners import BoxSearchClassifier, ScorecardClassifier
from ui.learners.points_cards import card_table, case_table, chance_table, split_of

X, Y = load_sample("credit").xy()


@pytest.fixture(scope="module")
def model():
    return ScorecardClassifier(max_conditions=4, positive_label="high").fit(X, Y)


def test_the_card_lists_every_condition_with_its_points(model):
    split = split_of(model)
    table = card_table(split, Wording())
    assert sorted(table["points"]) == sorted(split.points)
    assert len(set(table["if"])) == model.n_conditions_


def test_a_case_s_points_add_up_to_the_total_that_decides(model):
    split = split_of(model)
    for i in range(40):
        row = row_values(model.read_columns(X.iloc[[i]]), 0)
        table = case_table(read_points(split, row), Wording())
        assert (table["so far"].iloc[-1] >= split.total) == (
            model.predict(X.iloc[[i]])[0] == "high"
        )
        assert table["so far"].tolist() == table["this case"].cumsum().tolist()


def test_chances_rise_with_the_total_and_are_those_of_the_model(model):
    table = chance_table(model)
    said = table["of 100 such cases high"]
    assert said.is_monotonic_increasing
    assert table["training rows"].sum() == len(X)


def test_other_models_have_no_card():
    other = BoxSearchClassifier(kicks=0, random_state=0).fit(X, Y)
    assert split_of(other) is None
