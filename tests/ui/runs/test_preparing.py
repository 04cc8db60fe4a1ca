"""The line about compiling is shown while kernels are missing, and only then."""

import os
import signal
import subprocess

import pytest

from tests.waiting import until
from ui.runs import preparing


@pytest.fixture
def clock(monkeypatch):
    """A clock and a number of missing seconds that a test sets."""
    now = {"time": 100.0, "missing": 40.0}
    monkeypatch.setattr(preparing.time, "monotonic", lambda: now["time"])
    monkeypatch.setattr(preparing, "missing_seconds", lambda names: now["missing"])
    preparing._began.cache_clear()
    yield now
    preparing._began.cache_clear()


def test_the_line_counts_down_and_ends_when_nothing_is_missing(clock):
    assert preparing.words() == "Preparing the search on this machine (once): 40 s left"
    clock["time"] += 15
    assert preparing.words() == "Preparing the search on this machine (once): 25 s left"
    clock["time"] += 24.5
    assert preparing.words() == "Preparing the search on this machine (once): 1 s left"
    clock["time"] += 75.5  # a slower machine than the figures are from
    assert preparing.words() == (
        "Preparing the search on this machine (once): 115 s so far, longer than the 40 s estimated"
    )
    clock["missing"] = 0.0
    assert preparing.words() is None


def test_missing_kernels_alone_are_compiled_by_a_process(clock, monkeypatch):
    clock["missing"] = 0.0
    assert preparing.begin() is None
    clock["missing"], started = 40.0, []
    monkeypatch.setattr(preparing.subprocess, "Popen", lambda command, **_: started.append(command))
    preparing.begin()
    assert started[0][-2:] == ["-m", "rulekit.search.machine_code"]


@pytest.mark.skipif(os.name != "posix", reason="groups of processes are POSIX's")
def test_the_end_of_the_server_ends_all_compiling():
    process = subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"], start_new_session=True)
    preparing.end(process)
    assert process.returncode == -signal.SIGTERM

    def all_ended():
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    until(all_ended)
    preparing.end(process)  # a second time does nothing
    preparing.end(None)
