"""Output of the command: results on standard output, all else on standard error, cleaned."""

import json
import math
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

FIRST_WORD = 1.0  # seconds until progress is first reported
PAUSE = 0.5


def echo(text: str) -> None:
    """Print a result for people, with terminal control characters escaped."""
    click.echo(escape_unprintable(text))


def note(text: str) -> None:
    """Print a note to standard error."""
    click.echo(escape_unprintable(text), err=True)


def escape_unprintable(text: str) -> str:
    """Escape unprintable characters: names come from tables and may hold terminal commands."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def print_json(content: Mapping[str, Any]) -> None:
    """Print a result for programs: one JSON object, in ASCII; NaN and infinities are null."""
    click.echo(json.dumps(_plain(content), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    """Convert tuples, arrays and NumPy scalars to JSON types, recursively."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return _plain(value.tolist())
    return None if str(value) in {"NaT", "<NA>"} else str(value)  # dates


class Work:
    """Progress of long work."""

    def __init__(self, message: str):
        self.message = message
        self.done: float | None = None
        self.begun = time.monotonic()

    def report(self, share: float) -> None:
        """Report the finished share, from 0 to 1."""
        self.done = share

    @property
    def words(self) -> str:
        """The current step, the finished share, and the start time."""
        share = "" if self.done is None else f" {100 * self.done:.0f} %,"
        return f"{self.message}:{share} {time.monotonic() - self.begun:.0f} s"


@contextmanager
def working(message: str) -> Iterator[Work]:
    """Report progress on standard error: a moving line in a terminal, else once."""
    work, over = Work(message), threading.Event()
    moving = sys.stderr.isatty()

    def report() -> None:
        if over.wait(FIRST_WORD):
            return
        if not moving:
            note(f"{work.message} ...")
            return
        while not over.wait(PAUSE):
            click.echo(f"\r\x1b[K{escape_unprintable(work.words)}", err=True, nl=False)
        click.echo("\r\x1b[K", err=True, nl=False)

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield work
    finally:
        over.set()
        reporter.join()
