"""Work over processes whose workers are killed: done once more, then told in a sentence."""

import os
import signal

import pandas as pd
import pytest

from rulekit.evaluation import SweepStore, sweep
from rulekit.exceptions import RulekitError
from rulekit.learners.cluster import spread_sorted, try_twice
from tests.evaluation.learners import Stump, noisy_table

SETTINGS = {"theta": [-0.5, 0.0, 0.5]}


def killed(times):
    """Kill the worker that does this, as often as there are files left."""
    for mark in sorted(times.iterdir()):
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


class Mortal(Stump):
    """A `Stump` whose fit kills its process as long as its journal's folder holds marks."""

    def fit(self, X, y, sample_weight=None):
        from pathlib import Path

        if self.theta > 0:
            killed(Path(self.journal))
        self.journal, journal = None, self.journal
        super().fit(X, y, sample_weight)
        self.journal = journal
        return self


class Doomed(Stump):
    """A `Stump` whose fits kill their process once the journal has six, while it is armed."""

    def fit(self, X, y, sample_weight=None):
        if len(os.listdir(self.journal)) >= 6 and os.path.exists(f"{self.journal}.armed"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y, sample_weight)


def marks(folder, n):
    for i in range(n):
        (folder / f"{i}").touch()
    return folder


@pytest.mark.slow
def test_sweep_survives_a_killed_worker_with_the_same_table(tmp_path):
    learner = Mortal(journal=str(marks(tmp_path, 1)))
    sweep_result = sweep(learner, *noisy_table(), grid=SETTINGS, cv=3, n_jobs=2)
    assert not list(tmp_path.iterdir())
    whole = sweep(Stump(), *noisy_table(), grid=SETTINGS, cv=3)
    left_out = ["seconds", "learner"]
    pd.testing.assert_frame_equal(
        sweep_result.table.drop(columns=left_out), whole.table.drop(columns=left_out)
    )


@pytest.mark.slow
def test_second_killed_worker_ends_the_sweep_and_keeps_results(tmp_path):
    folder, armed = tmp_path / "fits", tmp_path / "fits.armed"
    folder.mkdir()
    armed.touch()
    learner = Doomed(journal=str(folder))
    how = {"grid": [{"column": [0], "theta": [-0.5]}, {"column": [1], "theta": [0.5]}], "cv": 8}
    with SweepStore(tmp_path / "store.sqlite") as store:
        with pytest.raises(RulekitError, match=r"twice, .* of 16 fits were finished, and are kept"):
            sweep(learner, *noisy_table(), **how, n_jobs=2, store=store)
        kept = len(store)
        assert 0 < kept < 16
        armed.unlink()
        seen = []
        again = sweep(learner, *noisy_table(), **how, store=store, on_progress=seen.append)
    assert sum(progress.from_store for progress in seen) == kept
    assert again.is_complete


def test_an_error_of_the_work_itself_is_not_tried_again():
    calls = iter(range(2))
    with pytest.raises(ZeroDivisionError, match="by zero"):
        try_twice(lambda: next(calls) / 0, lambda: "")
    assert list(calls) == [1]


def test_results_keep_the_order_of_the_tasks():
    assert spread_sorted(pow, [(2, 3), (2, 0), (2, 1)], 1) == [8, 1, 2]
