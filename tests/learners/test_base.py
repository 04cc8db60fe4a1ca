"""What every learner answers, and how it answers misuse."""

import warnings
from functools import partial
from textwrap import dedent
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit import Costs, HyperplaneRuleClassifier, ScorecardClassifier, load_sample, stability
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError, DataWarning, EmptyRuleWarning, UnseenValuesWarning
from rulekit.families import IdealDNFClassifier, RuleClassifier
from rulekit.learners import (
    BoxSearchClassifier,
    FixedRuleClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.learners.base import Paths, identify, one_against_rest
from rulekit.learners.literal import box_search
from rulekit.learners.training import read_training_table
from rulekit.rules import Clause, Literal, RuleSet
from tests.learners.tables import mixed_table


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed_table()
    return TwoLevelRuleClassifier().fit(X, y), X, y


def test_predictions_are_those_of_the_shown_rule(fitted):
    model, X, _ = fitted
    np.testing.assert_array_equal(model.predict(X), model.rule_set_.predict(model.read_columns(X)))
    turned = X.iloc[:, ::-1].assign(extra="z")
    np.testing.assert_array_equal(model.predict(turned), model.predict(X))
    coded = X.assign(smoker=X["smoker"].astype(int))
    np.testing.assert_array_equal(model.predict(coded), model.predict(X))
    row = pd.DataFrame([dict.fromkeys(X.columns)])
    with pytest.warns(UnseenValuesWarning, match="had a value in every training row"):
        assert model.predict(row)[0] in ("yes", "no")
    fired = model.clauses_fired(X)
    assert fired.shape == (len(X), model.n_rules_)
    np.testing.assert_array_equal(fired.any(axis=1), model.predict(X) == "yes")


def test_labels_and_costs_of_any_kind_give_the_same_rule(fitted):
    model, X, y = fitted
    coded = TwoLevelRuleClassifier().fit(X, (y == "yes").astype(int))
    assert coded.rule_set_.clauses == model.rule_set_.clauses
    np.testing.assert_array_equal(coded.predict(X) == 1, model.predict(X) == "yes")
    assert coded.predict(X).dtype.kind == "i"
    _, X, y = fitted
    by_cost = TwoLevelRuleClassifier(costs=Costs(4, 1, "EUR")).fit(X, y)
    by_weight = TwoLevelRuleClassifier(class_weight={"yes": 4, "no": 1}).fit(X, y)
    assert by_cost.rule_set_ == by_weight.rule_set_
    assert by_cost.training_error_ == by_weight.training_error_
    with pytest.raises(ValueError, match="`costs` and `class_weight` both set"):
        TwoLevelRuleClassifier(costs=Costs(4, 1), class_weight="balanced").fit(X, y)


def test_unusable_columns_are_refused(fitted):
    model, X, _ = fitted
    with pytest.raises(DataError, match="reads column 'bmi', which the table does not have"):
        model.predict(X.drop(columns="bmi"))
    words = r"Column 'age' must hold numbers.*none .*\(first: row 1, 'old'\)"
    with pytest.raises(DataError, match=words):
        model.predict(X.assign(age="old"))
    _, X, y = fitted
    broken = X.assign(age=X["age"].where(X.index != 6, np.inf))
    with pytest.raises(DataError, match=r"Column 'age' .* infinite .*\(first: row 7\)"):
        TwoLevelRuleClassifier().fit(broken, y)
    with pytest.raises(DataError, match="Column names must differ; 'age' occurs twice"):
        TwoLevelRuleClassifier().fit(pd.concat([X, X[["age"]]], axis=1), y)


def test_unusable_classes_are_refused():
    X, _ = mixed_table(n=30)
    y = np.arange(30) % 3
    with pytest.raises(DataError, match=r"3 classes .* one class against the rest, .*`y == 0`"):
        IdealDNFClassifier().fit(X, y)
    with pytest.raises(DataError, match=r"needs rows of two classes; .* one class only \('a'\)"):
        OneLevelRuleClassifier().fit(X, ["a"] * 30)
    X, y = mixed_table(n=30)
    with pytest.raises(DataError, match="needs rows of two classes"):
        OneLevelRuleClassifier().fit(X, y, sample_weight=(y == "yes").astype(float))
    for size in (1e308, 5e-324):
        with pytest.raises(DataError, match="`sample_weight` must have a sum from 1e-300 to 1e"):
            OneLevelRuleClassifier().fit(X, y, np.full(30, size))
    y = y.astype(object)
    y[4] = None
    with pytest.raises(DataError, match=r"NaN or None in 1 of 30 rows \(first: row 5\)"):
        OneLevelRuleClassifier().fit(X, y)
    with pytest.raises(DataError, match=r"classes in `y` must be of one type; found int, str"):
        OneLevelRuleClassifier().fit(X[:4], np.array(["a", 1, "a", 1], dtype=object))


@pytest.mark.parametrize("does", ["fit", "stability"])
def test_inner_fits_emit_no_warnings_and_keep_the_filters(does, monkeypatch):
    """Python silences for all threads at once (`warnings.catch_warnings`): it is not safe."""
    X, y = mixed_table(n=60)
    hurried = BoxSearchClassifier(1e6, n_perturbations=0, time_limit=1e-9, random_state=0)
    work = {
        "fit": RuleClassifier(cv=2, time_limit=1e-9).fit,
        "stability": partial(stability, hurried._fit_quietly(X, y), n_resamples=2),
    }[does]
    result, filters = [], []
    inner = BoxSearchClassifier._path

    def watched(self, *given):
        filters.append(list(warnings.filters))
        return inner(self, *given)

    monkeypatch.setattr(BoxSearchClassifier, "_path", watched)
    monkeypatch.setattr(warnings, "warn", lambda warning, **_: result.append(type(warning)))
    work(X, y)
    assert result == {"fit": [ConvergenceWarning], "stability": []}[does]
    assert len(filters) > 1
    assert all(seen == warnings.filters for seen in filters)


def test_only_time_limits_of_many_fits_warn():
    X, y = mixed_table(n=60)
    settings = [{"theta": 1e6, "time_limit": 1e-9}, {"theta": 1e6}]
    learner = BoxSearchClassifier(n_perturbations=0, random_state=0)
    with pytest.warns() as result:
        models = list(fit_settings(learner, X, y, settings))
    assert [m.n_conditions_ for m in models] == [0, 0]
    assert [w.category for w in result] == [ConvergenceWarning]


def test_numbers_stay_numbers_in_any_table():
    X = np.random.default_rng(0).normal(5.0, 1.0, (200, 3))
    y = X[:, 1] > 5.5
    model = OneLevelRuleClassifier(theta=0.5).fit(X, y)
    assert model.rule_set_.features == ("x1",)
    assert (model.predict(X) == y).mean() > 0.95
    assert not hasattr(model, "feature_names_in_")
    X = [[30, "a"], [40, "b"], [60, "a"], [70, "b"]]
    model = OneLevelRuleClassifier(theta=0.1).fit(X, [0, 0, 1, 1])
    assert model.rule_set_.features == ("x0",)
    assert model.predict([[65, "a"]]).tolist() == [1]


def test_rules_are_listed_and_printed(fitted):
    model, _, _ = fitted
    table = model.get_rules()
    assert table["clause"].tolist() == [1, 2]
    assert table["n_conditions"].sum() == model.n_conditions_
    assert table["share"].between(0.5, 1.0).all()
    assert table["weighted_share"].tolist() == table["share"].tolist()
    assert set(table["label"]) == {"yes"}
    X = pd.DataFrame({"age": [30, 40, 60, 70], "smoker": [1, 0, 0, 1]})
    model = OneLevelRuleClassifier(theta=0.1).fit(X, ["well", "well", "ill", "ill"])
    expected = """\
        well if
               (age <= 42)
        else ill"""
    assert str(model) == dedent(expected)
    assert str(OneLevelRuleClassifier(theta=0.1)) == "OneLevelRuleClassifier(theta=0.1)"
    gaps, plain = Literal("a", "<=", 1.0, missing=True), Literal("b", ">", 2.0)
    rule = RuleSet((Clause((gaps, plain)), Clause((gaps,))), ("yes", "yes"), "dnf", "no")
    assert str(FixedRuleClassifier(rule)).splitlines() == [
        "yes if",
        "       ((a <= 1 or missing) AND (b > 2))",
        "    OR (a <= 1 or missing)",
        "else no",
    ]


def small_table():
    X, y = pd.DataFrame({"a": np.arange(8.0)}), list("ccaabbbb")
    return read_training_table(OneLevelRuleClassifier(), X, y, None, multi_class=True)


def test_a_list_describes_classes_by_weight_and_not_the_last_one():
    table, requested = small_table(), []

    def describe(rows, code):
        requested.append((rows.tolist(), code))
        return [Clause((Literal("a", "<=", 3.0 if code == 0 else 1.0),))]

    rule = one_against_rest(table, np.ones(8), describe)
    assert requested == [([0, 1, 2, 3, 4, 5, 6, 7], 0)]  # the first took all rows of the next
    assert (rule.labels, rule.default) == (("a",), "b")
    requested.clear()
    weight = np.where(table.y == "c", 0.5, np.where(table.y == "a", 9.0, 1.0))
    rule = one_against_rest(table, weight, describe)
    assert requested == [([0, 1, 2, 3, 4, 5, 6, 7], 2), ([2, 3, 4, 5, 6, 7], 1)]
    assert (rule.labels, rule.default) == (("c", "b"), "a")
    high = Clause((Literal("a", ">", 1.0),))
    rule = one_against_rest(small_table(), np.ones(8), lambda rows, code: [high])
    assert (rule.n_clauses, rule.labels, rule.default) == (1, ("a",), "c")


@pytest.mark.parametrize("learner", [OneLevelRuleClassifier, HyperplaneRuleClassifier])
def test_two_class_settings_are_refused_with_more_classes(learner):
    X, y = load_sample("iris").xy("species")
    with pytest.raises(ValueError, match=r"`positive_label` names .* 3 classes.*'setosa'.* None"):
        learner(positive_label="setosa").fit(X, y)


def test_planes_make_one_list_and_no_cnf():
    X, y = load_sample("iris").xy("species")
    with pytest.raises(ValueError, match=r"`form` must be 'dnf' .* got 'cnf'"):
        OneLevelRuleClassifier(form="cnf").fit(X, y)
    model = HyperplaneRuleClassifier(confidence_folds=0).fit(X, y)
    rule, left = model.rule_set_, np.ones(len(y), bool)
    assert list(dict.fromkeys(rule.labels)) == list(model.against_rest_)
    for label, one in model.against_rest_.items():
        alone = HyperplaneRuleClassifier(confidence_folds=0, positive_label=True)
        alone.fit(X[left], (y == label)[left])
        assert one.rule_set_ == alone.rule_set_
        left &= ~one.predict(X).astype(bool)
    assert model.training_error_ == np.mean(model.predict(X) != y) < 0.1


def test_warnings_point_at_the_line_of_the_caller():
    x = np.linspace(-1, 1, 60)
    X = pd.DataFrame({"x": x, "id": [f"x{k} y{7 * k}" for k in range(60)]})
    y = np.where(x > 0, "p", "q")
    learner = BoxSearchClassifier(theta=1.0)
    with pytest.warns(DataWarning, match="'id'") as of_fit:
        learner.fit(X, y)
    with pytest.warns(DataWarning, match="'id'") as of_many:
        list(fit_settings(learner, X, y, [{"theta": 2.0}]))
    with pytest.warns(EmptyRuleWarning) as of_empty:
        BoxSearchClassifier(theta=100.0).fit(X[["x"]], y)
    with pytest.warns((DataWarning, UnseenValuesWarning), match="'x'") as of_predict:
        learner.predict(X.assign(x=["unknown", *x[1:]]))
    assert [w.category for w in of_predict] == [DataWarning, UnseenValuesWarning]
    of_predict.pop()
    for result in (of_fit, of_many, of_empty, of_predict):
        assert [w.filename for w in result] == [__file__]


def test_subclass_adds_a_parameter_without_a_constraint():
    class Named(FixedRuleClassifier):
        def __init__(self, rule_set, title=""):
            super().__init__(rule_set)
            self.title = title

    X, y = pd.DataFrame({"x": [0.0, 1.0]}), ["a", "b"]
    rule = RuleSet((Clause((Literal("x", ">", 0.5),)),), ("b",), "dnf", "a")
    assert Named(rule, "mine").fit(X, y).predict(X).tolist() == y


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0, positive_label="yes")
ONE_CLAUSE, FORMS = OneLevelRuleClassifier(class_weight="balanced"), ["dnf", "cnf"]
GRID = {
    "robustness": [0.0, 0.1],
    "n_clauses": [1, 3, 6],
    "theta": [0.5, 3.0],
    "max_conditions": [None, 2],
    "refine_thresholds": [False, True],
}


def paths_of(learner, **table):
    X, y = mixed_table(**table)
    return Paths(learner, learner._read(X, y, None)), X, y


def test_one_search_answers_all_settings_of_a_kind(monkeypatch):
    search = Mock(side_effect=box_search.search)
    monkeypatch.setattr(box_search, "search", search)
    paths, *_ = paths_of(SEARCH, n=80)
    settings = settings_of(GRID)
    assert len(settings) == 48
    for setting in settings:
        paths.rule(setting)
    assert search.call_count == len(paths.paths) == 4  # two levels, and six clauses beyond five


@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (SEARCH, {"theta": [0.5, 3.0], "n_clauses": [1, 3], "refine_thresholds": [True]}),
        (ScorecardClassifier(calibration_folds=0), {"max_conditions": [0, 1, 3]}),
        (ONE_CLAUSE, {"theta": [0.5, 999.0], "positive_label": ["yes", "no"], "form": FORMS}),
    ],
    ids=["search", "points", "one clause"],
)
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_rule_and_model_of_a_setting_equal_a_single_fit(learner, grid):
    paths, X, y = paths_of(learner, n=80)
    for setting in settings_of(grid):
        alone = clone(learner).set_params(**setting).fit(X, y)
        assert paths.rule(setting) == paths.model(setting).rule_set_ == alone.rule_set_


def test_wrong_values_are_rejected_and_types_distinguished():
    paths, *_ = paths_of(SEARCH, n=40)
    paths.rule({"theta": 1.0})
    with pytest.raises(ValueError, match="'theta' parameter of BoxSearchClassifier must be"):
        paths.model({"theta": -1.0})
    with pytest.raises(ValueError, match="`max_conditions` is read only where `refine` is False"):
        paths.model({"max_conditions": 2, "refine": True})
    assert len(set(identify([{"a": 1, "b": None}, {"b": None, "a": 1}]))) == 1
    assert len(set(identify([{"a": 1}, {"a": 1.0}, {"a": True}, {"a": [1]}, {"a": [1]}]))) == 5


def test_rules_are_learned_when_read_and_cuts_moved_once_a_size(monkeypatch):
    refine, move = Mock(side_effect=box_search.refine_selection), Mock(return_value=({}, 1.0))
    monkeypatch.setattr(box_search, "refine_selection", refine)
    monkeypatch.setattr(box_search, "refine_cuts", move)
    same = [{"theta": 1.0}] * 4
    stops = iter([False, True])
    paths, *_ = paths_of(clone(SEARCH).set_params(refine=True), n=40)
    paths.score(same, lambda rule: [0.0], 1, lambda: next(stops))
    assert refine.call_count == 1
    paths, *_ = paths_of(clone(SEARCH).set_params(refine_thresholds=True), n=40)
    stops = iter([False, False, True])
    paths.score([*same[:2], {"theta": 0.1}], lambda rule: [0.0], 1, lambda: next(stops))
    assert move.call_count == 1
