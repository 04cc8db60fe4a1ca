"""The frame without a browser: navigation, chips, errors as sentences."""

import pytest

from rulekit.exceptions import DataError
from tests.ui.tasks import Steps
from tests.waiting import until
from ui import jobs
from ui.shell import PAGES


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_without_data(open_app, page):
    app = open_app(page)
    assert not app.exception
    assert not app.error
    assert app.title[0].value == PAGES[page][0]
    assert not app.get("plotly_chart")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sample", ["breast_cancer", "credit"])
def test_every_page_opens_with_a_table_and_no_model(open_app, page, sample):
    app = open_app(page, sample=sample)
    assert not app.exception
    assert not app.error


def test_the_sidebar_names_the_table(open_app):
    app = open_app("binning", sample="iris")
    assert "iris" in app.sidebar.markdown[0].value
    assert "150 rows" in app.sidebar.markdown[0].value


def test_the_sidebar_shows_a_running_job_on_every_page(open_app, tmp_path):
    (tmp_path / "0").touch()
    app = open_app(sample="iris")
    owner, work = app.session_state["analysis_id"], Steps(4, tmp_path)
    job = jobs.registry().start(owner, "Sweep", work, total=4)
    until(lambda: job.done == 1)
    app.switch_page("pages/binning.py").run()
    assert any("Running: Sweep, 1 of 4" in c.value.replace("\\", "") for c in app.sidebar.caption)
    job.cancel()
    app.run()
    assert any("Cancelled: Sweep" in c.value for c in app.sidebar.caption)


@pytest.mark.parametrize("state", ["queued", "running", "done", "cancelled", "failed"])
def test_the_badge_needs_no_picture_font(open_app, state):
    app = open_app(sample="iris")
    held = jobs.Job("Sweep", app.session_state["analysis_id"], state=state, total=4)
    jobs.registry()._jobs[held.owner] = held
    app.run()
    badge = app.sidebar.caption[-1].value
    assert "Sweep" in badge
    assert badge.isascii()


def test_an_error_nobody_foresaw_is_a_sentence_with_an_id(open_app, monkeypatch, caplog):
    def broken():
        raise ZeroDivisionError("cell 4711")

    app = open_app(sample="iris")
    monkeypatch.setattr("ui.data.choices.split_card", broken)
    app.run()
    assert not app.exception
    sentence = app.error[0].value.replace("\\", "")
    assert "4711" not in sentence
    error_id = sentence.rstrip(".").split()[-1]
    assert error_id in caplog.text


def test_a_page_that_failed_works_again_on_the_next_run(open_app, monkeypatch):
    app = open_app(sample="iris")
    with monkeypatch.context() as broken:
        broken.setattr("ui.data.choices.split_card", lambda: 1 / 0)
        app.run()
        assert app.error
    app.run()
    assert not app.error
    assert app.session_state["app"].ready


@pytest.mark.parametrize(
    ("error", "logged"), [(ValueError("odd shape"), True), (DataError("odd shape"), False)]
)
def test_a_sentence_that_is_not_the_library_s_own_leaves_its_traceback_in_the_log(
    open_app, monkeypatch, caplog, error, logged
):
    def broken():
        raise error

    app = open_app(sample="iris")
    monkeypatch.setattr("ui.data.choices.split_card", broken)
    app.run()
    assert "odd shape" in app.error[0].value
    assert ("in broken" in caplog.text) is logged
