"""Files of saved analyses: many writers and readers at once, and deleting for good."""

import threading

import pandas as pd
import pytest

from rulekit.data import Table
from tests.waiting import until
from ui import saved
from ui.state import AppState, to_plain

TABLES = [
    Table.from_frame(pd.DataFrame({"a": range(k, k + 2000), "b": ["x", "y"] * 1000}), name=f"t{k}")
    for k in range(3)
]


def version(number, notes=""):
    return saved.Version(to_plain(AppState(table=TABLES[number], notes=notes)))


def test_readers_meet_whole_analyses_while_several_write(tmp_path):
    folder, failures, counts = tmp_path / "analysis", [], {"written": 0, "read": 0}
    saved.write(folder, version(0), TABLES[0])
    over = threading.Event()

    def save(number):
        with saved.lock_folder(folder):
            saved.write(folder, version(number, "a note"), TABLES[number])
        counts["written"] += 1

    def read(number):
        result, table = saved.read(folder)
        assert table.name == result.plain["name"]
        counts["read"] += 1

    def repeat(action, number):
        while not over.is_set():
            try:
                action(number)
            except Exception as error:  # any is a failure
                failures.append(repr(error))

    actions = [(save, 0), (save, 1), (save, 2), (read, 0), (read, 0)]
    threads = [threading.Thread(target=repeat, args=each) for each in actions]
    for thread in threads:
        thread.start()
    until(lambda: failures or min(counts.values()) >= 25, pause=0.01)
    over.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert {path.name for path in folder.iterdir()} == {saved.TABLE, saved.SETTINGS}


def test_file_of_a_killed_writer_is_removed_by_the_next(tmp_path):
    folder = tmp_path / "analysis"
    saved.write(folder, version(0), TABLES[0])
    (folder / f"table.parquet.abc{saved.NEW}").write_bytes(b"half")
    saved.write(folder, version(0), None)
    assert {path.name for path in folder.iterdir()} == {saved.TABLE, saved.SETTINGS}


def test_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file.json"
    path.write_text("old")

    def fail(temporary):
        temporary.write_text("half")
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        saved.replace_file(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file.json"]
    assert path.read_text() == "old"


def test_deleted_analysis_is_marked(tmp_path):
    folder = tmp_path / "analysis"
    saved.write(folder, version(0), TABLES[0])
    assert not saved.is_deleted(folder)
    saved.delete(folder)
    assert saved.is_deleted(folder)
    assert not folder.exists()
