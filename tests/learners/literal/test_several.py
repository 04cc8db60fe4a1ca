"""More than two classes: an ordered list, by one-against-the-rest and by the search over lists."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit import (
    Binarizer,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    load_sample,
)
from rulekit.exceptions import EmptyRuleWarning
from rulekit.learners.literal.box_search import search_lists
from rulekit.learners.literal.several import SeveralClasses
from tests.learners.tables import mixed_table

LEARNERS = [
    OneLevelRuleClassifier(),
    OneLevelRuleClassifier(exact=True),
    TwoLevelRuleClassifier(),
    ColumnGenerationClassifier(binarizer=Binarizer(n_thresholds=3)),
    BoxSearchClassifier(n_perturbations=0, random_state=0),
    BoxSearchClassifier(n_perturbations=1, refine_thresholds=True, random_state=0),
]


def three_grades(seed=0, n=150, noise=0.1):
    """The mixed table with three outcomes, gaps and text included."""
    X, y = mixed_table(seed, n, noise)
    return X, np.where(X["age"] > 62, "urgent", np.where(y == "yes", "soon", "later"))


def slow_objective(rule, X, y, weight, theta):
    """Row by row, the first clause that holds decides."""
    total = theta * sum(c.n_conditions for c in rule.clauses)
    for i, label in enumerate(y):
        row, answer = X.iloc[[i]], rule.default
        for clause, message in zip(rule.clauses, rule.labels, strict=True):
            columns = {f: row[f].to_numpy(dtype=object) for f in clause.features}
            columns |= {f: row[f].to_numpy() for f in clause.features if row[f].dtype.kind == "f"}
            if not clause.conditions or clause.mask(columns)[0]:
                answer = message
                break
        total += weight[i] * (answer != label)
    return total


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_lists_of_literal_learners_cost_no_more_than_constants(learner):
    X, y = three_grades()
    model = clone(learner).set_params(class_weight={"urgent": 3.0}, theta=1.5).fit(X, y)
    rule = model.rule_set_
    weight = np.where(y == "urgent", 3.0, 1.0)
    weight *= len(y) / weight.sum()
    assert rule.form == "dnf"
    assert set(rule.classes) <= set(y)
    assert rule.n_clauses >= 1
    assert model.objective_ == pytest.approx(slow_objective(rule, X, y, weight, 1.5))
    assert model.objective_ < min(weight[y != label].sum() for label in set(y))
    assert model.training_error_ == pytest.approx(weight[model.predict(X) != y].sum() / len(y))
    assert model.default_label_ == rule.default
    assert model.positive_label_ is None
    shares = model.predict_proba(X)
    assert shares.shape == (len(y), 3)
    assert np.allclose(shares.sum(axis=1), 1.0)


@pytest.mark.slow
@given(seed=st.integers(0, 50), theta=st.sampled_from([0.2, 1.0, 4.0]), clauses=st.integers(1, 2))
def test_the_search_never_costs_more_than_one_class_after_the_other(seed, theta, clauses):
    X, y = three_grades(seed, n=40, noise=0.3)
    search = BoxSearchClassifier(theta, clauses, n_perturbations=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        assert search.fit(X, y).objective_ <= price_one_after_the_other(clone(search), X, y) + 1e-9


def price_one_after_the_other(learner, X, y):
    """Objective of the list that the box search of two classes learns, once for each class."""
    table = learner._read(X, y, None)
    several, path = SeveralClasses(learner, table), learner._path(table)
    describe = path.clauses_within(learner.theta, learner.n_clauses, None)
    rule = several.one_against_rest(table.generator(learner.random_state), describe)
    return several.objective(rule, learner.theta)


@pytest.mark.slow
def test_limits_hold_and_the_path_answers_every_price():
    X, y = load_sample("wine").xy("cultivar")
    learner = BoxSearchClassifier(1.0, 2, n_perturbations=0, random_state=0)
    path = learner.path(X, y)
    for most in (1, 2, 3, 5, 8):
        model = learner.set_params(max_conditions=most).fit(X, y)
        assert model.n_conditions_ <= most
        assert model.n_rules_ <= 4
        assert model.objective_ <= path.entry(1.0, 4, most).objective(1.0) + 1e-9
    for entry in path:
        wrong = entry.rule_set.predict(X) != y.to_numpy()
        assert entry.loss == wrong.sum()
        assert entry.train_error == wrong.mean()


def test_cuts_refined_keep_size_and_never_cost_more():
    X, y = load_sample("wine").xy("cultivar")
    coarse = Binarizer(n_thresholds=2)
    learner = BoxSearchClassifier(1.0, n_perturbations=0, binarizer=coarse, random_state=0)
    plain = learner.fit(X, y)
    value, size = plain.objective_, plain.n_conditions_
    finer = learner.set_params(refine_thresholds=True).fit(X, y)
    assert finer.n_conditions_ == size
    assert finer.objective_ < value
    assert [step["objective"] for step in finer.history_] == [value, finer.objective_]


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"robustness": 0.1}, "`robustness` applies to rules of two classes only"),
        ({"refine": True}, "`refine` applies to rules of two classes only"),
        ({"constraints": {"required": ["age"]}}, "may hold `required` only for rules of two"),
    ],
)
def test_parameters_unknown_to_lists_are_refused(given_, words):
    X, y = three_grades()
    for call in (BoxSearchClassifier(**given_).fit, BoxSearchClassifier(**given_).path):
        with pytest.raises(ValueError, match=words):
            call(X, y)


@pytest.mark.slow
def test_constraints_hold_for_every_class():
    X, y = three_grades()
    limits = {"forbidden": ["smoker"], "allow_not_equal": False}
    for learner in LEARNERS:
        model = clone(learner).set_params(constraints=limits, theta=0.5).fit(X, y)
        literals = [lit for c in model.rule_set_.clauses for lit in c.literals]
        assert literals
        assert all(lit.feature != "smoker" for lit in literals)
        assert all(lit.op not in ("!=", "not-in") for lit in literals)


def test_constant_lists_and_single_rows_are_learned():
    X, y = three_grades()
    learner = BoxSearchClassifier(1e6, n_perturbations=0, random_state=0)
    with pytest.warns(EmptyRuleWarning, match="answers .* to every row"):
        model = learner.fit(X, y)
    pays = model.theta_pays_
    for theta, n in ((pays * 0.99, True), (pays * 1.01, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRuleWarning)
            result = BoxSearchClassifier(theta, 1, max_conditions=1, n_perturbations=0).fit(X, y)
        assert bool(result.n_conditions_) is n
    X = pd.DataFrame({"a": [0.0, 1, 2, 3, 4, 5, 6, 7]})
    y = list("aaabbbbc")
    assert BoxSearchClassifier(0.1).fit(X, y).score(X, y) == 1.0


def test_a_time_limit_is_reported_and_a_list_is_there_all_the_same():
    X, y = three_grades()
    for learner in (BoxSearchClassifier(time_limit=1e-9), TwoLevelRuleClassifier(time_limit=1e-9)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRuleWarning)
            with pytest.warns(ConvergenceWarning, match="time limit of 1e-09 s passed") as result:
                model = learner.fit(X, y)
        assert [w.category for w in result].count(ConvergenceWarning) == 1
        assert model.history_[-1]["stopped"] == "time limit"
        assert model.history_[-1]["objective"] == model.objective_
        assert set(model.predict(X)) <= set(y)


def searched(seed, n=80, **parameters):
    X, y = mixed_table(seed, n, noise=0.2)
    grade = np.where(X["age"] > 62, "urgent", np.where(y == "yes", "soon", "later"))
    model = BoxSearchClassifier(
        n_perturbations=0, binarizer=Binarizer(n_thresholds=4), **parameters
    )
    several = SeveralClasses(model, model._read(X, grade, None))
    return search_lists(model, several, np.random.default_rng(0), model.n_clauses), several


@pytest.mark.slow
@given(seed=st.integers(0, 40), label_noise=st.sampled_from([0.0, 1.0]))
def test_lists_are_written_read_back_and_refined_as_they_are_counted(seed, label_noise):
    result, several = searched(seed, label_noise=label_noise)
    for entry in result.archive.entries:
        rule = result.rule(entry.boxes)
        assert rule.n_conditions == entry.n_conditions
        assert np.isclose(several.objective(rule, 0.0), entry.loss)
        again = result.boxes_of(rule)
        assert again is not None
        assert result.rule(again) == rule
        finer = result.move_cuts(rule)
        assert finer.n_conditions == rule.n_conditions
        assert several.objective(finer, 0.0) <= entry.loss + 1e-9


def test_refined_cuts_lie_between_values_that_bins_put_together():
    X = pd.DataFrame({"a": np.arange(30.0)})
    y = np.where(X["a"] < 7, "low", np.where(X["a"] < 23, "middle", "high"))
    model = BoxSearchClassifier(1.0, n_perturbations=0, binarizer=Binarizer(n_thresholds=2))
    assert model.fit(X, y).score(X, y) < 1.0
    refined = model.set_params(refine_thresholds=True).fit(X, y)
    assert refined.score(X, y) == 1.0
    assert refined.n_conditions_ == 2


def test_label_noise_weighs_rows_by_all_classes():
    result, several = searched(3, label_noise=1.0)
    assert (several.counted <= several.weight + 1e-12).all()
    assert several.counted.sum() < 0.95 * several.weight.sum()
    assert np.allclose(several.counted[result.problem.rows], result.problem.table.weight)
