"""How a run's progress, its end and what a longer one takes are said."""

from types import SimpleNamespace

import pytest

from ui.models import progress
from ui.models.progress import progress_words, span_words, stopped_words
from ui.models.run import LONGER
from ui.runs.jobs import Job


@pytest.fixture(autouse=True)
def _kernels_are_compiled(monkeypatch):
    monkeypatch.setattr(progress.preparing, "words", lambda: None)


def job(done, total, message=""):
    found = Job(LONGER, "owner", "")
    found._begin()
    found._take({"done": done, "total": total, "message": message})
    return found


def test_run_shows_its_step_and_progress():
    assert progress_words(job(0, 0)) == "Searching"
    shown = progress_words(job(26, 100, "Robustness 0.1: fold 6 of 10"))
    assert shown.startswith("Searching: Robustness 0.1: fold 6 of 10 (26 of 100)")


def test_stopped_run_keeps_its_progress_and_names_the_button():
    running = job(26, 100)
    shown = stopped_words(running, has_points=True)
    assert "stopped at 26 of 100. Finished points stay." in shown
    assert "“Search longer” continues from there." in shown
    assert "26 of 100" in progress_words(running)
    assert "Finished points" not in stopped_words(job(0, 100), has_points=False)


@pytest.mark.parametrize(
    ("state", "complete"), [("done", True), ("cancelled", False), ("failed", False), (None, True)]
)
def test_a_stopped_search_is_not_called_complete(monkeypatch, state, complete):
    ended = None if state is None else SimpleNamespace(state=state)
    monkeypatch.setattr(progress, "latest", lambda *_: ended)
    assert progress.search_is_complete(SimpleNamespace(is_searched=True)) is complete
    assert not progress.search_is_complete(SimpleNamespace(is_searched=False))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.2, 1.1, "1 to 2 s"),
        (3, 8, "3 to 8 s"),
        (12, 41, "10 to 45 s"),
        (70, 200, "1 to 4 min"),
        (230, 238, "about 4 min"),
        (7.6, 8, "7 to 8 s"),
        (80, 80, "about 80 s"),
    ],
)
def test_time_estimate_is_rounded_to_its_precision(low, high, words):
    assert span_words(low, high) == words
