"""Saved analyses: what is written, who may read it, what comes back."""

import errno
import json
import os
import stat
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.data.options import LOST, Note
from scripts.fuzz import damaged
from tests.ui.test_saved import FULL, TABLE
from ui import saved, workspace
from ui.saved import Merger
from ui.state import AppState, BinningSpec, ColumnName, SplitSpec, from_file, to_plain, update
from ui.workspace import UPLOAD, Upload, change_upload, current_upload, forget_upload


def restored(folder):
    return workspace.restore(*saved.read(folder))


def saved_and_loaded(session, state):
    session["app"] = state
    workspace.save()
    return restored(workspace.folder())


def keep(session, **fields):
    session["app"] = AppState(table=load_sample("iris"), **fields)
    workspace.save()


def test_decisions_are_restored(session):
    binning = BinningSpec("entropy", None, 20, (("amount", (1.5, 2.0)),))
    state = replace(from_file(FULL, TABLE)[0], binning=binning, split=SplitSpec(0.2, 7, True))
    state = update(state, table=state.table.with_roles({"age": "ignore"}), notes="ask Ada 💡")
    back = saved_and_loaded(session, state)
    assert to_plain(back) == to_plain(state)
    assert back.fit_key == state.fit_key
    assert (back.outcomes, back.positive) == ({"high": "defaults"}, "defaults")
    assert back.table.digest == state.table.digest
    pd.testing.assert_frame_equal(back.table.frame, state.table.frame)


def test_class_that_was_left_out_stays_left_out(session):
    state = AppState(table=load_sample("iris"), outcomes={"setosa": None})
    assert saved_and_loaded(session, state).classes == ["versicolor", "virginica"]


@pytest.mark.parametrize("sample", ["breast_cancer", "iris", "wine", "planted_cnf"])
def test_every_sample_comes_back_cell_by_cell(session, sample):
    state = AppState(table=load_sample(sample))
    assert saved_and_loaded(session, state).fit_key == state.fit_key


def test_a_column_kept_as_text_stays_text(session):
    frame = pd.DataFrame({"code": [1, 2, 3, 4] * 5, "ill": ["yes", "no"] * 10})
    table = Table.from_frame(frame, notes=["n", Note("m", "code", LOST)]).as_category("code")
    back = saved_and_loaded(session, AppState(table=table))
    (note,) = [n for n in back.table.notes if n == "m"]
    assert (note.column, note.kinds) == ("code", (LOST,))
    assert back.table.column("code").kind == table.column("code").kind == "category"


def test_files_are_private_plain_and_written_once(session):
    keep(session)
    place = workspace.folder()
    for path in (place.parent, place, *place.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    workspace.save()
    files = {path.name for path in workspace.folder().iterdir()}
    assert files == {"about.json", "analysis.json", "table.parquet"}
    json.loads((workspace.folder() / "analysis.json").read_text())
    workspace.save()
    before = {p: p.stat().st_mtime_ns for p in workspace.folder().iterdir()}
    workspace.save()
    assert {p: p.stat().st_mtime_ns for p in workspace.folder().iterdir()} == before


def test_analysis_of_an_earlier_version_is_read_without_a_message(session):
    keep(session, notes="begun")
    plain = to_plain(session["app"])
    for name in ("scale", "texts", "own_rule"):
        del plain[name]
    saved.write(workspace.folder(), saved.Version(plain), None)
    assert restored(workspace.folder()).notes == "begun"
    workspace.load_settings(json.dumps(plain).encode())
    assert "_message" not in session
    full = to_plain(AppState(table=load_sample("iris"), texts={"a > 1": "old"}))
    for older in ((plain, full, plain), (plain, plain, full), (plain, full, full)):
        assert Merger(*older).merge()["texts"] == {"a > 1": "old"}


def test_changed_cells_and_other_versions_on_disk_are_not_taken(session):
    keep(session)
    saved.write(workspace.folder(), saved.Version(to_plain(session["app"]) | {"version": 99}), None)
    with pytest.raises(ValueError, match="Saved by version 99"):
        restored(workspace.folder())
    frame = pd.read_parquet(workspace.folder() / "table.parquet")
    frame.iloc[0, 0] += 1
    frame.to_parquet(workspace.folder() / "table.parquet")
    with pytest.raises(ValueError, match="not those that were saved"):
        restored(workspace.folder())


def test_a_file_of_brackets_that_never_close_is_a_sentence(session):
    keep(session)
    file = workspace.folder() / "analysis.json"
    file.write_text("[" * 200_000)
    name = workspace.analysis_id()
    session.clear()
    workspace._open(name)
    assert "could not be read; its files stay" in session["_message"]
    assert file.exists()
    assert session["analysis_id"] != name


def test_the_id_cannot_be_guessed(session):
    ids = set()
    for _ in range(50):
        session.clear()
        ids.add(workspace.analysis_id())
    assert len(ids) == 50
    assert all(workspace.SHAPE.fullmatch(one) for one in ids)


def test_switched_off_there_is_no_folder(session, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    keep(session)
    assert workspace.folder() is None
    assert workspace.store_path() is None


def test_folder_that_others_could_read_is_closed_with_a_note(session, tmp_path):
    space = tmp_path / "space"
    space.mkdir(mode=0o755)
    space.chmod(0o755)
    workspace.root()
    assert stat.S_IMODE(space.stat().st_mode) == 0o700
    assert "now only its owner can" in session.pop("_message")
    workspace.root()
    assert "_message" not in session


def test_folder_that_cannot_be_restricted_warns_once(session, tmp_path, monkeypatch):
    space = tmp_path / "space"
    space.mkdir(mode=0o755)
    space.chmod(0o755)
    monkeypatch.setattr("pathlib.Path.chmod", lambda *_: (_ for _ in ()).throw(PermissionError()))
    workspace.root()
    assert "Set RULEKIT_WORKSPACE to a folder of your own" in session.pop("_message")
    workspace.root()
    assert "_message" not in session


@pytest.mark.parametrize("refused", ["access", "mkdir"])
def test_a_folder_that_may_not_be_written_is_a_sentence(session, monkeypatch, refused):
    error = OSError(errno.EROFS, os.strerror(errno.EROFS))
    toasts = []
    monkeypatch.setattr("ui.workspace.st.toast", lambda text, **_: toasts.append(text))
    workspace.root()
    if refused == "access":
        monkeypatch.setattr("os.access", lambda *_: False)
    else:
        monkeypatch.setattr("pathlib.Path.mkdir", lambda *_, **__: (_ for _ in ()).throw(error))
    keep(session)
    assert workspace.store_path() is None
    assert "This analysis is not saved (Read-only file system)" in session["_unsaved"]
    assert len(toasts) == 1


def test_a_full_disk_is_named_as_such(session, monkeypatch):
    monkeypatch.setattr("ui.workspace.st.toast", lambda *_, **__: None)
    for error in (OSError(errno.ENOSPC, "no"), OSError("[errno 28] Error writing bytes to file")):
        workspace.not_saved(error)
        assert "not saved (No space left on device): what" in session["_unsaved"]


@pytest.mark.slow
def test_damaged_analysis_is_rejected_or_unchanged(session):
    state = AppState(
        table=load_sample("credit").with_roles({"age": "ignore"}),
        wording={"income": ColumnName("Yearly income", "€")},
        setting={"theta": 0.5},
        notes="ask Ada",
    )
    whole = to_plain(saved_and_loaded(session, state))
    place, ends = workspace.folder(), Counter()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        file = place / ("table.parquet", "analysis.json")[seed % 2]
        content = file.read_bytes()
        file.write_bytes(damaged(content, rng))
        try:
            result = restored(place)
        except saved.UNREADABLE:
            ends["refused"] += 1
        else:
            ends["read"] += 1
            assert to_plain(result) == whole, f"seed {seed}"
        file.write_bytes(content)
    assert ends["refused"] > 200


class Window:
    """One of several windows of an analysis: a session of its own."""

    def __init__(self, session, analysis=None):
        self.session, self.values = session, {}
        with self:
            if analysis is None:
                workspace.begin(load_sample("credit"))
            else:
                workspace._open(analysis)
            self.id = workspace.analysis_id()

    def act(self, action):
        """Act before the page is drawn again."""
        self.session.clear()
        self.session.update(self.values)
        action()
        self.__exit__()

    def __enter__(self):
        self.session.clear()
        self.session.update(self.values)
        if "analysis_id" in self.session:
            workspace.take_changes()
        return self

    def __exit__(self, *_):
        self.values = dict(self.session)

    @property
    def state(self):
        with self:
            return workspace.app_state()


def test_each_window_takes_over_what_another_one_changed(session):
    first = Window(session)
    second = Window(session, first.id)
    with first:
        workspace.change(notes="the board decided X")
    second.act(lambda: workspace.change(split=SplitSpec(0.2)))
    assert first.state.notes == second.state.notes == "the board decided X"
    assert first.state.split == second.state.split == SplitSpec(0.2)
    assert workspace.make_key("notes") != "notes"  # the field shows the other window's words


def test_later_window_decides_what_both_changed(session):
    for keep, seed in ((True, 2), (False, 1)):
        first = Window(session)
        second = Window(session, first.id)
        with first:
            workspace.change(split=SplitSpec(0.3, 1), notes="A")
        second.act(lambda: workspace.change(split=SplitSpec(0.3, 2), notes="B"))
        with second:
            assert workspace.conflicts() == ["the test rows"]
            assert workspace.app_state().split.seed == 2
            workspace.settle(mine=keep)
            assert not workspace.conflicts()
        assert [first.state.split.seed, second.state.split.seed] == [seed, seed]
        assert set(first.state.notes.split()) == {"A", "B"}


def test_deleted_analysis_stays_deleted_and_can_be_saved_as_a_new_one(session):
    first = Window(session)
    second = Window(session, first.id)
    with first:
        folder = workspace.folder()
        workspace.forget()
        assert not workspace.is_deleted()  # this window has begun another one
    with second:
        workspace.change(notes="still here")
        assert workspace.store_path() is None
        assert workspace.is_deleted()
        assert not folder.exists()
        workspace.save_as_new()
        assert not workspace.is_deleted()
        assert workspace.folder() != folder
    assert Window(session, second.values["analysis_id"]).state.notes == "still here"


def test_a_forgotten_file_leaves_only_what_the_field_holds(session):
    assert current_upload() == Upload()
    change_upload(name="a.csv", content=b"a,b", file_id="1", in_field="1")
    assert session[UPLOAD].content == b"a,b"
    forget_upload()
    assert current_upload() == Upload(in_field="1")
