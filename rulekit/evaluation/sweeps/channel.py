"""Results and stop signals between workers and the caller, fit by fit.

joblib hands back whole tasks only, and may run them in this process, in others or on other
machines. Where memory is shared, a result is handed over by a call. Processes of this machine
append it to a file in a folder that the caller reads on; those of a cluster send it by the
scheduler. No result depends on the way it takes.
"""

import json
import os
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from rulekit.learners.cluster import PULSE, Line, client_in_use

Receive = Callable[[int, int, dict[str, Any]], None]
STOP = "stop"


class Folder:
    """A `Line` between processes of one machine: a folder with one file per writer."""

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            self._home = tempfile.TemporaryDirectory(prefix="rulekit-", ignore_cleanup_errors=True)
        self.path = Path(path or self._home.name)
        self._file = self.path / f"{uuid.uuid4().hex}.jsonl"
        self._offsets: dict[Path, int] = {}

    def __reduce__(self) -> tuple[type["Folder"], tuple[str]]:
        return Folder, (str(self.path),)

    def send(self, text: str) -> None:
        """Send a message; it is dropped if the folder is gone."""
        if self.path.is_dir():
            with self._file.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    def stop(self) -> None:
        """Signal every worker to stop."""
        (self.path / STOP).touch()

    def stopped(self) -> bool:
        """Whether the work should stop."""
        return (self.path / STOP).exists()

    def heard(self) -> list[str]:
        """Return the messages since the last call."""
        found: list[str] = []
        for path in sorted(self.path.glob("*.jsonl")):
            start = self._offsets.get(path, 0)
            if os.path.getsize(path) > start:
                with path.open("rb") as file:
                    file.seek(start)
                    fresh = file.read()
                whole = fresh[: fresh.rfind(b"\n") + 1]  # a line may still be growing
                self._offsets[path] = start + len(whole)
                found += whole.decode().splitlines()
        return found

    def close(self) -> None:
        """Delete the folder."""
        self._home.cleanup()


class Channel:
    """The worker's end: `send` results, check `stopped`."""

    def __init__(
        self,
        line: Folder | Line,
        receive: Receive | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._line = line
        self._receive = receive
        self._should_stop = should_stop

    def __reduce__(self) -> tuple[type["Channel"], tuple[Folder | Line]]:
        """Pickle without the caller's functions, locks and events."""
        return Channel, (self._line,)

    @property
    def is_remote(self) -> bool:
        """Whether this is the far end, in another process."""
        return self._receive is None

    def stopped(self) -> bool:
        """Return whether the caller wants to stop."""
        return self._line.stopped() if self._should_stop is None else bool(self._should_stop())

    def send(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Hand over what one fit measured."""
        if self._receive is not None:
            self._receive(setting, fold, measured)
        else:
            self._line.send(json.dumps([setting, fold, measured]))


class Listener:
    """The caller's end: a line, and a thread that reads it while tasks run."""

    def __init__(self, receive: Receive, should_stop: Callable[[], bool]) -> None:
        self._receive, self._should_stop = receive, should_stop
        self._ended, self._stopped = threading.Event(), threading.Event()
        self.error: BaseException | None = None

    def __enter__(self) -> "Listener":
        client = client_in_use()
        self._line: Folder | Line = Folder() if client is None else Line(client)
        self._thread = threading.Thread(target=self._listen, name="sweep-listener", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._ended.set()
        self._thread.join()
        self._line.close()

    def channel(self) -> Channel:
        """Create a worker's end for one task."""
        return Channel(self._line, self._receive_guarded, self._asks)

    def stop(self) -> None:
        """Signal every worker to stop."""
        self._stopped.set()
        self._line.stop()

    def stopped(self) -> bool:
        """Whether the workers were signalled to stop."""
        return self._stopped.is_set()

    def _receive_guarded(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Receive a message in this process; errors are the caller's, not the worker's."""
        with self.guarded():
            self._receive(setting, fold, measured)

    def _asks(self) -> bool:
        return self.error is not None or self._should_stop()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Keep the first error for the caller's thread to raise, and stop the workers."""
        try:
            yield
        except BaseException as error:
            self.error = self.error or error
            self.stop()

    def _listen(self) -> None:
        with self.guarded():
            over = False
            while not over:
                over = self._ended.wait(PULSE)
                if self._should_stop():
                    self.stop()
                for word in self._line.heard():
                    self._receive(*json.loads(word))
