"""What differs between the settings of a rule and those at the side, in one word."""

from dataclasses import replace

import pytest

from ui.learners.spec import RunSpec
from ui.models.measured_rule import changed_words
from ui.state import AppState

SPEC = RunSpec()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"cost_unit": 2.0}, "costs"),
        ({"class_weight": "balanced"}, "costs"),
        ({"folds": 3}, "folds"),
        ({"forbidden": ("age",)}, "settings"),
        ({"folds": 3, "class_weight": "balanced"}, "settings"),
    ],
)
def test_the_changed_settings_are_named(change, word):
    state = AppState(run_settings=SPEC.to_dict())
    assert changed_words(state, replace(SPEC, **change)) == word
