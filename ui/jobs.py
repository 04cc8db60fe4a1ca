"""Long work in the background: progress, results as they land, cancel, a queue.

Streamlit's script thread must stay free, and a thread cannot be killed. So a job is one daemon
thread that reports what it has finished and asks between two pieces of work whether to go on;
every solve has its own time limit. Cancelling answers at once: the job is marked, hands out no more
work, and what its thread still finishes is thrown away. A job belongs to an analysis, not to a
browser tab: leaving the page or reloading does not stop it, closing the last tab does, after a
minute's grace.
"""

import logging
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from rulekit.exceptions import RulekitError
from rulekit.solvers.machine_code import warm_up

GRACE_SECONDS = 60.0
MAX_RUNNING = 2
SWITCH_SECONDS = 0.001  # a job's thread lets a page go on after this; Python's own 0.005 is felt
WAITING = ("queued", "running")
log = logging.getLogger("rulekit.dashboard")


@dataclass
class Job:
    """One piece of long work, read by pages while its thread writes.

    Attributes
    ----------
    state : {"queued", "running", "done", "cancelled", "failed"}
    done, total : int
        Finished and planned pieces; total is 0 while unknown.
    results : tuple
        What has been reported, in order; replaced whole, never edited.
    glimpse : object
        A first look at what will stand, where the work gives one: enough to be drawn.
    standing : object
        What the results so far amount to, where the work says so: a whole that can be used while
        a better one is made; replaced, never edited. `version` counts how often.
    message : str
        What is being done, in words.
    answer : object
        What the work returned, once done.
    error : str
        A sentence, once failed; with `error_id` when the traceback is in the server's log.
    """

    title: str
    owner: str
    key: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: str = "queued"
    done: int = 0
    total: int = 0
    results: tuple[Any, ...] = ()
    glimpse: Any = None
    standing: Any = None
    version: int = 0
    message: str = ""
    answer: Any = None
    error: str = ""
    error_id: str = ""
    started: float | None = None
    finished: float | None = None
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _drawn: threading.Event = field(default_factory=threading.Event, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _ended: Callable[[], None] | None = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in WAITING

    @property
    def share(self) -> float:
        """Finished part, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since it began running; 0 while queued."""
        if self.started is None:
            return 0.0
        return (self.finished or time.monotonic()) - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds to go, told after three pieces; None before."""
        if self.done < 3 or not self.total or self.state != "running":
            return None
        return self.elapsed * (self.total - self.done) / self.done

    # For the work -------------------------------------------------------------------------

    def should_stop(self) -> bool:
        """Whether to hand out no more work; asked by the work between its pieces."""
        return self._stop.is_set()

    def report(
        self,
        result: Any = None,
        *,
        done: int | None = None,
        total: int | None = None,
        message: str | None = None,
        glimpse: Any = None,
        standing: Any = None,
    ) -> None:
        """Add a result (if not None) and move the counts; ignored once the job has ended.

        Without `done`, a result counts as one piece.
        """
        with self._lock:
            if self.state != "running":
                return
            if result is not None:
                self.results = (*self.results, result)
                self.done += done is None
            self.done = self.done if done is None else done
            self.total = self.total if total is None else total
            self.message = self.message if message is None else message
            self.glimpse = self.glimpse if glimpse is None else glimpse
            if standing is not None:
                self.standing = standing
                self.version += 1

    def give_way(self, seconds: float) -> None:
        """Let a page draw what is there: wait until `drawn` was said, for some seconds at most.

        A page and a job share one interpreter lock, so what a job goes on with delays the page.
        """
        self._drawn.wait(seconds)

    # For the page -------------------------------------------------------------------------

    def drawn(self) -> None:
        """Say that a page has drawn the first results; `give_way` waits for it."""
        self._drawn.set()

    def cancel(self) -> None:
        """Stop: no more work is handed out, results so far stay; answers at once."""
        self._stop.set()
        self._drawn.set()
        if self._end("cancelled") and self._ended is not None:
            self._ended()

    def _begin(self) -> bool:
        with self._lock:
            if self.state != "queued":
                return False
            self.started, self.state = time.monotonic(), "running"
            return True

    def _end(self, state: str, *, answer: Any = None, error: str = "", error_id: str = "") -> bool:
        with self._lock:
            if not self.active:
                return False
            self.answer, self.error, self.error_id = answer, error, error_id
            self.finished, self.state = time.monotonic(), state
            return True


Work = Callable[[Job], Any]


class JobRegistry:
    """All jobs of this server: one active an owner, `max_running` at a time, the rest queue.

    Parameters
    ----------
    max_running : int
    grace : float
        Seconds between an owner's last tab closing and the end of its job.
    """

    def __init__(self, max_running: int = MAX_RUNNING, grace: float = GRACE_SECONDS):
        self.max_running = max_running
        self.grace = grace
        self._jobs: dict[str, Job] = {}  # the latest of each owner
        self._queue: list[tuple[Job, Work]] = []
        self._threads: dict[str, threading.Thread] = {}
        self._tabs: dict[str, int] = {}
        self._timers: dict[str, threading.Timer] = {}
        self._lock = threading.RLock()

    def start(self, owner: str, title: str, work: Work, *, total: int = 0, key: str = "") -> Job:
        """Start (or queue) a job, ending the owner's active one first.

        Parameters
        ----------
        owner : str
            The analysis' id.
        title : str
        work : callable
            Called with the job in its own thread; must not call Streamlit. What it returns
            becomes the job's `answer`; it should look at ``job.should_stop()`` between pieces.
        total : int
            Planned pieces, if known.
        key : str
            What the job's results depend on; to tell whether they are stale.
        """
        with self._lock:
            if (current := self._jobs.get(owner)) is not None:
                current.cancel()
            job = Job(title, owner, key, total=total, _ended=self._dispatch)
            self._jobs[owner] = job
            self._queue.append((job, work))
            self._dispatch()
            return job

    def get(self, owner: str) -> Job | None:
        """Return the owner's latest job, or None."""
        return self._jobs.get(owner)

    def position(self, job: Job) -> int:
        """Return a queued job's place in the queue, from 1; 0 if it is not waiting."""
        with self._lock:
            waiting = [j.id for j, _ in self._queue if j.state == "queued"]
            return waiting.index(job.id) + 1 if job.id in waiting else 0

    def forget(self, owner: str) -> None:
        """Cancel and drop whatever the owner has."""
        with self._lock:
            if (job := self._jobs.pop(owner, None)) is not None:
                job.cancel()

    def attach(self, owner: str) -> None:
        """Count one more tab that looks at the owner's analysis."""
        with self._lock:
            self._tabs[owner] = self._tabs.get(owner, 0) + 1
            if (timer := self._timers.pop(owner, None)) is not None:
                timer.cancel()

    def detach(self, owner: str) -> None:
        """Count one tab less; without any, the owner's job ends after the grace."""
        with self._lock:
            self._tabs[owner] = self._tabs.get(owner, 1) - 1
            if self._tabs[owner] > 0:
                return
            del self._tabs[owner]
            timer = threading.Timer(self.grace, self._orphaned, (owner,))
            timer.daemon = True
            self._timers[owner] = timer
            timer.start()

    def _orphaned(self, owner: str) -> None:
        with self._lock:
            self._timers.pop(owner, None)
            if owner not in self._tabs and (job := self._jobs.get(owner)) is not None:
                job.cancel()

    def _dispatch(self) -> None:
        """Start what may start now. A cancelled job's thread gives its place away at once."""
        with self._lock:
            self._queue = [(j, w) for j, w in self._queue if j.state == "queued"]
            live = [j for j in self._jobs.values() if j.state == "running"]
            abandoned = len(self._threads) - len([j for j in live if j.id in self._threads])
            free = self.max_running - len(live) - max(0, abandoned - self.max_running)
            for job, work in self._queue[: max(0, free)]:
                if job._begin():
                    thread = threading.Thread(target=self._run, args=(job, work), daemon=True)
                    self._threads[job.id] = thread
                    thread.start()
            self._queue = [(j, w) for j, w in self._queue if j.state == "queued"]

    def _run(self, job: Job, work: Work) -> None:
        try:
            answer = work(job)
            job._end("done", answer=answer)
        except ValueError as error:  # the library's sentences, and wrong settings
            if not isinstance(error, RulekitError):
                log.warning("shown as a sentence: %s", error, exc_info=error)
            job._end("failed", error=str(error))
        except Exception:
            if job.active:
                error_id = uuid.uuid4().hex[:8]
                log.exception("error %s in job %s", error_id, job.title)
                sentence = "The run stopped on an error that is not in your settings."
                job._end("failed", error=sentence, error_id=error_id)
        finally:
            with self._lock:
                self._threads.pop(job.id, None)
                self._dispatch()


@st.cache_resource(show_spinner=False)
def registry() -> JobRegistry:
    """Return the one registry of this server."""
    sys.setswitchinterval(SWITCH_SECONDS)
    warm_up()  # loaded in a second where `python -m rulekit.solvers.machine_code` made the kernels
    return JobRegistry()


def watch(owner: str) -> None:
    """Tell the registry that this tab looks at an analysis; call on every run of the script."""
    _sentinel(owner)


@st.cache_resource(
    scope="session", show_spinner=False, on_release=lambda owner: registry().detach(owner)
)
def _sentinel(owner: str) -> str:
    registry().attach(owner)
    return owner
