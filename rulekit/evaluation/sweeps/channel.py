"""How a worker tells the caller about each fit as it is made, and hears that it should stop.

joblib hands back whole tasks only, and may run them in this process, in others or on other
machines. Where memory is shared, a result is handed over by a call. Where it is not, the worker
appends it to a file in a folder that both can see and the caller reads on; where there is no such
folder, results come with the finished task. No result depends on the way it takes.
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

Receive = Callable[[int, int, dict[str, Any]], None]
PULSE = 0.05  # seconds between two looks at the folder
STOP = "stop"


class Channel:
    """The worker's end: `send` results, ask whether `stopped`. Pickles into a twin by files."""

    def __init__(
        self,
        folder: str,
        receive: Receive | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._folder = Path(folder)
        self._receive = receive
        self._should_stop = should_stop
        self._file = self._folder / f"{uuid.uuid4().hex}.jsonl"

    def __reduce__(self) -> tuple[type["Channel"], tuple[str]]:
        """Leave the caller's functions at home: locks and events cannot travel."""
        return (Channel, (str(self._folder),))

    @property
    def is_remote(self) -> bool:
        """Whether this is a twin in another process."""
        return self._receive is None

    def stopped(self) -> bool:
        """Say whether the caller wants no more."""
        if self._should_stop is not None:
            return bool(self._should_stop())
        return (self._folder / STOP).exists()

    def send(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Hand over what one fit measured."""
        if self._receive is not None:
            self._receive(setting, fold, measured)
        elif self._folder.is_dir():
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([setting, fold, measured]) + "\n")


class Listener:
    """The caller's end: a folder, and a thread that reads it while tasks run elsewhere.

    Parameters
    ----------
    receive : callable of (setting, fold, measured)
        Called for each result, by this thread or by a worker's.
    should_stop : callable of no argument
        Asked a few times a second.
    """

    def __init__(self, receive: Receive, should_stop: Callable[[], bool]) -> None:
        self._receive, self._should_stop = receive, should_stop
        self._ended = threading.Event()
        self._offsets: dict[Path, int] = {}
        self.error: BaseException | None = None

    def __enter__(self) -> "Listener":
        self._home = tempfile.TemporaryDirectory(prefix="rulekit-", ignore_cleanup_errors=True)
        self.folder = Path(self._home.name)
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
        self._home.cleanup()

    def channel(self) -> Channel:
        """Make a worker's end for one task."""
        return Channel(str(self.folder), self._receive_guarded, self._asks)

    def stop(self) -> None:
        """Tell every worker that nothing more is wanted."""
        (self.folder / STOP).touch()

    def _receive_guarded(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Take what a worker of this process hands over; what goes wrong is not its fault."""
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
            while not self._ended.wait(PULSE):
                if self._should_stop():
                    self.stop()
                self._read_on()

    def _read_on(self) -> None:
        for path in sorted(self.folder.glob("*.jsonl")):
            start = self._offsets.get(path, 0)
            if os.path.getsize(path) > start:
                with path.open("rb") as file:
                    file.seek(start)
                    fresh = file.read()
                whole = fresh[: fresh.rfind(b"\n") + 1]  # a line may still be growing
                self._offsets[path] = start + len(whole)
                for line in whole.splitlines():
                    self._receive(*json.loads(line))
