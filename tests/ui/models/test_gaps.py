"""The sentence about the gap between groups, beside the limit."""

import math

from rulekit.data import load_sample
from ui.learners.spec import RunSpec
from ui.models.gaps import gap_words, with_gaps
from ui.models.points import RunResult
from ui.state import AppState

STATE = AppState(table=load_sample("credit"))


def test_gap_is_told_in_points_with_the_limit():
    result = RunResult(gaps=(0.1234, math.nan), max_gap=0.2, gap_column="housing")
    assert gap_words(result, 0, STATE) == (
        "Gap by housing: 12.3 points on the training rows (20 points allowed)."
    )
    assert gap_words(result, 1, STATE) == (
        "The gap by housing cannot be measured: its groups are too small."
    )
    assert gap_words(RunResult(), 0, STATE) == ""


def test_without_a_limit_gaps_are_dropped():
    result = RunResult(gaps=(0.1,), max_gap=0.2, gap_column="housing")
    assert with_gaps(result, RunSpec(), STATE).gaps == ()
    unlimited = RunResult()
    assert with_gaps(unlimited, RunSpec(), STATE) is unlimited
