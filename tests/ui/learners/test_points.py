"""Points to add up as a learner of Models: asked for conditions, on the curve with the others."""

import pandas as pd
import pytest

from rulekit import FixedRuleClassifier, ScorecardClassifier, compare_learners, load_sample
from rulekit.explain import read_points
from rulekit.explain.subject import row_values
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.style.phrases import Wording
from ui.learners.offered import families, settings_of_run
from ui.learners.points import band_table, card_table, case_table, chance_sentence
from ui.learners.spec import RunSpec
from ui.rule_numbers import Cases
from ui.state import AppState

X, Y = load_sample("credit").xy()


@pytest.fixture(scope="module")
def model():
    return ScorecardClassifier(max_conditions=4, positive_label="high").fit(X, Y)


def test_cards_list_every_condition_with_its_points(model):
    split = scorecard_of(model.rule_set_)[0]
    cases = Cases("training", X, Y.to_numpy(dtype=object), model.read_columns(X))
    table = card_table(split, Wording(), cases, "high")
    assert table.columns.tolist() == ["if", "points", "training rows", "of these, high"]
    assert sorted(map(int, table["points"])) == sorted(split.points)
    assert len(set(table["if"])) == model.n_conditions_


@pytest.mark.slow
def test_points_of_a_case_add_up_and_its_chance_is_named(model):
    split = scorecard_of(model.rule_set_)[0]
    for i in range(40):
        row = row_values(model.read_columns(X.iloc[[i]]), 0)
        table = case_table(read_points(split, row), Wording())
        predicted = model.predict(X.iloc[[i]])[0]
        assert (table["so far"].iloc[-1] >= split.total) == (predicted == "high")
        assert table["so far"].tolist() == table["this case"].cumsum().tolist()
        place = list(model.classes_).index("high")
        chance = round(100 * model.predict_proba(X.iloc[[i]])[0, place])
        assert chance_sentence(model, X.iloc[[i]]) == f" Of 100 such cases, {chance} are high."


@pytest.mark.slow
def test_bands_are_descending_and_equal_the_models(model):
    table = band_table(model)
    shown = table["of 100 such cases, high"]
    assert shown.is_monotonic_decreasing
    assert table["training rows"].sum() == len(X)
    answers = dict(zip(table["prediction"], shown, strict=True))
    totals = scorecard_of(model.rule_set_)[0].compute_values(model.read_columns(X))
    for i in range(40):
        (answer,) = [
            a
            for t, a in zip(table["total"], table["prediction"], strict=True)
            if int(t.split(" to ")[0]) <= totals[i] <= int(t.split(" to ")[-1])
        ]
        assert answer == model.predict(X.iloc[[i]])[0]
    assert answers["high"] > 50 > answers["low"]


def test_edited_card_has_bands_without_a_chance():
    tests = (Literal("age", ">", 60), Literal("bp", ">", 140))
    bands = tuple(Clause((PointsSplit(tests, (3, 2), total),)) for total in (5, 2))
    model = FixedRuleClassifier(RuleSet(bands, ("ill", "watch"), "dnf", "well"))
    rows = pd.DataFrame({"age": [70.0, 50.0], "bp": [120.0, 120.0]})
    model.fit(rows, ["ill", "well"])
    assert band_table(model).to_dict("list") == {
        "total": ["5", "2 to 4", "0 to 1"],
        "prediction": ["ill", "watch", "well"],
    }
    assert chance_sentence(model, rows) == ""


SPEC = RunSpec(learners=("scorecard",), limits=(1, 2, 3), folds=5, thorough=True)


@pytest.mark.slow
def test_one_search_a_fold_answers_every_number_of_conditions():
    state = AppState(table=load_sample("credit"))
    comparison = compare_learners(*state.training, learners=families(SPEC, state), cv=5)
    assert [s["max_conditions"] for s in settings_of_run(SPEC)] == [1, 2, 3]
    points = comparison.points()
    assert points["folds"].tolist() == [5, 5, 5]
    assert (points["n_conditions"] <= [1, 2, 3]).all()
