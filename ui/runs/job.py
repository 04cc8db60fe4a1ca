"""State of a long job, as pages read it."""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

BUG = "The run stopped on an error that is not in your settings."
log = logging.getLogger("rulekit.dashboard")


@dataclass
class Job:
    """One piece of long work.

    Attributes
    ----------
    urgent : bool
        Whether a page is empty until it is done; urgent jobs run first.
    state : {"queued", "running", "done", "cancelled", "failed"}
    paused : bool
        Whether it is paused, in state "running", until urgent jobs of others are done.
    done, total : int
        Finished and planned pieces; total is 0 while unknown.
    standing : object
        What there is so far: a whole that can be used while a better one is made; replaced, never
        edited. `version` counts how often.
    message : str
        What is being done, in words.
    answer : object
        What the task returned, once done.
    error : str
        A sentence, once failed; with `error_id` when there is more in the server's log.
    """

    title: str
    owner: str
    key: str = ""
    urgent: bool = False
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: str = "queued"
    done: int = 0
    total: int = 0
    standing: Any = None
    version: int = 0
    message: str = ""
    answer: Any = None
    error: str = ""
    error_id: str = ""
    started: float | None = None
    finished: float | None = None
    _task: bytes = field(default=b"", repr=False)
    _tries: int = field(default=0, repr=False)
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
        """Estimated seconds left; None before three pieces are done."""
        if self.done < 3 or not self.total or self.state != "running":
            return None
        return self.elapsed * (self.total - self.done) / self.done

    def cancel(self) -> None:
        """Stop the job and free its worker; results so far stay. Returns at once."""
        if self._end("cancelled") and self._cancelled is not None:
            self._cancelled(self)

    def _begin(self) -> None:
        with self._lock:
            self._tries += 1
            if self.state == "queued":
                self.started, self.state = time.monotonic(), "running"

    def _pause(self, paused: bool) -> None:
        """Stop or go on counting its seconds."""
        now = time.monotonic()
        if not paused and self._paused_at is not None and self.started is not None:
            self.started += now - self._paused_at
        self._paused_at = now if paused else None

    def _take(self, update: dict[str, Any]) -> None:
        """Assign an update of the worker unless the job has ended."""
        with self._lock:
            if self.state == "running":
                self.version += "standing" in update
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
