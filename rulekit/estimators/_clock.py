"""When a search has to end: the caller asks for it, or the time is over."""

import time
from collections.abc import Callable
from typing import Self


class Clock:
    """Says when to stop, and remembers that the time ran out.

    Parameters
    ----------
    end : float or None, default=None
        When the time is over, as `time.monotonic` counts.
    should_stop : callable, optional
        Asked each time.
    """

    def __init__(
        self, end: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> None:
        self.end, self.should_stop, self.ran_out = end, should_stop, False

    @classmethod
    def of_seconds(cls, limit: float | None, should_stop: Callable[[], bool] | None = None) -> Self:
        """Start a clock that runs for so many seconds; None for ever."""
        return cls(None if limit is None else time.monotonic() + limit, should_stop)

    def __call__(self) -> bool:
        self.ran_out |= self.end is not None and time.monotonic() > self.end
        return self.ran_out or self.stopped()

    def stopped(self) -> bool:
        """Whether the caller asks to stop, whatever the time."""
        return self.should_stop is not None and self.should_stop()
