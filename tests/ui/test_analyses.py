"""The list of saved analyses: whose is whose, what it says, what can be done with a line."""

import errno
import hashlib
import os
import stat

import pytest

from rulekit import Clause, Literal, RuleSet, load_sample, to_json
from ui import analyses, workspace
from ui import saved as files
from ui.state import AppState

RULE = to_json(RuleSet((Clause((Literal("a", ">", 5.0),)),), ("x",), "dnf", "y"))


def tell(session, key):
    """Send the browser's key, as the page's script does."""
    session["_owner_key"] = {"key": key}
    analyses._set_owner()


def begun(session, name="iris", key="a" * 48):
    """Begin an analysis in a fresh tab of a browser; return its id."""
    session.clear()
    tell(session, key)
    workspace.begin(load_sample(name))
    analyses.claim()
    return workspace.analysis_id()


def names():
    return [saved.name for saved in analyses.list_analyses()]


def test_analyses_begun_here_are_listed_latest_first(session):
    begun(session, "iris")
    last = begun(session, "wine")
    assert sorted(names()) == ["iris", "wine"]
    assert analyses.is_listed()
    (saved,) = (s for s in analyses.list_analyses() if s.id == last)
    assert (saved.table, saved.rows, saved.rule) == ("wine", 178, "")
    times = [s.when for s in analyses.list_analyses()]
    assert times == sorted(times, reverse=True)


def test_an_analysis_begun_before_the_key_arrives_is_listed(session):
    session.clear()
    workspace.begin(load_sample("iris"))
    tell(session, "a" * 48)
    assert names() == ["iris"]


def test_an_analysis_is_as_begun_until_its_file_is_changed(session):
    begun(session, "iris")
    assert workspace.is_as_begun()
    saved = workspace.folder() / "analysis.json"
    saved.write_text(saved.read_text("utf-8").replace('"notes": ""', '"notes": "seen"'), "utf-8")
    assert not workspace.is_as_begun()
    begun(session, "iris")
    (workspace.folder() / "analysis.json").unlink()
    assert workspace.is_as_begun()


def test_an_analysis_begun_again_keeps_its_line_and_name(session):
    first = begun(session, "iris")
    (saved,) = analyses.list_analyses()
    analyses.rename(saved, "flowers")
    workspace.begin(load_sample("wine"), analysis=first)
    analyses.claim()
    (saved,) = analyses.list_analyses()
    assert (saved.id, saved.name, saved.table) == (first, "flowers", "wine")


@pytest.mark.parametrize("damage", ["[" * 200_000, "[]", '"x"', "{", ""])
def test_a_damaged_line_leaves_the_others_listed(session, damage):
    first = begun(session, "iris")
    begun(session, "wine")
    (workspace.root() / first / "about.json").write_text(damage, "utf-8")
    assert names() == ["wine"]
    workspace.reopen(first)
    assert workspace.app_state().table.name == "iris"
    workspace.change(case_notes={"1": "seen"})  # what is saved anew is whole
    assert sorted(names()) == ["iris", "wine"]


def test_a_list_that_may_not_be_written_is_shown_as_a_message(session, monkeypatch):
    monkeypatch.setattr("ui.workspace.st.toast", lambda *_, **__: None)
    error = OSError(errno.EROFS, os.strerror(errno.EROFS))
    monkeypatch.setattr("pathlib.Path.write_text", lambda *_: (_ for _ in ()).throw(error))
    begun(session, "iris")
    assert "not saved (Read-only file system)" in session["_unsaved"]
    assert names() == []


@pytest.mark.parametrize("act", ["add", "rename", "duplicate", "forget", "forget this"])
def test_disk_errors_of_the_list_are_shown_as_messages(session, monkeypatch, act):
    monkeypatch.setattr("ui.workspace.st.toast", lambda *_, **__: None)
    begun(session, "wine")
    first = begun(session, "iris")
    (saved,) = (s for s in analyses.list_analyses() if s.id == first)

    def refuse(*_, ignore_errors=False):
        if not ignore_errors:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for function in ("pathlib.Path.write_text", "shutil.copy", "shutil.rmtree"):
        monkeypatch.setattr(function, refuse)
    steps = {
        "add": analyses.add,
        "rename": lambda: analyses.rename(saved, "flowers"),
        "duplicate": lambda: analyses.duplicate(saved),
        "forget": lambda: analyses.forget(saved),
        "forget this": workspace.forget,
    }
    steps[act]()
    shown = session["_message"]
    assert "(Read-only file system)" in shown
    assert ("not deleted" if "forget" in act else "not changed") in shown
    assert sorted(names()) == ["iris", "wine"]
    assert workspace.app_state().table.name == "iris"


@pytest.mark.parametrize("broken", ["shutil.copy", "pathlib.Path.write_text"])
def test_a_copy_that_fails_leaves_no_folder(session, monkeypatch, broken):
    begun(session, "iris")
    (saved,) = analyses.list_analyses()
    folders = set(workspace.root().iterdir())

    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(broken, refuse)
    analyses.duplicate(saved)
    assert set(workspace.root().iterdir()) == folders
    assert "not changed (No space left" in session["_message"]


def test_an_analysis_that_is_gone_is_deleted_without_a_message(session):
    begun(session, "wine")
    first = begun(session, "iris")
    (saved,) = (s for s in analyses.list_analyses() if s.id != first)
    analyses.forget(saved)
    session.pop("_message", None)
    analyses.forget(saved)
    assert "_message" not in session
    assert names() == ["iris"]


def test_another_browser_sees_nothing_of_it(session):
    begun(session, "iris", key="a" * 48)
    begun(session, "wine", key="b" * 48)
    assert names() == ["wine"]


def test_there_is_no_list_without_a_key_or_with_saving_off(session, monkeypatch):
    workspace.begin(load_sample("iris"))
    analyses.claim()
    assert names() == []
    tell(session, "c" * 48)
    analyses.claim()
    assert names() == ["iris"]
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    tell(session, "a" * 48)
    workspace.begin(load_sample("iris"))
    analyses.claim()
    assert analyses.list_analyses() == []
    assert not analyses.is_listed()


@pytest.mark.parametrize("key", ["", "x", "../../etc", "A" * 48, "a" * 49, None])
def test_a_key_of_another_shape_is_no_key(session, key):
    tell(session, key)
    assert analyses.OWNER not in session


def test_the_key_itself_is_written_nowhere(session):
    begun(session, key="ab" * 24)
    paths = list(workspace.root().rglob("*"))
    assert any(hashlib.sha256(b"ab" * 24).hexdigest() in str(path) for path in paths)
    for path in paths:
        assert "ab" * 24 not in str(path)
        assert path.is_dir() or b"ab" * 24 not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or path.parent.name != "owners"


def test_an_analysis_opened_by_its_address_is_not_listed_until_added(session):
    name = begun(session, key="a" * 48)
    session.clear()
    tell(session, "b" * 48)
    workspace.reopen(name)
    analyses.claim()
    assert workspace.analysis_id() == name
    assert names() == []
    assert not analyses.is_listed()
    analyses.add()
    assert names() == ["iris"]


def test_opening_an_analysis_leaves_others_unchanged(session):
    iris, wine = begun(session, "iris"), begun(session, "wine")
    workspace.reopen(iris)
    assert session["app"].table.name == "iris"
    assert session[analyses.OWNER]
    assert workspace.restore(*files.read(workspace.root() / wine)).table.name == "wine"
    workspace.begin(load_sample("credit"))
    assert workspace.restore(*files.read(workspace.root() / iris)).table.name == "iris"


def test_names_are_taken_back_and_copies_are_their_own(session):
    begun(session)
    (saved,) = analyses.list_analyses()
    analyses.rename(saved, "  flowers of \n May ")
    assert names() == ["flowers of May"]
    analyses.rename(saved, "")
    assert names() == ["iris"]
    copy = analyses.duplicate(saved)
    assert sorted(names()) == ["iris", "iris (copy)"]
    assert workspace.restore(*files.read(workspace.root() / copy)).fit_key == session["app"].fit_key
    assert stat.S_IMODE((workspace.root() / copy).stat().st_mode) == 0o700
    analyses.forget(saved)
    assert names() == ["iris (copy)"]


def test_forgetting_one_deletes_its_files_and_no_others(session):
    iris, wine = begun(session, "iris"), begun(session, "wine")
    (other,) = (s for s in analyses.list_analyses() if s.id == iris)
    analyses.forget(other)
    assert not (workspace.root() / iris).exists()
    assert (workspace.root() / wine).exists()
    assert names() == ["wine"]
    workspace.forget()  # the one at hand, by its own button
    assert names() == []


def test_the_rule_s_error_stays_in_the_list_when_the_run_is_gone(session, monkeypatch):
    name = begun(session)
    message = iter(["1 condition, 18.6 % wrong in folds", "1 condition", "1 condition"])
    monkeypatch.setattr(workspace, "rule_words", lambda state: next(message))
    workspace.change(model="m", rule_json=RULE)
    workspace.change(notes="another look")
    assert [s.rule for s in analyses.list_analyses() if s.id == name] == [
        "1 condition, 18.6 % wrong in folds"
    ]
    workspace.change(rule_json=RULE.replace("5.0", "6.0"))
    assert [s.rule for s in analyses.list_analyses() if s.id == name] == ["1 condition"]


def test_without_a_rule_the_words_are_empty():
    assert workspace.rule_words(AppState(table=load_sample("iris"))) == ""
