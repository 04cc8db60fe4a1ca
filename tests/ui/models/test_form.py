"""What the settings of a run offer, and of which learners they are read."""

import pytest

from ui.learners.offered import LEARNERS
from ui.models.form import fold_choices, unread


@pytest.mark.parametrize(
    ("n_rows", "n_least", "offered"),
    [(500, 80, [10, 5]), (500, 7, [5]), (500, 3, [3]), (500, 1, [2]), (60, 30, [10, 5, 60])],
)
def test_folds_offered_fit_the_rarest_class(n_rows, n_least, offered):
    assert list(fold_choices(n_rows, n_least)) == offered


def test_settings_without_a_reading_learner_are_unread():
    assert unread("rounding", ["search"])
    assert not unread("rounding", ["search", "alternating"])
    assert not unread("rounding", [])
    assert {name for name in LEARNERS if not unread("thetas", [name])} == {
        name for name, learner in LEARNERS.items() if "thetas" in learner.reads
    }
