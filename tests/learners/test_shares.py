"""Probabilities: counted by conditions met, ranked, unweighted, not adjusted to predictions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Costs, FixedRuleClassifier, TwoLevelRuleClassifier
from rulekit.data import columns_of
from rulekit.evaluation.metrics import area_under_roc
from rulekit.families import IdealDNFClassifier, ScorecardClassifier
from rulekit.learners.shares import LEAST_SLOPE, SHRINK, Likeness, Shares
from rulekit.rules import Clause, Factor, Literal, PointsSplit, PowerLaw, PowerLawSplit, RuleSet
from tests.learners.tables import mixed_table
from tests.reference.shares import shares


def noisy_table():
    return mixed_table(4, n=300, noise=0.2)


NAMES = ("a", "b", "c")


@st.composite
def rules(draw):
    form = draw(st.sampled_from(["dnf", "cnf"]))
    literal = st.builds(
        Literal, st.sampled_from(NAMES), st.sampled_from([">", "<="]), st.sampled_from([0.5, 1.5])
    )
    op = "and" if form == "dnf" else "or"
    clauses = draw(st.lists(st.lists(literal, max_size=3), max_size=3))
    labels = [draw(st.sampled_from(["x", "y"])) for _ in clauses]
    if form == "cnf":
        labels = ["x"] * max(1, len(clauses))
    return RuleSet(tuple(Clause(tuple(c), op) for c in clauses), tuple(labels), form, "z")


@st.composite
def tables(draw, n):
    values = st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), min_size=n, max_size=n)
    return {name: np.array(draw(values)) for name in NAMES}


@given(rules(), tables(12), tables(6), st.data())
@pytest.mark.slow
def test_shares_are_those_that_counting_row_by_row_gives(rule, train, new, data):
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=12, max_size=12)))
    rows = st.sampled_from([0.5, 1.0, 2.0])
    weight = np.array(data.draw(st.lists(rows, min_size=12, max_size=12)))
    result = Shares.from_rows(rule, train, codes, (weight, weight), 3).compute(new)
    np.testing.assert_allclose(result, shares(rule, train, codes, weight, 3, new), rtol=1e-6)
    np.testing.assert_allclose(result.sum(axis=1), 1.0)
    assert (result > 0).all()


def test_patterns_are_drawn_towards_the_regression():
    X = pd.DataFrame({"a": [1] * 50 + [0] * 100})
    y = np.r_[np.ones(45), np.zeros(5), np.ones(10), np.zeros(90)].astype(int)
    rule = RuleSet((Clause((Literal("a", ">", 0.5),)),), (1,), "dnf", 0)
    model = FixedRuleClassifier(rule).fit(X, y)
    drawn = expit(model._shares.regression[-1, 1] + [model._shares.regression[:2, 1].sum(), 0])
    assert drawn == pytest.approx([45 / 50, 10 / 100], abs=0.06)
    result = model.predict_proba(X)[[0, 60], 1]
    assert result == pytest.approx([(45 + SHRINK * drawn[0]) / 80, (10 + SHRINK * drawn[1]) / 130])
    X = pd.DataFrame({"a": [0] * 100 + [1] * 50 + [0] * 50, "b": [0] * 150 + [1] * 50})
    y = np.r_[np.arange(100) < 10, np.arange(50) < 30, np.arange(50) < 30].astype(int)
    clauses = tuple(Clause((Literal(c, ">", 0.5),)) for c in "ab")
    model = FixedRuleClassifier(RuleSet(clauses, (1, 1), "dnf", 0)).fit(X, y)
    single, both = model.predict_proba(pd.DataFrame({"a": [1, 1], "b": [0, 1]}))[:, 1]
    assert single == pytest.approx(0.6, abs=0.06)
    assert both > 0.85


@pytest.mark.parametrize("n", [1, 40])
def test_rows_of_one_class_have_a_share_near_one(n):
    X = pd.DataFrame({"a": [0.0, 1.0] * n})
    rule = RuleSet((Clause((Literal("a", ">", 0.5),)),), ("x",), "dnf", "y")
    model = FixedRuleClassifier(rule).fit(X, ["x"] * 2 * n)
    share = (n + SHRINK * ((2 * n + 1) / (2 * n + 2))) / (n + SHRINK)
    assert model.predict_proba(X) == pytest.approx(np.tile([share, 1 - share], (2 * n, 1)))
    alone = FixedRuleClassifier(replace(rule, default="x")).fit(X, ["x"] * 2 * n)
    assert alone.predict_proba(X).tolist() == [[1.0]] * 2 * n


CURVE = PowerLawSplit((PowerLaw(1.0, (Factor("a"), Factor("b"))),), 1.0, missing=False)
POINTS = PointsSplit((Literal("a", ">", 1.0), Literal("b", ">", 0.5)), (2, 1), 2)


@pytest.mark.parametrize("condition", [CURVE, POINTS], ids=["power law", "points"])
def test_powers_and_points_make_combinations_as_other_conditions_do(condition):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((400, 2)) * 2, columns=["a", "b"])
    X = X.mask(rng.random(X.shape) < 0.1)
    y = np.where(X["a"] * X["b"].fillna(1) > 1, "x", np.where(X["b"] > 1, "y", "z"))
    clauses = (Clause((condition,)), Clause((Literal("b", ">", 1.0),)))
    rule = RuleSet(clauses, ("x", "y"), "dnf", "z")
    weight = np.where(np.arange(400) % 2, 3.0, 1.0)
    columns, codes = columns_of(X), np.searchsorted(["x", "y", "z"], y)
    probabilities = FixedRuleClassifier(rule).fit(X, y, weight).predict_proba(X)
    expected = shares(rule, columns, codes, weight * 400 / weight.sum(), 3, columns)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-6)
    assert len(np.unique(probabilities.round(9), axis=0)) == 4


def test_shares_of_billions_of_rows_may_oppose_the_rule():
    rule = RuleSet((Clause((Literal("a", ">", 0.5),)),), (1,), "dnf", 0)
    counts = np.array([[3e9, 7.0], [2.0, 5e9]])
    result = Shares(Likeness(rule), np.array([[0, 0], [1, 1]]), counts, np.ones(2))
    shares = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(result.compute({"a": np.array([0.0, 1.0])}), shares, rtol=1e-6)
    X, y = mixed_table()
    rule = RuleSet((Clause((Literal("age", ">", 0.0),)),), ("yes",), "dnf", "no")
    model = FixedRuleClassifier(rule).fit(X, y)
    assert set(model.predict(X)) == {"yes"}
    frequent = (y == "yes").mean()
    assert model.predict_proba(X)[0, 1] == pytest.approx(frequent, abs=0.01)
    assert frequent < 0.5
    assert columns_of(X)["age"].min() > 0


def test_undecided_rows_that_lack_less_are_separated():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (2000, 3)), columns=list("abc"))
    y = (rng.random(2000) < 0.1 + 0.25 * X.sum(axis=1)).astype(int)
    rule = RuleSet((Clause(tuple(Literal(c, ">", 0.5) for c in "abc")),), (1,), "dnf", 0)
    model = FixedRuleClassifier(rule).fit(X, y)
    chance = pd.Series(model.predict_proba(X)[:, 1]).groupby(X.sum(axis=1)).mean()
    assert chance.tolist() == pytest.approx([0.1, 0.35, 0.6, 0.85], abs=0.06)
    by_chance, by_rule = model.predict_proba(X)[:, 1], model.predict(X)
    assert area_under_roc(y, by_chance, 1) > 0.05 + area_under_roc(y, by_rule, 1)


LEARNERS = [
    TwoLevelRuleClassifier(theta=0.5),
    BoxSearchClassifier(n_clauses=3, n_perturbations=0, random_state=0),
    IdealDNFClassifier(random_state=0),
    ScorecardClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("positive", ["yes", "no"])
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_class_weights_do_not_change_class_frequencies(learner, positive):
    X, y = noisy_table()
    weights = {positive: 1.5, "no" if positive == "yes" else "yes": 1.0}
    model = clone(learner).set_params(positive_label=positive, class_weight=weights).fit(X, y)
    share = model.predict_proba(X)
    frequent = [(y == c).mean() for c in model.classes_]
    np.testing.assert_allclose(share.mean(axis=0), frequent, atol=0.02)
    odds = np.log(share[:, 1] / share[:, 0])
    heavier = np.log(weights[model.classes_[1]] / weights[model.classes_[0]])
    np.testing.assert_allclose(model.decision_function(X), odds + heavier, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(share))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_weights_that_rows_have_count_in_the_shares(learner):
    X, y = noisy_table()
    weight = np.where(np.arange(len(y)) % 2, 3.0, 1.0)
    model = clone(learner).set_params(positive_label="yes").fit(X, y, weight)
    expected = weight[y == "yes"].sum() / weight.sum()
    assert weight @ model.predict_proba(X)[:, 1] / weight.sum() == pytest.approx(expected, abs=0.03)


def test_shares_of_answers_are_given_by_rows_and_by_what_they_weighed():
    X, y = noisy_table()
    model = TwoLevelRuleClassifier(theta=3.0, costs=Costs(1.5, 1)).fit(X, y)
    table, fired = model.get_rules(), model.clauses_fired(X)
    for k in range(model.n_rules_):
        right, wrong = ((y[fired[:, k]] == label).sum() for label in ("yes", "no"))
        assert table["share"][k] == pytest.approx((right + 1) / (right + wrong + 2))
        scale = len(y) / (1.5 * (y == "yes").sum() + (y == "no").sum())
        heavy = 1.5 * scale * right
        result = (heavy + 1) / (heavy + scale * wrong + 2)
        assert table["weighted_share"][k] == pytest.approx(result)


@given(rules(), tables(40), st.lists(st.sampled_from([0, 1]), min_size=40, max_size=40))
def test_calibrated_shares_expect_the_error_given(rule, columns, codes):
    classes = ["x", "y", "z"]
    y = np.array([classes.index(label) for label in rule.predict(columns)])
    codes = np.where(np.array(codes, dtype=bool), y, (y + 1) % 3)
    ones = np.ones(40)
    plain = Shares.from_rows(rule, columns, codes, (ones, ones), 3)
    expected = 1 - plain.compute(columns)[np.arange(40), y].mean()
    assert plain.calibrate(rule, classes, expected - 0.01) is plain
    probabilities = plain.calibrate(rule, classes, expected + 0.05)
    before, after = plain.compute(columns), probabilities.compute(columns)
    order = before.argsort(axis=1, kind="stable")
    assert (np.diff(np.take_along_axis(after, order, axis=1), axis=1) >= -1e-12).all()
    assert after.sum(axis=1) == pytest.approx(1.0)
    if probabilities.slope > LEAST_SLOPE:
        assert 1 - after[np.arange(40), y].mean() == pytest.approx(expected + 0.05)
    else:
        assert 1 - after[np.arange(40), y].mean() <= expected + 0.05
