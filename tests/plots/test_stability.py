"""Pictures of what returned: what is drawn is what was counted."""

from dataclasses import replace

import numpy as np
import pytest

from rulekit.plots import band_figure, band_sentence, describe_returned, plot_returned
from tests.evaluation.trust.test_stability import FOUND, OTHERS


def test_a_bar_is_the_number_of_rules_that_read_its_column():
    own, others = plot_returned(FOUND, {"age": "<b>Age</b>"}).data
    assert list(own.y) == ["&lt;b&gt;Age&lt;/b&gt;", "town"]
    assert list(own.x) == FOUND.columns["returned"].tolist()
    assert not others.x
    assert describe_returned(FOUND) == "Of 4 rules, columns return: age in 3, town in 3."
    _, others = plot_returned(replace(FOUND, selected=OTHERS[0])).data
    assert list(others.y) == ["town"]


def test_bands_cover_the_middle_of_cuts_that_return():
    bar, mark = band_figure(FOUND).data
    cuts = FOUND.cuts
    age = FOUND.X["age"]
    starts = [100 * np.mean(age <= low) for low in cuts["low"]]
    ends = [100 * np.mean(age <= high) for high in cuts["high"]]
    assert list(bar.base) == pytest.approx(starts)
    assert list(bar.x) == pytest.approx(np.maximum(np.subtract(ends, starts), 0.6))
    assert list(mark.x) == [100 * np.mean(age <= cut) for cut in cuts["selected"]]
    assert list(bar.y) == ["age above 40", "age below 10"]
    assert band_sentence(FOUND) == (
        "Cuts that return: age above 40: 3 of 4, 40 to 60; age below 10: 1 of 4, 20."
    )
    bar, _ = band_figure(replace(FOUND, resamples=FOUND.resamples[:1])).data
    assert list(bar.y) == ["age above 40"]
