"""The store: what is put stays, a bad file is refused, and keys differ where the work does."""

import os
import pickle
import signal
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rulekit.evaluation import SweepStore, sweep
from rulekit.evaluation.sweeps import store as keys
from rulekit.evaluation.sweeps.store import APPLICATION
from rulekit.exceptions import DataError
from tests.evaluation.learners import SharedStump, Stump, gate, noisy_table
from tests.waiting import until

WRITER = """
import sys
from rulekit.evaluation.sweeps.store import APPLICATION, SweepStore
store = SweepStore(sys.argv[1])
for i in range(40):
    store.put(f"{sys.argv[2]}-{i}", {"test_error": i / 40})
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sweep.sqlite"


def change(path, *statements):
    """Run SQL on the file, as another program would."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_rows_are_written_once_and_found_after_closing(path):
    with SweepStore(path) as store:
        store.put("key", {"test_error": 0.1 + 0.2, "rule": {"schema": 1}})
        store.put("key", {"test_error": 0.5})
        store.put("infinite", {"test_auc": float("nan"), "objective": float("inf")})
        files = list(path.parent.glob("sweep.sqlite*"))
        assert [stat.S_IMODE(f.stat().st_mode) for f in files] == [0o600] * len(files)
    with SweepStore(path) as store:
        assert len(store) == 2
        assert store.get(["key"]) == {"key": {"test_error": 0.1 + 0.2, "rule": {"schema": 1}}}
        assert store.get(["infinite"])["infinite"] == {"test_auc": None, "objective": None}
        with pickle.loads(pickle.dumps(store)) as twin:
            assert twin.get(["key"]) == store.get(["key"])


def test_threads_write_and_thousands_of_keys_are_read_at_once(path):
    with SweepStore(path) as store, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.put(str(i), {"i": i}), range(200)))
        assert len(store) == 200
        assert len(store.get(str(i) for i in range(3000))) == 200


@pytest.mark.slow
def test_processes_write_at_the_same_time(path):
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, str(k)]) for k in range(2)]
    assert [w.wait() for w in writers] == [0, 0]
    with SweepStore(path) as store:
        assert len(store) == 80


def test_files_of_others_are_refused_and_left_alone(path, tmp_path):
    path.write_bytes(b"theta,error\n1,0.5\n" * 100)
    with pytest.raises(DataError, match=r"'sweep.sqlite' is damaged or no store .* move the file"):
        SweepStore(path)
    assert path.read_bytes().startswith(b"theta")
    path.unlink()
    change(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(DataError, match="belongs to another program"):
        SweepStore(path)
    assert path.read_bytes() == before
    with pytest.raises(DataError, match=r"cannot be opened .*folder that exists"):
        SweepStore(tmp_path / "nowhere" / "sweep.sqlite")


def test_newer_schemas_are_refused_and_rows_of_older_ones_dropped(path):
    SweepStore(path).close()
    change(path, "PRAGMA user_version = 9")
    with pytest.raises(DataError, match="has schema 9, this version reads up to 3; update"):
        SweepStore(path)
    path.unlink()
    change(
        path,
        "CREATE TABLE finished (key TEXT PRIMARY KEY, measured TEXT)",
        "INSERT INTO finished VALUES ('key', '{}')",
        f"PRAGMA application_id = {APPLICATION}",
        "PRAGMA user_version = 1",
    )
    with SweepStore(path) as store:
        assert len(store) == 0


def test_a_store_that_was_cut_short_is_refused(path):
    with SweepStore(path) as store:
        for i in range(300):
            store.put(str(i), {"text": "x" * 200})
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(DataError, match="is damaged or no store"), SweepStore(path) as store:
        store.get(str(i) for i in range(300))


@pytest.mark.parametrize(
    "damage",
    [
        "measured = '{}'",
        "measured = '[1]'",
        """measured = '{"test_error": 0.0}'""",
        """measured = '{"test_error": "x"}'""",
        "measured = CAST(x'7bff7d' AS TEXT)",
        "checksum = ''",
    ],
)
def test_altered_row_is_deleted_with_a_warning(path, damage):
    with SweepStore(path) as store:
        store.put("key", {"test_error": 0.25})
        store.put("other", {"test_error": 0.5})
        change(path, f"UPDATE finished SET {damage} WHERE key = 'key'")
        with pytest.warns(UserWarning, match="1 finished folds in the store 'sweep.sqlite' were"):
            assert store.get(["key", "other"]) == {"other": {"test_error": 0.5}}
        store.put("key", {"test_error": 0.25})
        assert store.get(["key"]) == {"key": {"test_error": 0.25}}


def test_a_row_copied_under_another_key_is_not_believed(path):
    with SweepStore(path) as store:
        store.put("key", {"test_error": 0.25})
        change(path, "UPDATE finished SET key = 'stolen'")
        with pytest.warns(UserWarning, match="altered or damaged"):
            assert store.get(["stolen"]) == {}


def test_locked_store_raises(path, monkeypatch):
    monkeypatch.setattr("rulekit.evaluation.sweeps.store.PATIENCE", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataError, match=r"cannot be used .database is locked.; check"):
        SweepStore(path)
    other.close()


@pytest.mark.slow
def test_full_disk_raises_and_keeps_finished_folds(path):
    writer = """
import resource, signal, sys
from rulekit.evaluation import SweepStore
from rulekit.exceptions import DataError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SweepStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
try:
    for i in range(1000):
        store.put(str(i), {"text": "x" * 500})
except DataError as error:
    print(i, error)
"""
    run = subprocess.run(
        [sys.executable, "-c", writer, str(path)], capture_output=True, text=True, check=True
    )
    done, _, sentence = run.stdout.partition(" ")
    assert "cannot be used" in sentence
    assert "has room" in sentence
    with SweepStore(path) as store:
        assert len(store) == int(done) > 5


SETTINGS = {"theta": [-0.5, 0.0, 0.5, 1.0], "column": [0, 1]}
RUN = """
import sys
from rulekit.evaluation import SweepStore, sweep
from tests.evaluation.learners import SharedStump, noisy_table
from tests.evaluation.sweeps.test_store import SETTINGS
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
        seen = []
        resumed = sweep(
            learner, *noisy_table(), grid=SETTINGS, cv=4, store=store, on_progress=seen.append
        )
    assert fits_done(tmp_path) - before == n_all - kept
    from_store = [progress.from_store for progress in seen if progress.row is not None]
    assert from_store == [True] * kept + [False] * (n_all - kept)
    whole = sweep(learner, *noisy_table(), grid=SETTINGS, cv=4)
    pd.testing.assert_frame_equal(
        resumed.table.drop(columns="seconds"), whole.table.drop(columns="seconds")
    )


@dataclass(frozen=True)
class Limits:
    forbidden: tuple = ()


def frame(**columns):
    return pd.DataFrame(columns)


def test_equal_work_has_one_name_of_nested_values():
    one = keys.work_key("data", Stump(column=1), {"theta": 0.5, "pause": 0.0}, "fold")
    two = keys.work_key("data", Stump(column=np.int64(1)), {"pause": 0.0, "theta": 0.5}, "fold")
    assert one == two
    one = keys.work_key("data", Stump(theta=3.0), {"theta": 0.5}, "fold")
    assert one == keys.work_key("data", Stump(theta=7.0), {"theta": 0.5}, "fold")
    value = {"inner": Stump(), "limits": Limits(("a",)), "set": {2, 1}, "array": np.arange(3)}
    assert keys.plain_form(value) == keys.plain_form(dict(reversed(value.items())))
    assert keys.plain_form(Limits(("a",))) != keys.plain_form(Limits(("b",)))
    assert keys.plain_form(np.arange(3)) != keys.plain_form(np.arange(3.0))
    with pytest.raises(
        ValueError, match=r"'column' holds a function\. Give plain values, or sweep"
    ):
        keys.work_key("data", Stump(column=lambda: 0), {}, "fold")
    X = frame(a=[1.0, 2.0])
    digests = {
        keys.data_digest(X, [0, 1]),
        keys.data_digest(X, [1, 0]),
        keys.data_digest(X, ["0", "1"]),
        keys.data_digest(X, [0, 1], [1.0, 1.0]),
        keys.data_digest(X, [0, 1], [1.0, 2.0]),
    }
    assert len(digests) == 5
    assert keys.data_digest(X, [0, 1]) == keys.data_digest(X.set_axis([7, 8]), [0, 1])


@pytest.mark.parametrize(
    "other",
    [
        ("other", Stump(), {"theta": 0.5}, "fold"),
        ("data", Stump(column=2), {"theta": 0.5}, "fold"),
        ("data", Stump(), {"theta": 0.25}, "fold"),
        ("data", Stump(), {"theta": 0.5}, "other"),
        ("data", Stump(column=(0,)), {"theta": 0.5}, "fold"),
        ("data", Stump(column=True), {"theta": 0.5}, "fold"),
    ],
)
def test_anything_that_differs_changes_the_name(other):
    assert keys.work_key(*other) != keys.work_key("data", Stump(), {"theta": 0.5}, "fold")


def test_another_code_version_changes_the_name(monkeypatch):
    before = keys.work_key("data", Stump(), {}, "fold")
    monkeypatch.setattr(keys, "code_version", lambda: "another")
    assert keys.work_key("data", Stump(), {}, "fold") != before


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (frame(a=[True, False]), frame(a=["True", "False"])),
        (frame(a=pd.Series([True, None], dtype=object)), frame(a=["True", None])),
        (frame(a=["x", None]), frame(a=["x", "None"])),
        (frame(a=[1.0, 2.0]), frame(a=[2.0, 1.0])),
        (frame(a=[1.0, 2.0]), frame(b=[1.0, 2.0])),
    ],
)
def test_tables_that_differ_have_different_digests(one, two):
    assert keys.data_digest(one, [0, 1]) != keys.data_digest(two, [0, 1])
