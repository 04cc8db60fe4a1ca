"""A small Dask cluster for tests: worker processes of one thread each, on free ports."""

from contextlib import contextmanager

import pytest


@contextmanager
def cluster_of(n_workers, **config):
    """Start so many workers, with settings of Dask."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    how = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with dask.config.set(config), distributed.LocalCluster(n_workers=n_workers, **how) as made:
        yield made
