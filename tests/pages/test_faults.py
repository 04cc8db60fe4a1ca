"""What fails below the pages: a full disk, a clock set back, saving switched off."""

import errno
import os
import time

import pytest

from tests.waiting import until
from ui import workspace
from ui.runs import jobs
from ui.shell import PAGES


@pytest.fixture
def full_disk(monkeypatch):
    """A disk that takes nothing more, while the list holds something."""
    full = [True]
    written = workspace._written

    def write(path, action):
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(path, action)

    monkeypatch.setattr(workspace, "_written", write)
    return full


def told(app):
    words = " ".join(box.value for box in app.error)
    return words.replace("\\", "").replace("\u2060", "")


def test_a_full_disk_is_told_and_the_analysis_goes_on(open_app, full_disk, table_of):
    app = open_app(sample="iris")
    assert not app.exception
    app.run()
    assert "is not saved (No space left on device)" in told(app)
    assert table_of(app).name.startswith("iris")
    full_disk.clear()
    app.run()
    assert "is not saved" not in told(app.run())


@pytest.mark.skipif(os.name != "posix", reason="folders without leave to write are POSIX")
def test_a_workspace_that_cannot_be_made_is_told(open_app, tmp_path, monkeypatch, table_of):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "file" / "below"))
    app = open_app(sample="iris")
    assert not app.exception
    assert "is not saved (Not a directory)" in told(app.run())
    assert table_of(app) is not None


@pytest.mark.parametrize("page", list(PAGES))
def test_every_page_works_without_saving(open_app, monkeypatch, page):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    app = open_app(page, sample="iris")
    assert not app.exception
    assert not app.error


def test_a_clock_set_back_ends_no_job_and_counts_no_negative_time(open_app, monkeypatch):
    app = open_app("models", sample="iris")
    monkeypatch.setattr(time, "time", lambda now=time.time: now() - 86400)
    owner = app.session_state["analysis_id"]
    job = jobs.registry().get(owner)
    until(lambda: job is None or not job.active)
    app.run()
    assert not app.exception
    assert job is None or (job.state == "done" and job.elapsed >= 0)
