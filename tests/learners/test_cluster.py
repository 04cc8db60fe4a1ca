"""Fits on a cluster of two processes: the same results, tables sent once, results live, a stop."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import joblib
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, RuleClassifier, compare_learners, load_sample, stability
from rulekit.evaluation import LearnerGrid, sweep
from rulekit.exceptions import RulekitError
from rulekit.learners import cluster
from tests.clusters import cluster_of
from tests.evaluation.learners import SharedStump, Stump, gate, noisy_table
from tests.learners.test_workers import Mortal, marks
from tests.waiting import until

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
SETTINGS = {"theta": [-0.5, 0.0, 0.5], "column": [0, 1]}
# Dask's memory manager drops copies that no task waits for (every 2 s) and may fetch them again.
DASK = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.active-memory-manager.start": False,
}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two_workers():
    with cluster_of(2, **DASK) as made:
        yield made


@pytest.fixture
def client(two_workers):
    """A client that joblib's configuration names, of a cluster that is whole."""
    with distributed.Client(two_workers, set_as_default=False) as result:
        result.wait_for_workers(2, timeout=120)  # a worker that was killed comes back
        with joblib.parallel_config("dask", client=result):
            yield result


def alone(work):
    with joblib.parallel_config("sequential"):
        return work()


def same(ours, plain):
    left_out = ["seconds", "learner"]
    pd.testing.assert_frame_equal(ours.drop(columns=left_out), plain.drop(columns=left_out))


class Endless(Stump):
    """Leaves a file when it begins, and fits nothing until its process is killed."""

    def _fit_settings(self, X, y, settings, sample_weight, should_stop):
        (Path(self.journal) / f"begun-{os.getpid()}").touch()
        until(should_stop)
        yield from ()


class Counted(pd.DataFrame):
    """A table that leaves a file in `journal` wherever it arrives."""

    _metadata = ("journal",)

    def __reduce_ex__(self, protocol):
        return arrived, (self.to_numpy(), self.journal)


def arrived(values, journal):
    (Path(journal) / f"{os.getpid()}-{os.urandom(8).hex()}").touch()
    return counted(values, journal)


def counted(values, journal):
    result = Counted(values)
    result.journal = journal
    return result


@pytest.mark.parametrize("learner", [Stump(), SharedStump()])
def test_two_workers_give_the_table_that_one_core_gives(client, learner):
    X, y = noisy_table()
    reported = []
    ours = sweep(learner, X, y, grid=SETTINGS, cv=4, on_progress=reported.append)
    same(ours.table, alone(lambda: sweep(learner, X, y, grid=SETTINGS, cv=4)).table)
    assert len([p for p in reported if p.row is not None]) == len(ours.table) == 24


def test_comparison_on_a_cluster_equals_one_core(client):
    table = load_sample("iris")
    y = table.frame[table.frame.columns[-1]]
    X = table.frame.drop(columns=y.name)
    search = BoxSearchClassifier(random_state=0, n_perturbations=2)
    grid = {"n_clauses": [1, 2], "theta": [1.0, 3.0]}
    learners = [LearnerGrid("search", search, grid, whole_front=True, keep_models=True)]
    how = {"learners": learners, "cv": 2, "references": True}
    ours = compare_learners(X, y, **how)
    plain = alone(lambda: compare_learners(X, y, **how))
    columns = ["setting", "fold"]
    result, wanted = (
        pd.DataFrame(r.finished).sort_values(columns, ignore_index=True) for r in (ours, plain)
    )
    same(result, wanted)
    assert [m.rule_set_ for m in ours.models.values()] == [
        m.rule_set_ for m in plain.models.values()
    ]
    pd.testing.assert_frame_equal(*[r.references.drop(columns="seconds") for r in (ours, plain)])


def test_rule_and_stability_on_a_cluster_equal_one_core(client):
    X, y = noisy_table(200)
    model = RuleClassifier(max_conditions=3, random_state=0)
    ours, plain = model.fit(X, y), alone(lambda: RuleClassifier(3, random_state=0).fit(X, y))
    assert ours.rule_set_ == plain.rule_set_
    pd.testing.assert_frame_equal(ours.choice_.table, plain.choice_.table)
    again = stability(ours, X, y, n_resamples=4, random_state=1)
    once = alone(lambda: stability(plain, X, y, n_resamples=4, random_state=1))
    assert [r.rule for r in again.resamples] == [r.rule for r in once.resamples]


def test_each_worker_gets_a_table_once_for_each_learner(client, tmp_path):
    values, y = noisy_table()
    X = counted(values, str(tmp_path))
    learners = {f"stump {k}": (Stump(pause=k / 1e6), SETTINGS) for k in range(3)}
    assert len(compare_learners(X, y, learners=learners, cv=4).finished) == 3 * 24
    came = sorted(int(name.partition("-")[0]) for name in os.listdir(tmp_path))
    assert came == sorted(3 * [*client.run(os.getpid).values()])


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path):
    learner = Mortal(journal=str(marks(tmp_path, 1)))
    before = set(client.run(os.getpid).values())
    result = sweep(learner, *noisy_table(), grid=SETTINGS, cv=3)
    assert not list(tmp_path.iterdir())
    same(result.table, alone(lambda: sweep(Stump(), *noisy_table(), grid=SETTINGS, cv=3)).table)
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before


def test_workers_killed_again_and_again_are_reported(client, tmp_path):
    learner = Mortal(journal=str(marks(tmp_path, 50)))
    with pytest.raises(RulekitError, match=r"twice, .* of 3 fits were finished\. Give a `store`"):
        sweep(learner, *noisy_table(), grid={"theta": [0.5]}, cv=3)


def test_results_arrive_before_the_sweep_ends(client, tmp_path):
    (tmp_path / "journal").mkdir()
    gate(tmp_path / "journal").write_text("12")  # two of four tasks
    learner = SharedStump(journal=str(tmp_path / "journal"))

    def open_gate(progress):
        gate(tmp_path / "journal").unlink(missing_ok=True)

    sweep_result = sweep(learner, *noisy_table(), grid=SETTINGS, cv=4, on_progress=open_gate)
    assert len(sweep_result.table) == 24


def test_stop_sends_no_further_task_and_keeps_what_is_finished(client):
    reported = []
    how = {"on_progress": reported.append, "should_stop": lambda: len(reported) > 0}
    assert 6 <= len(sweep(SharedStump(), *noisy_table(), grid=SETTINGS, cv=8, **how).table) < 48


def test_what_cannot_be_sent_or_returned_is_reported(client):
    for work, argument in ((id, threading.Lock()), (lambda _: threading.Lock(), 0)):
        with pytest.raises(TypeError, match="serialize"):
            list(cluster.spread(work, [(argument,)]))


def test_failed_fit_is_located_with_its_traceback(client):
    with pytest.raises(ValueError, match="the planted failure") as caught:
        sweep(Stump(fail_at=0.5), *noisy_table(), grid=SETTINGS, cv=2)
    notes = " ".join(caught.value.__notes__)
    assert "in fold" in notes
    assert "Traceback" in notes


def test_workers_of_another_version_are_refused(client, monkeypatch):
    monkeypatch.setattr(cluster, "code_version", lambda: "another")
    with pytest.raises(RulekitError, match="has another version of rulekit"):
        sweep(Stump(), *noisy_table(), grid=SETTINGS, cv=2)


def test_a_scheduler_that_is_killed_is_reported(tmp_path):
    (tmp_path / "journal").mkdir()
    place = f"--scheduler-file={tmp_path / 'place'}"
    program = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*program, "scheduler", place, "--host=127.0.0.1", "--port=0", "--no-dashboard"], cwd=ROOT
    )
    worker = subprocess.Popen(
        [*program, "worker", place, "--nthreads=1", "--no-nanny", "--no-dashboard"], cwd=ROOT
    )

    def kill():
        until(lambda: list((tmp_path / "journal").iterdir()))
        scheduler.kill()

    try:
        with distributed.Client(scheduler_file=tmp_path / "place", set_as_default=False) as client:
            killing = threading.Thread(target=kill)
            killing.start()
            learner = Endless(journal=str(tmp_path / "journal"))
            with (
                joblib.parallel_config("dask", client=client),
                pytest.raises(RulekitError, match="connection to the cluster's scheduler was lost"),
            ):
                sweep(learner, *noisy_table(), grid=SETTINGS, cv=2)
            killing.join()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


def test_a_cluster_without_workers_is_reported(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.1)
    with (
        cluster_of(0) as empty,
        distributed.Client(empty, set_as_default=False) as client,
        joblib.parallel_config("dask", client=client, wait_for_workers_timeout=None),
        pytest.raises(RulekitError, match=r"had no worker for 0\.1 s"),
    ):
        sweep(Stump(), *noisy_table(), grid=SETTINGS, cv=2)
