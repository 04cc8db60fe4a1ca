"""Background jobs: order, progress, cancel, queue, and what happens when the tab closes."""

import threading

import pytest

from rulekit.exceptions import DataError
from tests.waiting import PATIENCE, until
from ui.jobs import JobRegistry


class Timer:
    """Stands for `threading.Timer`: its time is over when the test says so."""

    def __init__(self, seconds, then, args):
        self.then, self.args, self.cancelled = then, args, False

    def start(self):
        """Begin; nothing happens by itself."""

    def cancel(self):
        self.cancelled = True

    def ring(self):
        if not self.cancelled:
            self.then(*self.args)


@pytest.fixture
def timers(monkeypatch):
    """The timers that have been set, in order, rung by the test."""
    made = []

    def timer(*args):
        made.append(Timer(*args))
        return made[-1]

    monkeypatch.setattr(threading, "Timer", timer)
    return made


def steps(n, gate=None):
    """A piece of work that reports n results, waiting at the gate before each."""

    def work(job):
        for k in range(n):
            if gate is not None:
                gate.wait(PATIENCE)
            if job.should_stop():
                return None
            job.report(k)
        return "all"

    return work


def test_a_job_reports_its_results_in_order_and_gives_its_answer():
    job = JobRegistry().start("me", "count", steps(4), total=4)
    until(lambda: job.state == "done")
    assert job.results == (0, 1, 2, 3)
    assert (job.answer, job.done, job.share) == ("all", 4, 1.0)


def test_cancel_answers_though_the_work_does_not_listen():
    release = threading.Event()
    registry = JobRegistry()
    job = registry.start("me", "deaf", lambda job: (job.report("first"), release.wait(PATIENCE)))
    until(lambda: job.results)
    job.cancel()  # returns, though nobody has released the work
    assert (job.state, job.results) == ("cancelled", ("first",))
    release.set()


def test_a_job_that_gives_way_goes_on_once_a_page_has_drawn():
    job = JobRegistry().start("me", "polite", lambda job: (job.report(1), job.give_way(PATIENCE)))
    until(lambda: job.results)
    assert job.state == "running"
    job.drawn()
    until(lambda: job.state == "done")


def test_a_job_that_gives_way_goes_on_by_itself_where_no_page_draws():
    job = JobRegistry().start("me", "polite", lambda job: job.give_way(0.01))
    until(lambda: job.state == "done")


def test_a_cancelled_job_gives_way_no_longer():
    ended = threading.Event()
    job = JobRegistry().start("me", "polite", lambda job: (job.give_way(PATIENCE), ended.set()))
    until(lambda: job.state == "running")
    job.cancel()
    assert ended.wait(PATIENCE)


def test_results_after_a_cancel_are_thrown_away():
    gate = threading.Event()
    ended = threading.Event()

    def work(job):
        gate.wait(PATIENCE)
        job.report("too late")
        ended.set()
        return "too late"

    registry = JobRegistry()
    job = registry.start("me", "late", work)
    until(lambda: job.state == "running")
    job.cancel()
    gate.set()
    assert ended.wait(PATIENCE)
    until(lambda: not registry._threads)
    assert (job.results, job.answer, job.state) == ((), None, "cancelled")


def test_the_library_s_own_error_becomes_the_job_s_sentence():
    def work(job):
        raise DataError("The target holds one class only.")

    job = JobRegistry().start("me", "wrong", work)
    until(lambda: job.state == "failed")
    assert (job.error, job.error_id) == ("The target holds one class only.", "")


@pytest.mark.parametrize(
    ("error", "logged"), [(ValueError("odd shape"), True), (DataError("odd shape"), False)]
)
def test_a_job_s_sentence_that_is_not_the_library_s_own_is_in_the_log(caplog, error, logged):
    def faulty(job):
        raise error

    job = JobRegistry().start("me", "odd", faulty)
    until(lambda: job.state == "failed")
    assert job.error == "odd shape"
    assert ("in faulty" in caplog.text) is logged


def test_a_bug_in_a_job_gives_an_id_that_the_log_holds_too(caplog):
    def work(job):
        raise ZeroDivisionError("secret cell value")

    job = JobRegistry().start("me", "broken", work)
    until(lambda: job.state == "failed")
    assert "secret" not in job.error
    until(lambda: job.error_id in caplog.text)


def test_a_second_job_of_one_owner_ends_the_first():
    gate = threading.Event()
    registry = JobRegistry()
    first = registry.start("me", "first", steps(2, gate))
    second = registry.start("me", "second", steps(1))
    gate.set()
    until(lambda: second.state == "done")
    assert first.state == "cancelled"
    assert registry.get("me") is second


def test_jobs_over_the_cap_wait_in_line_and_know_their_place():
    gate = threading.Event()
    registry = JobRegistry(max_running=1)
    jobs = [registry.start(owner, owner, steps(1, gate)) for owner in "abc"]
    assert [job.state for job in jobs] == ["running", "queued", "queued"]
    assert [registry.position(job) for job in jobs] == [0, 1, 2]
    gate.set()
    until(lambda: all(job.state == "done" for job in jobs))


def test_a_cancelled_job_gives_its_place_to_the_next_at_once():
    release = threading.Event()
    registry = JobRegistry(max_running=1)
    deaf = registry.start("a", "deaf", lambda job: release.wait(PATIENCE))
    waiting = registry.start("b", "next", steps(1))
    deaf.cancel()
    until(lambda: waiting.state == "done")
    release.set()


def test_a_job_cancelled_in_the_queue_never_runs():
    gate = threading.Event()
    ran = []
    registry = JobRegistry(max_running=1)
    first = registry.start("a", "first", steps(1, gate))
    second = registry.start("b", "second", ran.append)
    second.cancel()
    gate.set()
    until(lambda: first.state == "done" and not registry._threads)
    assert (second.state, ran) == ("cancelled", [])


def test_abandoned_work_is_bounded_however_often_one_starts_and_cancels():
    release = threading.Event()
    registry = JobRegistry(max_running=1)
    running = []

    def work(job):
        running.append(job.id)
        release.wait(PATIENCE)

    for _ in range(6):
        registry.start("me", "again", work).cancel()
    assert len(running) <= 3
    release.set()


def test_closing_the_last_tab_ends_the_job_after_the_grace(timers):
    gate = threading.Event()
    registry = JobRegistry()
    registry.attach("me")
    job = registry.start("me", "left", steps(1, gate))
    registry.detach("me")
    assert job.state == "running"
    timers[0].ring()
    assert job.state == "cancelled"
    gate.set()


def test_coming_back_within_the_grace_keeps_the_job(timers):
    gate = threading.Event()
    registry = JobRegistry()
    registry.attach("me")
    job = registry.start("me", "kept", steps(1, gate))
    registry.detach("me")
    registry.attach("me")
    timers[0].ring()
    assert job.state == "running"
    gate.set()
    until(lambda: job.state == "done")


def test_one_of_two_tabs_closing_keeps_the_job(timers):
    gate = threading.Event()
    registry = JobRegistry()
    registry.attach("me")
    registry.attach("me")
    job = registry.start("me", "kept", steps(1, gate))
    registry.detach("me")
    assert not timers
    assert job.state == "running"
    gate.set()


def test_the_time_to_go_is_told_after_three_pieces():
    gate = threading.Semaphore(0)

    def work(job):
        for k in range(6):
            gate.acquire(timeout=PATIENCE)
            job.report(k)

    job = JobRegistry().start("me", "slow", work, total=6)
    for done in range(1, 4):
        assert job.remaining is None
        gate.release()
        until(lambda done=done: job.done == done)
    before, told, after = job.elapsed, job.remaining, job.elapsed
    assert before * (1 - 1e-9) <= told <= after * (1 + 1e-9)
    for _ in range(3):
        gate.release()


def test_forgetting_an_owner_cancels_and_drops_the_job():
    gate = threading.Event()
    registry = JobRegistry()
    job = registry.start("me", "forgotten", steps(1, gate))
    registry.forget("me")
    assert (job.state, registry.get("me")) == ("cancelled", None)
    gate.set()
