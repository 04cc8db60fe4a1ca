"""The process of a job; only `ui.runs.jobs` starts it."""

# On Linux it is forked by the fork server of `multiprocessing`, which has imported the modules of a
# run (it takes seconds) and has no threads whose locks a fork would copy. Elsewhere it imports them
# itself. It ends with its connection to the server, also while working: the server has ended.

import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver, spawn
from multiprocessing.connection import Connection
from typing import Any

FORKS = sys.platform == "linux"  # elsewhere libraries of the system may not survive a fork
#: Argument of every task: takes `done`, `total`, a `message` and results so far (`interim`).
Report = Callable[..., None]
CONTEXT = multiprocessing.get_context("forkserver" if FORKS else "spawn")


class Worker:
    """Handle of a process in the server."""

    def __init__(self) -> None:
        self.pid: int | None = None  # until it has begun
        self.exitcode: int | None = None
        self._killed = False

    def messages(self, task: bytes) -> Iterator[tuple[Any, ...]]:
        """Start the process and yield its messages until it ends, the first one without content."""
        ours, theirs = CONTEXT.Pipe()
        process = CONTEXT.Process(target=_run, args=(task, dict(os.environ), theirs), daemon=True)
        with ours, suppress(OSError, EOFError):  # it has ended, perhaps while sending
            with theirs:
                _start(process)
            self.pid = ours.recv()
            if self._killed:
                self.kill()
            yield ("begun",)
            while True:
                yield ours.recv()
        if process.pid is not None:
            process.join()
            self.exitcode = process.exitcode

    def kill(self) -> None:
        """Kill the process, now or when it begins."""
        self._killed = True
        self.send("SIGKILL")

    def send(self, name: str) -> None:
        """Send a signal to the process and to those it has started."""
        if self.pid is not None:
            kill = getattr(os, "killpg", os.kill)  # the latter on Windows, which cannot pause
            with suppress(ProcessLookupError, PermissionError):  # it has just ended
                kill(self.pid, getattr(signal, name, signal.SIGTERM))


def prepare() -> None:
    """Start the fork server, which imports the modules of a run."""
    spawn.get_preparation_data = get_preparation_data
    if FORKS:
        # the fork server of Python 3.11 has only this path
        os.environ["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
        CONTEXT.set_forkserver_preload(["ui.runs.preload"])
        forkserver.ensure_running()


def get_preparation_data(
    name: str, original: Callable[[str], dict[str, Any]] = spawn.get_preparation_data
) -> dict[str, Any]:
    """Return what a new process needs, without the main module: it is Streamlit's script."""
    return {k: v for k, v in original(name).items() if not k.startswith("init_main")}


def _start(process: Any) -> None:
    """Start a process; if its fork server has just ended, wait until the next call sees that."""
    pid = forkserver._forkserver._forkserver_pid
    try:
        process.start()
    except (OSError, EOFError):
        with suppress(ProcessLookupError, ChildProcessError):  # another call has seen it
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        raise


def release_memory() -> None:
    """Collect garbage and return its memory to the system."""
    # Linux keeps freed memory: over thirty visitors the server grows by 3 % without this, 1 % with
    gc.collect()
    with suppress(OSError, AttributeError):  # available with the GNU library only
        ctypes.CDLL(None).malloc_trim(0)


def _run(task: bytes, environment: dict[str, str], server: Connection) -> None:
    """Run a task and send its result, or its error: a message, or a traceback for the log."""
    if (pipe := forkserver._forkserver._forkserver_alive_fd) is not None:
        # The system resumes a paused process, which then notices the end of the server, when the
        # fork server ends. It does not while a process has this pipe.
        os.close(pipe)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # Ctrl+C in the terminal is for the server
    os.environ |= environment
    lock = threading.Lock()

    def send(*message: Any) -> None:
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        with lock:
            server.send_bytes(content)

    server.send(os.getpid())
    threading.Thread(target=_end_with, args=(server,), daemon=True).start()
    try:
        send("done", pickle.loads(task)(partial(_report, send)))
    except Exception as error:
        # takes two seconds if no task has imported it yet
        from rulekit.exceptions import RulekitError

        is_expected = isinstance(error, RulekitError)
        message = str(error) if is_expected or isinstance(error, ValueError) else ""
        send("failed", message, "" if is_expected else traceback.format_exc())


def _report(send: Callable[..., None], **update: Any) -> None:
    """Send what is not None of an update to the job; safe from any thread."""
    send("report", {name: value for name, value in update.items() if value is not None})


def _end_with(server: Connection) -> None:
    """End the process when the server has ended."""
    with suppress(OSError, EOFError):
        server.recv_bytes()
    os._exit(0)
