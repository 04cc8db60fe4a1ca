"""Probabilities: counted by likeness, ranked, unweighted, and never bent towards the answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from rulekit import Costs, FixedRuleClassifier, TwoLevelRuleClassifier
from rulekit.data import columns_of
from rulekit.evaluation.metrics import area_under_roc
from rulekit.families import IdealDNFClassifier, ScorecardClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.learners.shares import SHRINK, Shares
from rulekit.rules import Clause, Literal, RuleSet
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
    found = Shares.measured(rule, train, codes, (weight, weight), 3).of(new)
    np.testing.assert_allclose(found, shares(rule, train, codes, weight, 3, new), rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found > 0).all()


def test_the_share_of_a_clause_is_drawn_towards_that_of_all_rows():
    X = pd.DataFrame({"a": [1] * 50 + [0] * 100})
    y = np.r_[np.ones(45), np.zeros(5), np.ones(10), np.zeros(90)].astype(int)
    rule = RuleSet((Clause((Literal("a", ">", 0.5),)),), (1,), "dnf", 0)
    found = FixedRuleClassifier(rule).fit(X, y).predict_proba(X)[[0, 60], 1]
    whole = 56 / 152
    assert found == pytest.approx([(45 + SHRINK * whole) / 60, (10 + SHRINK * whole) / 110])


def test_undecided_rows_that_lack_less_are_separated():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (2000, 3)), columns=list("abc"))
    y = (rng.random(2000) < 0.1 + 0.25 * X.sum(axis=1)).astype(int)
    rule = RuleSet((Clause(tuple(Literal(c, ">", 0.5) for c in "abc")),), (1,), "dnf", 0)
    model = FixedRuleClassifier(rule).fit(X, y)
    chance = pd.Series(model.predict_proba(X)[:, 1]).groupby(X.sum(axis=1)).mean()
    assert chance.tolist() == pytest.approx([0.1, 0.35, 0.6, 0.85], abs=0.06)
    assert area_under_roc(y, model.predict_proba(X)[:, 1], 1) > 0.05 + area_under_roc(
        y, model.predict(X), 1
    )


LEARNERS = [
    TwoLevelRuleClassifier(theta=0.5),
    BoxSearchClassifier(n_clauses=3, n_perturbations=0, random_state=0),
    IdealDNFClassifier(random_state=0),
    ScorecardClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("positive", ["yes", "no"])
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_what_classes_weigh_makes_no_class_more_frequent(learner, positive):
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
        told = (heavy + 1) / (heavy + scale * wrong + 2)
        assert table["weighted_share"][k] == pytest.approx(told)


def test_a_probability_may_speak_against_the_answer_of_the_rule():
    X, y = mixed_table()
    rule = RuleSet((Clause((Literal("age", ">", 0.0),)),), ("yes",), "dnf", "no")
    model = FixedRuleClassifier(rule).fit(X, y)
    assert set(model.predict(X)) == {"yes"}
    frequent = (y == "yes").mean()
    assert model.predict_proba(X)[0, 1] == pytest.approx(frequent, abs=0.01)
    assert frequent < 0.5
    assert columns_of(X)["age"].min() > 0
