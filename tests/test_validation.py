"""Frames of other libraries, found by column name wherever a table is taken."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from rulekit import (
    LPSVM,
    Binarizer,
    BoxSearchClassifier,
    Clause,
    ColumnGenerationClassifier,
    Constraints,
    FixedRuleClassifier,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    Literal,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    RulekitError,
    RuleSet,
    ScorecardClassifier,
    Table,
    TwoLevelRuleClassifier,
    alternatives,
    certify,
    compare_learners,
    explain,
    from_json,
    from_text,
    group_metrics,
    rule_statistics,
    stability,
    suggest,
    sweep,
    to_sql,
    verify_export,
)
from rulekit.evaluation import operating_points
from rulekit.evaluation.sweeps.baselines import reference_learners
from rulekit.exceptions import DataError
from rulekit.explain import score
from tests.learners.planes import blobs
from tests.learners.tables import mixed_table

KINDS = {"polars": pl.from_pandas, "arrow": lambda frame: pa.Table.from_pandas(frame)}
LEARNERS = [
    OneLevelRuleClassifier(),
    TwoLevelRuleClassifier(),
    BoxSearchClassifier(),
    ColumnGenerationClassifier(),
    IdealDNFClassifier(random_state=0),
    HyperplaneRuleClassifier(),
    ScorecardClassifier(),
    pytest.param(RuleClassifier(random_state=0), marks=pytest.mark.slow),
    pytest.param(PowerLawTreeClassifier(max_depth=1, random_state=0), marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def table():
    X, y = mixed_table(n=60)
    return X, pd.Series(y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_rule_is_the_same_for_any_table_library(table, kind, learner):
    X, y = table
    weight = np.arange(len(y)) % 3 + 1.0
    other, labels = KINDS[kind](X), KINDS[kind](pd.DataFrame({"y": y, "weight": weight}))
    plain = clone(learner).fit(X, y, weight)
    model = learner.fit(other, labels["y"], labels["weight"])
    assert model.rule_set_ == plain.rule_set_
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    turned = other.select(X.columns[::-1].tolist())
    for method in ("predict", "predict_proba", "clauses_fired"):
        np.testing.assert_array_equal(getattr(model, method)(turned), getattr(plain, method)(X))
    assert model.score(turned, labels["y"]) == plain.score(X, y)
    truth = pd.Series(y == "yes", dtype=object)
    assert clone(learner).fit(X, truth, weight).score(X, truth) == plain.score(X, y)
    with pytest.raises(DataError, match="reads column 'age', which the table does not have"):
        model.predict(other.select([name for name in X.columns if name != "age"]))


ORDER = {"town": ["Kiel", "Bonn", "Ulm"]}
ASKED = {
    "fit": lambda model, Z, y: FixedRuleClassifier(model.rule_set_).fit(Z, y).training_error_,
    "fixed": lambda model, Z, y: FixedRuleClassifier(model.rule_set_).predict(Z).tolist(),
    "rule": lambda model, Z, y: model.rule_set_.predict(Z).tolist(),
    "conditions": lambda model, Z, y: Binarizer().fit(Z, y).literals_,
    "matrix": lambda model, Z, y: Binarizer(orders=ORDER).fit(Z).transform(Z).values.tolist(),
    "explain": lambda model, Z, y: str(explain(model, Z)),
    "explain a rule": lambda model, Z, y: str(explain(model.rule_set_, Z)),
    "score": lambda model, Z, y: score(model, Z).answers.tolist(),
    "table": lambda model, Z, y: Table.from_frame(Z).digest,
    "groups": lambda model, Z, y: group_metrics(model, Z, y, "smoker").overall.to_dict(),
    "certify": lambda model, Z, y: certify(model, Z, y).lower_bound,
    "alternatives": lambda model, Z, y: alternatives(model, Z, y).columns.to_dict(),
    "operating": lambda model, Z, y: operating_points(model, Z, y).to_json(),
    "verify": lambda model, Z, y: str(verify_export(model, Z, "python")),
    "stability": lambda model, Z, y: stability(model, Z, y, n_resamples=2).columns.to_dict(),
    "sweep": lambda model, Z, y: as_plain(sweep(model, Z, y, grid={"theta": [1.0]}, cv=2).table),
    "baselines": lambda model, Z, y: as_plain(
        compare_learners(Z, y, learners=reference_learners()[2:3], cv=2).table
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_plane_is_the_same_for_any_table_library(kind):
    X, y = blobs()
    result, plain = (LPSVM(nu=1.0).fit(Z, y) for Z in (KINDS[kind](X), X))
    np.testing.assert_array_equal(result.coef_, plain.coef_)
    np.testing.assert_array_equal(result.predict(KINDS[kind](X)), plain.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", ASKED)
def test_tables_of_any_library_are_accepted(table, kind, asked):
    X, y = table
    model = BoxSearchClassifier(n_clauses=1, theta=1.0, random_state=0).fit(X, y)
    assert ASKED[asked](model, KINDS[kind](X), y) == ASKED[asked](model, X, y)


def as_plain(table):
    return table.drop(columns="seconds").astype(str).to_dict("list")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_learners_are_compared_on_a_table_of_any_library(table, kind):
    X, y = table
    learners = {"boxes": (BoxSearchClassifier(n_perturbations=0), {"n_clauses": [1, 2]})}
    result, plain = (
        compare_learners(Z, y, learners=learners, cv=2, references=True).points()
        for Z in (KINDS[kind](X), X)
    )
    assert as_plain(result) == as_plain(plain)


@pytest.mark.parametrize("kind", [*KINDS, "pandas", "array"])
@pytest.mark.parametrize("learner", [BoxSearchClassifier(theta=0), LPSVM(), Binarizer()])
def test_indistinct_large_integers_are_reported_in_training(kind, learner):
    first = 2**53
    X = pd.DataFrame({"x0": [first + 1, first, 5, 6], "x1": [1, 2, 3, 4]})
    given = {**KINDS, "pandas": lambda Z: Z, "array": lambda Z: Z.to_numpy()}[kind]
    with pytest.raises(DataError, match=r"Column 'x0' holds whole numbers above 9007199254740991"):
        learner.fit(given(X), [0, 1, 0, 1])
    learner.fit(given(X.clip(upper=first - 1)), [0, 1, 0, 1])


def test_a_continuous_target_is_refused_with_a_cut_at_the_median():
    X, y = pd.DataFrame({"a": range(5)}), [0.1, 0.25, 0.5, 0.75, 1.5]
    with pytest.raises(DataError, match=r"Unknown label type: .* instance y > 0\.5, the median"):
        OneLevelRuleClassifier().fit(X, y)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, "2", None])
def test_class_weights_that_are_no_numbers_are_named(weight):
    X, y = mixed_table(n=60)
    with pytest.raises(ValueError, match=r"`class_weight` must hold finite .* class 'yes' has"):
        BoxSearchClassifier(class_weight={"yes": weight, "no": 1.0}).fit(X, y)


def test_arguments_of_other_types_are_refused_in_words(table):
    X, y = table
    model, box = OneLevelRuleClassifier().fit(X, y), BoxSearchClassifier()
    grid = {"theta": [1.0]}
    wrong = [
        ("'n_jobs' parameter of compare", lambda: sweep(box, X, y, grid=grid, n_jobs=0)),
        ("'store' parameter of compare", lambda: sweep(box, X, y, grid=grid, store=3)),
        ("'estimator' parameter", lambda: sweep(None, X, y, grid=grid)),
        ("'grid' parameter", lambda: sweep(box, X, y, grid=3)),
        ("no rows to split", lambda: sweep(box, X[:0], y[:0], grid=grid, cv=2)),
        ("'learners' parameter", lambda: compare_learners(X, y, learners="x")),
        ("`learners` must map", lambda: compare_learners(X, y, learners={"a": box})),
        ("`learners` must map", lambda: compare_learners(X, y, learners=[box])),
        ("'time_limit' parameter of certify", lambda: certify(model, X, y, time_limit=None)),
        ("'time_limit' parameter", lambda: alternatives(model, X, y, time_limit="x")),
        ("must hold a class in every row", lambda: stability(model, X, [None] * len(X))),
        ("must hold a class in every row", lambda: model.score(X, [None] * len(X))),
        ("`model` must be a rule", lambda: group_metrics(3, X, y, y)),
        ("are missing, as in", lambda: suggest(3)),
        ("one length", lambda: rule_statistics(model, X, 3)),
        ("must be text, got int", lambda: from_json(3)),
        ("must be text, got int", lambda: from_text(3)),
        ("`table` must be the name", lambda: to_sql(model, table="")),
        ("`format` must be one of", lambda: verify_export(model, X, {})),
        ("tuple of `Condition`, got 'x'", lambda: Clause("x")),
        ("tuple of `Clause`, got 3", lambda: RuleSet(3, (), "dnf", "b")),
        ("operator must be one of", lambda: Literal("a", {}, 1.0)),
        ("`forbidden` must hold names", lambda: Constraints(forbidden=3)),
        ("`directions` must map", lambda: Constraints(directions=3)),
        ("must be a dictionary", lambda: Constraints.from_dict(3)),
        ("must be finite numbers, got 'x'", lambda: Binarizer(thresholds={"age": "x"}).fit(X, y)),
        (
            "must hold a number for each row",
            lambda: box.fit(X, y, pd.DatetimeIndex([0] * 60)),
        ),
        ("must hold a number for each row", lambda: box.fit(X, y, ["a"] * 60)),
        ("`cv` gives no folds", lambda: LPSVM(cv=np.array([])).fit([[0], [1]] * 5, [0, 1] * 5)),
    ]
    for words, call in wrong:
        with pytest.raises((ValueError, TypeError, RulekitError), match=words):
            call()
