"""Backend for fits of runs: this machine, or a Dask cluster (RULEKIT_SCHEDULER)."""

import os
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

import joblib

from rulekit.exceptions import RulekitError

SCHEDULER = "RULEKIT_SCHEDULER"  # environment variable: the address, such as tcp://10.0.0.7:8786
SECONDS = 5.0  # timeout of a scheduler in seconds


def counted_as_running(urgent: bool) -> AbstractContextManager[Any]:
    """Select the joblib backend for fits in this block."""
    address = os.environ.get(SCHEDULER)
    if not address:
        return joblib.parallel_config("threading", n_jobs=joblib.cpu_count())
    if _client(address).status != "running":
        _client.cache_clear()
    return joblib.parallel_config("dask", client=_client(address), priority=int(urgent))


@lru_cache(maxsize=1)
def _client(address: str) -> Any:
    try:
        from distributed import Client

        return Client(address, timeout=SECONDS, set_as_default=False)
    except ImportError as error:
        raise RulekitError(
            f"{SCHEDULER} needs Dask, which is not installed on this server; run: "
            'pip install "rulekit-dashboard[cluster]".'
        ) from error
    except (OSError, ValueError) as error:
        raise RulekitError(
            f"{SCHEDULER} must name a Dask scheduler that answers; {address!r} did not ({error}). "
            "Start it, or start this server without the variable."
        ) from error
