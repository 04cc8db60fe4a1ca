"""Rules from any linear classifier."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from rulekit import LPSVM, HyperplaneRuleClassifier, Literal, load_sample
from rulekit.exceptions import DataError, EmptyRuleWarning
from rulekit.families.hyperplane.plane_work import short_faces
from rulekit.rules import LinearSplit
from tests.learners.planes import blobs, with_levels

LINEAR = [
    LPSVM(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(RobustScaler(), LinearSVC()),
    make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
    make_pipeline(StandardScaler(), SelectKBest(k=2), LinearDiscriminantAnalysis()),
    make_pipeline(StandardScaler(), PCA(), RidgeClassifier()),
]


def names(model):
    return [type(step[1]).__name__ for step in getattr(model, "steps", [(None, model)])]


@pytest.mark.parametrize("linear", LINEAR, ids=lambda m: "-".join(names(m)))
@pytest.mark.parametrize("positive", ["good", "bad"])
def test_boxes_of_any_linear_classifier_hold_rows_of_its_side_alone(linear, positive):
    X, y = blobs()
    model = HyperplaneRuleClassifier(linear, positive_label=positive, min_coverage=1).fit(X, y)
    sided = model.linear_.predict(X) == positive
    described = model.predict(X) == positive
    assert not (described & ~sided).any()
    assert described[sided & (y == positive)].all()
    assert model.coverage_ == 1.0


@pytest.mark.parametrize("sample", ["iris", "wine", "credit"])
def test_most_probable_class_is_predicted_without_row_weights(sample):
    X, y = load_sample(sample).xy()
    model = HyperplaneRuleClassifier(confidence_folds=0).fit(X, y)
    chances = model.predict_proba(X)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(X)).all()
    assert chances.sum(axis=1) == pytest.approx(1.0)
    free = replace(model._shares, answers=None).compute(model.read_columns(X))
    same = free.argmax(axis=1) == chances.argmax(axis=1)
    assert (chances[same] == free[same]).all()
    if sample == "credit":
        assert (~same).any()
        assert chances[~same] == pytest.approx(0.5)
    weighted = HyperplaneRuleClassifier(confidence_folds=0, class_weight="balanced").fit(X, y)
    assert sample != "credit" or weighted._shares.answers is None


def test_the_rule_is_in_the_units_of_the_table():
    X, y = blobs()
    model = HyperplaneRuleClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
    cuts = [c.value for k in model.fit(X, y).rule_set_.clauses for c in k.literals]
    assert max(cuts) > 10_000
    own = X[model.plane_.design.names].to_numpy() @ model.plane_.w - model.plane_.gamma
    np.testing.assert_allclose(own, model.linear_.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("criterion", ["peel", "point_lp", "volume_paper"])
def test_clauses_are_the_boxes_and_no_row_meets_two(criterion):
    X, y = blobs()
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0), criterion=criterion, min_coverage=1).fit(X, y)
    fired = model.clauses_fired(X)
    boxes = model.boxes_["good"]
    rows = boxes.half.orient(model.plane_.rows)
    np.testing.assert_array_equal(fired, boxes.members(rows))
    assert fired.sum(axis=1).max() == 1
    assert boxes.half.contains(boxes.upper).all()
    inner = np.hstack([boxes.lower >= boxes.half.low, boxes.upper < boxes.half.high]).sum(axis=1)
    assert [clause.n_conditions for clause in model.rule_set_.clauses] == inner.tolist()


def test_the_largest_boxes_stay_and_the_plane_answers_the_rest():
    X, y = blobs()
    full = HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X, y)
    short = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=2).fit(X, y)
    assert short.rule_set_.clauses == full.rule_set_.clauses[:2]
    assert short.coverage_ < full.coverage_ <= full.coverage_all_
    assert short.history_[-1]["covered"] == pytest.approx(short.coverage_)
    counts = full.boxes_["good"].n_points
    assert counts.min() >= 2
    assert (np.diff(counts) <= 0).all()
    alone = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1).fit(X, y)
    helped = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1, uncovered="hyperplane").fit(X, y)
    np.testing.assert_array_equal(helped.predict(X), helped.linear_.predict(X))
    last = helped.rule_set_.clauses[-1].conditions
    assert isinstance(last[0], LinearSplit)
    assert helped.n_conditions_ == alone.n_conditions_ + len(last[0].terms)


def test_levels_become_conditions_that_list_them():
    X, y = with_levels()
    model = HyperplaneRuleClassifier(LPSVM(nu=0.5), min_coverage=1).fit(X, y)
    literals = {c for k in model.rule_set_.clauses for c in k.literals}
    assert {c.op for c in literals if c.feature == "town"} <= {"==", "!=", "in", "not-in"}
    assert {c.value for c in literals if c.feature == "owner"} == {True}
    fired = model.clauses_fired(X)
    boxes = model.boxes_[1]
    np.testing.assert_array_equal(fired, boxes.members(boxes.half.orient(model.plane_.rows)))
    X = pd.DataFrame({"colour": ["red"] * 6 + ["blue"] * 6})
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X, [1] * 6 + [0] * 6)
    assert model.rule_set_.clauses[0].conditions == (Literal("colour", "==", "red"),)


def test_a_column_may_be_called_like_a_level_of_another():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(list("xyz"), 90), "kind = x": rng.normal(size=90)})
    y = X["kind = x"] + (X["kind"] == "x") > 0.5
    model = HyperplaneRuleClassifier(min_coverage=1).fit(X, y)
    other = HyperplaneRuleClassifier(min_coverage=1).fit(X.set_axis(["kind", "size"], axis=1), y)
    assert str(model) == str(other).replace("size", "kind = x")
    constraint = {"directions": {"kind = x": ">"}}
    kept = HyperplaneRuleClassifier(constraints=constraint).fit(X, y)
    assert kept.linear_.directions == {kept.linear_.feature_names_in_[3]: ">"}


def test_incomplete_rows_and_tables_beyond_a_plane_are_left():
    X, y = blobs(gaps=True)
    there = X["share"].notna().to_numpy()
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X, y)
    same = HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X[there], y[there])
    assert model.rule_set_ == same.rule_set_
    assert model.n_incomplete_ == (~there).sum()
    on_gap = ["share" in clause.features for clause in model.rule_set_.clauses]
    assert not model.clauses_fired(X[~there])[:, on_gap].any()
    X, y = with_levels()
    with pytest.raises(DataError, match="needs a plane over columns of numbers; this one reads"):
        HyperplaneRuleClassifier(LPSVM(nu=0.5), uncovered="hyperplane").fit(X, y)
    X, y = blobs()
    with pytest.raises(ValueError, match="must take `sample_weight`"):
        HyperplaneRuleClassifier(LinearDiscriminantAnalysis(), class_weight="balanced").fit(X, y)
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, np.nan]})
    with pytest.raises(DataError, match="of 4 rows 2 have no gap, and they hold one class"):
        HyperplaneRuleClassifier().fit(X, ["x", "x", "z", "z"])


def test_bounds_are_whole_or_short_by_weighted_columns():
    X, y = blobs()
    X["income"], X["share"] = (X["income"] / 1000).round(), X["share"].round(2)
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0)).fit(X, y)
    literals = [c for k in model.rule_set_.clauses for c in k.literals]
    assert all(c.value.is_integer() for c in literals if c.feature == "income")
    assert max(len(repr(c.value)) for c in literals if c.feature == "share") <= 6
    linear = make_pipeline(StandardScaler(), SelectKBest(k=1), LogisticRegression())
    assert np.count_nonzero(HyperplaneRuleClassifier(linear).fit(X, y).plane_.w) == 1
    linear = make_pipeline(StandardScaler(), LogisticRegression())
    weighted = HyperplaneRuleClassifier(linear, class_weight={"good": 9.0, "bad": 1.0}).fit(X, y)
    plain = HyperplaneRuleClassifier(linear).fit(X, y)
    assert weighted.plane_.gamma != plain.plane_.gamma
    with pytest.warns(EmptyRuleWarning, match="the plane reads no column"):
        model = HyperplaneRuleClassifier(LPSVM(nu=1e-6)).fit(X, y)
    assert model.rule_set_.is_constant


def test_shortened_faces_keep_their_order_and_the_rows_on_either_side():
    rng = np.random.default_rng(0)
    for whole in (False, True):
        points = rng.integers(-5, 6, 30).astype(float) if whole else rng.normal(size=30)
        faces = np.sort(np.concatenate([rng.normal(0, 3, 40), points[:5], [-np.inf]]))
        short = short_faces(faces, points, whole)
        assert (short <= faces).all()
        assert (np.diff(short[1:]) >= 0).all()
        for old, new in zip(faces, short, strict=True):
            np.testing.assert_array_equal(points <= old, points <= new)


@pytest.mark.parametrize(
    ("linear", "words"),
    [
        (KNeighborsClassifier(), "must be a linear classifier"),
        (make_pipeline(PolynomialFeatures(), LogisticRegression()), "must be affine"),
    ],
)
def test_a_classifier_without_a_plane_is_refused(linear, words):
    X, y = blobs()
    with pytest.raises(ValueError, match=words):
        HyperplaneRuleClassifier(linear).fit(X / X.max(), y)


@pytest.mark.parametrize("table", ["credit", "wine"])
def test_the_rule_does_not_depend_on_the_order_of_columns(table):
    X, y = load_sample(table).xy()
    X["copy"] = X.iloc[:, 0]  # which of two equal columns is read is for the solver to choose
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0), confidence_folds=0).fit(X, y)
    for seed in range(3):
        mixed = X[np.random.default_rng(seed).permutation(X.columns)]
        again = HyperplaneRuleClassifier(LPSVM(nu=1.0), confidence_folds=0).fit(mixed, y)
        assert again.rule_set_ == model.rule_set_
