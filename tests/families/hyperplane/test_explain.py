"""The box around one case, and how sure the plane is of it."""

import json

import numpy as np
import pandas as pd
import pytest

from rulekit import LPSVM, DataError, HyperplaneRuleClassifier, RuleError
from rulekit.families.hyperplane import explain_with_hyperplane
from rulekit.families.hyperplane.plane_work import fit_confidence
from rulekit.families.hyperplane.solver.hypercubes import water_fill
from rulekit.style.phrases import Wording
from tests.learners.planes import blobs, with_levels
from tests.reference import hypercubes as reference
from tests.strategies.half_spaces import scale_of


@pytest.fixture(scope="module")
def fitted():
    X, y = blobs()
    return HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X, y), X, y


def half_of(model, result):
    return model.plane_.half(list(model.boxes_).index(result.prediction))


def test_the_explanation_agrees_with_box_corner_and_training_rows(fitted):
    model, X, _ = fitted
    far = pd.concat([X, X * 3.0, X * -1.0])
    outcome = explain_with_hyperplane(model, far)
    assert [e.prediction for e in outcome] == model.linear_.predict(far).tolist()
    for result in outcome:
        half = half_of(model, result)
        assert reference.in_box(result.lower, result.upper, result.values)
        assert half.value(result.upper) <= half.cap
    model, X, y = fitted
    columns = model.read_columns(X)
    for result in explain_with_hyperplane(model, X.head(25)):
        half = half_of(model, result)
        rows = half.orient(model.plane_.rows)
        inside = [reference.in_box(result.lower, result.upper, v) for v in rows]
        assert result.n_covered == sum(inside)
        assert result.n_right == (np.array(inside) & (y == result.prediction)).sum()
        width = half.high - half.low
        sides = np.minimum(result.upper, half.high) - np.maximum(result.lower, half.low)
        weights = half.weights * width / (half.cap - half.value(half.low))
        greatest = np.prod(water_fill(weights, np.zeros_like(weights)))
        assert result.volume_ratio == pytest.approx(np.prod(sides / width) / greatest)
        holds = result.clause.mask(columns)
        assert holds.sum() == result.n_covered
        assert holds[result.row]


def test_the_corner_is_the_foot_of_the_normal_in_the_unit_box(fitted):
    model, X, _ = fitted
    for result in explain_with_hyperplane(model, X):
        half = half_of(model, result)
        width = half.high - half.low
        normal = half.weights * width
        step = (result.upper - result.values) / width
        np.testing.assert_allclose(step, normal * (step @ normal) / (normal @ normal), atol=1e-12)
        assert half.value(result.upper) == pytest.approx(half.cap, abs=1e-9 * scale_of(half))
        assert np.linalg.norm(step) == pytest.approx(result.distance, rel=1e-9)


def test_matching_rule_is_named_else_a_box_is_extracted(fitted):
    _, X, y = fitted
    short = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1).fit(X, y)
    fired = short.clauses_fired(X)[:, 0]
    columns = short.read_columns(X)
    for result in explain_with_hyperplane(short, X):
        covering = result.covering
        assert covering.clause.mask(columns)[result.row]
        assert (result.rule == 0) == (covering.rule == 0)
        if result.prediction == "good":
            assert (result.rule == 0) == fired[result.row]
            assert result.rule_prediction == ("good" if fired[result.row] else "bad")
        if result.rule == 0:
            assert covering.n_right == short.boxes_[result.prediction].n_points[0]


def test_an_explanation_is_plain_data_with_rising_confidence(fitted):
    model, X, _ = fitted
    result = sorted(explain_with_hyperplane(model, X), key=lambda e: e.distance)
    for label in ("good", "bad"):
        sure = [e.confidence for e in result if e.prediction == label]
        assert sure == sorted(sure)
        assert 0.0 < sure[0] < sure[-1] <= 1.0
    result = explain_with_hyperplane(model, X.head(1))[0]
    assert json.loads(json.dumps(result.to_dict()))["training_cases"] == result.n_covered
    german = Wording(names={"income": "Einkommen"})
    assert "Einkommen" in result.sentence_with(german)
    assert f"{100 * result.confidence:.1f} %" in result.sentence


def test_confidence_is_platts_function_with_a_level_for_each_answer():
    rng = np.random.default_rng(0)
    distance, answers = rng.random(4000), rng.integers(0, 2, 4000)
    right = rng.random(4000) < 1 / (1 + np.exp(-(6 * distance - 2 * answers)))
    probabilities = fit_confidence(distance, answers, right)
    assert probabilities.slope == pytest.approx(6, rel=0.1)
    assert probabilities.levels[0] - probabilities.levels[1] == pytest.approx(2, rel=0.1)
    sure = np.where(answers == 1, *(probabilities.compute(distance, k) for k in (1, 0)))
    assert sure.mean() == pytest.approx(right.mean(), abs=1e-3)


@pytest.mark.parametrize("right", [np.ones(8, bool), np.arange(8) < 4])
def test_useless_distance_gives_one_confidence_per_class(right):
    answers = np.arange(8) % 2
    probabilities = fit_confidence(np.arange(8.0), answers, right)
    assert probabilities.slope == 0.0
    for code in (0, 1):
        share = (right[answers == code].sum() + 1) / 6
        assert probabilities.compute(np.arange(8.0), code) == pytest.approx(np.full(8, share))


def test_boxes_without_rows_and_levels_are_stated():
    X = pd.DataFrame({"a": [0.0, 0.1, 0.9, 1.0], "b": [0.9, 1.0, 0.0, 0.1]})
    linear = LPSVM(nu=100.0, standardize=False)
    model = HyperplaneRuleClassifier(linear, confidence_folds=0).fit(X, [0, 0, 1, 1])
    (result,) = explain_with_hyperplane(model, pd.DataFrame({"a": [-2.0], "b": [-2.0]}))
    assert (result.n_covered, result.purity, result.confidence) == (0, None, None)
    assert "No training case lies in this box." in result.sentence
    X, y = with_levels()
    model = HyperplaneRuleClassifier(LPSVM(nu=0.5)).fit(X, y)
    columns = model.read_columns(X)
    for result in explain_with_hyperplane(model, X.head(20)):
        assert result.clause.mask(columns)[result.row]
        ops = [c.op for c in result.clause.literals if c.feature == "town"]
        assert ops in ([], ["=="], ["!="], ["in"], ["not-in"])


def test_gaps_and_models_without_a_plane_are_refused(fitted):
    model, X, _ = fitted
    gap = X.head(3).copy()
    gap.loc[1, "income"] = np.nan
    with pytest.raises(DataError, match="Row 2 must have a value in column 'income'"):
        explain_with_hyperplane(model, gap)
    _, X, y = fitted
    with pytest.raises(RuleError, match="needs a fitted HyperplaneRuleClassifier"):
        explain_with_hyperplane(LPSVM().fit(X, y), X)
    constant = HyperplaneRuleClassifier(LPSVM(nu=1e-6))
    with pytest.warns(UserWarning, match="no column"):
        constant.fit(X, y)
    with pytest.raises(RuleError, match="plane reads no column"):
        explain_with_hyperplane(constant, X)
