"""Columns are ranked by their association with the target, whatever their order."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import chi2

from rulekit.data.association import BINS, association, cramers_v, promising_columns


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes", "perhaps"], 300)
    X = pd.DataFrame(rng.normal(size=(300, 40)), columns=[f"noise {k}" for k in range(40)])
    X["shifted"] = X["noise 3"] + 1.5 * (y == "yes")
    X["flag"] = pd.array(y == "perhaps", dtype="boolean")
    X.loc[X.index[:20], "flag"] = pd.NA
    X["word"] = np.where(rng.random(300) < 0.8, y, None)
    X["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(1000 * (y == "yes"), "D")
    X["grade"] = pd.Categorical(np.where(y == "no", "low", "high"), ["low", "high"], ordered=True)
    X["number"] = [f"id {k}" for k in rng.permutation(300)]
    return X, y


def test_associated_columns_come_first_in_any_order_of_the_table(table):
    X, y = table
    expected = ["shifted", "flag", "word", "day", "grade"]
    assert promising_columns(X, y, 5) == expected
    assert promising_columns(X, y, 1000) == list(X.columns)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.columns)
    chosen = promising_columns(X, y, 20)
    again = promising_columns(X.iloc[rows][columns], y[rows], 20)
    assert set(again) == set(chosen)
    assert again == [name for name in columns if name in set(chosen)]


def test_scores_are_chi_square_and_ties_go_to_the_first_name(table):
    X = pd.DataFrame({name: [0, 1, 0, 1] for name in "dcba"})
    assert promising_columns(X, [0, 1, 0, 1], 2) == ["b", "a"]
    X, y = table
    columns = pd.get_dummies(pd.qcut(X["noise 3"], BINS, labels=False))
    expected = chi2(columns, y)[0].sum() - (BINS - 1) * 2
    assert association(X[["noise 3"]], y)[0] == pytest.approx(expected)


def test_constant_and_empty_columns_have_no_association():
    X = pd.DataFrame({"one": 1.0, "none": np.nan, "rare": [1.0] + [0.0] * 29})
    strength = association(X, [1] + [0] * 29)
    assert strength[:2].tolist() == [0.0, 0.0]
    assert strength[2] == pytest.approx(30.0 - 1)
    X = pd.DataFrame({"a": [1, 1, 1, 1], "b": [1, 2, 3, 4]})
    assert cramers_v(X, ["x", "x", "y", "y"])[0] == 0
    assert cramers_v(X, ["x"] * 4).tolist() == [0, 0]


def test_cramers_v_is_1_for_the_class_itself_and_near_0_for_noise(table):
    X, y = table
    X = X.assign(same=y)
    strength = dict(zip(X.columns, cramers_v(X, y), strict=True))
    assert strength["same"] == pytest.approx(1.0, abs=0.01)
    assert min(strength[name] for name in ("shifted", "flag", "word", "day", "grade")) > 0.3
    noise = [v for name, v in strength.items() if name.startswith("noise")]
    assert np.mean(np.square(noise)) < 0.02
    assert 0 <= min(strength.values()) <= max(strength.values()) <= 1
