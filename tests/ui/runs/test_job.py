"""A job as a page reads it: its state, its counts, the time to go."""

import time

import pytest

from ui.runs.job import Job


@pytest.fixture
def job():
    begun = Job("count", "me", total=6)
    begun._begin()
    return begun


def test_remaining_time_is_shown_after_three_tasks(job):
    for done in range(3):
        job._take({"done": done})
        assert job.remaining is None
    job._take({"done": 3})
    before, result, after = job.elapsed, job.remaining, job.elapsed
    assert before * (1 - 1e-9) <= result <= after * (1 + 1e-9)


def test_no_second_counts_while_it_stands_still(job):
    job._pause(True)
    still, began = job.elapsed, time.monotonic()
    assert job.paused
    while time.monotonic() == began:
        pass
    assert job.elapsed == still
    job._pause(False)
    assert not job.paused
    assert job.elapsed < still + time.monotonic() - began


def test_what_stands_is_replaced_and_counted(job):
    job._take({"standing": "first", "message": "one"})
    job._take({"done": 1})
    job._take({"standing": "second"})
    assert (job.standing, job.version, job.done, job.message) == ("second", 2, 1, "one")


def test_messages_after_the_end_are_ignored(job):
    job._take({"standing": "in time"})
    job.cancel()
    job._take({"standing": "too late"})
    assert (job.state, job.standing, job.version) == ("cancelled", "in time", 1)


def test_a_job_ends_once(job):
    job._end("done", answer=42)
    job.cancel()
    job._fail("a sentence", "more")
    assert (job.state, job.answer, job.error) == ("done", 42, "")


def test_an_error_without_a_sentence_gives_an_id_that_the_log_holds_too(job, caplog):
    job._fail("", "ZeroDivisionError: secret cell value")
    assert "secret" not in job.error
    assert job.error_id in caplog.text
    assert "secret cell value" in caplog.text


def test_the_finished_part_never_exceeds_the_whole(job):
    assert Job("unknown", "me").share == 0.0
    job._take({"done": 9})
    assert job.share == 1.0
