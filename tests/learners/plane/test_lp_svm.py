"""The estimator around the 1-norm support vector machine."""

import numpy as np
import pytest

from rulekit import LPSVM
from rulekit.exceptions import DataError
from rulekit.solvers.plane_boxes.lp_svm import LPSVMPlane
from tests.learners.planes import blobs
from tests.reference.lp_svm import objective


def test_the_plane_is_in_the_units_of_the_table():
    X, y = blobs()
    model = LPSVM(nu=0.3).fit(X, y)
    centre, scale = X.to_numpy().mean(axis=0), X.to_numpy().std(axis=0)
    w = model.coef_[0] * scale
    plane = LPSVMPlane(w, float(-model.intercept_[0] - model.coef_[0] @ centre), 0.0)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    value = objective(plane, (X.to_numpy() - centre) / scale, signs, 0.3)
    assert value == pytest.approx(model.objective_, rel=1e-9)


def test_without_standardising_a_column_of_large_numbers_is_cheap():
    X, y = blobs()
    model = LPSVM(nu=0.01, standardize=False).fit(X, y)
    assert np.flatnonzero(model.coef_[0]).tolist() == [0]


def test_cross_validation_takes_the_smallest_price_within_one_standard_error():
    X, y = blobs()
    model = LPSVM().fit(X, y)
    best = model.cv_errors_.argmin()
    assert model.nu_ <= model.nus_[best]
    assert model.nu_ in model.nus_
    assert model.coef_.any()
    assert (model.predict(X) == y).mean() > 0.85


def test_below_the_least_price_tried_no_column_is_read():
    X, y = blobs()
    least = LPSVM().fit(X, y).nus_[0]
    assert not LPSVM(nu=0.99 * least).fit(X, y).coef_.any()


def test_no_more_columns_are_read_than_allowed():
    X, y = blobs()
    free = LPSVM(nu=5.0).fit(X, y)
    capped = LPSVM(nu=5.0, max_features=1).fit(X, y)
    assert np.count_nonzero(free.coef_) > 1
    assert np.count_nonzero(capped.coef_) == 1
    assert capped.nu_ < free.nu_


def test_weights_of_classes_move_the_plane():
    X, y = blobs()
    more = LPSVM(nu=0.05, class_weight={"good": 5.0, "bad": 1.0}).fit(X, y).predict(X)
    same = LPSVM(nu=0.05).fit(X, y).predict(X)
    assert (more == "good").sum() > (same == "good").sum()


def test_a_table_where_a_class_has_one_row_gets_a_price_without_folds():
    model = LPSVM().fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert model.cv_errors_ is None
    assert model.predict([[6.0]]).tolist() == ["b"]


def test_a_third_class_is_refused():
    with pytest.raises(DataError, match="Only binary classification is supported"):
        LPSVM(nu=1.0).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
