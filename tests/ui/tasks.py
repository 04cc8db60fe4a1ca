"""Tasks that tests hand to workers; what they do meanwhile is seen in a folder of the test's."""

import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.waiting import until


@dataclass(frozen=True)
class Quiet:
    """Keeps the reports of a run."""

    reports: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, **result: Any) -> None:
        """Keep a report."""
        self.reports.append(result)


@dataclass(frozen=True)
class Steps:
    """Report some pieces; each waits for a file named by its number, where there is a folder."""

    n: int
    gates: Path | None = None

    def __call__(self, report):
        for k in range(self.n):
            if self.gates is not None:
                until((self.gates / str(k)).exists)
            report(done=k + 1, message=f"piece {k + 1}", interim=k)
        return "all"


@dataclass(frozen=True)
class Deaf:
    """Write its process' number into a file, and go on for ever."""

    file: Path

    def __call__(self, report):
        self.file.write_text(str(os.getpid()))
        report(interim="first")
        while True:
            time.sleep(3600)


@dataclass(frozen=True)
class Counting:
    """Count on in a file, as long as it is not made to stand still."""

    file: Path

    def __call__(self, report):
        n = 0
        while True:
            n += 1
            self.file.write_text(str(n))
            time.sleep(0.002)


@dataclass(frozen=True)
class Dying:
    """End the process without an answer, as often as asked."""

    file: Path
    times: int

    def __call__(self, report):
        before = len(self.file.read_text()) if self.file.exists() else 0
        self.file.write_text("x" * (before + 1))
        if before < self.times:
            os._exit(1)
        return "at last"


@dataclass(frozen=True)
class Raising:
    """Raise an error."""

    error: Exception

    def __call__(self, report):
        raise self.error


@dataclass(frozen=True)
class Giving:
    """Return its argument."""

    answer: Any

    def __call__(self, report):
        return self.answer


def surroundings(report):
    """Print, and return the process and its modules."""
    print("a line of the task")  # noqa: T201
    return os.getpid(), sorted(sys.modules)


def environment(report):
    """Return the scheduler's address, and the threads that linear algebra uses."""
    return os.environ.get("RULEKIT_SCHEDULER"), os.environ.get("OMP_NUM_THREADS")


def unsendable(report):
    """Return what cannot be pickled."""
    return lambda: None


def gone(pid):
    """Whether a process has ended, be it that nobody has asked for its end yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return not stat.parent.parent.joinpath("self").exists() or gone(pid)


class Strange:
    """An answer that can be sent, and read nowhere."""

    def __reduce__(self):
        return _refuse, ()


def _refuse():
    raise ImportError("of a module that is not here")


def strange(report):
    """Return an answer that cannot be read."""
    return Strange()
