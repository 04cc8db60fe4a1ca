"""The votes of a forest are sensible ones."""

import numpy as np
import pytest

from rulekit.learners.forest.votes import votes


def test_rows_without_weight_get_votes_of_every_tree():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10, (400, 6))
    classes = (codes[:, 0] + codes[:, 1] > 9).astype(int)
    weight = np.r_[np.ones(200), np.zeros(200)]
    wrong_where_unread = np.r_[classes[:200], 1 - classes[200:]]
    found = votes(codes, np.ones(6, bool), wrong_where_unread, weight, 60, 1)
    assert found.sum(axis=1) == pytest.approx(np.ones(400))
    assert (found.argmax(axis=1) == classes)[200:].mean() > 0.85
    assert (found.argmax(axis=1) == classes)[:200].mean() > 0.85


def test_indistinguishable_class_gets_its_share_of_votes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (500, 3))
    classes = (rng.random(500) < 0.3).astype(int)
    found = votes(codes, np.zeros(3, bool), classes, np.ones(500), 80, 2)
    assert found[:, 1].mean() == pytest.approx(classes.mean(), abs=0.03)
    # out of bag: a row's own class is no more likely than that of the others
    assert abs(found[classes == 1, 1].mean() - found[classes == 0, 1].mean()) < 0.05


def test_no_votes_without_columns_or_with_one_class():
    nothing = np.zeros((3, 0), int), np.zeros(0, bool)
    assert np.isnan(votes(*nothing, np.array([0, 1, 0]), np.ones(3), 5, 0)).all()
    one_cell = np.zeros((3, 1), int), np.ones(1, bool)
    alone = votes(*one_cell, np.zeros(3, int), np.ones(3), 9, 0)
    assert np.nan_to_num(alone, nan=1.0).tolist() == [[1.0]] * 3
