"""A sweep that is killed outright goes on where it stopped, and ends in the same table."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rulekit.evaluation import SweepStore, sweep
from tests.evaluation.learners import SharedStump, gate, noisy_table
from tests.waiting import until

SETTINGS = {"theta": [-0.5, 0.0, 0.5, 1.0], "column": [0, 1]}
RUN = """
import sys
from rulekit.evaluation import SweepStore, sweep
from tests.evaluation.learners import SharedStump, noisy_table
from tests.evaluation.sweeps.test_resume import SETTINGS
folder, n_jobs = sys.argv[1], int(sys.argv[2])
sweep(
    SharedStump(journal=folder + "/journal"), *noisy_table(), grid=SETTINGS, cv=4,
    n_jobs=n_jobs, store=SweepStore(folder + "/store.sqlite"),
)
"""


def fits_done(folder):
    return len(list((folder / "journal").iterdir()))


def run_and_kill(folder, n_jobs, after):
    """Start the sweep in a process of its own, and kill -9 it and its workers mid-way."""
    root = Path(__file__).parents[3]
    gate(folder / "journal").write_text("24")
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), str(n_jobs)], cwd=root, start_new_session=True
    )
    with SweepStore(folder / "store.sqlite") as store:
        until(lambda: len(store) >= after or process.poll() is not None)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    gate(folder / "journal").unlink()


@pytest.mark.slow
def test_killed_sweep_resumes_and_gives_the_same_table(tmp_path):
    (tmp_path / "journal").mkdir()
    n_all = 4 * 8
    run_and_kill(tmp_path, n_jobs=2, after=8)
    before = fits_done(tmp_path)
    with SweepStore(tmp_path / "store.sqlite") as store:
        kept = len(store)
        assert 8 <= kept < n_all
        learner = SharedStump(journal=str(tmp_path / "journal"))
        result = []
        resumed = sweep(
            learner, *noisy_table(), grid=SETTINGS, cv=4, store=store, on_result=result.append
        )
    assert fits_done(tmp_path) - before == n_all - kept
    assert [row["from_store"] for row in result] == [True] * kept + [False] * (n_all - kept)
    whole = sweep(learner, *noisy_table(), grid=SETTINGS, cv=4)
    pd.testing.assert_frame_equal(
        resumed.table.drop(columns="seconds"), whole.table.drop(columns="seconds")
    )
