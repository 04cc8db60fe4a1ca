"""Work for a job that goes on until it is stopped, and leaves signs of both."""

import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Endless:
    """Touch one file at the beginning, another when told to stop."""

    alive: str
    ended: str

    def __call__(self, telling):
        Path(self.alive).touch()
        while not telling.should_stop():
            time.sleep(0.01)
        Path(self.ended).touch()
