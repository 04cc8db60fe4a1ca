"""Waiting for what must come, as long as a busy machine may take: no test fails by the clock."""

import time

PATIENCE = 300.0  # seconds; spent to the end only where a test fails


def until(holds, pause=0.005):
    """Return as soon as something holds; a test that waits in vain fails."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"It did not come true in {PATIENCE:g} s."
        time.sleep(pause)
