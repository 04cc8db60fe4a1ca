"""The estimator around the 1-norm support vector machine."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from rulekit import LPSVM, DataError
from rulekit.families.hyperplane.solver.half_space import LPSVMPlane
from tests.learners.planes import blobs
from tests.reference.lp_svm import objective


def test_the_plane_is_in_units_and_prices_follow_folds():
    X, y = blobs()
    model = LPSVM(nu=0.3).fit(X, y)
    centre, scale = X.to_numpy().mean(axis=0), X.to_numpy().std(axis=0)
    w = model.coef_[0] * scale
    plane = LPSVMPlane(w, float(-model.intercept_[0] - model.coef_[0] @ centre), 0.0)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    value = objective(plane, (X.to_numpy() - centre) / scale, signs, 0.3)
    assert value == pytest.approx(model.objective_, rel=1e-9)
    model = LPSVM().fit(X, y)
    best = model.cv_errors_.argmin()
    assert model.nu_ <= model.nus_[best]
    assert model.nu_ in model.nus_
    assert model.coef_.any()
    assert (model.predict(X) == y).mean() > 0.85


def test_columns_are_cheap_without_units_and_few_on_request():
    X, y = blobs()
    model = LPSVM(nu=0.01, standardize=False).fit(X, y)
    assert np.flatnonzero(model.coef_[0]).tolist() == [0]
    least = LPSVM().fit(X, y).nus_[0]
    assert not LPSVM(nu=0.99 * least).fit(X, y).coef_.any()
    free = LPSVM(nu=5.0).fit(X, y)
    two, one = (LPSVM(nu=5.0, max_features=most).fit(X, y) for most in (2, 1))
    result = [np.count_nonzero(model.coef_) for model in (free, two, one)]
    assert result == [3, 2, 0]  # from none to two at one price
    assert one.nu_ < two.nu_ < free.nu_
    more = LPSVM(nu=0.05, class_weight={"good": 5.0, "bad": 1.0}).fit(X, y).predict(X)
    same = LPSVM(nu=0.05).fit(X, y).predict(X)
    assert (more == "good").sum() > (same == "good").sum()


def test_a_price_is_found_for_any_classes_and_truth_values():
    model = LPSVM().fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert model.cv_errors_ is None
    assert model.predict([[6.0]]).tolist() == ["b"]
    X = pd.DataFrame({"ill": [True, False, True, False], "age": [1.0, 2.0, 3.0, 4.0]})
    same = LPSVM(nu=1.0).fit(X.astype(float), [0, 0, 1, 1])
    np.testing.assert_array_equal(LPSVM(nu=1.0).fit(X, [0, 0, 1, 1]).coef_, same.coef_)


def test_given_folds_choose_the_price_by_rows():
    X, y = blobs()
    own = StratifiedKFold(5, shuffle=True, random_state=0)  # what a number of folds stands for
    plain = LPSVM().fit(X, y)
    for cv in (None, own, list(own.split(X, y)), own.split(X, y)):
        np.testing.assert_array_equal(LPSVM(cv=cv).fit(X, y).cv_errors_, plain.cv_errors_)
    other = LPSVM(cv=KFold(3, shuffle=True, random_state=1)).fit(X, y)
    assert (other.cv_errors_ != plain.cv_errors_).any()
    weight = np.arange(len(y)) % 3.0
    kept = np.flatnonzero(weight)
    folds = [(np.setdiff1d(np.arange(len(y)), part), part) for part in np.array_split(kept, 3)]
    place = np.cumsum(weight > 0) - 1
    without = [tuple(place[part[weight[part] > 0]] for part in fold) for fold in folds]
    given = LPSVM(cv=folds).fit(X, y, weight)
    left = LPSVM(cv=without).fit(X.iloc[kept], y[kept], weight[kept])
    np.testing.assert_array_equal(given.cv_errors_, left.cv_errors_)


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([([0, 1, 2], [99999])], r"positions between 0 and \d+; fold 1 is not"),
        ([([0], [1])], "fold 1 has 1 and 1, rows of weight 0 left out"),
        ([], "`cv` gives no folds"),
        (1, "The 'cv' parameter of LPSVM must be an int in the range"),
    ],
)
def test_folds_that_cannot_be_used_are_reported(cv, sentence):
    X, y = blobs()
    with pytest.raises(ValueError, match=sentence):
        LPSVM(cv=cv).fit(X, y)


@pytest.mark.parametrize("standardize", [True, False])
def test_a_row_of_weight_two_is_a_row_given_twice(standardize):
    X, y = blobs()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    by_weight = LPSVM(nu=0.1, standardize=standardize).fit(X, y, weight)
    twice = X.loc[X.index.repeat(weight)], y.repeat(weight)
    by_row = LPSVM(nu=0.1, standardize=standardize).fit(*twice)
    assert by_weight.objective_ == pytest.approx(by_row.objective_, rel=1e-9)
    np.testing.assert_allclose(by_weight.coef_, by_row.coef_, rtol=1e-7)
    np.testing.assert_allclose(by_weight.intercept_, by_row.intercept_, rtol=1e-7)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (["a", "b", "a"], r"Column 'town' must hold numbers; it holds text \(first: 'a'\)"),
        (["1", "2", "3"], r"it holds text \(first: '1'\)"),
        (pd.date_range("2020-01-01", periods=3), r"it holds dates \(first: '2020-01-01"),
        ([1.0, np.nan, 2.0], r"it has a gap \(NaN\) in 1 of 3 rows \(first: row 2\)"),
        ([1.0, np.inf, 2.0], r"it is infinite \(inf\) in 1 of 3 rows"),
    ],
)
def test_text_columns_are_reported_at_fit_and_at_predict(column, sentence):
    X, y = pd.DataFrame({"town": [1.0, 2.0, 3.0]}), [0, 0, 1]
    model = LPSVM(nu=1.0).fit(X, y)
    for ask in (lambda Z: LPSVM(nu=1.0).fit(Z, y), model.predict):
        with pytest.raises(DataError, match=sentence):
            ask(pd.DataFrame({"town": column}))


def test_the_plane_does_not_depend_on_the_order_of_columns():
    X, y = blobs()
    X["copy"] = X["share"]
    model = LPSVM(nu=1.0).fit(X, y)
    for names in (X.columns[::-1], ["noise", "share", "income", "copy"]):
        again = LPSVM(nu=1.0).fit(X[names], y)
        weights = dict(zip(X, model.coef_[0], strict=True))
        assert dict(zip(names, again.coef_[0], strict=True)) == weights
        assert again.intercept_ == model.intercept_
