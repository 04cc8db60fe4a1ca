"""Objective, size and error of what every learner learns from the sample tables, as recorded.

``python -m tests.golden.learned --overwrite`` writes ``learned.json`` anew, with the names given
after it only those cases whose id begins so. Do so only when something is learned differently on
purpose, and read the difference before committing it.
"""

import argparse
import json
import math
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.exceptions import EmptyRuleWarning

RECORD = Path(__file__).with_name("learned.json")
DIGITS = 9  # of a plane's coefficients, which a solver gives to about twelve
SUMS = 1e-12  # relative: a thousand weights, added in the order that the processor's BLAS likes
Case = dict[str, Any]

#: The target of each table, and the class that is described against all others.
TABLES = {
    "breast_cancer": ("diagnosis", "malignant"),
    "credit": ("risk", "high"),
    "iris": ("species", "versicolor"),
    "planted_cnf": ("label", "yes"),
    "planted_dnf": ("label", "yes"),
    "wine": ("cultivar", "cultivar 2"),
}
METHODS = ("alternating", "block_coordinate", "set_cover", "lp")
BINARIZERS = {  # cuts chosen in other ways, more of them, fewer, and given by hand
    "credit": [
        {"method": "entropy"},
        {"method": "tree", "n_thresholds": 4},
        {"method": "median"},
        {"n_thresholds": 3, "max_levels": 2},
        {"thresholds": {"age": [30, 45], "amount": [4000.0]}},
    ],
    "iris": [{"method": "uniform", "n_thresholds": 5}, {"n_thresholds": None}],
    "wine": [{"method": "tree", "n_thresholds": None}, {"n_thresholds": 2}],
}
WISHES = {"forbidden": ["savings"], "directions": {"age": "<"}, "allow_not_equal": False}
WISH = {"feature": "employment", "op": "==", "value": "unemployed", "missing": False}
REQUIRED = {"required": [WISH]}
#: How the ids begin of cases that take more than 1.5 s.
SLOW = (
    "TwoLevelRuleClassifier of credit: method=lp, form=cnf",
    "PowerLawTreeClassifier of credit: max_power_laws=2",
    "PowerLawTreeClassifier of credit, weighted",
    "PowerLawTreeClassifier of planted_cnf: max_power_laws=2",
    "PowerLawTreeClassifier of planted_dnf: max_power_laws=2",
)


def case(learner: str, table: str, kind: Any = None, **parameters: Any) -> Case:
    """Describe one fit; `kind`: a class, "every class", "weighted" (rows of 0 to 3) or "path"."""
    target, positive = TABLES[table]
    special = kind in ("every class", "weighted", "path")
    settings = ", ".join(f"{k}={_short(v)}" for k, v in parameters.items())
    name = f"{learner} of {table}{'' if kind is None else f', {kind}'}: {settings or 'as it comes'}"
    return {
        "id": name,
        "learner": learner,
        "table": table,
        "target": target,
        "positive": positive if kind is None or special else kind,
        "how": kind if special else None,
        "parameters": parameters,
        "slow": name.startswith(SLOW),
    }


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return f"({', '.join(f'{k}={_short(v)}' for k, v in value.items())})"
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    return str(value)


def two_level() -> Iterator[Case]:
    """Yield the paper's methods: every method, form and price on every table."""
    name = "TwoLevelRuleClassifier"
    for table, method, form, theta in product(TABLES, METHODS, ("dnf", "cnf"), (0.5, 2.0)):
        large = method == "lp" and table == "breast_cancer"
        cuts = {"binarizer": {"method": "median"}} if large else {}
        yield case(name, table, method=method, form=form, theta=theta, **cuts, random_state=0)
    few = {"binarizer": {"n_thresholds": 2}, "random_state": 0}
    for form, theta in product(("dnf", "cnf"), (0.5, 2.0)):
        yield case(name, "iris", method="exact", form=form, theta=theta, **few)
    yield case(name, "iris", method="exact", allow_disabled=True, **few)


def two_level_switches() -> Iterator[Case]:
    """Yield the same methods with all their other parameters."""
    name, methods = "TwoLevelRuleClassifier", METHODS
    for table, method, form in product(("credit", "wine"), methods, ("dnf", "cnf")):
        yield case(name, table, method=method, form=form, refine=True, random_state=0)
    off = {"allow_disabled": True, "n_clauses": 3, "random_state": 0}
    for table, method in product(("credit", "planted_cnf", "wine"), methods):
        yield case(name, table, method=method, **off)
    for method, rounding in product(methods[:3], ("threshold", "random")):
        yield case(name, "wine", method=method, rounding=rounding, n_clauses=3, random_state=0)
    for method in methods:
        yield case(name, "credit", "weighted", method=method, random_state=0)
        yield case(name, "credit", method=method, class_weight="balanced", random_state=0)
        yield case(name, "credit", method=method, constraints=WISHES, random_state=0)
        yield case(name, "credit", method=method, constraints=REQUIRED, random_state=0)
    for positive in ("setosa", "virginica"):
        yield case(name, "iris", positive, theta=0.5, random_state=0)
    for table, cuts in BINARIZERS.items():
        for binarizer in cuts:
            yield case(name, table, theta=0.5, binarizer=binarizer, random_state=0)


def one_level() -> Iterator[Case]:
    """Yield one clause by relaxation and with proof, with every screening and rounding."""
    name = "OneLevelRuleClassifier"
    for table, exact, form, theta in product(TABLES, (False, True), ("dnf", "cnf"), (0.5, 2.0)):
        yield case(name, table, exact=exact, form=form, theta=theta, random_state=0)
    for table in ("credit", "wine"):
        yield case(name, table, exact=True, screening="duality", random_state=0)
        yield case(name, table, exact=True, screening=None, random_state=0)
        yield case(name, table, screening=None, theta=0.5, random_state=0)
        for rounding in ("threshold", "random"):
            yield case(name, table, rounding=rounding, theta=0.5, random_state=0)
        every = {"n_thresholds": None}
        yield case(name, table, exact=True, binarizer=every, random_state=0)
    for exact in (False, True):
        yield case(name, "credit", "weighted", exact=exact, random_state=0)
        yield case(name, "credit", exact=exact, class_weight="balanced", random_state=0)
        yield case(name, "credit", exact=exact, constraints=WISHES, random_state=0)
        for binarizer in BINARIZERS["credit"]:
            yield case(name, "credit", exact=exact, binarizer=binarizer, random_state=0)


def box_search() -> Iterator[Case]:
    """Yield the search over boxes: every parameter on every table, and two whole paths."""
    name = "BoxSearchClassifier"
    base: dict[str, Any] = {"theta": 1.0, "n_clauses": 2, "robustness": 0.0, "label_noise": 0.0}
    base |= {"n_perturbations": 0, "random_state": 0}
    changes: Sequence[dict[str, Any]] = (
        {"n_perturbations": 3},
        {"theta": 0.5, "n_clauses": 3, "robustness": 0.1},
        {"form": "cnf", "robustness": 0.1, "n_perturbations": 1},
        {"form": "cnf", "theta": 2.0, "n_clauses": 3},
        {"label_noise": 0.5},
        {"max_conditions": 4, "theta": 0.0, "n_clauses": 6},
        {"refine_thresholds": True, "n_clauses": 3},
    )
    for table, change in product(TABLES, changes):
        yield case(name, table, **base | change)
    for change in (
        {"class_weight": "balanced"},
        {"constraints": WISHES},
        {"constraints": REQUIRED},
        {"class_weight": {"high": 3.0, "low": 1.0}, "refine_thresholds": True},
    ):
        yield case(name, "credit", **base | change)
    yield case(name, "credit", "weighted", **base | {"robustness": 0.1})
    yield case(name, "credit", "weighted", **base | {"label_noise": 0.5, "refine_thresholds": True})
    for table, cuts in BINARIZERS.items():
        for binarizer in cuts:
            yield case(name, table, **base | {"binarizer": binarizer})
    yield case(name, "breast_cancer", "path", **base)
    yield case(name, "credit", "path", **base | {"robustness": 0.1, "n_perturbations": 3})


def column_generation() -> Iterator[Case]:
    """Yield column generation; with the integer program at its end only where it is fast."""
    name = "ColumnGenerationClassifier"
    median, entropy = {"method": "median"}, {"method": "entropy"}
    base = {"binarizer": entropy}
    for table, form, theta in product(("credit", "iris"), ("dnf", "cnf"), (2.0, 5.0)):
        yield case(name, table, form=form, theta=theta, **base)
    for table, form in product(("breast_cancer", "planted_cnf", "planted_dnf"), ("dnf", "cnf")):
        yield case(name, table, form=form, theta=5.0, binarizer=median)
    for form in ("dnf", "cnf"):
        yield case(name, "wine", form=form, theta=2.0)
    yield case(name, "credit", "weighted", theta=1.0, **base)
    yield case(name, "credit", theta=1.0, class_weight="balanced", **base)
    yield case(name, "credit", theta=1.0, constraints=WISHES)
    yield case(name, "credit", theta=1.0, binarizer=median)


def ideal_dnf() -> Iterator[Case]:
    """Yield formulas found by counting."""
    name = "IdealDNFClassifier"
    for table in TABLES:
        yield case(name, table, random_state=0)
        short = {"mode": "paper", "max_variables": 4, "tolerance": 0.0, "random_state": 0}
        yield case(name, table, selection="ranking", **short)
    for table, cuts in BINARIZERS.items():
        yield case(name, table, max_variables=6, binarizer=cuts[0], random_state=0)
    yield case(name, "credit", "weighted", random_state=0)
    yield case(name, "credit", constraints={"forbidden": ["savings"]}, random_state=0)


def planes() -> Iterator[Case]:
    """Yield planes, and the boxes that are derived from them."""
    name, numbers = "HyperplaneRuleClassifier", {"learner": "LPSVM"}
    for table in TABLES:
        yield case(name, table, linear="logistic", max_rules=8)
        if table != "iris":
            few = {"linear": numbers | {"nu": 1.0}, "max_columns": 2, "max_rules": 3}
            yield case(name, table, **few)
        for linear in (numbers | {"nu": 1.0, "max_features": 3}, numbers):
            yield case(name, table, linear=linear)
        yield case("LPSVM", table)
        yield case("LPSVM", table, nu=0.5, max_features=2, standardize=False)
    small = {"linear": numbers | {"nu": 1.0, "max_features": 2}}
    for criterion in ("point_lp", "volume_paper"):
        yield case(name, "iris", "virginica", criterion=criterion, **small)
    kept = {"max_rules": 3, "min_coverage": 5, "max_depth": 6}
    for table, uncovered in (("credit", "other"), ("wine", "hyperplane")):
        yield case(name, table, **kept, uncovered=uncovered, **small)
        yield case(name, table, "weighted", class_weight="balanced", **small)
        yield case("LPSVM", table, "weighted", nu=2.0)
        yield case("LPSVM", table, nu=2.0, class_weight="balanced")


def power_laws() -> Iterator[Case]:
    """Yield trees of power laws, for two classes and for several."""
    name = "PowerLawTreeClassifier"
    short = {"max_power_laws": 2, "max_depth": 2, "max_exponents": 4, "random_state": 0}
    for table in TABLES:
        yield case(name, table, **short)
        yield case(name, table, **short | {"max_power_laws": 1}, modulus=False)
    for table in ("iris", "wine"):
        yield case(name, table, "every class", random_state=0)
        yield case(name, table, "every class", **short, tau_impurity=0.0)
    genetic = {"upper_level": "genetic", "lower_level": "exact", "max_depth": 1}
    yield case(name, "iris", max_power_laws=2, random_state=0, **genetic)
    for kind, balance in (("weighted", None), (None, "balanced")):
        yield case(name, "credit", kind, **short | {"max_depth": 1}, class_weight=balance)


def lists() -> Iterator[Case]:
    """Yield ordered lists of three classes, searched as a whole and class after class."""
    changes: Sequence[dict[str, Any]] = (
        {},
        {"theta": 0.2, "n_clauses": 3, "n_perturbations": 1},
        {"label_noise": 1.0, "max_conditions": 4},
        {"refine_thresholds": True},
    )
    for table in ("iris", "wine"):
        for change in changes:
            how = {"n_perturbations": 0, **change, "random_state": 0}
            yield case("BoxSearchClassifier", table, "every class", **how)
        yield case("OneLevelRuleClassifier", table, "every class", exact=True)
        yield case("HyperplaneRuleClassifier", table, "every class", confidence_folds=0)


def points() -> Iterator[Case]:
    """Yield scorecards: small and large, of few points, with constraints and weights."""
    name = "ScorecardClassifier"
    for table in TABLES:
        for change in ({}, {"max_conditions": 3}):
            yield case(name, table, **change, calibration_folds=0)
    for table, cuts in BINARIZERS.items():
        for binarizer in cuts:
            yield case(name, table, binarizer=binarizer, calibration_folds=0)
    for wishes in (WISHES, REQUIRED):
        yield case(name, "credit", constraints=wishes, calibration_folds=0)
    yield case(name, "credit", "weighted", calibration_folds=0)
    yield case(name, "credit", class_weight="balanced", calibration_folds=0)


LITERAL = (two_level, two_level_switches, one_level, box_search, column_generation)
FAMILIES = (*LITERAL, ideal_dnf, planes, power_laws, points, lists)
CASES: tuple[Case, ...] = tuple(made for family in FAMILIES for made in family())


@cache
def table_of(name: str, target: str) -> tuple[Any, Any]:
    """Read a table that comes with the project."""
    return rulekit.load_sample(name).xy(target)


def learned(case: Case) -> dict[str, Any]:
    """Learn what a case asks for; give it as JSON would, numbers to their last digit."""
    X, y = table_of(case["table"], case["target"])
    if case["how"] != "every class":
        y = y.where(y == case["positive"], "rest") if y.nunique() > 2 else y
    weight = np.arange(len(y)) % 4.0 if case["how"] == "weighted" else None
    model = learner_of(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        if case["learner"] == "LPSVM":
            return _plane(model.fit(X.select_dtypes("number").dropna(axis=1), y, weight))
        if case["how"] == "path":
            return _path(model.path(X, y))
        model.fit(X, y, sample_weight=weight)
    results = {
        "n_conditions": int(model.n_conditions_),
        "objective": None if model.objective_ is None else float(model.objective_),
        "training_error": float(model.training_error_),
    }
    return {key: value for key, value in results.items() if value is not None}


def learner_of(case: Case) -> Any:
    """Make the learner of a case."""
    parameters = {k: _made(k, v) for k, v in case["parameters"].items()}
    if case["learner"] != "LPSVM" and case["how"] != "every class":
        parameters["positive_label"] = case["positive"]
    return getattr(rulekit, case["learner"])(**parameters)


def _made(name: str, value: Any) -> Any:
    """Make of plain data what a learner is given."""
    if name == "binarizer":
        return rulekit.Binarizer(**value)
    if name == "constraints":
        return rulekit.Constraints.from_dict(value)
    if value == "logistic":
        return make_pipeline(StandardScaler(), ShortLogistic(tol=1e-9, max_iter=10_000))
    if name == "linear":
        rest = {k: v for k, v in value.items() if k != "learner"}
        return getattr(rulekit, value["learner"])(**rest)
    return value


class ShortLogistic(LogisticRegression):
    """A plane of four digits: where the last bits of scikit-learn's depend on the processor."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ShortLogistic":
        super().fit(X, y, sample_weight)
        for name in ("coef_", "intercept_"):
            result = getattr(self, name)
            setattr(self, name, np.vectorize(lambda w: float(f"{w:.3e}"))(result))
        return self


def same(was: Any, now: Any) -> bool:
    """Return whether two results agree: counts exactly, sums over rows to `SUMS`."""
    if isinstance(was, dict) and isinstance(now, dict):
        return was.keys() == now.keys() and all(same(was[k], now[k]) for k in was)
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(same, was, now))
    if isinstance(was, float) and isinstance(now, float):
        return math.isclose(was, now, rel_tol=SUMS)
    return type(was) is type(now) and was == now


def _plane(model: Any) -> dict[str, Any]:
    return {
        "coefficients": [float(f"{c:.{DIGITS}g}") for c in model.coef_[0]],
        "intercept": float(f"{model.intercept_[0]:.{DIGITS}g}"),
        "nu": float(f"{model.nu_:.{DIGITS}g}"),
        "objective": float(f"{model.objective_:.{DIGITS}g}"),
    }


def _path(path: Any) -> dict[str, Any]:
    return {"path": [[e.n_clauses, e.n_conditions, float(e.loss)] for e in path]}


def written(value: Any) -> str:
    """Write JSON with sorted keys, one entry a line."""
    shown = [f"{json.dumps(k)}: {json.dumps(value[k], sort_keys=True)}" for k in sorted(value)]
    return "{\n" + ",\n".join(shown) + "\n}"


def main() -> None:
    """Record the cases anew."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--overwrite", action="store_true", required=True)
    parser.add_argument("begins", nargs="*", help="only cases whose id begins so")
    begins = tuple(parser.parse_args().begins) or ("",)
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    kept = {c["id"]: known[c["id"]] for c in CASES if c["id"] in known}
    new = {c["id"]: learned(c) for c in CASES if c["id"].startswith(begins)}
    RECORD.write_text(written(kept | new) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
