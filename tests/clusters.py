"""A small Dask cluster for tests: worker processes of one thread each, on free ports."""

import sys
from contextlib import contextmanager
from types import ModuleType

import pytest


@contextmanager
def cluster_of(n_workers, **config):
    """Start so many workers, with settings of Dask."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    how = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with pytest.MonkeyPatch.context() as patch, dask.config.set(config):
        # a test of a page leaves the app as the program, which each worker would run
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        with distributed.LocalCluster(n_workers=n_workers, **how) as made:
            yield made
