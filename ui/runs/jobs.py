"""Long work in separate processes: progress, results so far, stop, a queue.

The process that draws pages must stay responsive, so jobs run in workers (`ui.runs.worker`). One
per core is started with the server, since importing the modules of a run takes two seconds. A job
belongs to an analysis, not to a browser tab: leaving the page or reloading does not stop it;
closing the last tab does, after a grace period of a minute.

A worker runs many jobs, to avoid two seconds of start for the next visitor; memory is collected in
between (a worker of 320 MB has 330 after sixty quick jobs). Only a worker that does not end its
work after a stop request is killed and replaced.
"""

import atexit
import logging
import os
import pickle
import signal
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import joblib
import streamlit as st

from rulekit.search.machine_code import QUICK
from ui.runs.worker import Reporter, Worker, release_memory

BUG = "The run stopped on an error that is not in your settings."
log = logging.getLogger("rulekit.dashboard")


@dataclass
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
        """Stop the job and free its worker; results so far are kept. Returns at once."""
        if self._end("cancelled") and self._cancelled is not None:
            self._cancelled(self)

    def _begin(self) -> None:
        with self._lock:
            self._tries += 1
            if self.state == "queued":
                self.started, self.state = time.monotonic(), "running"

    def _pause(self, paused: bool) -> None:
        """Pause or resume counting its seconds."""
        now = time.monotonic()
        if not paused and self._paused_at is not None and self.started is not None:
            self.started += now - self._paused_at
        self._paused_at = now if paused else None

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
STOP_SECONDS = 0.3  # time for a stopped task to end by itself before it is killed
TRIES = 2
WORKERS = "RULEKIT_WORKERS"  # environment variable: the number of parallel jobs, instead of cores
WARM = ("ui.models.work", *QUICK)  # modules for the first curve
AT_REST = 4  # maximal number of idle workers on a machine with many cores
NO_WORKER = "No process for long work could be started on this server."
DIED = (
    "The process of this run ended twice without an answer. The machine may be short of memory: "
    "fewer rows or columns may help."
)

Task = Callable[[Reporter], Any]


class JobRegistry:
    """All jobs of this server: one active job per owner, at most one running job per core.

    Urgent jobs run first; if all cores are taken, the latest other job is paused for them.
    """

    def __init__(
        self,
        n_running: int | None = None,
        grace: float = GRACE_SECONDS,
        modules: Sequence[str] = WARM,
    ):
        self.n_running = n_running or _n_cores()
        self.grace = grace  # seconds from closing an owner's last tab to the end of its jobs
        self.modules = modules  # imported by a worker before it takes a job
        self._jobs: dict[str, Job] = {}  # the latest job of each owner
        self._queue: list[Job] = []
        self._workers: list[Worker] = []
        self._readers: set[threading.Thread] = set()
        self._stillborn = 0  # consecutive workers that ended before they were ready
        self._closed = False
        self._tabs: dict[str, int] = {}
        self._timers: dict[str, threading.Timer] = {}
        self._lock = threading.RLock()
        atexit.register(self.close)
        self._dispatch()

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
        """Start (or queue) a job, ending the owner's active one first.

        The owner is an analysis' id, for further jobs followed by a slash and a name. `task` is
        called with a `ui.runs.worker.Reporter` in another process; it is pickled now.
        """
        order = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            if (current := self._jobs.get(owner)) is not None:
                current.cancel()
            job = Job(title, owner, key, urgent, total=total)
            job._task, job._cancelled = order, self._stop
            self._jobs[owner] = job
            self._queue.append(job)
            self._stillborn = 0
            self._dispatch()
            return job

    def get(self, owner: str) -> Job | None:
        """Return the owner's latest job, or None."""
        return self._jobs.get(owner)

    def position(self, job: Job) -> int:
        """Return a queued job's place in the queue, from 1; 0 if it is not waiting."""
        with self._lock:
            waiting = [j.id for j in self._queue if j.state == "queued"]
            return waiting.index(job.id) + 1 if job.id in waiting else 0

    def waiting(self, job: Job) -> str:
        """Return what a job waits for: its process, a free place, urgent work; empty if nothing."""
        if job.paused:
            return "Waiting: another user's first search runs first"
        if job.state != "queued":
            return ""
        with self._lock:
            position, free = self.position(job), self._free > 0
        if position == 1 and free:
            return "Getting ready"
        return f"Waiting for a free place: number {position} in the queue"

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
            timer = threading.Timer(self.grace, self._orphaned, (owner,))
            timer.daemon = True
            self._timers[owner] = timer
            timer.start()

    def close(self) -> None:
        """End all workers and wait until they are gone; no job can be started after this."""
        with self._lock:
            self._closed = True
            for job in self._jobs.values():
                job._end("cancelled")
            for worker in self._workers:
                worker.send("SIGKILL")
            for timer in self._timers.values():
                timer.cancel()
            readers = list(self._readers)
        for reader in readers:
            reader.join()
        atexit.unregister(self.close)

    def _orphaned(self, owner: str) -> None:
        with self._lock:
            self._timers.pop(owner, None)
            if owner not in self._tabs:
                self.forget(owner)
        release_memory()

    # Scheduling ----------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Start queued jobs, resume paused ones, and adjust the number of workers."""
        with self._lock:
            if self._closed:
                return
            self._queue = sorted((j for j in self._queue if j.active), key=lambda j: not j.urgent)
            while self._queue and self._queue[0].urgent and self._hand_out():
                pass
            if not (self._queue and self._queue[0].urgent):
                for worker in self._paused[: max(0, self._free)]:
                    worker.job._pause(False)
                    worker.send("SIGCONT")
                while self._queue and self._free > 0 and self._hand_out():
                    pass
            self._see_to_workers()

    @property
    def _free(self) -> int:
        """Number of further jobs that may run."""
        return self.n_running - sum(w.going for w in self._workers)

    @property
    def _idle(self) -> list[Worker]:
        return [w for w in self._workers if w.ready and w.job is None]

    @property
    def _paused(self) -> list[Worker]:
        """Return the paused workers, the longest running job first."""
        still = [w for w in self._workers if w.job is not None and w.job.paused]
        return sorted(still, key=lambda w: w.job.started)

    def _hand_out(self) -> bool:
        """Assign the first waiting job to an idle worker if there is a core; return success."""
        if not self._idle:
            return False
        if self._free <= 0:
            giving = [w for w in self._workers if w.going and not w.job.urgent]
            if not giving or not hasattr(signal, "SIGSTOP"):
                return False
            latest = max(giving, key=lambda w: w.job.started)
            latest.send("SIGSTOP")
            latest.job._pause(True)
        worker, job = self._idle[0], self._queue.pop(0)
        worker.job = job
        job._begin()
        worker.order(job._task)
        return True

    def _see_to_workers(self) -> None:
        """Start missing workers and end superfluous ones: one idle worker per free core."""
        n_wanted, n_at_rest = max(0, self._free), sum(w.job is None for w in self._workers)
        # one more for urgent jobs, while a running job can be paused; it is kept afterwards
        may_give = any(w.going and not w.job.urgent for w in self._workers)
        for _ in range(min(n_wanted + may_give, AT_REST) - n_at_rest):
            if self._stillborn < TRIES:
                self._begin_worker()
        for worker in self._idle[n_wanted + 1 :]:
            self._workers.remove(worker)
            worker.send("SIGKILL")

    def _begin_worker(self) -> None:
        try:
            worker = Worker(self.modules)
        except OSError:
            log.exception("no worker could be started")
            self._stillborn += 1
            return
        self._workers.append(worker)
        reader = threading.Thread(target=self._read, args=(worker,), daemon=True)
        self._readers.add(reader)
        reader.start()

    def _read(self, worker: Worker) -> None:
        """Handle the messages of a worker until it ends."""
        try:
            for message in worker.messages():
                self._handle(worker, *message)
        except Exception as error:  # a result that cannot be read here
            with self._lock:
                if worker.job is not None:
                    worker.job._fail("", f"its answer could not be read: {error!r}")
        worker.end()
        with self._lock:
            self._gone(worker)
            self._readers.discard(threading.current_thread())

    def _handle(self, worker: Worker, event: str, *content: Any) -> None:
        with self._lock:
            job = worker.job
            if event == "ready":
                worker.ready, self._stillborn = True, 0
            elif job is not None and event == "report":
                job._take(*content)
                return
            elif job is not None and event == "done":
                job._end("done", answer=content[0])
            elif job is not None:
                job._fail(*content)
            worker.job = None
            self._dispatch()

    def _gone(self, worker: Worker) -> None:
        """Queue the job of a worker that died again; no effect if it was ended from here."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._stillborn += not worker.ready
            if (job := worker.job) is not None and job.active:
                log.warning("job %s: its worker ended (%s)", job.title, worker.process.returncode)
                job._pause(False)
                if job._tries < TRIES:
                    self._queue.insert(0, job)
                else:
                    job._fail(DIED, f"two workers ended, {worker.process.returncode} the last")
        if self._stillborn >= TRIES:
            for job in self._queue:
                job._fail(NO_WORKER, "workers end before they are ready; see above")
        self._dispatch()

    def _stop(self, job: Job) -> None:
        """Free the worker of a cancelled job after a moment to end by itself."""
        with self._lock:
            worker = next((w for w in self._workers if w.job is job), None)
            n_stopped = sum(w.job is not None and not w.job.active for w in self._workers)
            if worker is not None and (job._paused_at is not None or n_stopped > self.n_running):
                self._kill(worker, job)  # it is paused, or too many are still ending
            elif worker is not None:
                worker.order(None)
                timer = threading.Timer(STOP_SECONDS, self._kill, (worker, job))
                timer.daemon = True
                timer.start()
            self._dispatch()

    def _kill(self, worker: Worker, job: Job) -> None:
        """End a worker that still has the job, and start another one."""
        with self._lock:
            if worker.job is job and worker in self._workers:
                self._workers.remove(worker)
                worker.send("SIGKILL")
                self._dispatch()


def _n_cores() -> int:
    """Return the number of parallel jobs: `WORKERS` if set, else the number of cores."""
    text = os.environ.get(WORKERS)
    if not text:
        return joblib.cpu_count()  # cores available to this process, also in a container
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{WORKERS} must be a positive whole number, got {text!r}.")
    return int(text)


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
