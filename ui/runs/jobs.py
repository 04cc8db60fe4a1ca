"""Long work in separate processes: progress, results so far, stop, a queue."""

# The process that draws pages must stay responsive, so each job has a process (`ui.runs.worker`),
# as many at once as there are cores. A job belongs to an analysis, not to a browser tab: leaving
# the page or reloading does not stop it; closing the last tab does, after a grace period of a
# minute.

import atexit
import logging
import os
import pickle
import signal
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import joblib
import streamlit as st

from ui.runs.worker import Report, Worker, prepare, release_memory

BUG = "The run stopped on an error that is not in your settings."
log = logging.getLogger("rulekit.dashboard")


@dataclass(eq=False)
class Job:
    """One job."""

    title: str
    owner: str
    key: Any = ""  # what the result depends on; under another key it is stale
    urgent: bool = False  # runs first: a page is empty until it is done
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: str = "queued"  # "running", "done", "cancelled" or "failed"
    done: int = 0
    total: int = 0  # 0 while unknown
    interim: Any = None  # usable results so far, replaced (`version` counts) and never edited
    version: int = 0
    message: str = ""  # the current step
    answer: Any = None
    error: str = ""
    error_id: str = ""  # in the server's log, if there is more
    started: float | None = None
    finished: float | None = None
    _task: bytes = field(default=b"", repr=False)
    _worker: Worker | None = field(default=None, repr=False)
    _tries: int = field(default=0, repr=False)
    _reached: float = field(default=0.0, repr=False)  # `elapsed` when `done` changed
    _paused_at: float | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _cancelled: Callable[["Job"], None] | None = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ("queued", "running")

    @property
    def paused(self) -> bool:
        """Whether it is paused until urgent work of others is done."""
        return self._paused_at is not None and self.active

    @property
    def preparing(self) -> bool:
        """Whether its process has not begun."""
        return self.state == "running" and self._worker is not None and self._worker.pid is None

    @property
    def share(self) -> float:
        """Finished part, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def elapsed(self) -> float:
        """Seconds of running time; 0 while queued."""
        if self.started is None:
            return 0.0
        return (self.finished or self._paused_at or time.monotonic()) - self.started

    @property
    def remaining(self) -> float | None:
        """Estimated seconds left; None before three pieces are done, and once they have passed."""
        if self.done < 3 or not self.total or self.state != "running":
            return None
        left = self._reached * self.total / self.done - self.elapsed
        return left if left > 0 else None

    @property
    def where(self) -> str:
        """Its progress in words; empty before any."""
        return f" at {self.done:,} of {self.total:,}" if self.done and self.total else ""

    def cancel(self) -> None:
        """Stop the job and kill its process; results so far are kept. Returns at once."""
        if self._end("cancelled") and self._cancelled is not None:
            self._cancelled(self)

    def _begin(self, worker: Worker | None = None) -> None:
        with self._lock:
            self._worker = worker
            self._tries += 1
            if self.active:
                self.started, self.state = time.monotonic(), "running"

    def _pause(self, paused: bool) -> None:
        """Pause or resume the process, and counting its seconds."""
        now = time.monotonic()
        if not paused and self._paused_at is not None and self.started is not None:
            self.started += now - self._paused_at
        self._paused_at = now if paused else None
        if self._worker is not None:
            self._worker.send("SIGSTOP" if paused else "SIGCONT")

    def _take(self, update: dict[str, Any]) -> None:
        """Assign an update of the worker unless the job has ended."""
        with self._lock:
            if self.state == "running":
                self.version += "interim" in update
                if "done" in update:
                    self._reached = self.elapsed
                for name, value in update.items():
                    setattr(self, name, value)

    def _end(self, state: str, *, answer: Any = None, error: str = "", error_id: str = "") -> bool:
        with self._lock:
            if not self.active:
                return False
            self.answer, self.error, self.error_id = answer, error, error_id
            self.finished, self.state, self._task = time.monotonic(), state, b""
            return True

    def _fail(self, error: str, more: str) -> None:
        """Fail with a message; details go to the log under an id."""
        if error and not more:
            self._end("failed", error=error)
        elif self.active:
            error_id = uuid.uuid4().hex[:8]
            log.error("error %s in job %s: %s", error_id, self.title, more)
            self._end("failed", error=error or BUG, error_id=error_id)


GRACE_SECONDS = 60.0
TRIES = 2
WORKERS = "RULEKIT_WORKERS"  # environment variable: the number of parallel jobs, instead of cores
NO_WORKER = "No process for long work could be started on this server."
DIED = (
    "The process of this run ended twice without an answer. The machine may be short of memory: "
    "fewer rows or columns may help."
)

Task = Callable[[Report], Any]


class JobRegistry:
    """All jobs of this server: one active job per owner, at most one running job per core."""

    # Urgent jobs run first; if all cores are taken, the latest other job is paused for them.

    def __init__(self, n_running: int | None = None, grace: float = GRACE_SECONDS):
        # the cores available to this process, also in a container, unless `WORKERS` is set
        text = os.environ.get(WORKERS) or str(joblib.cpu_count())
        if not text.isdecimal() or int(text) < 1:
            raise ValueError(f"{WORKERS} must be a positive whole number, got {text!r}.")
        self.n_running = n_running or int(text)
        self.grace = grace  # seconds from closing an owner's last tab to the end of its jobs
        self._jobs: dict[str, Job] = {}  # the latest job of each owner, in the order of starts
        self._threads: set[threading.Thread] = set()
        self._ready = False  # a process has begun: the next ones begin at once
        self._closed = False
        self._tabs: dict[str, int] = {}
        self._timers: dict[str, threading.Timer] = {}
        self._lock = threading.RLock()
        atexit.register(self.close)
        prepare()

    def start(
        self,
        owner: str,
        title: str,
        task: Task,
        *,
        total: int = 0,
        key: Any = "",
        urgent: bool = False,
    ) -> Job:
        """Start (or queue) a job, ending the owner's active one first."""
        # The owner is an analysis' id, for further jobs followed by a slash and a name. `task` is
        # called with a `ui.runs.worker.Report` in another process; it is pickled now.
        order = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            if (current := self._jobs.get(owner)) is not None:
                current.cancel()
            job = Job(title, owner, key, urgent, total=total)
            job._task, job._cancelled = order, self._stop
            self._jobs = {n: j for n, j in self._jobs.items() if n != owner} | {owner: job}
            self._dispatch()
            return job

    def get(self, owner: str) -> Job | None:
        """Return the owner's latest job, or None."""
        return self._jobs.get(owner)

    def position(self, job: Job) -> int:
        """Return a queued job's place in the queue, from 1; 0 if it is not waiting."""
        with self._lock:
            waiting = [j for j in self._queue if j.state == "queued"]
            return waiting.index(job) + 1 if job in waiting else 0

    def waiting(self, job: Job) -> str:
        """Return what a job waits for: its process, a free place, urgent work; empty if nothing."""
        if job.paused:
            return "Waiting: another user's first search runs first"
        if position := self.position(job):
            return f"Waiting for a free place: number {position} in the queue"
        return "Getting ready" if job.preparing and not self._ready else ""

    def is_busy(self, owner: str) -> bool:
        """Return whether any job of the owner waits or runs."""
        with self._lock:
            mine = [j for n, j in self._jobs.items() if n == owner or n.startswith(f"{owner}/")]
            return any(job.active for job in mine)

    def forget(self, owner: str) -> None:
        """Cancel and remove all jobs of the owner."""
        with self._lock:
            for name in [n for n in self._jobs if n == owner or n.startswith(f"{owner}/")]:
                self._jobs.pop(name).cancel()

    def attach(self, owner: str) -> None:
        """Count one more tab that shows the owner's analysis."""
        with self._lock:
            self._tabs[owner] = self._tabs.get(owner, 0) + 1
            if (timer := self._timers.pop(owner, None)) is not None:
                timer.cancel()

    def detach(self, owner: str) -> None:
        """Count one tab less; without any, the owner's jobs are removed after the grace period."""
        with self._lock:
            self._tabs[owner] = self._tabs.get(owner, 1) - 1
            if self._tabs[owner] > 0:
                return
            del self._tabs[owner]
            timer = threading.Timer(self.grace, self._stop_orphans, (owner,))
            timer.daemon = True
            self._timers[owner] = timer
            timer.start()

    def close(self) -> None:
        """End all processes and wait until they are gone; no job can be started after this."""
        with self._lock:
            self._closed = True
            for job in list(self._jobs.values()):
                job.cancel()
            for timer in self._timers.values():
                timer.cancel()
            threads = list(self._threads)
        for thread in threads:
            thread.join()
        atexit.unregister(self.close)

    def _stop_orphans(self, owner: str) -> None:
        with self._lock:
            self._timers.pop(owner, None)
            if owner not in self._tabs:
                self.forget(owner)
        release_memory()

    # Scheduling ----------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Start queued jobs and resume paused ones."""
        with self._lock:
            while (queue := self._queue) and queue[0].urgent and self._is_free():
                self._start(queue[0])
            if not (queue and queue[0].urgent):
                still = sorted((j for j in self._running if j.paused), key=lambda j: j.started)
                for job in still[: max(0, self._free)]:  # the longest running first
                    job._pause(False)
                while (queue := self._queue) and self._free > 0:
                    self._start(queue[0])

    @property
    def _queue(self) -> list[Job]:
        """The jobs without a process, the next one first."""
        queue = [j for j in self._jobs.values() if j.active and j._worker is None]
        return sorted(queue, key=lambda job: not job.urgent)

    @property
    def _running(self) -> list[Job]:
        """The jobs with a process, also paused ones."""
        return [j for j in self._jobs.values() if j.active and j._worker is not None]

    @property
    def _free(self) -> int:
        """Number of further jobs that may run."""
        return 0 if self._closed else self.n_running - sum(not j.paused for j in self._running)

    def _is_free(self) -> bool:
        """Return whether an urgent job may start, after pausing another if needed and possible."""
        if self._free > 0 or self._closed:
            return self._free > 0
        giving = [j for j in self._running if not (j.urgent or j.paused or j.preparing)]
        if not giving or not hasattr(signal, "SIGSTOP"):
            return False
        max(giving, key=lambda j: j.started)._pause(True)
        return True

    def _start(self, job: Job) -> None:
        """Start a process for a job."""
        job._begin(Worker())
        thread = threading.Thread(target=self._attend, args=(job, job._worker), daemon=True)
        self._threads.add(thread)
        thread.start()

    def _attend(self, job: Job, worker: Worker) -> None:
        """Handle the messages of a job's process until it ends; start another if it died."""
        try:
            for event, *content in worker.messages(job._task):
                if event == "report":
                    job._take(*content)
                    continue
                with self._lock:
                    if event == "begun":
                        self._ready = True
                        job.started = time.monotonic()  # without the time of getting ready
                    elif event == "done":
                        job._end("done", answer=content[0])
                    else:
                        job._fail(*content)
                    self._dispatch()  # an urgent job may have waited for one that can be paused
        except Exception as error:  # a result that cannot be read here
            job._fail("", f"its answer could not be read: {error!r}")
            worker.kill()
        with self._lock:
            if job.active:
                log.warning("job %s: its process ended (%s)", job.title, worker.exitcode)
                job._paused_at = None
                if job._tries < TRIES:
                    job._worker = None
                else:
                    error = NO_WORKER if worker.pid is None else DIED
                    job._fail(error, f"two processes ended, the last with {worker.exitcode}")
            self._dispatch()
            self._threads.discard(threading.current_thread())

    def _stop(self, job: Job) -> None:
        """Kill the process of a cancelled job, and start others."""
        with self._lock:
            if job._worker is not None:
                job._worker.kill()
            self._dispatch()


@st.cache_resource(show_spinner=False, on_release=lambda jobs: jobs.close())
def registry() -> JobRegistry:
    """Return the registry of this server; the first call starts its workers."""
    return JobRegistry()


@st.cache_resource(
    scope="session", show_spinner=False, on_release=lambda owner: registry().detach(owner)
)
def watch(owner: str) -> str:
    """Register this tab as a viewer of an analysis; call on every run of the script."""
    registry().attach(owner)
    return owner
