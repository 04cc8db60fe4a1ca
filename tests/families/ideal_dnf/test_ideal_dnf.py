"""The ideal DNF: against its plain twin, and what it promises."""

from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rulekit import Binarizer, IdealDNFClassifier, Literal, explain, load_sample
from rulekit.exceptions import DataError, EmptyRuleWarning
from rulekit.families.ideal_dnf import search as counting
from rulekit.families.ideal_dnf.ideal_dnf import SampleGuarantee
from rulekit.families.ideal_dnf.search import PARTS, draw_held_out, lower_median, parts_of
from rulekit.families.ideal_dnf.solver.row_types import SCORES
from rulekit.learners.shares import SHRINK
from tests.reference import ideal as plain
from tests.reference.types import least_errors

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


def numbers(seed, n=300, p=6):
    """Some columns that tell of the class, some that do not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    y = (X[:, 0] > 0.2) & (X[:, 1] > -0.3) | (X[:, 2] > 1)
    return X, y ^ (rng.random(n) < 0.15)


def mixed(seed=0, n=400):
    """A table of numbers, text, truth values, two-valued numbers and gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "sex": rng.choice(["f", "m"], n),
            "smoker": rng.random(n) < 0.3,
            "code": rng.choice([3.0, 7.0], n),
            "dose": rng.normal(size=n),
        }
    )
    y = (X["age"] > 55) & (X["colour"] == "red") | X["smoker"] & (X["sex"] == "m")
    X.loc[rng.random(n) < 0.1, "dose"] = np.nan
    X.loc[rng.random(n) < 0.1, "colour"] = None
    return X, np.where(y ^ (rng.random(n) < 0.1), "ill", "well")


def seed_of(model):
    """The seed that a model with ``random_state=0`` splits by."""
    return int(np.random.default_rng(model.random_state).integers(2**32))


@pytest.mark.slow
@given(st.integers(0, 2**16))
def test_rule_equals_the_plain_reference(seed):
    X, y = numbers(seed)
    model = IdealDNFClassifier(mode="paper", selection="ranking", random_state=0).fit(X, y)
    judges = draw_held_out(len(y), 0.3, seed_of(model))
    chosen, place, right, counters = plain.learn(X, y, judges)
    assert [c.feature for c in model.conditions_] == [f"x{j}" for j in chosen]
    assert model.score_ == SCORES[place]
    accuracy = model.validation_curve_["accuracy"] * judges.sum()
    assert accuracy.round(6).tolist() == right
    assert model.objective_ == least_errors(counters)


@given(st.integers(0, 2**16), st.sampled_from(("paper", "compact")), st.integers(1, 10))
@pytest.mark.slow
def test_no_formula_over_the_conditions_has_fewer_training_errors(seed, mode, k):
    X, y = numbers(seed, n=120, p=8)
    model = IdealDNFClassifier(k, tolerance=0.0, mode=mode, random_state=0).fit(X, y)
    types = model.types_
    assert (model.predict(X) != y).sum() == model.objective_
    assert model.objective_ == np.minimum(types["rows_positive"], types["rows_default"]).sum()
    assert model.training_error_ == model.objective_ / len(y)


def test_the_two_modes_differ_on_no_type_that_occurs_with_a_majority():
    X, y = numbers(3, n=150, p=9)
    model = IdealDNFClassifier(tolerance=0.0, random_state=0).fit(X, y)
    paper, compact = (model.rule_in_mode(mode) for mode in ("paper", "compact"))
    columns = model.read_columns(X)
    differ = paper.predict(columns) != compact.predict(columns)
    types = model.types_
    ties = types["rows_positive"] == types["rows_default"]
    assert differ.sum() <= (types["rows_positive"] + types["rows_default"])[ties].sum()
    assert compact.n_conditions + compact.n_clauses <= paper.n_conditions + paper.n_clauses
    assert model.rule_set_ == compact


def test_paper_mode_predicts_the_default_for_a_type_without_rows():
    rng = np.random.default_rng(0)
    types = rng.permutation(64)[:40]  # 24 of 64 never occur; all six columns matter
    codes = rng.choice(types, 600)
    X = (codes[:, None] >> np.arange(6)) & 1
    y = (rng.random(64) < 0.5)[codes]
    model = IdealDNFClassifier(tolerance=0.0, mode="paper", random_state=0).fit(X, y)
    assert len(model.conditions_) == 6
    new = rng.integers(0, 2, (500, 6))
    unseen = ~model.has_seen(new)
    assert unseen.any()
    assert (model.predict(new)[unseen] == model.default_label_).all()


def test_gaps_and_balanced_classes_count_as_rows_do():
    X, y = mixed()
    model = IdealDNFClassifier(positive_label="ill", random_state=0).fit(X, y)
    assert model.has_seen(X).all()
    model = IdealDNFClassifier(10, tolerance=0.0, positive_label="ill", random_state=0).fit(X, y)
    literals = [lit for clause in model.rule_set_.clauses for lit in clause.literals]
    denied = [lit for lit in literals if (lit.feature, lit.op) == ("colour", "!=")]
    assert all(lit.missing for lit in denied)
    plainly = [lit for lit in literals if (lit.feature, lit.op) == ("age", "<=")]
    assert not any(lit.missing for lit in plainly)
    X, y = numbers(1, n=300)
    weight = np.where(y, 3.0, 1.0)
    by_class = IdealDNFClassifier(class_weight={True: 3.0, False: 1.0}, random_state=0).fit(X, y)
    by_row = IdealDNFClassifier(random_state=0).fit(X, y, sample_weight=weight)
    assert by_class.rule_set_ == by_row.rule_set_
    assert by_class.objective_ == pytest.approx(by_row.objective_)
    error = np.average(by_class.predict(X) != y, weights=weight)
    assert by_class.training_error_ == pytest.approx(error)


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.UnseenValuesWarning")
def test_a_gap_in_a_column_without_gaps_has_no_past_case():
    X, y = mixed()
    model = IdealDNFClassifier(positive_label="ill", tolerance=0.0, random_state=0).fit(X, y)
    assert "age" in {c.feature for c in model.conditions_}
    assert not model.has_seen(X.head(3).assign(age=np.nan)).any()
    assert len(model.predict(X.head(3).assign(age=np.nan))) == 3


def test_shares_of_a_type_are_shrunk_towards_the_regression():
    X, y = mixed()
    model = IdealDNFClassifier(positive_label="ill", random_state=0).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    types = np.array([c.mask(model.read_columns(X)) for c in model.conditions_]).T
    features = np.column_stack([model.clauses_fired(X), types, np.ones(len(X))]).astype(int)
    drawn = model._shares.predict_shares(features)
    for rows in pd.DataFrame(types).groupby(list(range(types.shape[1]))).groups.values():
        counts = [(y[rows] == label).sum() for label in model.classes_]
        expected = (counts + SHRINK * drawn[rows[0]]) / (len(rows) + SHRINK)
        np.testing.assert_allclose(probabilities[rows], np.tile(expected, (len(rows), 1)))


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.UnseenValuesWarning")
def test_shares_of_unseen_types_equal_the_regression():
    X, y = mixed()
    model = IdealDNFClassifier(positive_label="ill", tolerance=0.0, random_state=0).fit(X, y)
    new = X.assign(age=np.nan)
    assert not model.has_seen(new).any()
    patterns, kind = model._shares.likeness.kinds(model.read_columns(new))
    assert (model.predict_proba(new) == model._shares.predict_shares(patterns[1])[kind]).all()


def test_numbers_are_cut_at_the_lower_median_and_levels_split():
    X, y = mixed()
    model = IdealDNFClassifier(10, 0.0, selection="ranking", random_state=0).fit(X, y)
    asked = {(c.feature, c.op, c.value) for c in model.conditions_}
    age = float(np.sort(X["age"])[(len(X) - 1) // 2])
    possible = {
        ("age", ">", age), ("sex", "==", "m"), ("smoker", "==", True), ("code", "==", 7.0),
        ("dose", ">", lower_median(X["dose"].dropna().to_numpy())), ("dose", "missing", None),
        *(("colour", "==", level) for level in ("red", "green", "blue")),
        ("colour", "missing", None),
    }  # fmt: skip
    assert asked <= possible
    assert len(asked) >= 3


def test_any_binarizer_is_fitted_without_held_out_rows():
    X, y = mixed()
    entropy = Binarizer(method="entropy")
    model = IdealDNFClassifier(selection="ranking", binarizer=entropy, random_state=0).fit(X, y)
    training = ~draw_held_out(len(y), 0.3, seed_of(model))
    literals = set(entropy.fit(X[training], y[training]).literals_)
    assert set(model.conditions_) <= literals
    assert (model.predict(X) != y).sum() == model.objective_


def test_local_explanation_names_the_true_term_or_what_fails():
    X, y = mixed()
    model = IdealDNFClassifier(positive_label="ill", random_state=0).fit(X, y)
    answers = model.predict(X)
    ill, well = (explain(model, X[answers == label].head(1))[0] for label in ("ill", "well"))
    assert ill.fired
    assert not well.fired
    assert len(well.near_misses) == model.n_rules_
    for miss in well.near_misses:
        assert miss.failing


def test_empty_and_constant_formulas_have_a_reason():
    X = pd.DataFrame({"a": [1.0] * 30})
    y = [0] * 20 + [1] * 10
    with pytest.warns(EmptyRuleWarning, match="no column of this table takes two values"):
        model = IdealDNFClassifier(random_state=0).fit(X, y)
    assert model.conditions_ == ()
    assert model.score_ is None
    assert (model.predict(X) == 0).all()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.random(200) < 0.9
    with pytest.warns(EmptyRuleWarning, match="no other class is more frequent"):
        model = IdealDNFClassifier(1, random_state=0).fit(X, y)
    assert model.predict(X).all()
    assert model.rule_set_.n_clauses == 1


def test_a_formula_not_proved_the_shortest_is_kept_with_a_warning():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (20_000, 10))
    y = (rng.random(1024) < 0.5)[X @ (1 << np.arange(10))]  # all ten columns matter
    model = IdealDNFClassifier(mode="paper", tolerance=0.0, random_state=5, time_limit=1e-3)
    with pytest.warns(ConvergenceWarning, match="raise `time_limit` to continue"):
        model.fit(X, y)
    assert not model.proved_shortest_
    assert (model.predict(X) != y).sum() == model.objective_


def test_a_binarizer_needs_rows_that_are_not_held_out(monkeypatch):
    monkeypatch.setattr(counting, "VALIDATION_FRACTION", 0.999)
    model = IdealDNFClassifier(selection="ranking", binarizer=Binarizer(), random_state=0)
    with pytest.raises(DataError, match="All 4 rows are held out, so none is left"):
        model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def test_forbidden_columns_are_not_read_and_modes_are_checked():
    X, y = mixed()
    for binarizer in (None, Binarizer()):
        model = IdealDNFClassifier(
            10, 0.0, constraints={"forbidden": ["age"]}, binarizer=binarizer, random_state=0
        ).fit(X, y)
        assert "age" not in {c.feature for c in model.conditions_}
        assert (model.predict(X) != y).sum() == model.objective_
    X, y = numbers(0)
    model = IdealDNFClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"`mode` must be one of .*got 'short'"):
        model.rule_in_mode("short")
    X = pd.DataFrame({"ill": ["no", "no", "yes"] * 40, "sex": ["f", "m", "m"] * 40})
    model = IdealDNFClassifier(random_state=0).fit(X, np.array([0, 1, 0] * 40))
    assert model.conditions_ == (Literal("ill", "==", "yes"), Literal("sex", "==", "m"))
    assert model.guarantee().margins == (40, 40, 40)  # of 4 types, of which one has no rows
    part = parts_of(1001, seed=3)
    assert sorted(np.bincount(part, minlength=PARTS)) == [200, 200, 200, 200, 201]
    assert (part != parts_of(1001, seed=4)).any()


@pytest.mark.parametrize(
    "wishes", [{"required": ["age"]}, {"directions": {"age": ">"}}, {"allow_not_equal": False}]
)
def test_constraints_beyond_counting_are_refused(wishes):
    X, y = mixed()
    with pytest.raises(ValueError, match="can only forbid whole columns"):
        IdealDNFClassifier(constraints=wishes).fit(X, y)


@given(st.integers(1, 10**9), st.integers(0, 12), st.sampled_from((0.8, 0.95, 0.999)))
def test_the_separation_is_the_least_that_the_theorem_allows(n, k, confidence):
    known = SampleGuarantee(n, k, confidence)
    assert n == pytest.approx(2 * log(2 ** (k + 2) / (1 - confidence)) / known.separation**2)


@given(st.integers(0, 10), st.sampled_from((0.01, 0.1, 0.5)))
def test_requested_rows_give_the_requested_excess_error(k, excess):
    rows = SampleGuarantee(1, k).rows_for(excess)
    assert SampleGuarantee(rows, k).excess_error <= excess
    assert SampleGuarantee(max(rows - 1, 1), k).excess_error > excess * (1 - 1e-6) or rows == 1


def test_types_beyond_the_margin_are_correct_as_often_as_guaranteed():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(16)).reshape(8, 2)
    wrong = 0
    for _ in range(300):
        counts = rng.multinomial(2000, truth.ravel()).reshape(8, 2)
        known = SampleGuarantee(2000, 3)
        lead = counts[:, 1] - counts[:, 0]
        settled = np.abs(lead) >= known.margin
        wrong += bool(((lead > 0) != (truth[:, 1] > truth[:, 0]))[settled].any())
    assert wrong <= 0.05 * 300


def test_a_guarantee_states_numbers_that_can_be_computed_again():
    known = SampleGuarantee(38_474, 3, margins=(9000, 5, 800, 0))
    result = " ".join(known.sentences())
    for part in ("8 types", "38,474 rows", "95 %", f"{known.margin:,} rows", "2 of the 4 types"):
        assert part in result
    assert f"{100 * known.excess_error:.3g} percentage points" in result
    known = SampleGuarantee(300, 6)
    result = " ".join(known.sentences())
    assert known.excess_error == 1.0
    assert "nothing is guaranteed" in result
    assert f"{known.rows_for(0.1):,} rows" in result
    with pytest.raises(ValueError, match=r"`excess_error` must lie in \(0, 1\]"):
        SampleGuarantee(10, 1).rows_for(0.0)


def test_forward_selection_is_as_good_as_the_best_single_condition():
    X, y = load_sample("breast_cancer").xy()
    model = IdealDNFClassifier(1, random_state=0).fit(X, y)
    conditions = Binarizer().fit(X, y).literals_
    columns = model.read_columns(X)
    held = np.array([condition.mask(columns) for condition in conditions])
    wrong = min((held ^ np.asarray(y == label)).sum(axis=1).min() for label in model.classes_)
    assert model.objective_ <= wrong + 2  # the least impurity is not always the fewest errors
    more = IdealDNFClassifier(3, tolerance=0.0, random_state=0).fit(X, y)
    assert more.objective_ < model.objective_
    assert set(more.validation_curve_["score"]) == {"forward"} == {more.score_}
    assert more.n_held_out_ == len(y)
