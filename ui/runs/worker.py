"""A process for the long work of the pages; only `ui.runs.jobs` starts it.

It is a separate program (``python -m ui.runs.worker``), because a forked process would inherit the
server's locks, and one started by `multiprocessing` would run Streamlit's script again. It imports
the modules of a run, reports that it is ready, and waits. Tasks arrive on standard input and
results leave on standard output, both pickled: pipes between the server and its child, which no
other process can access; what the work prints goes to the log. It ends with its input, also while
working: the pipe is closed if the server ends for any reason.
"""

import ctypes
import gc
import importlib
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NICE = 5  # priority of pages: on a shared core they get three quarters


class Reporter:
    """Argument of every task: progress reports to the job, and the stop signal."""

    def __init__(self, tell: Callable[..., None], stopped: threading.Event):
        self._send = tell
        self._stopped = stopped

    def should_stop(self) -> bool:
        """Whether the task should end; the process is killed a moment later."""
        return self._stopped.is_set()

    def report(
        self,
        *,
        done: int | None = None,
        total: int | None = None,
        message: str | None = None,
        interim: Any = None,
    ) -> None:
        """Update counts, message or results so far; safe from any thread."""
        update = {"done": done, "total": total, "message": message, "interim": interim}
        self._send("report", {name: value for name, value in update.items() if value is not None})


class Worker:
    """Handle of a worker process in the server; `job` is the current job, also after a cancel."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.job: Any = None
        self.ready = False
        path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ui.runs.worker", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
            # Ctrl+C in the terminal is for the server. If the parent of a process group ends, the
            # system resumes paused processes, so that they notice the end of the server.
            process_group=0,
        )

    @property
    def going(self) -> bool:
        """Whether it uses a core; False while a stopped job ends."""
        return self.job is not None and self.job.active and not self.job.paused

    def order(self, task: bytes | None) -> None:
        """Send a task, or the stop signal; a worker that has ended is noticed when it is read."""
        with suppress(OSError):
            pickle.dump(task, self.process.stdin)
            self.process.stdin.flush()

    def messages(self) -> Iterator[tuple[Any, ...]]:
        """Yield its messages until it ends."""
        with suppress(EOFError, pickle.UnpicklingError):  # the latter: killed while writing
            while True:
                yield pickle.load(self.process.stdout)

    def end(self) -> None:
        """Kill it if it is alive, and wait until it is gone."""
        self.send("SIGKILL")
        with suppress(OSError), self.process:  # closes both pipes
            pass

    def send(self, name: str) -> None:
        """Send a signal to it and to the processes it has started."""
        if self.process.returncode is not None:
            return
        if not hasattr(os, "killpg"):  # for instance on Windows, which cannot pause a process
            self.process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):  # it has just ended
            os.killpg(self.process.pid, getattr(signal, name))


def release_memory() -> None:
    """Collect garbage and return its memory to the system."""
    # Linux keeps freed memory: over thirty visitors the server grows by 3 % without this, 1 % with
    gc.collect()
    with suppress(OSError, AttributeError):  # available with the GNU library only
        ctypes.CDLL(None).malloc_trim(0)


def main() -> None:
    """Import the modules of the command line, then run tasks until the server ends."""
    orders, answers = _lines()
    tasks: SimpleQueue[bytes] = SimpleQueue()
    stopped, lock = threading.Event(), threading.Lock()

    def tell(*message: Any) -> None:
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)  # complete, before a byte is sent
        with lock:
            answers.write(content)
            answers.flush()

    def listen() -> None:
        while True:
            try:
                task = pickle.load(orders)
            except EOFError:
                os._exit(0)
            if task is None:
                stopped.set()
            else:
                stopped.clear()
                tasks.put(task)

    threading.Thread(target=listen, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICE)
    # Streamlit, if a module imports it, warns that there is no server.
    logging.getLogger("streamlit.runtime.caching.cache_data_api").disabled = True
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # imported objects stay: no later collection visits them
    tell("ready")
    while True:
        _do(tasks.get(), tell, stopped)
        release_memory()


def _lines() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the server, and redirect what tasks print to the log."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return orders, answers


def _do(task: bytes, tell: Callable[..., None], stopped: threading.Event) -> None:
    """Run a task and send its result, or its error: a message, or a traceback for the log."""
    try:
        tell("done", pickle.loads(task)(Reporter(tell, stopped)))
    except Exception as error:
        # takes two seconds if no task has imported it yet
        from rulekit.exceptions import RulekitError

        is_expected = isinstance(error, RulekitError)
        message = str(error) if is_expected or isinstance(error, ValueError) else ""
        tell("failed", message, "" if is_expected else traceback.format_exc())


if __name__ == "__main__":
    sys.exit(main())
