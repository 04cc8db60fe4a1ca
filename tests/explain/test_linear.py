"""Rows decided by a weighted sum are explained in words, too."""

import numpy as np
import pandas as pd

from rulekit import LPSVM, HyperplaneRuleClassifier, explain
from rulekit.rules import Clause, LinearSplit, Literal, RuleSet
from tests.learners.planes import blobs

PLANE = LinearSplit((("age", 0.5), ("bmi", -1.0)), ">", 3.0)
RULE = RuleSet(
    (Clause((Literal("age", ">", 90.0),)), Clause((PLANE,))), ("ill", "ill"), "dnf", "well"
)


def test_the_sum_is_beside_its_limit():
    rows = pd.DataFrame({"age": [60.0, 20.0, np.nan], "bmi": [20.0, 20.0, 20.0]})
    high, low, gap = explain(RULE, rows)
    assert high.sentence == ("Predicted ill: 0.5 * age - 1 * bmi is 10 > 3 (clause 2).")
    missed = next(m for m in low.near_misses if m.index == 1)
    assert "0.5 * age - 1 * bmi is -10, would have to be above 3" in missed.sentence
    assert missed.checks[0].distance == 13.0
    assert any("age or bmi is missing" in m.sentence for m in gap.near_misses)


def test_a_long_sum_is_explained_by_its_value():
    names = [f"measurement_{k}" for k in range(6)]
    plane = LinearSplit(tuple((name, 0.5) for name in names), ">", 10.0)
    rule = RuleSet((Clause((plane,)),), ("ill",), "dnf", "well")
    rows = pd.DataFrame({name: [1.0 + k, 5.0 - (k == 4)] for k, name in enumerate(names)})
    rows.iloc[1] -= 2.0
    high, low = (found.sentence for found in explain(rule, rows))
    assert high == "Predicted ill: the score is 10.5 > 10 (clause 1)."
    assert low == (
        "Predicted well: clause 1 does not match, the score is 8.5, would have to be above 10; "
        "measurement_4 contributes least."
    )


def test_no_change_is_claimed_for_a_rule_with_a_sum():
    found = explain(RULE, pd.DataFrame({"age": [60.0], "bmi": [20.0]}))[0]
    assert not found.counterfactual.possible
    assert found.counterfactual.sentence.startswith("The smallest change is not worked out")


def test_a_model_whose_plane_answers_the_rest_is_explained_row_by_row():
    X, y = blobs()
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1, uncovered="hyperplane").fit(X, y)
    found = explain(model, X, y, training=(X, y))
    assert [e.prediction for e in found] == model.predict(X).tolist()
    assert len(found[0].similar(3)) == 3
    assert found[0].to_dict()["fired"] is not None
