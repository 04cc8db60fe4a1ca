"""Runs whose fits are made on a cluster: the same curve, and a sentence where there is none."""

import sys

import pandas as pd
import pytest

from rulekit.data import load_sample
from rulekit.exceptions import RulekitError
from tests.clusters import cluster_of
from tests.ui.tasks import Quiet
from tests.waiting import until
from ui.learners.spec import RunSpec
from ui.models.run import quick, work
from ui.runs import scheduler
from ui.runs.jobs import JobRegistry
from ui.state import AppState

SPEC = RunSpec(limits=(1, 2), folds=2, against=False, robust=False, noisy=False)


@pytest.fixture(autouse=True)
def _of_this_test_only(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    scheduler._client.cache_clear()
    yield
    scheduler._client.cache_clear()


def measured(found):
    return found.points().drop(columns="seconds"), [m.rule_set_ for m in found.models.values()]


@pytest.mark.slow
def test_a_run_on_a_cluster_gives_the_curve_and_the_rules_of_one_here(monkeypatch):
    state = AppState(table=load_sample("iris"))
    requested = [work(SPEC, state), work(quick(SPEC), state)]
    plain = [measured(each(Quiet())) for each in requested]
    with cluster_of(2) as cluster:
        monkeypatch.setenv(scheduler.SCHEDULER, cluster.scheduler_address)
        jobs = JobRegistry(n_running=2)
        try:
            ours = [jobs.start(f"visitor {k}", "A run", each) for k, each in enumerate(requested)]
            until(lambda: not any(job.active for job in ours))
        finally:
            jobs.close()
        notes = [line for log in cluster.get_logs().values() for line in str(log).splitlines()]
    assert sum("_do took" in line for line in notes) >= 4  # two folds each
    for job, (points, rules) in zip(ours, plain, strict=True):
        assert job.state == "done", job.error
        found, same = measured(job.answer)
        pd.testing.assert_frame_equal(found, points)
        assert same == rules


def test_unreachable_address_is_reported(monkeypatch):
    monkeypatch.setenv(scheduler.SCHEDULER, "tcp://127.0.0.1:9")
    monkeypatch.setattr(scheduler, "SECONDS", 0.2)
    pytest.importorskip("distributed")
    with pytest.raises(RulekitError, match=r"must name a Dask scheduler that answers; 'tcp://127"):
        scheduler.counted_as_running(urgent=True)


def test_server_without_dask_names_what_to_install(monkeypatch):
    monkeypatch.setenv(scheduler.SCHEDULER, "tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RulekitError, match=r'pip install "rulekit-dashboard\[cluster\]"'):
        scheduler.counted_as_running(urgent=True)
