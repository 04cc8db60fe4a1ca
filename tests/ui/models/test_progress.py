"""How a run's progress and its end are said."""

import pytest

from ui.jobs import Job
from ui.learners.spec import RunSpec
from ui.models.points import RunResult
from ui.models.progress import cancelled_words, progress_words


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


@pytest.mark.parametrize(("done", "words"), [(0, "no fit finished"), (7, "partial: 7 of 900")])
def test_a_run_cancelled_earlier_says_how_far_it_came(done, words):
    assert words in cancelled_words(job(done, 900))


@pytest.mark.parametrize(("draft", "said"), [("First pass", True), ("", False)])
def test_a_run_says_that_its_first_pass_stays_if_it_stands_and_only_then(draft, said):
    found = job(7, 900)
    found.report(standing=RunResult((), RunSpec(), draft=draft))
    assert ("The points of the first pass stay." in cancelled_words(found)) is said


def test_a_run_says_what_it_does_how_far_it_is_and_how_long_that_took():
    found = Job("Sweep", "owner", "")
    assert progress_words(found) == "Reading the table: 0 s"
    found = job(7, 900)
    found.report(message="Box search, fold 1 of 10")
    assert progress_words(found).startswith("Box search, fold 1 of 10: 0 s, 7 of 900 fits")
