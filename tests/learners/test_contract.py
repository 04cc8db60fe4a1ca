"""What every learner promises: one answer for one setting, and none dearer than a constant."""

import builtins
import pickle
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from rulekit import (
    LPSVM,
    Binarizer,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    ScorecardClassifier,
    TwoLevelRuleClassifier,
    certify,
    from_json,
    from_text,
    to_json,
    to_text,
)
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import EmptyRuleWarning
from rulekit.learners import base
from rulekit.search.machine_code import KERNELS
from tests.engines import solved_by
from tests.learners.tables import mixed_table
from tests.learners.test_parameters import LEARNERS

BALANCED = LogisticRegression(class_weight="balanced")
FEW = Binarizer(n_thresholds=3)
PRICED = [
    OneLevelRuleClassifier(),
    OneLevelRuleClassifier(exact=True),
    OneLevelRuleClassifier(exact=True, screening="duality"),
    TwoLevelRuleClassifier(),
    TwoLevelRuleClassifier(refine=True, allow_disabled=True),
    TwoLevelRuleClassifier("block_coordinate"),
    TwoLevelRuleClassifier("set_cover", n_clauses=3),
    TwoLevelRuleClassifier("lp"),
    TwoLevelRuleClassifier("exact", n_clauses=1, binarizer=FEW),
    BoxSearchClassifier(n_perturbations=0),
    BoxSearchClassifier(n_perturbations=0, robustness=0.1),
    BoxSearchClassifier(n_perturbations=0, robustness=0.3, label_noise=1.0, refine=True),
    BoxSearchClassifier(n_perturbations=0, refine_thresholds=True),
    ColumnGenerationClassifier(binarizer=FEW),
    ColumnGenerationClassifier(binarizer=FEW, refine=True),
]
OTHERS = [
    IdealDNFClassifier(random_state=0),
    IdealDNFClassifier(random_state=0, mode="paper"),
    HyperplaneRuleClassifier(confidence_folds=0),
    HyperplaneRuleClassifier(BALANCED, confidence_folds=0, min_coverage=1),
    HyperplaneRuleClassifier(BALANCED, confidence_folds=0, uncovered="hyperplane", max_rules=1),
    ScorecardClassifier(),
    ScorecardClassifier(1, calibration_folds=0),
    PowerLawTreeClassifier(max_depth=1, max_power_laws=1, max_exponents=2),
]

POINTS = RuleClassifier(cv=2, n_perturbations=0, forms=("rule", "points"))
LEFT_OUT = {
    "FixedRuleClassifier": "learns nothing",
    "LPSVM": "is a plane and has no rule; the rules made of it are among the others",
    "RuleClassifier": "learns by BoxSearchClassifier",
}


def rare(n=500, share=0.02):
    """A rare class that two columns of noise say nothing of."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 5, n).astype(float)})
    return X, np.where(rng.random(n) < share, "yes", "no")


def fitted(learner, X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        return clone(learner).set_params(**settings).fit(X, y)


def constant_cost(y, class_weight):
    """What the cheaper constant answer costs, in rows."""
    weight = np.ones(len(y)) if class_weight is None else np.where(y == "yes", class_weight, 1.0)
    weight = weight * (len(y) / weight.sum())
    return min(weight[y == "yes"].sum(), weight[y == "no"].sum())


def test_learners_are_compared_with_constants_or_excluded_with_reason():
    assert set(LEARNERS) == {type(one).__name__ for one in PRICED + OTHERS} | set(LEFT_OUT)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("learner", [one for one in PRICED if "exact'" not in str(one)], ids=str)
def test_the_rule_does_not_depend_on_the_order_of_rows_or_columns(learner, form):
    X, y = mixed_table(n=120, noise=0.15)
    order = np.random.default_rng(1).permutation(len(y))
    how = {"form": form, "theta": 0.7}
    if "random_state" in learner.get_params():
        how["random_state"] = 0
    straight = fitted(learner, X, y, **how)
    turned = fitted(learner, X.iloc[order, ::-1], y[order], **how)
    assert (turned.rule_set_, turned.objective_) == (straight.rule_set_, straight.objective_)


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)
SEARCHED = {
    "robustness": [0.0, 0.3],
    "positive_label": ["yes", "no"],
    "max_conditions": [None, 3],
    "n_clauses": [1, 6],
    "theta": [0.05, 50.0],
}
LISTED = {"theta": [1.0, 4.0], "n_clauses": [1, 2], "label_noise": [0.0, 0.8]}  # three classes
METHODS = ["set_cover", "block_coordinate", "alternating"]
MANY = [
    (
        TwoLevelRuleClassifier(class_weight="balanced"),
        [
            {"method": METHODS, "theta": [5.0, 0.1, 1.0], "n_clauses": [1, 3], **more}
            for more in ({}, {"refine": [True]}, {"allow_disabled": [True], "form": ["cnf"]})
        ],
    ),
    (
        OneLevelRuleClassifier(),
        [
            {"theta": [0.01, 0.5, 3.0], "exact": [exact], "screening": how}
            for exact, how in ((True, ["duality", None]), (False, ["counting"]))
        ],
    ),
    (SEARCH, SEARCHED),
    (SEARCH, LISTED),
    (ScorecardClassifier(), {"max_conditions": [3, 1, 5]}),
    (SEARCH, {"label_noise": [0.0, 1.0], "theta": [0.5, 2.0]}),
    (SEARCH, {"refine_thresholds": [True, False], "n_clauses": [1, 2], "theta": [0.5, 0.6, 4.0]}),
    (ColumnGenerationClassifier(binarizer=FEW), {"theta": [0.5, 2.0], "form": ["dnf", "cnf"]}),
    (
        IdealDNFClassifier(random_state=0, class_weight="balanced"),
        [{"max_variables": list(range(1, 13))}, {"mode": ["paper"], "tolerance": [0.0]}],
    ),
    (
        HyperplaneRuleClassifier(LPSVM(), confidence_folds=0),
        {"linear__nu": [0.1, 1.0], "max_rules": [1, None]},
    ),
    (
        PowerLawTreeClassifier(max_exponents=2, max_power_laws=2),
        {"max_depth": [0, 1], "tau_impurity": [0.05, 0.15]},
    ),
]
FIGURES = (
    "rule_set_", "objective_", "training_error_", "lower_bound_", "proved_optimal_", "history_",
    "empty_rule_hint_", "coverage_", "theta_max_", "theta_pays_", "n_iter_", "positive_label_",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "grid"), MANY, ids=str)
def test_many_settings_give_what_each_gives_alone(learner, grid):
    X, y = mixed_table(n=120)
    if grid is LISTED:
        y = np.where(X["age"] > 62, "urgent", y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        together = list(fit_settings(learner, X, y, settings_of(grid)))
    assert not hasattr(learner, "rule_set_")
    for setting, many in zip(settings_of(grid), together, strict=True):
        one = fitted(learner, X, y, **setting)
        assert set(vars(many)) == set(vars(one))
        for name in FIGURES:
            values = getattr(many, name, None), getattr(one, name, None)
            np.testing.assert_equal(*values, f"{name} of {setting}")
        pickled = pickle.loads(pickle.dumps(many))
        np.testing.assert_array_equal(pickled.predict_proba(X), one.predict_proba(X))
        assert str(many.get_params()) == str(one.get_params())


@pytest.mark.parametrize(
    "learner",
    [
        *(TwoLevelRuleClassifier(method) for method in (*METHODS, "lp")),
        OneLevelRuleClassifier(),
        ColumnGenerationClassifier(binarizer=FEW),
        ColumnGenerationClassifier(theta=0.5),
        HyperplaneRuleClassifier(LPSVM(nu=0.1)),
    ],
    ids=str,
)
def test_both_solvers_of_linear_programs_give_the_same_rule(learner):
    X, y = mixed_table(n=120)
    results = []
    for engine in ("highs", "linprog"):
        with solved_by(engine):
            model = fitted(learner, X, y)
        bound = getattr(model, "lower_bound_", None) or 0.0
        results.append((model.rule_set_, pytest.approx(bound)))
    assert results[0] == results[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.parametrize("learner", PRICED + OTHERS, ids=str)
def test_fits_in_threads_give_the_rules_of_fits_alone(learner):
    if "random_state" in learner.get_params():
        learner = clone(learner).set_params(random_state=0)

    def fit(seed):
        X, y = mixed_table(seed, n=120)
        return clone(learner).fit(X[["age", "bmi", "flag"]], y)

    seeds = [0, 1, 2]
    at_once = joblib.Parallel(3, prefer="threads")(map(joblib.delayed(fit), seeds * 2))
    for one, other in zip([fit(seed) for seed in seeds] * 2, at_once, strict=True):
        assert other.rule_set_ == one.rule_set_
        assert getattr(other, "objective_", None) == getattr(one, "objective_", None)


@pytest.mark.slow
@pytest.mark.parametrize("learner", PRICED + OTHERS, ids=str)
def test_labels_keep_their_type_from_fit_to_export(learner):
    X = mixed_table(n=80)[0][["age", "flag"]]
    for plain in (X["age"].to_numpy() > 45, np.digitize(X["age"], [45])):
        rule = clone(learner).fit(X, plain).rule_set_
        for dtype in ("category", "boolean" if plain.dtype == bool else "Int64", object):
            model = clone(learner).fit(X, pd.Series(plain).astype(dtype))
            assert model.classes_.dtype.kind == model.predict(X).dtype.kind == plain.dtype.kind
            assert {type(label) for label in model.rule_set_.classes} <= {type(plain[0].item())}
            assert from_text(to_text(model)) == from_text(to_text(rule))
            assert from_json(to_json(model)) == model.rule_set_ == rule


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize(
    "learner",
    [one for one in PRICED + OTHERS if not isinstance(one, PowerLawTreeClassifier)],  # refuses it
    ids=str,
)
def test_a_table_that_cannot_be_cut_gets_the_answer_of_most_rows(learner, form):
    X = pd.DataFrame({"a": np.ones(30), "b": np.zeros(30)})
    form = {"form": form} if "form" in learner.get_params() else {}
    model = fitted(learner, X, np.repeat(["no", "yes"], [20, 10]), **form)
    assert model.rule_set_.is_constant
    assert set(model.predict(X)) == {"no"}


@pytest.mark.parametrize("learner", PRICED, ids=str)
@pytest.mark.parametrize(
    ("form", "described", "yes_weight"),
    [("dnf", "yes", None), ("cnf", "no", None), ("dnf", "no", 30.0), ("cnf", "yes", 30.0)],
)
def test_priced_rule_costs_at_most_the_cheaper_constant(learner, form, described, yes_weight):
    X, y = rare(300)
    weights = None if yes_weight is None else {"yes": yes_weight, "no": 1.0}
    least = constant_cost(y, yes_weight)
    for theta in (1.0, 200.0, 5000.0):
        settings = {"theta": theta, "form": form, "positive_label": described}
        model = fitted(learner, X, y, **settings, class_weight=weights)
        assert model.objective_ <= least + 1e-9
        assert model.training_error_ * len(y) <= least + 1e-9
        assert model.history_[-1]["objective"] == pytest.approx(model.objective_)
        if theta > least:  # a single condition costs more
            assert model.n_conditions_ == 0
            assert "has no condition and answers" in model.empty_rule_hint_
        if model.lower_bound_ is not None:
            assert model.lower_bound_ <= model.objective_ + 1e-9
        if model.proved_optimal_:
            assert model.lower_bound_ == pytest.approx(model.objective_, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("learner", OTHERS, ids=str)
@pytest.mark.parametrize("described", ["yes", "no"])
@pytest.mark.parametrize("yes_weight", [None, 30.0])
def test_rule_without_price_errs_no_more_than_constants(learner, described, yes_weight):
    X, y = rare()
    weights = None if yes_weight is None else {"yes": yes_weight, "no": 1.0}
    model = fitted(learner, X, y, positive_label=described, class_weight=weights)
    assert model.training_error_ * len(y) <= constant_cost(y, yes_weight) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("learner", [*PRICED, OTHERS[-1], POINTS], ids=str)
def test_a_time_limit_does_not_include_compiling_kernels(learner, monkeypatch):
    """On a machine that takes a year to compile a kernel file, when it is first imported."""
    compiled, plain = set(), builtins.__import__

    def import_slowly(name, within=None, local=None, fromlist=(), level=0):
        compiled.update({name, *(f"{name}.{part}" for part in fromlist or ())} & {*KERNELS})
        return plain(name, within, local, fromlist, level)

    monkeypatch.setattr(base, "load", compiled.add)
    monkeypatch.setattr(builtins, "__import__", import_slowly)
    for clock in (time.monotonic, time.time):
        monkeypatch.setattr(time, clock.__name__, lambda now=clock: now() + 3e7 * len(compiled))
    fitted(learner, *mixed_table(n=40), time_limit=1e6)  # a limit that passed is a warning
    assert compiled == {*learner._kernels}


def test_empty_rules_are_proved_and_name_a_lower_price():
    X, y = rare()
    model = fitted(OneLevelRuleClassifier(200.0, exact=True, positive_label="yes"), X, y)
    assert set(model.predict(X)) == {"no"}
    assert model.objective_ == (y == "yes").sum() == model.lower_bound_
    assert model.certificate_.proved
    assert "no constant answer" in model.certificate_.sentence
    X = pd.DataFrame({"a": np.random.default_rng(0).random(300)})
    y = np.where(X.a > 0.9, "yes", "no")
    model = fitted(OneLevelRuleClassifier(100.0, positive_label="yes"), X, y)
    assert model.rule_set_.is_constant
    price = float(model.empty_rule_hint_.split("Below theta=")[1].split()[0].rstrip(".;"))
    assert fitted(model, X, y, theta=price * 0.99).n_conditions_ == 1
    assert 0 < price < (y == "yes").sum()


@pytest.mark.parametrize("n_clauses", [1, 2])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("described", ["yes", "no"])
def test_certificate_of_an_empty_rule_does_not_exceed_its_cost(n_clauses, form, described):
    X, y = rare(200, 0.1)
    learner = BoxSearchClassifier(
        20.0, n_clauses, form=form, positive_label=described, n_perturbations=0, binarizer=FEW
    )
    model = fitted(learner, X, y)
    assert model.rule_set_.is_constant
    certificate = certify(model, X, y)
    assert certificate.objective == (y == "yes").sum()
    assert certificate.lower_bound <= certificate.objective + 1e-9
    assert certificate.proved or n_clauses > 1


def test_constants_are_beaten_unless_conditions_are_required():
    X, y = rare()
    path = BoxSearchClassifier(n_perturbations=0, positive_label="no").path(X, y)
    first = path.front().iloc[0]
    assert (first.n_conditions, first.loss) == (0, (y == "yes").sum())
    assert path.rule(5000.0).predict({"a": np.zeros(1), "b": np.zeros(1)}).tolist() == ["no"]
    for learner in (OneLevelRuleClassifier, TwoLevelRuleClassifier, BoxSearchClassifier):
        model = fitted(learner(theta=200.0, constraints={"required": ["b"]}), X, y)
        assert model.rule_set_.features == ("b",)
