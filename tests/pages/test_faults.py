"""What fails below the pages: disks, clocks, stores, workers, servers; and two who look at once."""

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulekit.evaluation import SweepStore
from tests.pages.driving import errors, finished, the_job
from tests.waiting import until
from ui import saved
from ui.runs import jobs
from ui.shell import PAGES


@pytest.fixture
def full_disk(monkeypatch):
    """A disk that takes nothing more, while the list holds something."""
    full = [True]
    written = saved.replace_file

    def write(path, action):
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(path, action)

    monkeypatch.setattr(saved, "replace_file", write)
    return full


def test_a_full_disk_is_reported_and_the_analysis_goes_on(open_app, full_disk, table_of):
    app = open_app(sample="iris")
    app.run()
    assert "is not saved (No space left on device)" in errors(app)
    assert table_of(app).name.startswith("iris")
    full_disk.clear()
    app.run()
    assert "is not saved" not in errors(app.run())


@pytest.mark.slow
def test_every_page_works_without_saving(open_app, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    app = finished(open_app("models", sample="iris"))
    for page in PAGES:
        assert not app.switch_page(f"pages/{page}.py").run().error, page


@pytest.mark.slow
def test_every_page_works_when_the_workspace_becomes_read_only(open_app, monkeypatch, table_of):
    app = finished(open_app("models", sample="iris"))
    model = app.session_state["app"].model
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        app.run()
        assert "is not saved (Read-only file system)" in errors(app), page
        assert app.session_state["app"].model is model, page
    assert table_of(app).name.startswith("iris")


@pytest.mark.slow
def test_a_clock_set_back_ends_no_job_and_counts_no_negative_time(open_app, monkeypatch):
    app = open_app("models", sample="iris")
    monkeypatch.setattr(time, "time", lambda now=time.time: now() - 86400)
    owner = app.session_state["analysis_id"]
    job = jobs.registry().get(owner)
    until(lambda: job is None or not job.active)
    app.run()
    assert job is None or (job.state == "done" and job.elapsed >= 0)


def searching(app):
    """Begin a longer search; return once a worker is at it."""
    app = finished(app).button(key="search_longer").click().run()
    until(lambda: the_job().state == "running" and not the_job().preparing)
    return app


def curve(app):
    return app.session_state["app"].result.points.drop(columns="seconds")


def at(app):
    """The query of an address that opens the same analysis."""
    return {"analysis": app.session_state["analysis_id"]}


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_a_search_costs_nothing(open_app):
    app = searching(open_app("models", sample="iris"))
    os.kill(the_job()._worker.pid, signal.SIGKILL)
    app = finished(app)
    assert the_job()._tries == 2
    assert the_job().state == "done"
    assert not app.error
    assert len(curve(app)) > 0


@pytest.mark.slow
def test_reload_and_second_tab_during_a_search_agree_in_the_end(open_app):
    app = searching(open_app("models", sample="iris"))
    job, second = the_job(), open_app("models", query=at(app))
    assert second.button(key="stop_run")
    assert the_job() is job
    reloaded = open_app("models", query=at(app))
    tabs = [finished(tab) for tab in (app, second, reloaded)]
    first = curve(tabs[0])
    assert [curve(tab).equals(first) for tab in tabs] == [True] * 3
    assert the_job() is job
    assert job.state == "done"


DAMAGES = {
    "garbage": lambda whole: b"no database at all " * 100,
    "cut short": lambda whole: whole[: len(whole) // 2],
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_store_that_is_damaged_is_reported_and_the_page_stays(open_app, workspace_folder, damage):
    app = finished(open_app("models", sample="iris"))
    place = workspace_folder / at(app)["analysis"] / "sweep.sqlite"
    with SweepStore(place) as store:
        for k in range(200):
            store.put(f"{k}", {"test_error": 0.5})
    store.close()
    place.write_bytes(DAMAGES[damage](place.read_bytes()))
    app = finished(app.button(key="search_longer").click().run())
    assert "is damaged or no store" in errors(app)
    assert len(curve(app)) > 0  # of the quick pass


@pytest.mark.slow
def test_two_browsers_with_one_file_have_an_analysis_each(open_app, table_of):
    one, other = open_app(sample="iris"), open_app(sample="iris")
    assert at(one) != at(other)
    name = table_of(one).columns[0].name
    kept = other.session_state["app"].fit_key
    state = one.session_state["app"]
    one.session_state["app"] = state.__class__(table=table_of(one).with_roles({name: "ignore"}))
    one.run()
    assert other.run().session_state["app"].fit_key == kept
    assert open_app(query=at(other)).session_state["app"].fit_key == kept
    assert open_app(query=at(one)).session_state["app"].fit_key != kept


SERVER = """
import sys, time
from rulekit.data import load_sample
from tests.pages.driving import finished, opened, routed
from ui.state import AppState
with routed():
    app = finished(opened("models", state=AppState(table=load_sample("iris"))))
    app = app.button(key="search_longer").click().run()
    print(app.session_state["analysis_id"], flush=True)
    time.sleep(3600)
"""


def kept(place):
    """When each fold that a store holds was finished."""
    if not place.exists():
        return {}
    with sqlite3.connect(f"file:{place}?mode=ro", uri=True) as link:
        result = dict(link.execute("SELECT key, finished_at FROM finished").fetchall())
    link.close()
    return result


@pytest.mark.slow
def test_search_resumes_after_the_server_was_killed(open_app, workspace_folder, tmp_path):
    root = Path(__file__).parents[2]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=root, stdout=subprocess.PIPE, text=True
    )
    name = server.stdout.readline().strip()
    place = workspace_folder / name / "sweep.sqlite"
    until(lambda: len(kept(place)) > 0)
    server.kill()
    server.wait()
    server.stdout.close()
    shutil.copytree(place.parent, tmp_path / "copy")  # as it was left
    before = kept(tmp_path / "copy" / "sweep.sqlite")
    app = finished(open_app("models", query={"analysis": name}))
    app = finished(app.button(key="search_longer").click().run())
    assert len(curve(app)) > 0
    after = kept(place)
    assert before.items() <= after.items()
    assert len(after) > len(before)
