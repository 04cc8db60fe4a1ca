"""The box search as a learner: its boxes mean what its rules say, on every kind of column."""

from contextlib import nullcontext
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import Binarizer, BoxSearchClassifier, Constraints, Literal, certify, load_sample
from rulekit.data import columns_of
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import RuleError
from rulekit.learners.literal import box_search
from rulekit.learners.literal.box_search import agreement, discount_rows
from rulekit.learners.training import learning_problem
from rulekit.search.box_search.problem import BoxPrices
from rulekit.search.box_search.search import SearchPlan, search


def mixed(n=240, seed=0):
    """Numbers, levels, truth values and gaps, with a rule of two clauses and a little noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "dose": rng.normal(size=n),
            "town": rng.choice(["Oslo", "Rome", "Lima"], n),
            "smoker": rng.integers(0, 2, n),
        }
    )
    ill = ((X.age > 55) & (X.smoker == 1)) | (X.town == "Lima")
    ill ^= rng.random(n) < 0.04
    X.loc[rng.random(n) < 0.1, "dose"] = np.nan
    X.loc[rng.random(n) < 0.1, "town"] = None
    return X, np.where(ill, "ill", "well")


def learner(**settings):
    return BoxSearchClassifier(positive_label="ill", random_state=0, n_perturbations=1, **settings)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("theta", [0.2, 2.0, 10.0])
def test_objective_equals_that_of_the_shown_rule(form, theta):
    X, y = mixed()
    model = learner(form=form, theta=theta).fit(X, y)
    wrong = (model.predict(X) != y).sum()
    shorter = model.n_conditions_  # simplification may only save literals
    assert model.rule_set_.form == form
    searched = (model.objective_ - wrong) / theta  # literals as the search counts them
    assert searched == pytest.approx(round(searched), abs=1e-9)
    assert searched >= shorter - 1e-9


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("prices", [BoxPrices(), BoxPrices(0.3, 0.3, 0.1)])
def test_boxes_and_the_clauses_made_from_them_hold_for_the_same_rows(form, prices):
    X, y = mixed(seed=3)
    table = Binarizer().fit(X, y).transform(X).with_labels(y == "ill", np.ones(len(y)))
    problem = learning_problem(table, columns_of(X), form=form, constraints=Constraints())
    plan, rng = SearchPlan((0.5, 2.0), 3, 1), np.random.default_rng(0)
    archive = search(problem.table, plan, rng, prices=prices)
    for entry in archive.entries:
        chosen = archive.problem.find_conditions(entry.boxes)
        assert chosen.sum() == entry.n_conditions
        wrong = (problem.table.evaluate_dnf(chosen) != problem.table.y).sum()
        if prices == BoxPrices():
            assert wrong == pytest.approx(entry.loss)


def test_paths_answer_limits_and_requirements_they_can_hold():
    X, y = mixed()
    path = learner().path(X, y)
    for theta, n_clauses, most in ((0.2, 4, 3), (0.2, 4, 1), (1.0, 2, 0), (0.2, 5, None)):
        model = learner(theta=theta, n_clauses=n_clauses, max_conditions=most)
        with pytest.warns(match="no condition") if most == 0 else nullcontext():
            assert path.rule(theta, n_clauses, most) == model.fit(X, y).rule_set_
        assert most is None or model.n_conditions_ <= most
    assert list(path.limit_conditions(3)) == [e for e in path if e.n_conditions in range(4)]
    path = learner(constraints={"required": ["town"]}).path(X, y)
    assert path
    assert all("town" in entry.rule_set.features for entry in path)
    with pytest.raises(RuleError, match=r"Column 'same' is required .* it is constant"):
        learner(constraints={"required": ["same"]}).path(X.assign(same=1), y)
    both = tuple(Literal("age", ">", cut) for cut in (40, 50, 60, 70, 75, 80))
    with pytest.raises(RuleError, match="cannot hold what is required"):
        learner(constraints={"required": both}).path(X, y)


@pytest.mark.slow
def test_the_planted_rule_is_on_a_path_without_dominated_ones():
    X, y = mixed()
    front = learner().path(X, y).front()
    assert front.n_conditions.is_monotonic_increasing
    assert front.n_conditions.is_unique
    assert (np.diff(front.loss) < 0).all()
    assert learner().path(X, y).front(n_clauses=1).n_clauses.max() <= 1
    rule = learner(theta=3.0).fit(X, y).rule_set_
    assert set(rule.features) == {"age", "smoker", "town"}
    assert rule.n_clauses == 2


def test_forbidden_columns_and_conditions_are_on_no_path():
    X, y = mixed()
    limits = Constraints(forbidden=("smoker",), allow_not_equal=False, directions={"age": ">"})
    for entry in learner(constraints=limits).path(X, y):
        for clause in entry.rule_set.clauses:
            assert all(limits.allows(literal) for literal in clause.literals)


@pytest.mark.parametrize("op", ["missing", "not-missing"])
def test_a_test_of_missingness_can_be_forbidden_alone(op):
    X, _ = mixed()
    X["lab"] = X.age.where(X.town.notna())
    y = np.where(X.lab.isna() == (op == "missing"), "ill", "well")
    barred = Literal("lab", op, None, missing=op == "missing")
    rule = learner(theta=0.2, constraints=Constraints(forbidden=("town", barred))).fit(X, y)
    assert barred not in [lit for c in rule.rule_set_.clauses for lit in c.literals]


def test_impossible_limits_are_refused():
    X, y = mixed()
    levels = tuple(Literal("town", "==", level) for level in X["town"].unique()[:2])
    path = learner(constraints={"required": levels}).path(X, y)
    with pytest.raises(RuleError, match=r"at most 0 clauses .* Raise `n_clauses`"):
        path.rule(1.0, n_clauses=0)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    with pytest.raises(
        ValueError, match=r"1000 clauses on 2 columns .* `n_clauses` to 354 or less"
    ):
        BoxSearchClassifier(n_clauses=1000).fit(X, X["a"] > 0)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("robustness", [0.0, 0.1])
def test_refined_cuts_cost_no_more_in_training_and_no_literal(form, robustness):
    X, y = mixed(seed=5)
    learner = BoxSearchClassifier(
        theta=1.0, n_clauses=3, robustness=robustness, form=form, n_perturbations=0,
        positive_label="ill",
    )  # fmt: skip
    coarse = clone(learner).fit(X, y)
    fine = clone(learner).set_params(refine_thresholds=True).fit(X, y)
    assert fine.objective_ <= coarse.objective_
    if form == "dnf":
        assert fine.objective_ < coarse.objective_  # there is something to gain
    assert fine.history_[0]["objective"] == coarse.objective_
    assert fine.n_conditions_ == coarse.n_conditions_
    read = [[sorted(c.features) for c in m.rule_set_.clauses] for m in (fine, coarse)]
    assert read[0] == read[1]
    if robustness == 0:
        assert fine.objective_ == pytest.approx((fine.predict(X) != y).sum() + fine.n_conditions_)


def test_a_forbidden_cut_is_not_made_by_refining():
    X, y = mixed(seed=5)
    X["ward"] = [f"w{k % 5}" for k in range(len(X))]  # its sets have cuts too
    learner = BoxSearchClassifier(
        theta=1.0, n_clauses=3, refine_thresholds=True, n_perturbations=0, positive_label="ill"
    )
    free = clone(learner).fit(X, y).rule_set_
    barred = next(lit for c in free.clauses for lit in c.literals if lit.feature == "age")
    kept = learner.set_params(constraints=Constraints(forbidden=(barred,))).fit(X, y).rule_set_
    assert barred not in [lit for c in kept.clauses for lit in c.literals]
    assert "age" in kept.features


LEARNER = BoxSearchClassifier(
    theta=1.0, n_clauses=2, n_perturbations=0, label_noise=1.0, positive_label="ill", random_state=0
)


def problem_of(X, y, form="dnf"):
    table = Binarizer().fit(X, y).transform(X).with_labels(y == "ill", np.ones(len(y)))
    return learning_problem(table, columns_of(X), form=form, constraints=Constraints())


def test_a_row_of_the_wrong_class_is_discounted_most():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(200), "b": rng.random(200)})
    y = np.where(X.a > 0.5, "ill", "well")
    odd = int(np.argmax(X.a))
    y[odd] = "well"
    problem = problem_of(X, y)
    weight = discount_rows(problem, 1.0, 0).table.weight
    assert problem.columns["a"][weight.argmin()] == X.a[odd]
    assert weight.min() < 0.2
    assert np.median(weight) > 0.9
    assert discount_rows(problem, 0.5, 0).table.weight == pytest.approx(0.5 + 0.5 * weight)


@pytest.mark.parametrize("label_noise", [0.0, 1.0])
def test_the_path_holds_the_rule_that_is_fitted(label_noise):
    X, y = mixed(n=120)
    learner = clone(LEARNER).set_params(label_noise=label_noise)
    entry, alone = learner.path(X, y).entry(1.0, 2), learner.fit(X, y)
    assert entry.rule_set == alone.rule_set_
    assert entry.objective(1.0) == pytest.approx(alone.objective_)


def test_rows_count_in_full_in_figures_and_without_a_forest():
    X, y = mixed()
    model = clone(LEARNER).set_params(n_clauses=1).fit(X, y)
    wrong = int((model.predict(X) != y).sum())
    assert model.training_error_ == pytest.approx(wrong / len(y))
    assert model.objective_ < wrong + model.theta * model.n_conditions_  # discounted
    proof = certify(model, X, y)
    assert proof.objective == pytest.approx(wrong + model.theta * model.n_conditions_)
    X = pd.DataFrame({"same": np.ones(12)})
    y = np.array(["ill", "well"] * 6)
    assert agreement(problem_of(X, y), 0).tolist() == [1.0] * 12


@pytest.mark.slow
def test_settings_of_one_table_share_a_search_ended_by_its_limit(monkeypatch):
    counted = Mock(side_effect=search)
    monkeypatch.setattr(box_search, "search", counted)
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(n_perturbations=500, random_state=0)
    settings = [{"theta": theta, "time_limit": 0.3} for theta in (8.0, 2.0, 0.5)]
    with pytest.warns(match="passed; the best rule so far is kept"):
        models = list(fit_settings(model, X, y, settings))
    assert counted.call_count == 1
    sizes = [m.n_conditions_ for m in models]
    assert sizes == sorted(sizes)
