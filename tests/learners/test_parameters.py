"""No parameter is silently not read: each changes what is learned, or is refused in words."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from inspect import isclass, signature
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit

import rulekit
from rulekit import Binarizer, Clause, Costs, Literal, RuleSet
from rulekit.exceptions import EmptyRuleWarning, MonotonicityWarning
from tests.learners.planes import blobs
from tests.learners.tables import mixed_table

LEARNERS = {
    name: thing
    for name in rulekit.__all__
    if isclass(thing := getattr(rulekit, name))
    and issubclass(thing, BaseEstimator)
    and thing is not Binarizer
}
SLOW = {"PowerLawTreeClassifier", "RuleClassifier"}  # 0.3 s a fit and more
FEW = Binarizer(n_thresholds=2)
NO_AGE = {"forbidden": ["age"]}
RULES = [RuleSet((Clause((Literal("age", ">", cut),)),), ("yes",), "dnf", "no") for cut in (30, 60)]
COMMON = {
    "theta": 20.0,
    "form": "cnf",
    "positive_label": "no",
    "class_weight": {"yes": 3.0},
    "costs": Costs(3.0, 1.0),
    "binarizer": FEW,
    "constraints": NO_AGE,
    "time_limit": 1e-9,
}


@dataclass(frozen=True)
class Acts:
    """A value of a parameter, beside which it is read, and what then differs."""

    value: Any
    given: dict[str, Any] = field(default_factory=dict)
    seen: str = ""  # an attribute that differs; else the rule, its figures or its probabilities
    table: Callable[[], Any] | None = None  # other than the learner's usual one


@dataclass(frozen=True)
class Refused:
    """A value of a parameter, and beside what it would not be read."""

    value: Any
    given: dict[str, Any] = field(default_factory=dict)
    words: str = "is read only where"


def common(*left_out, **given):
    return {k: [Acts(v, given)] for k, v in COMMON.items() if k not in left_out}


def nine_flags():
    """Every combination of nine columns has an answer of its own: a formula hard to shorten."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (8_000, 9))
    return X, np.where((rng.random(512) < 0.5)[X @ (1 << np.arange(9))], "yes", "no")


def nearly_one_cut():
    """One condition tells the classes apart, but for a few rows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 2, (200, 3))
    return X, np.where((X[:, 0] > 1.5) ^ (rng.random(200) < 0.02), "good", "bad")


def noisy():
    return mixed_table(4, n=100, noise=0.25)


BY_CHANCE = {"rounding": "random", "n_clauses": 3, "random_state": 0}
NOISY = {"n_clauses": 3, "theta": 0.2, "random_state": 0}
SHORT = {"max_power_laws": 2, "max_depth": 1, "max_exponents": 3, "inner_folds": None}
CARD = {"forms": ("points",), "cv": 2}
QUICK = {"cv": 2, "refine": False, "binarizer": FEW}
HALVES = ShuffleSplit(2, test_size=0.5, random_state=1)

CASES = {
    "OneLevelRuleClassifier": common()
    | {
        "time_limit": [Acts(1e-9, {"exact": True, "binarizer": Binarizer(n_thresholds=None)})],
        "exact": [Acts(True, {"theta": 3.0})],
        "screening": [
            Acts(None, {"exact": True}, "screening_"),
            Refused("duality", words="needs `exact=True`"),
        ],
        "rounding": [Acts("threshold"), Refused("threshold", {"exact": True})],
        "random_state": [
            Acts(
                1,
                {
                    "rounding": "random",
                    "form": "cnf",
                    "positive_label": "no",
                    "theta": 0.3,
                    "random_state": 0,
                },
            )
        ],
    },
    "TwoLevelRuleClassifier": common()
    | {
        "method": [Acts(m, {"theta": 0.5}) for m in ("set_cover", "lp")]
        + [Acts("block_coordinate", {"n_clauses": 3, "theta": 0.5})]
        + [Acts("exact", {"binarizer": FEW, "constraints": {"forbidden": ["town", "flag"]}})],
        "n_clauses": [Acts(1)],
        "rounding": [Acts("threshold"), Refused("threshold", {"method": "lp"})],
        "refine": [Acts(True)],
        "allow_disabled": [Acts(True, {"n_clauses": 5, "theta": 3.0})],
        "random_state": [Acts(1, BY_CHANCE)],
    },
    "BoxSearchClassifier": common("time_limit")
    | {
        "n_clauses": [Acts(1)],
        "max_conditions": [Acts(1), Refused(1, {"refine": True})],
        "robustness": [Acts(0.3)],
        "label_noise": [Acts(1.0, {"random_state": 0})],
        "n_perturbations": [Acts(0, NOISY)],
        "refine_thresholds": [Acts(True, {"random_state": 0}), Refused(True, {"refine": True})],
        "refine": [Acts(True, {"random_state": 0})],
        "random_state": [Acts(1, NOISY | {"label_noise": 1.0})],
        "time_limit": [Acts(1e-9)],
    },
    "ColumnGenerationClassifier": common("constraints", binarizer=FEW, theta=4.0)
    | {
        "theta": [Acts(20.0)],
        "binarizer": [Acts(FEW, {"theta": 4.0})],
        "constraints": [
            Acts(NO_AGE, {"binarizer": FEW}),
            Refused({"required": ["age"]}, words="does not support required conditions"),
        ],
        "refine": [Acts(True, {"binarizer": FEW})],
    },
    "IdealDNFClassifier": common("theta", "form", "time_limit", random_state=0)
    | {
        "max_variables": [Acts(1, {"random_state": 0})],
        "tolerance": [Acts(0.3, {"random_state": 0})],
        "selection": [Acts("ranking", {"random_state": 0})],
        "mode": [Acts("paper", {"random_state": 0})],
        "constraints": [
            Acts(NO_AGE, {"random_state": 0}),
            Refused({"required": ["age"]}, words="can only forbid whole columns"),
        ],
        "random_state": [Acts(1, {"random_state": 0}, "history_")],
        "time_limit": [
            Acts(
                1e-9,
                {"random_state": 0, "mode": "paper", "tolerance": 0.0},
                "proved_shortest_",
                nine_flags,
            )
        ],
    },
    "ScorecardClassifier": common("theta", "form", "time_limit")
    | {
        "max_conditions": [Acts(1)],
        "bands": [Acts(4, seen="band_rule_")],
        "calibration_folds": [Acts(0, seen="chances_")],
    },
    "HyperplaneRuleClassifier": {
        "linear": [Acts(LogisticRegression())],
        "max_columns": [Acts(1)],
        "criterion": [Acts(c) for c in ("point_lp", "volume_paper")],
        "max_depth": [Acts(1)],
        "max_rules": [Acts(1)],
        "min_coverage": [Acts(20)],
        "uncovered": [Acts("hyperplane")],
        "confidence_folds": [Acts(0, seen="confidence")],
        "positive_label": [Acts("bad")],
        "class_weight": [Acts({"good": 9.0})],
        "costs": [Acts(Costs(9.0, 1.0, positive="good"))],
        "constraints": [Acts({"directions": {"income": "<"}, "towards": "good"})],
    },
    "LPSVM": {
        "nu": [Acts(0.01)],
        "max_features": [Acts(1)],
        "cv": [Acts(2, seen="cv_errors_"), Refused(2, {"nu": 1.0})],
        "directions": [Acts({"income": "<"})],
        "standardize": [Acts(False)],
        "class_weight": [Acts({"good": 9.0})],
        "random_state": [Acts(1, seen="cv_errors_")],
    },
    "PowerLawTreeClassifier": {
        "max_power_laws": [Acts(1, SHORT)],
        "exponents": [Acts((0, 1), SHORT)],
        "modulus": [Acts(False, SHORT)],
        "max_depth": [Acts(0, SHORT)],
        "tau_impurity": [Acts(0.0, {"max_depth": 0, "inner_folds": None}, table=nearly_one_cut)],
        "upper_level": [Acts("genetic", {"max_depth": 0, "max_power_laws": 2})],
        "lower_level": [Acts("genetic", {**SHORT, "max_depth": 0, "max_exponents": 2})],
        "max_exponents": [Acts(1, SHORT), Refused(3, {"upper_level": "genetic"})],
        "inner_folds": [
            Acts(None, {"max_depth": 0, "max_exponents": 2}, seen="sizes_"),
            Acts(5, {"max_depth": 0, "max_exponents": 2}, seen="sizes_"),
            Refused(5, {"upper_level": "genetic"}),
        ],
        "positive_label": [Acts("bad", SHORT)],
        "class_weight": [Acts({"good": 9.0}, SHORT)],
        "costs": [Acts(Costs(9.0, 1.0, positive="good"), SHORT)],
        "constraints": [Acts({"directions": {"income": "<"}, "towards": "good"}, SHORT)],
        "random_state": [Acts(1, {"max_depth": 0, "upper_level": "genetic"})],
        "time_limit": [Acts(1e-9, SHORT)],
    },
    "FixedRuleClassifier": {"rule_set": [Acts(RULES[1], {"rule_set": RULES[0]})]},
    "RuleClassifier": {
        "max_conditions": [Acts(2, QUICK), Acts(2, CARD)],
        "forms": [Acts(("points",), {"cv": 2, "binarizer": FEW})],
        "cv": [Acts(3, QUICK, "choice_"), Acts(3, CARD, "choice_"), Acts(HALVES, QUICK, "choice_")],
        "n_perturbations": [Acts(1, QUICK, "choice_"), Refused(1, CARD)],
        "refine": [
            Acts(False, {"cv": 2, "binarizer": FEW, "max_conditions": 4}),
            Refused(False, CARD),
        ],
        "positive_label": [Acts("no", QUICK), Acts("no", CARD)],
        "class_weight": [Acts({"yes": 3.0}, QUICK), Acts({"yes": 3.0}, CARD)],
        "costs": [Acts(Costs(3.0, 1.0), QUICK), Acts(Costs(3.0, 1.0), CARD)],
        "binarizer": [Acts(Binarizer(n_thresholds=3), QUICK), Acts(FEW, CARD)],
        "constraints": [Acts(NO_AGE, QUICK), Acts(NO_AGE, CARD)],
        "groups": [Acts("smoker", QUICK, "choice_"), Acts("smoker", CARD, "choice_")],
        "max_gap": [
            Acts({"called_positive": 0.2}, QUICK | {"groups": "smoker"}),
            Acts({"error": 0.1}, CARD | {"groups": "smoker"}),
            Refused(0.5, QUICK, "`max_gap` needs `groups`"),
        ],
        "random_state": [Acts(1, QUICK, "choice_"), Acts(1, CARD, "choice_")],
        "time_limit": [Acts(1e-9, QUICK, "choice_"), Acts(1e-9, CARD, "choice_")],
    },
}
#: What changes how long learning takes and nothing of what is learned, as it promises.
HOW_LONG = {("RuleClassifier", "n_jobs"): (2, QUICK)}


def cases(kind):
    return [
        pytest.param(
            learner,
            name,
            case,
            id=f"{learner}-{name}-{case.value}-{case.given}"[:90],
            marks=pytest.mark.slow if learner in SLOW or case.value == "exact" else (),
        )
        for learner, parameters in CASES.items()
        for name, result in parameters.items()
        for case in result
        if isinstance(case, kind)
    ]


@cache
def table_for(learner):
    return (
        blobs()
        if learner in ("HyperplaneRuleClassifier", "LPSVM", "PowerLawTreeClassifier")
        else mixed_table(n=120, noise=0.15)
    )


KNOWN: dict[Any, Any] = {}  # models of the tests before: many begin from the same settings


def fitted(learner, parameters, table=None):
    key = learner, repr(sorted(parameters.items())), table
    if key not in KNOWN:
        X, y = table_for(learner) if table is None else table()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRuleWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", MonotonicityWarning)
            KNOWN[key] = LEARNERS[learner](**parameters).fit(X, y)
    return KNOWN[key]


def learned(model, seen=""):
    """What was learned, as something that can be compared."""
    if seen == "confidence":
        return model.plane_.confidence
    if seen == "chances_":
        return model.chances_.to_csv()
    if seen == "choice_":
        return model.choice_.table.to_csv()
    if seen == "cv_errors_":
        return model.cv_errors_.tolist()
    if seen:
        return getattr(model, seen)
    if hasattr(model, "coef_"):
        return model.coef_.tolist(), model.intercept_.tolist()
    shares = np.round(model._shares.clauses, 12).tolist() if hasattr(model, "_shares") else []
    figures = [getattr(model, n, None) for n in ("objective_", "training_error_", "history_")]
    return model.rule_set_, repr(figures), shares


def test_every_parameter_of_every_learner_is_looked_at():
    assert {(learner, p) for learner, known in CASES.items() for p in known} | set(HOW_LONG) == {
        (name, p) for name, kind in LEARNERS.items() for p in signature(kind).parameters
    }


@pytest.mark.parametrize(("learner", "name", "case"), cases(Acts))
def test_a_parameter_changed_alone_changes_what_is_learned(learner, name, case):
    plain = {k: v for k, v in case.given.items() if k != name or learner == "FixedRuleClassifier"}
    plain |= {k: v for k, v in case.given.items() if k in ("random_state", "binarizer")}
    before = fitted(learner, plain, case.table)
    after = fitted(learner, case.given | {name: case.value}, case.table)
    assert learned(before, case.seen) != learned(after, case.seen)


@pytest.mark.parametrize(("learner", "name", "case"), cases(Refused))
def test_a_parameter_that_would_not_be_read_is_refused(learner, name, case):
    X, y = table_for(learner)
    with pytest.raises(ValueError, match=case.words):
        LEARNERS[learner](**case.given, **{name: case.value}).fit(X, y)


@pytest.mark.parametrize(("learner", "name"), HOW_LONG)
@pytest.mark.slow
def test_time_parameters_do_not_change_the_result(learner, name):
    value, given = HOW_LONG[learner, name]
    with parallel_config("threading"):
        before, after = fitted(learner, given), fitted(learner, given | {name: value})
    assert learned(before) == learned(after)
