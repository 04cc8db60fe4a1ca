"""Certificates against every rule there is, on tables small enough to try them all."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from rulekit import (
    BoxSearchClassifier,
    Constraints,
    FixedRuleClassifier,
    Literal,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    certify,
    load_sample,
)
from rulekit.binning import Binarizer
from rulekit.learners import Certificate

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


def small(seed, n=30):
    """A number, a number with gaps and two levels; some rows count more than others."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(20, 30, n).astype(float)})
    X["dose"] = rng.integers(0, 4, n).astype(float)
    X["town"] = rng.choice(["Oslo", "Rome"], n)
    ill = ((X.age > 24) & (X.town == "Rome")) | (X.dose > 2)
    ill ^= rng.random(n) < 0.2
    X.loc[rng.random(n) < 0.15, "dose"] = np.nan
    return X, np.where(ill, "ill", "well"), rng.integers(1, 4, n).astype(float)


def learner(n_clauses=1, **settings):
    return BoxSearchClassifier(
        n_clauses=n_clauses, positive_label="ill", binarizer=Binarizer(n_thresholds=2),
        random_state=0, n_perturbations=1, **settings,
    )  # fmt: skip


def crude(n_clauses=1, **settings):
    """A learner whose rules are seldom the best."""
    return TwoLevelRuleClassifier(
        "set_cover", n_clauses=n_clauses, rounding="threshold", positive_label="ill",
        binarizer=Binarizer(n_thresholds=2), **settings,
    )  # fmt: skip


def all_clauses(model, X):
    """Return the rows held by every set of conditions (turned away, for a CNF), and its size."""
    matrix = model.binarizer_.transform(X)
    wishes = model.constraints or Constraints()
    allowed = [j for j, lit in enumerate(matrix.literals) if wishes.allows(lit)]
    values = matrix.values[:, allowed] ^ (model.form == "cnf")
    held, size = np.ones((1, len(X)), bool), np.zeros(1, int)
    for column in values.T:
        held, size = np.vstack([held, held & column]), np.r_[size, size + 1]
    # of clauses that hold for the same rows only the shortest can matter
    order = np.argsort(size, kind="stable")
    packed = np.packbits(held[order], axis=1)
    _, first = np.unique(packed.view(f"V{packed.shape[1]}"), return_index=True)
    return held[order][first], size[order][first]


def priced(model, X, y, weight):
    """Every clause's rows and cost, and the weights of the rows described."""
    held, size = all_clauses(model, X)
    weight = weight * len(y) / weight.sum()
    described = (y == "ill") ^ (model.form == "cnf")
    cost = held[:, ~described] @ weight[~described] + model.theta * size
    return held[:, described], cost, weight[described]


def cost_of_best_clause(*case):
    """Return what the cheapest rule of at most one clause costs."""
    held, cost, gain = priced(*case)
    return min(gain.sum(), (gain.sum() - held @ gain + cost).min())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("theta", [0.4, 1.5])
def test_the_bound_of_one_clause_is_the_least_of_all_clauses(seed, form, theta):
    X, y, weight = small(seed)
    model = learner(form=form, theta=theta).fit(X, y, weight)
    certificate = certify(model, X, y, sample_weight=weight)
    least = cost_of_best_clause(model, X, y, weight)
    assert certificate.lower_bound == pytest.approx(least, abs=1e-9)
    assert certificate.proved == (certificate.objective <= least + 1e-5)
    wrong = model.training_error_ * len(y)
    assert certificate.objective == pytest.approx(wrong + theta * model.n_conditions_, abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_bound_for_more_clauses_is_the_master_program(seed, form):
    X, y, weight = small(seed)
    model = learner(3, form=form, theta=0.8).fit(X, y, weight)
    certificate = certify(model, X, y, sample_weight=weight)
    held, cost, gain = priced(model, X, y, weight)
    cover = -np.hstack([held.T.astype(float), np.eye(len(gain))])
    over_all = linprog(np.r_[cost, gain], A_ub=cover, b_ub=-np.ones(len(gain)))
    assert certificate.lower_bound == pytest.approx(over_all.fun, abs=1e-4)
    assert certificate.lower_bound <= over_all.fun + 1e-9


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_no_rule_of_two_clauses_costs_less_than_the_bound(form):
    X, y, weight = small(1)
    model = learner(2, form=form, theta=0.8).fit(X, y, weight)
    certificate = certify(model, X, y, sample_weight=weight)
    held, cost, gain = priced(model, X, y, weight)
    either = (held[:, None] | held[None]) @ gain
    best = min(gain.sum(), (gain.sum() - held @ gain + cost).min())
    best = min(best, (gain.sum() - either + cost[:, None] + cost[None]).min())
    assert certificate.lower_bound <= best + 1e-9
    assert best <= certificate.objective + 1e-9
    assert "does not bound the error that counts each row once" in certificate.sentence


def test_gap_of_a_suboptimal_rule_is_reported():
    X, y, _ = small(4)
    model = learner(theta=0.4).fit(X, y)
    worse = crude(theta=0.4).fit(X, y)
    least = certify(model, X, y)
    certificate = certify(worse, X, y)
    assert least.proved
    assert "Proved optimal" in least.sentence
    assert certificate.lower_bound == pytest.approx(least.objective)
    assert certificate.objective > certificate.lower_bound
    assert not certificate.proved
    assert certificate.gap == pytest.approx(certificate.objective / certificate.lower_bound - 1)
    percent = float(certificate.sentence.split("within ")[1].split(" %")[0])
    assert certificate.gap <= percent / 100 <= certificate.gap + 0.001
    assert least.verdict == "proven optimal"
    assert certificate.verdict == f"within {percent:g} % of the best possible"


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [(None, ""), (0.0, ""), (4.0, ""), (5.0, "within 100 % of the best possible"),
     (9.999, "within 0.1 % of the best possible")],
)  # fmt: skip
def test_verdict_is_given_for_an_informative_bound(bound, verdict):
    assert Certificate(10.0, bound, False, "").verdict == verdict


@pytest.mark.parametrize(
    ("form", "n_clauses", "seed"), [("dnf", 1, 4), ("dnf", 2, 0), ("cnf", 2, 0)]
)
def test_a_cheaper_rule_met_on_the_way_is_handed_over(form, n_clauses, seed):
    X, y, _ = small(seed)
    certificate = certify(crude(n_clauses, form=form, theta=0.4).fit(X, y), X, y)
    assert certificate.better is not None
    fixed = FixedRuleClassifier(certificate.better).fit(X, y)
    taken = certificate.better.clauses_fired(dict(X.items())) ^ (form == "cnf")
    described = (y == "ill") ^ (form == "cnf")
    cost = (described & ~taken.any(axis=1)).sum() + taken[~described].sum()
    cost += 0.4 * fixed.n_conditions_
    assert certificate.lower_bound - 1e-6 <= cost < certificate.objective
    if n_clauses == 1:
        assert cost == pytest.approx(certificate.lower_bound)
        assert fixed.n_rules_ <= 1


def test_only_better_rules_that_keep_constraints_are_handed_over():
    X, y, _ = small(4)
    certificate = certify(learner(theta=0.4).fit(X, y), X, y)
    assert (certificate.proved, certificate.better) == (True, None)
    limited = certify(learner(theta=0.4, max_conditions=1).fit(X, y), X, y)
    assert (limited.proved, limited.better) == (False, None)  # two conditions cost less
    model = learner(theta=3.0, constraints=Constraints(required=("town",))).fit(X, y)
    assert "town" not in str(learner(theta=3.0).fit(X, y).rule_set_)
    certificate = certify(model, X, y)
    assert not certificate.proved
    assert certificate.better is None


def test_a_certificate_names_what_it_counts_and_its_own_cuts():
    X, y, _ = small(1)
    one, more = (certify(learner(n).fit(X, y), X, y).counts for n in (1, 3))
    assert (one, more) == ("training errors of one clause", "errors counted clause by clause")
    dnf, cnf = (certify(learner(2, form=f).fit(X, y), X, y).sentence for f in ("dnf", "cnf"))
    assert "class 'well' counts once for every clause that holds for it" in dnf
    assert "class 'ill' counts once for every clause that turns it away" in cnf
    X, y, _ = small(0, n=60)
    moved = learner(2, theta=0.4, refine=True).fit(X, y)
    cuts = {lit.value for clause in moved.rule_set_.clauses for lit in clause.literals}
    assert not cuts <= {lit.value for lit in moved.binarizer_.literals_}
    certificate = certify(moved, X, y)
    assert (certificate.lower_bound, certificate.verdict) == (None, "")
    assert "has cuts that were not compared" in certificate.sentence


def test_proofs_leave_out_forbidden_conditions_of_any_learner():
    X, y, weight = small(0)
    wishes = Constraints(forbidden=("age", Literal("dose", ">", 2.5)), allow_not_equal=False)
    model = learner(theta=0.4, constraints=wishes).fit(X, y, weight)
    certificate = certify(model, X, y, sample_weight=weight)
    least = cost_of_best_clause(model, X, y, weight)
    assert certificate.lower_bound == pytest.approx(least, abs=1e-9)
    X, y, _ = small(4)
    model = OneLevelRuleClassifier(0.4, positive_label="ill", binarizer=Binarizer(n_thresholds=2))
    model.fit(X, y)
    bound = certify(learner(theta=0.4).fit(X, y), X, y).lower_bound
    assert certify(model, X, y).lower_bound == pytest.approx(bound)


def test_certificates_count_values_and_weights_as_the_fit_does():
    X, y, weight = small(5)
    model = learner(theta=0.4, class_weight={"ill": 3.0, "well": 1.0}).fit(X, y, weight)
    certificate = certify(model, X, y, sample_weight=weight)
    least = cost_of_best_clause(model, X, y, weight * np.where(y == "ill", 3.0, 1.0))
    assert certificate.lower_bound == pytest.approx(least, abs=1e-9)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice(["Bonn", "Lima", "Oslo", "Rome"], 80)})
    y = np.where(X.town.isin(["Bonn", "Oslo"]), "ill", "well")
    model = learner(theta=1.0, form="cnf").set_params(binarizer=Binarizer(sets=False)).fit(X, y)
    assert model.n_conditions_ == 1
    certificate = certify(model, X, y)
    assert (certificate.objective, certificate.proved) == (2.0, True)


@pytest.mark.slow
@pytest.mark.parametrize("n_clauses", [1, 3])
def test_stopped_search_proves_nothing(n_clauses):
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(n_clauses=n_clauses, theta=0.1, n_perturbations=0).fit(X, y)
    result = certify(model, X, y, should_stop=lambda: True)
    outcome = result.lower_bound, result.proved, result.gap, result.verdict
    assert outcome == (None, False, None, "")
    assert "Nothing is proved" in result.sentence


@pytest.mark.slow
def test_a_bound_is_kept_when_time_ends_the_search():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(n_clauses=1, theta=4.0, n_perturbations=0).fit(X, y)
    least = certify(model, X, y, time_limit=60.0)
    assert least.lower_bound is not None
    for seconds in (0.001, 0.01, 0.05):
        certificate = certify(model, X, y, time_limit=seconds)
        assert (certificate.lower_bound or 0.0) <= least.lower_bound + 1e-9


def test_what_cannot_be_proved_is_refused():
    X, y, _ = small(0)
    certificate = certify(learner(theta=0.0).fit(X, y), X, y)
    assert certificate.lower_bound is None
    assert "needs a positive price" in certificate.sentence
    X, y, weight = small(0)
    model = learner().fit(X, y)
    other_columns = X[["dose", "age", "town"]]
    for rows, more in ((X[:20], {}), (X, {"sample_weight": weight}), (other_columns, {})):
        with pytest.raises(ValueError, match="differ from the table that the model was fitted on"):
            certify(model, rows, y[: len(rows)], **more)
    model = FixedRuleClassifier(learner().fit(X, y).rule_set_).fit(X, y)
    with pytest.raises(TypeError, match=r"must be a fitted OneLevel.*got FixedRuleClassifier"):
        certify(model, X, y)
    with pytest.raises(ValueError, match=r"'time_limit' .* must be a float in .*0.0, inf"):
        certify(learner().fit(X, y), X, y, time_limit=0)
