"""Compilation of kernels, once per machine, beside the server; the pages show its duration."""

import math
import os
import signal
import subprocess
import sys
import time
from functools import cache

from rulekit.search.machine_code import KERNELS, QUICK, missing_seconds

NICE = 10  # serving pages has priority


def begin() -> subprocess.Popen[bytes] | None:
    """Start compiling missing kernels in a separate process; None if nothing is missing."""
    if not missing_seconds(tuple(KERNELS)):
        return None
    command = [sys.executable, "-m", "rulekit.search.machine_code"]
    nice = ["nice", "-n", str(NICE)] if os.name == "posix" else []
    # in a session of its own, so that `end` reaches the processes it starts
    return subprocess.Popen([*nice, *command], stdout=subprocess.DEVNULL, start_new_session=True)


def end(process: subprocess.Popen[bytes] | None) -> None:
    """Stop compiling; what is missing is compiled at the next start."""
    if process is None or process.poll() is not None:
        return
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    process.wait()


@cache
def _began() -> tuple[float, float]:
    """Return the time of the first check, and the seconds that were missing then."""
    return time.monotonic(), missing_seconds(QUICK)


def words() -> str | None:
    """Return the remaining seconds until the quick search is ready; None if it is."""
    began, seconds = _began()
    if not missing_seconds(QUICK):
        return None
    if (elapsed := time.monotonic() - began) < seconds:
        return f"Preparing the search on this machine (once): {math.ceil(seconds - elapsed)} s left"
    return (
        f"Preparing the search on this machine (once): {elapsed:.0f} s so far, longer than the "
        f"{seconds:.0f} s estimated"
    )
