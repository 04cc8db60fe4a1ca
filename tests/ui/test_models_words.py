"""Sentences and estimates of the Models page that need no page."""

import pytest

from ui.jobs import Job
from ui.models_front import reason_words
from ui.models_run import cancelled_words


def job(done, total):
    found = Job("Sweep", "owner", "")
    found._begin()
    found.report(done=done, total=total)
    return found


def test_a_run_cancelled_at_its_reference_models_is_not_called_partial():
    said = cancelled_words(job(900, 900))
    assert "partial" not in said
    assert "All 900 fits are done" in said
    assert "reference models" in said


@pytest.mark.parametrize(("done", "words"), [(0, "nothing measured"), (7, "partial: 7 of 900")])
def test_a_run_cancelled_earlier_says_how_far_it_came(done, words):
    assert words in cancelled_words(job(done, 900))


def test_the_reason_of_a_suggestion_speaks_the_words_of_the_page():
    reason = (
        "Of the settings tried, setting = Box search, θ 1 has the best mean test error (2.8 % with "
        "4.8 literals)."
    )
    assert reason_words(reason) == (
        "Of the settings tried, Box search, θ 1 has the best cross-validated error (2.8 % with "
        "4.8 conditions)."
    )
