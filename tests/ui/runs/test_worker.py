"""The process that does long work: what it loads, what it tells, when it ends."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rulekit.exceptions import DataError, SolverError
from tests.ui import tasks
from tests.waiting import until
from ui.runs.worker import Reporter, Worker

ROOT = Path(__file__).parents[3]


@pytest.fixture
def worker():
    begun = Worker(())
    assert next(begun.messages()) == ("ready",)
    yield begun
    begun.end()


def answer(worker, task):
    worker.order(pickle.dumps(task))
    return next(worker.messages())


def test_it_is_a_program_of_its_own_that_loads_no_page(worker):
    shown, (pid, modules, main) = answer(worker, tasks.surroundings)
    assert shown == "done"
    assert pid == worker.process.pid
    assert Path(main) == ROOT / "ui" / "runs" / "worker.py"
    assert not {"app", "streamlit", "pandas"} & set(modules)


def test_it_does_task_after_task(worker):
    assert [answer(worker, tasks.Giving(k)) for k in range(3)] == [("done", k) for k in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "shown", "traced"),
    [
        (DataError("one class only"), "one class only", False),
        (SolverError("no end"), "no end", False),
        (ValueError("odd shape"), "odd shape", True),
        (ZeroDivisionError("secret"), "", True),
    ],
)
def test_an_error_is_a_sentence_or_a_traceback(worker, error, shown, traced):
    what, sentence, more = answer(worker, tasks.Raising(error))
    assert (what, sentence) == ("failed", shown)
    assert ("in __call__" in more) is traced
    assert answer(worker, tasks.Giving("on")) == ("done", "on")


@pytest.mark.slow
def test_unsendable_result_is_a_failure(worker):
    what, sentence, more = answer(worker, tasks.unsendable)
    assert (what, sentence) == ("failed", "")
    assert "unsendable" in more
    assert answer(worker, tasks.Giving("on")) == ("done", "on")


def test_the_word_to_stop_is_for_the_task_at_hand_only(worker, tmp_path):
    worker.order(pickle.dumps(tasks.Counting(tmp_path / "count")))
    until((tmp_path / "count").exists)
    worker.order(None)
    assert next(worker.messages()) == ("done", None)
    worker.order(None)
    assert answer(worker, tasks.Steps(1))[0] == "report"
    assert next(worker.messages()) == ("done", "all")


def test_report_holds_the_logged_sentences_only():
    result = []
    Reporter(lambda *message: result.append(message), None).report(done=0, message="")
    assert result == [("report", {"done": 0, "message": ""})]


ORPHANS = """
import os, pathlib, signal, sys, time
from tests.ui import tasks
from ui.runs.jobs import JobRegistry

place = pathlib.Path(sys.argv[1])
registry = JobRegistry(1, modules=())
registry.start("a", "paused", tasks.Deaf(place / "paused"))
while not (place / "paused").exists():
    time.sleep(0.005)
urgent = registry.start("b", "urgent", tasks.Deaf(place / "urgent"), urgent=True)
while not (place / "urgent").exists() or not registry.get("a").paused:
    time.sleep(0.005)
pids = [worker.process.pid for worker in registry._workers]
(place / "new").write_text(" ".join(map(str, pids)))
os.rename(place / "new", place / "pids")
{end}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "end", ["time.sleep(3600)", "os.kill(os.getpid(), signal.SIGTERM)", "sys.exit()"]
)
def test_workers_end_with_their_server_however_it_ends(tmp_path, end):
    command = [sys.executable, "-c", ORPHANS.format(end=end), str(tmp_path)]
    # Its own session, as a server has that a terminal or a service manager started.
    server = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    until((tmp_path / "pids").exists)
    if end.startswith("time"):
        os.kill(server.pid, signal.SIGKILL)
    server.wait()
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) >= 2
    until(lambda: all(map(tasks.gone, pids)))
