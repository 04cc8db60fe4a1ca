"""What is compared on the training rows: settings, folds, and what a constant answer does."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Costs
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier, search_grid
from rulekit.learners.choice import Loss
from rulekit.learners.inner_choice import (
    Form,
    InnerComparison,
    _take_cheaper_constant,
    compare_losses,
    form_of_rules,
    inner_folds,
    simplest,
)
from tests.learners.tables import mixed_table


def test_grids_grow_with_rows_and_hold_requirements():
    small, large = (search_grid(["b"] * n + ["a"] * n) for n in (50, 500))
    assert small["positive_label"] == ["a", "b"]
    assert small["label_noise"] == [0.0, 1.0]
    assert [10 * t for t in small["theta"]] == pytest.approx(large["theta"])
    assert settings_of(large, BoxSearchClassifier())
    X, y = mixed_table(n=60)
    for constraints, price in ((None, 60.0), ({"required": ["age"]}, None)):
        learner = BoxSearchClassifier(constraints=constraints)
        empty = form_of_rules(learner, learner._read(X, y, None)).empty
        assert (empty and empty["theta"]) == price


@pytest.mark.slow
def test_classes_of_few_rows_have_as_many_folds():
    X = pd.DataFrame({"a": np.arange(24.0)})
    model = RuleClassifier(positive_label=True).fit(X, np.arange(24) > 20)
    assert model.choice_.table["folds"].tolist() == [3] * 180
    assert model.rule_set_.n_conditions == 1
    X, y = pd.DataFrame({"a": np.arange(20.0)}), ["n"] * 19 + ["y"]
    table = BoxSearchClassifier()._read(X, y, None)
    with pytest.raises(DataError, match=r"class 'y' has a single row\. Leave this class out"):
        inner_folds(5, table, 0)


@pytest.mark.slow
def test_weights_determine_the_constant_and_its_cost():
    X, y = mixed_table(n=90)
    learner = BoxSearchClassifier(max_conditions=1)
    table = learner._read(X, y, None)
    weight = np.where(y == "yes", 1000.0, 1.0)
    form = Form("rule", learner, table, ({"theta": 1e9},))
    result = InnerComparison([form], table, inner_folds(3, table, 0), Loss(y, weight)).choose()
    wrong = (y == "no").sum() / weight.sum()
    assert result.constant_error == pytest.approx(wrong, rel=0.1), "folds differ by a row"
    assert (result.setting, result.default) == ({"theta": 1e9}, 0)


@pytest.mark.parametrize(("constant", "is_empty"), [(0.1 + 0.2, True), (0.3 + 1e-9, False)])
def test_a_constant_that_costs_the_same_but_for_rounding_is_selected(constant, is_empty):
    X, y = mixed_table(n=60)
    learner = BoxSearchClassifier()
    table = learner._read(X, y, None)
    form, loss = form_of_rules(learner, table), Loss(y, np.ones(60), Costs(1, 1, positive="yes"))
    choice = replace(simplest(form, table, loss), error=0.3, constant_error=constant)
    result = _take_cheaper_constant(choice, [form], np.full(5, constant), loss)
    assert (result.setting == form.empty) == is_empty
    assert result.setting in (form.empty, choice.setting)


@pytest.mark.parametrize("costs", [None, Costs(3, 1, positive="yes")])
def test_paired_losses_are_those_of_rules_learned_on_each_fold(costs):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (90, 3)).astype(float), columns=list("abc"))
    y = np.where(X.a + X.b + rng.integers(0, 6, 90) > 10, "yes", "no")
    pair = [BoxSearchClassifier(max_conditions=k, theta=0.1, random_state=0) for k in (1, 3)]
    weight = np.where(np.arange(90) < 30, 2.0, 1.0)
    table = pair[0]._read(X, y, None)
    folds = inner_folds(3, table, 0)
    losses, noise, scores = compare_losses(pair, table, folds, Loss(y, weight, costs))
    each = np.zeros((2, 90))
    for train, test in folds:
        for k, learner in enumerate(pair):
            answers = learner.fit(X.iloc[train], y[train]).predict(X.iloc[test])
            price = np.where(y[test] == "yes", 300, 100) if costs else 1
            each[k, test] = price * (answers != y[test])
    assert losses == pytest.approx((each * weight).sum(axis=1) / weight.sum())
    assert losses[0] != losses[1]
    d = each[1] - each[0]
    d = d - d @ weight / weight.sum()
    assert noise == pytest.approx(np.sqrt(((weight * d) ** 2).sum()) / weight.sum())
    assert scores.loss.shape == (3, 1)
    repeated, again, _ = compare_losses(pair, table, [*folds, *folds], Loss(y, weight, costs))
    assert repeated == pytest.approx(losses)
    assert again == pytest.approx(noise)
