"""The registry of jobs: order, stop, retries, and what happens when the tab closes."""

import os
import signal
import threading
import time
from multiprocessing import forkserver
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.ui import tasks
from tests.waiting import until
from ui.runs.jobs import DIED, NO_WORKER, TRIES, Job, JobRegistry
from ui.runs.worker import CONTEXT, Worker


@pytest.fixture
def job():
    begun = Job("count", "me", total=6)
    begun._begin()
    return begun


def test_remaining_time_is_shown_after_three_tasks_and_falls(job):
    job._paused_at = job.started + 3
    for done in range(3):
        job._take({"done": done})
        assert job.remaining is None
    job._take({"done": 3})
    left = []
    for seconds in (3, 5, 6):
        job._paused_at = job.started + seconds
        left.append(job.remaining)
    assert left == [pytest.approx(3), pytest.approx(1), None]


def test_seconds_do_not_count_while_paused(job):
    job._pause(True)
    still, began = job.elapsed, time.monotonic()
    assert job.paused
    while time.monotonic() == began:
        pass
    assert job.elapsed == still
    job._pause(False)
    assert not job.paused
    assert job.elapsed < still + time.monotonic() - began


def test_partial_results_are_replaced_and_counted(job):
    job._take({"interim": "first", "message": "one"})
    job._take({"done": 1})
    job._take({"interim": "second"})
    assert (job.interim, job.version, job.done, job.message) == ("second", 2, 1, "one")


def test_messages_and_other_ends_after_the_end_are_ignored(job):
    job._take({"interim": "in time"})
    job.cancel()
    job._take({"interim": "too late"})
    assert (job.state, job.interim, job.version) == ("cancelled", "in time", 1)
    other = Job("count", "me")
    other._end("done", answer=42)
    other.cancel()
    other._fail("a sentence", "more")
    assert (other.state, other.answer, other.error) == ("done", 42, "")


def test_error_without_a_message_has_an_id_in_the_log(job, caplog):
    job._fail("", "ZeroDivisionError: secret cell value")
    assert "secret" not in job.error
    assert job.error_id in caplog.text
    assert "secret cell value" in caplog.text


def test_the_finished_part_never_exceeds_the_whole(job):
    assert Job("unknown", "me").share == 0.0
    job._take({"done": 9})
    assert job.share == 1.0


class Timer:
    """Replacement for `threading.Timer`: its time is over when the test decides so."""

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


@pytest.fixture
def registry_of():
    """Return a function that makes a registry."""
    made = []

    def begun(n_running=1):
        made.append(JobRegistry(n_running))
        return made[-1]

    yield begun
    for registry in made:
        registry.close()


@pytest.fixture
def registry(registry_of):
    return registry_of()


def ended(job):
    until(lambda: not job.active)
    return job.state


def began(job):
    until(lambda: job.state == "running" and not (job.paused or job.preparing))


def number_in(file):
    until(lambda: file.exists() and file.read_text())
    return int(file.read_text())


def counts_on(file, registry):
    """Whether the count in a file moves on."""
    before = str(number_in(file))
    until(lambda: file.read_text() not in ("", before))


def test_jobs_report_results_of_a_copy_of_their_task(registry):
    job = registry.start("me", "count", tasks.Steps(4), total=4)
    assert ended(job) == "done"
    assert (job.answer, job.done, job.share) == ("all", 4, 1.0)
    assert (job.interim, job.version, job.message) == (3, 4, "piece 4")
    given = ["as it is"]
    job = registry.start("me", "copied", tasks.Giving(given))
    given.append("changed later")
    assert ended(job) == "done"
    assert job.answer == ["as it is"]


@pytest.mark.slow
def test_two_visitors_are_served_at_once(registry_of, tmp_path):
    registry = registry_of(2)
    jobs = [registry.start(o, o, tasks.Deaf(tmp_path / o)) for o in "ab"]
    assert number_in(tmp_path / "a") != number_in(tmp_path / "b")
    assert [job.state for job in jobs] == ["running", "running"]


# Stop -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_stopped_jobs_leave_their_place_and_process(registry, tmp_path):
    job = registry.start("me", "deaf", tasks.Deaf(tmp_path / "pid"))
    until(lambda: job.interim == "first")
    job.cancel()
    assert (job.state, job.interim) == ("cancelled", "first")
    until(lambda: tasks.gone(number_in(tmp_path / "pid")))
    assert ended(registry.start("me", "next", tasks.Steps(1))) == "done"
    deaf = registry.start("a", "deaf", tasks.Deaf(tmp_path / "pid"))
    waiting = registry.start("b", "next", tasks.Steps(1))
    until(lambda: deaf.interim)
    deaf.cancel()
    assert ended(waiting) == "done"
    for k in range(4):
        job = registry.start("me", "again", tasks.Deaf(tmp_path / str(k)))
        began(job)
        job.cancel()
        assert not registry._running
    assert ended(registry.start("me", "last", tasks.Steps(1))) == "done"


def test_a_job_stopped_in_the_queue_never_runs(registry, tmp_path):
    first = registry.start("a", "first", tasks.Steps(1, tmp_path))
    second = registry.start("b", "second", tasks.Deaf(tmp_path / "ran"))
    second.cancel()
    (tmp_path / "0").touch()
    assert ended(first) == "done"
    assert ended(registry.start("c", "third", tasks.Steps(1))) == "done"
    assert (second.state, (tmp_path / "ran").exists()) == ("cancelled", False)


def test_a_second_job_of_one_owner_ends_the_first(registry, tmp_path):
    first = registry.start("me", "first", tasks.Deaf(tmp_path / "pid"))
    second = registry.start("me", "second", tasks.Steps(1))
    assert first.state == "cancelled"
    assert ended(second) == "done"
    assert registry.get("me") is second


# Who goes first ---------------------------------------------------------------------------


def test_jobs_over_the_limit_have_a_queue_position(registry, tmp_path):
    jobs = [registry.start(owner, owner, tasks.Steps(1, tmp_path)) for owner in "abc"]
    began(jobs[0])
    assert [job.state for job in jobs] == ["running", "queued", "queued"]
    assert [registry.position(job) for job in jobs] == [0, 1, 2]
    assert registry.waiting(jobs[2]) == "Waiting for a free place: number 2 in the queue"
    assert registry.is_busy("b")
    (tmp_path / "0").touch()
    assert [ended(job) for job in jobs] == ["done"] * 3


def test_urgent_jobs_run_before_older_ones(registry, tmp_path):
    began(registry.start("a", "held", tasks.Steps(1, tmp_path), urgent=True))
    patient = registry.start("b", "patient", tasks.Steps(1))
    urgent = registry.start("c", "urgent", tasks.Steps(1), urgent=True)
    assert [registry.position(job) for job in (urgent, patient)] == [1, 2]
    (tmp_path / "0").touch()
    assert ended(patient) == "done"
    assert urgent.finished < patient.started


@pytest.mark.slow
def test_urgent_job_pauses_the_latest_other_job(registry_of, tmp_path):
    registry = registry_of(2)
    early, late, gate = tmp_path / "early", tmp_path / "late", tmp_path / "gates"
    gate.mkdir()
    first = registry.start("a", "early", tasks.Counting(early))
    began(first)
    second = registry.start("b", "late", tasks.Counting(late))
    until(lambda: late.exists() and late.read_text())
    urgent = registry.start("c", "urgent", tasks.Steps(1, gate), urgent=True)
    began(urgent)
    assert (first.paused, second.paused, second.state) == (False, True, "running")
    stat = Path(f"/proc/{second._worker.pid}/stat")
    if stat.exists():  # as on Linux
        until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
    counts_on(early, registry)
    (gate / "0").touch()
    assert ended(urgent) == "done"
    until(lambda: not second.paused)
    counts_on(late, registry)


@pytest.mark.slow
def test_paused_jobs_resume_before_new_ones_start(registry, tmp_path):
    file, gate = tmp_path / "count", tmp_path / "gates"
    gate.mkdir()
    still = registry.start("a", "still", tasks.Counting(file))
    began(still)
    urgent = registry.start("b", "urgent", tasks.Steps(1, gate), urgent=True)
    began(urgent)
    new = registry.start("c", "new", tasks.Steps(1))
    (gate / "0").touch()
    until(lambda: not still.paused)
    assert (urgent.state, new.state) == ("done", "queued")


def test_urgent_work_does_not_make_urgent_work_wait(registry, tmp_path):
    first = registry.start("a", "first", tasks.Steps(1, tmp_path), urgent=True)
    began(first)
    second = registry.start("b", "second", tasks.Steps(1), urgent=True)
    assert (first.paused, second.state) == (False, "queued")
    (tmp_path / "0").touch()
    assert (ended(first), ended(second)) == ("done", "done")


def test_paused_job_is_stopped_like_any_other(registry, tmp_path):
    still = registry.start("a", "still", tasks.Deaf(tmp_path / "pid"))
    pid = number_in(tmp_path / "pid")
    urgent = registry.start("b", "urgent", tasks.Deaf(tmp_path / "urgent"), urgent=True)
    began(urgent)
    still.cancel()
    until(lambda: tasks.gone(pid))
    assert (still.state, urgent.state) == ("cancelled", "running")


# What goes wrong --------------------------------------------------------------------------


def test_a_job_whose_worker_dies_is_done_by_another(registry, tmp_path):
    job = registry.start("me", "dying", tasks.Dying(tmp_path / "times", 1))
    assert ended(job) == "done"
    assert job.answer == "at last"


def test_a_job_whose_workers_die_twice_fails_with_a_sentence(registry, tmp_path, caplog):
    job = registry.start("me", "dying", tasks.Dying(tmp_path / "times", 9))
    assert ended(job) == "failed"
    assert (job.error, len((tmp_path / "times").read_text())) == (DIED, TRIES)
    assert job.error_id in caplog.text
    assert ended(registry.start("me", "next", tasks.Steps(1))) == "done"


def test_job_waits_for_its_process_to_begin(registry, monkeypatch):
    gate, start = threading.Event(), Worker.messages
    monkeypatch.setattr(Worker, "messages", lambda *a: (gate.wait(), (yield from start(*a))))
    job = registry.start("a/first", "a", tasks.Steps(1))
    assert registry.waiting(job) == "Getting ready"
    assert registry.is_busy("a")
    registry.start("b", "b", tasks.Steps(1)).cancel()
    gate.set()
    assert ended(job) == "done"
    assert registry.waiting(job) == ""
    assert not registry.is_busy("a")


def test_job_that_is_stopped_before_its_process_begins_does_nothing(
    registry, monkeypatch, tmp_path
):
    gate, start = threading.Event(), Worker.messages
    monkeypatch.setattr(Worker, "messages", lambda *a: (gate.wait(), (yield from start(*a))))
    job = registry.start("a", "a", tasks.Deaf(tmp_path / "ran"))
    job.cancel()
    gate.set()
    until(lambda: not registry._threads)
    assert tasks.gone(job._worker.pid)


def test_jobs_run_after_the_fork_server_was_killed(registry, monkeypatch):
    assert ended(registry.start("me", "before", tasks.Steps(1))) == "done"
    server, waited, wait = forkserver._forkserver, [], os.waitid
    ensure_running = server.ensure_running  # does not see at once that the server has ended
    monkeypatch.setattr(server, "ensure_running", lambda: waited and ensure_running())
    monkeypatch.setattr(os, "waitid", lambda *given: waited.append(wait(*given)))
    os.kill(server._forkserver_pid, signal.SIGKILL)
    assert ended(registry.start("me", "next", tasks.Steps(1))) == "done"


def test_jobs_fail_with_a_sentence_without_processes(registry, monkeypatch, caplog):
    def refuse():
        raise OSError("no memory")

    process = SimpleNamespace(start=refuse, pid=None)
    monkeypatch.setattr(CONTEXT, "Process", lambda **_: process, raising=False)
    job = registry.start("me", "hopeless", tasks.Steps(1))
    assert ended(job) == "failed"
    assert job.error == NO_WORKER
    assert job.error_id in caplog.text


@pytest.mark.slow
def test_bugs_and_unreadable_results_have_an_id_in_the_log(registry, caplog):
    job = registry.start("me", "broken", tasks.Raising(ZeroDivisionError("secret cell value")))
    assert ended(job) == "failed"
    assert "secret" not in job.error
    assert job.error_id in caplog.text
    job = registry.start("me", "strange", tasks.strange)
    assert ended(job) == "failed"
    assert job.error_id in caplog.text
    assert ended(registry.start("me", "next", tasks.Steps(1))) == "done"


# Visitors come and go ---------------------------------------------------------------------


@pytest.mark.slow
def test_closing_the_last_tab_ends_the_job_after_the_grace(registry, timers, tmp_path):
    registry.attach("me")
    job = registry.start("me", "left", tasks.Steps(1, tmp_path))
    beside = registry.start("me/proof", "beside", tasks.Steps(1, tmp_path))
    began(job)
    registry.detach("me")
    assert job.state == "running"
    timers[0].ring()
    assert (job.state, beside.state) == ("cancelled", "cancelled")
    assert not registry._jobs  # and what it holds can be given back


@pytest.mark.parametrize("closed_last", [False, True])
def test_a_tab_opened_again_or_beside_keeps_the_job(registry, timers, tmp_path, closed_last):
    registry.attach("me")
    job = registry.start("me", "kept", tasks.Steps(1, tmp_path))
    for act in (
        (registry.attach, registry.detach) if closed_last else (registry.detach, registry.attach)
    ):
        act("me")
    assert bool(timers) is not closed_last
    for timer in timers:
        timer.ring()
    (tmp_path / "0").touch()
    assert ended(job) == "done"


def test_forgetting_an_owner_keeps_owners_with_longer_names(registry, tmp_path):
    mine = registry.start("me", "mine", tasks.Steps(1, tmp_path))
    other = registry.start("meme", "other", tasks.Steps(1))
    registry.forget("me")
    assert (mine.state, registry.get("me")) == ("cancelled", None)
    assert ended(other) == "done"


def test_closing_ends_every_process(registry_of, tmp_path):
    registry = registry_of(2)
    job = registry.start("me", "deaf", tasks.Deaf(tmp_path / "pid"))
    pid = number_in(tmp_path / "pid")
    registry.close()
    assert job.state == "cancelled"
    assert tasks.gone(pid)


# How many run at once ---------------------------------------------------------------------


def test_environment_sets_the_number_of_parallel_jobs(registry_of, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKERS", "3")
    assert registry_of(None).n_running == 3


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_invalid_number_of_workers_is_refused(monkeypatch, text):
    monkeypatch.setenv("RULEKIT_WORKERS", text)
    with pytest.raises(ValueError, match=f"RULEKIT_WORKERS.*{text}"):
        JobRegistry()
