"""The process of a job: what it loads, what it sends, when it ends."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rulekit.exceptions import DataError, SolverError
from tests.ui import tasks
from tests.waiting import until
from ui.runs import worker
from ui.runs.worker import Worker

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module", autouse=True)
def _prepared():
    worker.prepare()
    assert answer(tasks.Giving(1)) == ("done", 1)


def answer(task):
    begun, *messages = Worker().messages(pickle.dumps(task))
    assert begun == ("begun",)
    return messages[-1]


@pytest.mark.parametrize("method", ["forkserver", pytest.param("spawn", marks=pytest.mark.slow)])
def test_script_of_streamlit_is_not_run_again(monkeypatch, tmp_path, method):
    script = tmp_path / "app.py"
    script.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(worker, "CONTEXT", multiprocessing.get_context(method))
    monkeypatch.setattr(worker, "FORKS", method == "forkserver")
    assert answer(tasks.Giving("it")) == ("done", "it")
    assert not (tmp_path / "ran").exists()


def test_it_has_the_environment_of_the_server_now(monkeypatch):
    monkeypatch.setenv("RULEKIT_SCHEDULER", "tcp://here:1")
    assert answer(tasks.environment) == ("done", ("tcp://here:1", "1"))


@pytest.mark.parametrize(
    ("error", "shown", "traced"),
    [
        (DataError("one class only"), "one class only", False),
        (SolverError("no end"), "no end", False),
        (ValueError("odd shape"), "odd shape", True),
        (ZeroDivisionError("secret"), "", True),
    ],
)
def test_an_error_is_a_sentence_or_a_traceback(error, shown, traced):
    event, sentence, more = answer(tasks.Raising(error))
    assert (event, sentence) == ("failed", shown)
    assert ("in __call__" in more) is traced


def test_unsendable_results_fail_and_reports_hold_logged_sentences():
    event, sentence, more = answer(tasks.unsendable)
    assert (event, sentence) == ("failed", "")
    assert "unsendable" in more
    result = []
    worker._report(lambda *message: result.append(message), done=0, message="")
    assert result == [("report", {"done": 0, "message": ""})]


ORPHANS = """
import multiprocessing, os, pathlib, signal, sys, time
from tests.ui import tasks
from ui.runs.jobs import JobRegistry

multiprocessing.context.ForkServerContext.set_forkserver_preload = lambda *_: None
place = pathlib.Path(sys.argv[1])
registry = JobRegistry(1)
registry.start("a", "paused", tasks.Deaf(place / "paused"))
while not (place / "paused").exists():
    time.sleep(0.005)
urgent = registry.start("b", "urgent", tasks.Deaf(place / "urgent"), urgent=True)
while not (place / "urgent").exists() or not registry.get("a").paused:
    time.sleep(0.005)
pids = [registry.get(owner)._worker.pid for owner in "ab"]
pids.append(multiprocessing.forkserver._forkserver._forkserver_pid)
(place / "new").write_text(" ".join(map(str, pids)))
os.rename(place / "new", place / "pids")
{end}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "end", ["time.sleep(3600)", "os.kill(os.getpid(), signal.SIGTERM)", "sys.exit()"]
)
def test_processes_end_with_their_server_however_it_ends(tmp_path, end):
    command = [sys.executable, "-c", ORPHANS.format(end=end), str(tmp_path)]
    # Its own session, as a server has that a terminal or a service manager started.
    server = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    until((tmp_path / "pids").exists)
    if end.startswith("time"):
        os.kill(server.pid, signal.SIGKILL)
    server.wait()
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 3
    until(lambda: all(map(tasks.gone, pids)))
