"""The tree learner: what it finds, what it says, and what it does with odd tables."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.papers.power_law_tables import curve_table
from rulekit import PowerLawTreeClassifier
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError, EmptyRuleWarning, MonotonicityWarning
from rulekit.families.power_law.growing import (
    PowerLawFeatures,
    move_to_least_wrong,
    short_split,
    shortest,
)
from rulekit.families.power_law.solver.split_task import FoundSplit
from rulekit.rules import (
    Branch,
    Factor,
    Literal,
    PowerLaw,
    PowerLawSplit,
    check_monotonicity,
    monotonicity_checks,
)
from rulekit.rules.analysis.tree import Leaf
from rulekit.rules.codec import rule_to_dict
from tests.reference.power_laws import least_wrong, wrong_of


def body_mass(n=200, seed=0):
    """People who are heavy for their height, in the units people use."""
    rng = np.random.default_rng(seed)
    height, mass = rng.uniform(1.5, 2.0, n), rng.uniform(50.0, 130.0, n)
    frame = pd.DataFrame({"height": height, "mass": mass, "year": rng.uniform(1950, 2000, n)})
    return frame, np.where(mass / height**2 > 27.0, "heavy", "light")


@pytest.fixture(scope="module")
def fitted():
    X, y = body_mass()
    return PowerLawTreeClassifier(positive_label="heavy").fit(X, y), X, y


@pytest.mark.slow
def test_a_planted_law_comes_back_in_the_users_units(fitted):
    model, X, y = fitted
    (split,) = model.rule_set_.clauses[0].conditions
    (law,) = split.terms
    assert law.weight == 1.0
    assert {(f.feature, f.exponent) for f in law.factors} == {("height", 2), ("mass", -1)}
    assert split.high == 0.037  # 1 / 27, in two digits
    assert model.score(X, y) == 1.0
    assert (model.n_splits_, model.n_rules_, model.n_conditions_) == (1, 1, 2)


def test_rule_and_tree_predict_the_same(fitted):
    model, X, _ = fitted
    columns = model.read_columns(X)
    np.testing.assert_array_equal(model.predict(X), model.rule_set_.predict(columns))
    split = model.rule_set_.clauses[0].conditions[0]
    assert model.tree_ == Branch(split, Leaf("heavy", 0), Leaf("light"))


def test_work_that_is_stopped_yields_no_further_tree():
    X, y = body_mass(80)
    answers = iter([False, False, True])
    settings, stop = [{}, {"max_depth": 1}], lambda: next(answers, True)
    result = fit_settings(PowerLawTreeClassifier(), X, y, settings, should_stop=stop)
    assert list(result) == []


@pytest.mark.slow
def test_rare_classes_and_bands_are_kept():
    made = curve_table("DS4")
    model = PowerLawTreeClassifier(positive_label="on").fit(made.frame, made.labels)
    (split,) = model.rule_set_.clauses[0].conditions
    assert split.is_band
    assert split.inside
    assert model.score(made.frame, made.labels) == 1.0
    made = curve_table("DS2")
    model = PowerLawTreeClassifier().fit(made.frame, made.labels)
    assert (model.predict(made.frame) == "on")[made.labels == "on"].all()


@pytest.mark.slow
def test_three_classes_are_distinguished_by_two_splits():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (240, 3))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] * X[:, 1], [3.0, 5.0])]
    model = PowerLawTreeClassifier().fit(X, y)
    assert model.n_splits_ == 2
    assert model.score(X, y) > 0.97
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).mean() > 0.97


@pytest.mark.slow
def test_nonpositive_columns_are_shifted_within_the_rule():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.uniform(-2, 2, 300), "b": rng.uniform(-1, 3, 300)})
    y = (X["a"] + 0.5 * X["b"] > 0.4).astype(int)
    model = PowerLawTreeClassifier().fit(X, y)
    (split,) = model.rule_set_.clauses[0].conditions
    assert model.score(X, y) == 1.0
    assert split.terms[0].factors in ((Factor("a"),), (Factor("b"),))  # folded into the bound
    assert model.n_conditions_ == 2


@pytest.mark.slow
def test_rows_beyond_training_and_gaps_are_answered():
    X, y = body_mass()
    model = PowerLawTreeClassifier().fit(X, y)
    odd = pd.DataFrame({"height": [0.0, -5.0, 1e9], "mass": [60.0, 60.0, 60.0], "year": [0.0] * 3})
    assert set(model.predict(odd)) <= {"heavy", "light"}
    X.loc[np.flatnonzero(y == "heavy")[::4], "mass"] = np.nan
    model = PowerLawTreeClassifier().fit(X, y)
    gone = X[X["mass"].isna()]
    assert (model.predict(gone) == "heavy").all()


def test_trees_need_a_column_that_varies():
    X = pd.DataFrame({"town": ["Ulm", "Bonn"] * 40, "land": "D"})
    model = PowerLawTreeClassifier().fit(X, X["town"] == "Ulm")
    assert model.score(X, X["town"] == "Ulm") == 1.0
    with pytest.raises(DataError, match="needs a column that varies"):
        PowerLawTreeClassifier().fit(X[["land"]], X["town"])
    X, y = body_mass()
    X["town"] = np.tile(["Ulm", "Bonn", "Kiel", "Mainz"], 50)
    ulm = (X["town"] == "Ulm").to_numpy()
    model = PowerLawTreeClassifier(max_exponents=2).fit(X, np.where(ulm, "light", y))
    conditions = {c for clause in model.rule_set_.clauses for c in clause.conditions}
    assert conditions & {Literal("town", "==", "Ulm"), Literal("town", "!=", "Ulm")}
    assert (model.n_splits_, model.n_conditions_) == (2, 3)
    assert model.score(X, np.where(ulm, "light", y)) > 0.98


def test_a_table_without_signal_gives_a_constant_rule_with_a_warning():
    X = np.column_stack([[1.0, 2.0] * 10, np.ones(20)])
    for y in (np.repeat([0, 1], 10), np.arange(20) % 10 == 1):  # or with one answer on both sides
        with pytest.warns(EmptyRuleWarning, match="No split was found"):
            model = PowerLawTreeClassifier().fit(X, y)
        assert (model.n_splits_, len(set(model.predict(X)))) == (0, 1)


def test_time_limit_keeps_the_best_tree_with_a_note():
    X, y = body_mass()
    with (
        pytest.warns(ConvergenceWarning, match="time limit of 1e-06 s was reached"),
        pytest.warns(EmptyRuleWarning),
    ):
        model = PowerLawTreeClassifier(time_limit=1e-6).fit(X, y)
    assert model.n_splits_ == 0


@pytest.mark.parametrize("exponents", [(), (0,), (0.5, 1), (12,), ((1, 2),)])
def test_exponents_that_cannot_be_used_are_refused(exponents):
    X, y = body_mass(40)
    with pytest.raises(ValueError, match="`exponents` must be whole numbers from -9 to 9"):
        PowerLawTreeClassifier(exponents=exponents).fit(X, y)


def test_rounding_keeps_every_training_row_on_its_side():
    rng = np.random.default_rng(4)
    columns = {name: rng.uniform(0.5, 900.0, 150) for name in "abc"}
    features = PowerLawFeatures.from_columns(columns, dict.fromkeys("abc", "number"))
    for _ in range(20):
        exponents = rng.choice([-2, -1, 0, 1, 3], (2, 3)).astype(np.int8)
        exponents[:, 0] = [1, -1]
        weights = rng.normal(size=2)
        total = sum(
            w * np.prod(features.X ** e.astype(float), axis=1)
            for w, e in zip(weights, exponents, strict=True)
        )
        high = float(np.quantile(total, 0.4)) + 1e-12
        low = float(np.quantile(total, 0.1)) + 1e-12 if rng.random() < 0.5 else -np.inf
        result = FoundSplit(exponents, weights, low, high, low > -np.inf, 0.3)
        left = (total >= low) & (total <= high)
        held = short_split(result, features, columns).mask(columns)
        assert (held == left).all() or (held == ~left).all()


def test_splits_are_short_and_stay_if_they_are_best(fitted):
    assert shortest(0.1201, 0.1299, 0.125) == 0.125
    assert shortest(1180.0, 1260.0, 1212.7) == 1200.0
    split = fitted[0].rule_set_.clauses[0].conditions[0]
    assert isinstance(split, PowerLawSplit)
    assert len(json.dumps(split.high)) <= 5
    columns = {"a": np.array([1.0, 2.0, 3.0, 4.0]), "b": np.zeros(4)}
    split = PowerLawSplit(SUM, 2.3)
    codes = np.array([0, 0, 1, 1])
    assert move_to_least_wrong(split, columns, codes, np.ones(4)) is split
    same = {name: np.ones(4) for name in "ab"}
    assert move_to_least_wrong(split, same, codes, np.ones(4)) is split


def raised_turns(model, X, name, towards):
    """How many answers turn away from a class as one column rises, step by step, in every row."""
    steps = np.linspace(-3.0, 9.0, 49)
    rows = pd.concat([X.assign(**{name: v}) for v in steps], ignore_index=True)
    held = (model.predict(rows) == towards).reshape(len(steps), len(X))
    return int((held[:-1] & ~held[1:]).sum())


def product(n=200, seed=0, noise=0.3):
    """Good where a product of two columns is large, but for some noise; the third is bent."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(1.0, 3.0, (n, 3)), columns=list("abc"))
    return X, np.where(X["a"] * X["b"] + noise * rng.normal(size=n) > 4.0, "good", "bad")


@pytest.mark.slow
@pytest.mark.parametrize("positive", ["good", "bad"])
@pytest.mark.parametrize("seed", range(3))
def test_trees_that_read_constrained_columns_satisfy_constraints(seed, positive):
    X, y = product(seed=seed)
    limits_given = {"directions": {"a": ">", "b": ">"}, "towards": "good"}
    model = PowerLawTreeClassifier(max_depth=0, positive_label=positive, constraints=limits_given)
    model.fit(X, y)
    assert model.left_out_ == ()
    assert {"a", "b"} <= set(model.rule_set_.features)
    assert [check.kept for check in monotonicity_checks(model)] == [True, True]
    assert [raised_turns(model, X, name, "good") for name in "ab"] == [0, 0]


@pytest.mark.slow
def test_columns_of_unproved_constraints_are_left_out_with_a_warning():
    X, y = product(80)
    free = PowerLawTreeClassifier(max_depth=1).fit(X, y)
    assert "a" in free.rule_set_.features
    limits_given = {"directions": {"a": "<"}, "towards": "good"}
    with pytest.warns(
        MonotonicityWarning,
        match="does not read 'a': no tree that does was proved to satisfy its constraint",
    ):
        model = PowerLawTreeClassifier(max_depth=1, constraints=limits_given).fit(X, y)
    assert model.left_out_ == ("a",)
    assert "a" not in model.rule_set_.features
    assert model.training_error_ > free.training_error_


@pytest.mark.slow
def test_one_answer_with_a_reason_if_all_columns_are_left_out():
    X, y = product()
    limits_given = {"directions": {"a": "<"}, "towards": "good"}
    with pytest.warns(EmptyRuleWarning, match=r"No split was found.* does not read 'a'"):
        model = PowerLawTreeClassifier(constraints=limits_given).fit(X[["a"]], y)
    assert model.rule_set_.is_constant
    assert check_monotonicity(model, "a", "good", "<").kept


@pytest.mark.slow
def test_constraints_hold_for_one_of_several_classes_once_named():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.uniform(1.0, 3.0, (150, 2)), columns=list("ab"))
    y = np.select([X["a"] > 2.4, X["a"] > 1.7], ["high", "middle"], "low")
    model = PowerLawTreeClassifier(constraints={"directions": {"a": ">"}})
    with pytest.raises(ValueError, match=r"has 3 classes\. Set `towards` to the class"):
        model.fit(X, y)
    model.set_params(constraints={"directions": {"a": ">"}, "towards": "high"}).fit(X, y)
    assert "a" in model.rule_set_.features
    assert raised_turns(model, X, "a", "high") == 0
    with pytest.warns((MonotonicityWarning, EmptyRuleWarning), match="does not read 'a'"):
        model.set_params(constraints={"directions": {"a": ">"}, "towards": "low"}).fit(X, y)


def test_trees_support_only_monotonic_constraints():
    X, y = product(60)
    for limits_given in ({"forbidden": ["a"]}, {"required": ["a"]}, {"allow_not_equal": False}):
        with pytest.raises(ValueError, match="support only `directions` in `constraints`"):
            PowerLawTreeClassifier(constraints=limits_given).fit(X, y)
    with pytest.raises(DataError, match="names column 'd', which the table does not have"):
        PowerLawTreeClassifier(constraints={"directions": {"d": ">"}}).fit(X, y)


def table(n=140):
    rng = np.random.default_rng(4)
    X = rng.uniform(0.3, 2.0, (n, 5))
    score = X[:, 0] * X[:, 1] - 0.8 * X[:, 2] + 0.15 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, [0.35, 0.7]))


def tree_text():
    """Learn a tree of several splits, one of them among three classes, and write all of it."""
    tree = PowerLawTreeClassifier(random_state=3, max_exponents=3).fit(*table())
    assert tree.n_splits_ >= 2
    return json.dumps([rule_to_dict(tree.rule_set_), float(tree.objective_).hex()])


@pytest.fixture(scope="module")
def expected():
    return tree_text()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
def test_a_tree_depends_on_no_number_of_blas_threads(expected, threads):
    with threadpool_limits(threads):
        assert tree_text() == expected


SUM = (PowerLaw(1.0, (Factor("a"),)), PowerLaw(-2.0, (Factor("b", 2),)))


def rows(seed, n=40, n_classes=2, ties=False):
    """Draw columns with gaps, classes that lean on their sum, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    columns = {"a": rng.normal(size=n), "b": rng.normal(size=n)}
    if ties:
        columns = {name: np.round(values) for name, values in columns.items()}
    total = columns["a"] - 2 * columns["b"] ** 2
    codes = np.digitize(total + rng.normal(size=n), np.linspace(-3, 1, n_classes + 1)[1:-1])
    columns["a"][rng.random(n) < 0.1] = np.nan
    return columns, codes, rng.integers(0, 4, n) * 0.5


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_no_cut_has_fewer_rows_wrong(missing, n_classes, ties):
    for seed in range(6):
        table = rows(seed, n_classes=n_classes, ties=ties)
        split = PowerLawSplit(SUM, -2.0, None, bool(seed % 2), missing)
        result = move_to_least_wrong(split, *table)
        least = min(wrong_of(split, *table), least_wrong(split, *table))
        assert wrong_of(result, *table) == pytest.approx(least)
        assert (result.terms, result.inside, result.missing) == (SUM, split.inside, missing)


@pytest.mark.parametrize("inside", [False, True])
def test_no_move_of_one_bound_of_a_band_saves_a_row(inside):
    moved = 0
    for seed in range(12):
        table = rows(seed, n_classes=3)
        split = PowerLawSplit(SUM, -0.5, -4.0, inside)
        result = move_to_least_wrong(split, *table)
        assert wrong_of(result, *table) <= wrong_of(split, *table)
        assert wrong_of(result, *table) <= least_wrong(result, *table)
        moved += result != split
    assert moved > 3


def test_tree_predicts_a_rare_class_if_that_saves_rows():
    """Impurity alone sets the cut where both sides answer the same, and nothing would be left."""
    rng = np.random.default_rng(0)
    a = np.sort(rng.uniform(1.0, 2.0, 400))
    chance = np.where(np.arange(400) >= 390, 0.8, np.where(np.arange(400) >= 250, 0.3, 0.0))
    y = rng.random(400) < chance
    model = PowerLawTreeClassifier(max_depth=0, max_exponents=1, inner_folds=None)
    model.fit(pd.DataFrame({"a": a}), y)
    assert model.n_splits_ == 1
    best = min(((a > cut) != y).mean() for cut in a)
    assert model.training_error_ == pytest.approx(best)
    assert best < y.mean()


def test_pruning_keeps_smaller_splits_of_many_rows():
    X = np.random.default_rng(0).uniform(1, 2, (4000, 2))
    y = (X[:, 0] > 1.5) | (X[:, 1] > 1.96)
    model = PowerLawTreeClassifier(max_exponents=1, max_depth=1, inner_folds=None)
    assert [model.fit(X[:n], y[:n]).n_splits_ for n in (1000, 4000)] == [1, 2]
