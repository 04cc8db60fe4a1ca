"""Rules of one clause, proved or rounded, and what screening says of conditions."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit import Binarizer, DataError, Literal, OneLevelRuleClassifier, TwoLevelRuleClassifier
from rulekit.learners import screen_conditions
from rulekit.learners.training import read_training_table
from rulekit.rules.constraints import Constraints
from tests.learners.tables import mixed_table
from tests.reference.one_level import exact_cost

FORMS = ("dnf", "cnf")
THETAS = (0.01, 0.5, 3.0)


@pytest.mark.parametrize("theta", [0.1, 1.0, 5.0])
def test_it_is_the_two_level_rule_of_one_clause(theta):
    X, y = mixed_table()
    one = OneLevelRuleClassifier(theta).fit(X, y)
    two = TwoLevelRuleClassifier("set_cover", n_clauses=1, theta=theta).fit(X, y)
    assert one.rule_set_ == two.rule_set_
    assert one.objective_ == pytest.approx(two.objective_)


def test_a_dnf_is_one_and_clause_and_a_cnf_one_or_clause():
    X, y = mixed_table()
    for form, op in (("dnf", "and"), ("cnf", "or")):
        model = OneLevelRuleClassifier(0.5, form, exact=True).fit(X, y)
        assert [clause.op for clause in model.rule_set_.clauses] == [op]


def matrix_optimum(X, y, theta, form, weight=None, binarizer=None):
    """The optimum by the integer program on the Boolean matrix."""
    model = OneLevelRuleClassifier(theta, form, binarizer=binarizer).fit(X, y, weight)
    table = OneLevelRuleClassifier(theta, form, binarizer=binarizer)
    columns = table.problem_of(read_training_table(table, X, y, weight), None).table.opposite
    return exact_cost(columns.values, columns.y, columns.weight, theta), model


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("theta", THETAS)
def test_proved_cost_equals_the_integer_program(form, theta):
    X, y = mixed_table(noise=0.15)
    for given in (None, np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)):
        expected, rounded = matrix_optimum(X, y, theta, form, given)
        for screening in (None, "counting", "duality"):
            model = OneLevelRuleClassifier(theta, form, exact=True, screening=screening)
            model.fit(X, y, given)
            assert model.objective_ == pytest.approx(expected, abs=1e-6)
            assert model.proved_optimal_
            assert model.lower_bound_ == model.objective_
        assert rounded.lower_bound_ <= expected + 1e-6


@pytest.mark.parametrize("form", FORMS)
def test_every_certificate_holds_on_the_raw_table(form):
    X, y = mixed_table(noise=0.15)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.7, 1.3)
    for how in ("counting", "duality", "basic", "enhanced"):
        screening = screen_conditions(X, y, theta=0.5, form=form, how=how, sample_weight=weight)
        assert screening.list_unproved() == []
        assert screening.n_removed > 0
        assert screening.n_removed + len(screening.list_kept()) == screening.n_conditions


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.parametrize("rounding", ["redundancy", "threshold", "random"])
def test_counting_tests_change_no_rule_of_the_linear_program(rounding):
    for seed in range(2):
        X, y = mixed_table(seed, noise=0.2)
        for form in FORMS:
            for theta in THETAS:
                learner = OneLevelRuleClassifier(theta, form, rounding=rounding, random_state=0)
                both = (clone(learner).set_params(screening=s) for s in ("counting", None))
                with_, without = (one.fit(X, y) for one in both)
                assert with_.rule_set_ == without.rule_set_
                assert with_.lower_bound_ == without.lower_bound_


def test_every_distinct_value_may_be_a_cut():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2000, 8)))
    y = (X[0] > 0.123) & (X[1] <= 0.77)
    y = np.where(y ^ (rng.random(2000) < 0.05), "yes", "no")
    every = Binarizer(n_thresholds=None)
    model = OneLevelRuleClassifier(1.0, exact=True, screening="duality", binarizer=every)
    model.fit(X, y)
    coarse = OneLevelRuleClassifier(1.0, exact=True).fit(X, y)
    assert model.proved_optimal_
    assert model.screening_.n_conditions == 8 * 2 * 1999
    assert model.screening_.problem.memory == {}  # nothing else of the table is kept
    assert model.screening_.n_removed > 0.9 * model.screening_.n_conditions
    assert model.objective_ < coarse.objective_
    assert "literals_" not in vars(model.binarizer_)


def test_proofs_keep_constraints_and_come_with_a_bound():
    X, y = mixed_table(noise=0.15)
    limits = Constraints(forbidden=("age",), required=("flag",), directions={"bmi": ">"})
    model = OneLevelRuleClassifier(0.1, exact=True, constraints=limits).fit(X, y)
    literals = model.rule_set_.clauses[0].literals
    assert "age" not in {literal.feature for literal in literals}
    assert "flag" in {literal.feature for literal in literals}
    assert not [v for v in literals if v.feature == "bmi" and v.op == "<="]
    assert model.screening_.n_conditions < len(model.binarizer_.literals_)
    X, y = mixed_table(noise=0.2)
    model = OneLevelRuleClassifier(0.01, exact=True, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    assert not model.proved_optimal_
    assert model.lower_bound_ < model.objective_
    X, y = mixed_table(noise=0.2)
    limits = Constraints(required=("flag",))
    model = OneLevelRuleClassifier(0.5, exact=True, constraints=limits).fit(X, y)
    result = model.certificate_
    assert not result.proved
    assert result.gap > 0
    share = math.ceil(1000 * result.gap) / 10
    words = f"and the rule costs {result.objective:.6g}, at most {share:g} % too much. Required"
    assert words in result.sentence


def test_removed_parts_are_reported_in_words_and_counts():
    X, y = mixed_table(noise=0.15)
    screening = screen_conditions(X, y, theta=0.5)
    assert screening.counts["test"].tolist() == ["simple", "pairs", "duality"]
    assert screening.counts["first"].sum() == screening.n_removed
    assert (screening.counts["first"] <= screening.counts["alone"]).all()
    columns = screening.count_by_column()
    assert columns["conditions"].sum() == screening.n_conditions
    parts = columns[["simple", "pairs", "duality", "kept"]].sum(axis=1)
    assert (parts == columns["conditions"]).all()
    result = screening.certificates()
    assert len(result) == screening.n_removed
    assert result["sentence"].str.len().min() > 20
    assert result[result["test"] == "pairs"]["by"].notna().all()
    assert len(screening.certificates(limit=2)) == 2


def test_only_the_deciding_condition_is_kept():
    X = pd.DataFrame({"age": np.arange(40.0), "noise": np.tile([0.0, 1.0], 20)})
    y = np.where(X["age"] > 19, "yes", "no")
    screening = screen_conditions(X, y, theta=1.0, binarizer=Binarizer(n_thresholds=None))
    assert screening.list_kept() == (Literal("age", ">", 19.0),)


def test_wrong_calls_are_refused():
    X, y = mixed_table()
    with pytest.raises(ValueError, match="`how` must be one of"):
        screen_conditions(X, y, how="magic")
    with pytest.raises(DataError, match="one class only"):
        screen_conditions(X, np.full(len(y), "yes"))


@pytest.mark.parametrize("form", FORMS)
def test_cost_equals_the_count_in_the_certificates_words(form):
    X, y = mixed_table(noise=0.15)
    model = OneLevelRuleClassifier(0.5, form, exact=True, positive_label="yes").fit(X, y)
    holds = model.rule_set_.clauses[0].condition_masks(model.read_columns(X))
    yes = y == "yes"
    if form == "dnf":  # 1 for each "no" taken; for each "yes" the conditions it fails
        rows = (holds.all(axis=1) & ~yes).sum() + (~holds[yes]).sum()
        words = "of class 'no' that the rule takes, .* of class 'yes' times .* it fails"
    else:
        rows = (~holds.any(axis=1) & yes).sum() + holds[~yes].sum()
        words = "of class 'yes' that the rule misses, .* of class 'no' times .* it meets"
    result = model.certificate_
    assert result.objective == pytest.approx(rows + 0.5 * model.n_conditions_)
    assert result.proved
    assert re.search(words, result.sentence)
    joined = "AND" if form == "dnf" else "OR"
    assert result.sentence.startswith(f"Proved optimal: no {joined} of these ")
    assert OneLevelRuleClassifier(0.5, form).fit(X, y).certificate_ is None
