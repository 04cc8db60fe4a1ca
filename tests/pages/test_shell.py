"""The frame without a browser: navigation, status, errors as sentences."""

import pytest

from rulekit.exceptions import DataError
from tests.pages.driving import finished, text
from ui.runs import jobs
from ui.shell import PAGES


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_without_data(open_app, page):
    app = open_app(page)
    assert not app.metric
    assert ("No table is loaded yet" in text(app)) is (page != "data")
    assert not app.error
    assert app.title[0].value == PAGES[page][1]
    assert not app.get("plotly_chart")
    pictures = [picture.proto.imgs[0].url[:22] for picture in app.get("image")]
    # a rule and its curve; files beside the page would be gone once a visitor goes on
    assert pictures == (["data:image/png;base64,"] * 2 if page == "data" else [])


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sample", ["breast_cancer", "credit"])
def test_every_page_opens_with_a_table_and_no_model(open_app, page, sample):
    app = open_app(page, sample=sample)
    assert not app.error
    without = page in ("rules", "explain", "score", "export")
    assert ("No model is picked yet" in text(app)) is without


def captions(app):
    return [c.value.replace("\\", "") for c in app.caption]


@pytest.mark.slow
def test_status_names_table_and_selected_rule(open_app, swept_credit):
    assert "iris · 150 rows" in captions(open_app("binning", sample="iris"))
    app = finished(swept_credit)
    size = app.session_state["app"].model.rule_set_.n_conditions
    (status,) = [c for c in captions(app) if c.startswith("credit · 1,000 rows · ")]
    assert f"· {size} condition" in status
    assert status.endswith("% wrong in folds")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("queued", "Waiting: Search, place 1 in the queue"),
        ("running", "Running: Search, 25 %"),
        ("done", None),
        ("cancelled", None),
        ("failed", None),
    ],
)
def test_every_page_shows_an_active_job(open_app, state, words):
    app = open_app(sample="iris")
    job = jobs.Job("Search", app.session_state["analysis_id"], state=state, total=4, done=1)
    jobs.registry()._jobs[job.owner] = job
    result = [c for c in captions(app.run()) if "Search" in c]
    assert result == ([] if words is None else [words])


def test_unexpected_error_is_a_sentence_and_the_next_run_works(open_app, monkeypatch, caplog):
    def broken():
        raise ZeroDivisionError("cell 4711")

    app = open_app(sample="iris")
    with monkeypatch.context() as patched:
        patched.setattr("ui.data.split.split_card", broken)
        app.run()
    sentence = app.error[0].value.replace("\\", "")
    assert "4711" not in sentence
    error_id = sentence.rstrip(".").split()[-1]
    assert error_id in caplog.text
    assert not app.run().error
    assert app.session_state["app"].ready


@pytest.mark.parametrize(
    ("error", "logged"), [(ValueError("odd shape"), True), (DataError("odd shape"), False)]
)
def test_foreign_error_leaves_its_traceback_in_the_log(
    open_app, monkeypatch, caplog, error, logged
):
    def broken():
        raise error

    app = open_app(sample="iris")
    monkeypatch.setattr("ui.data.split.split_card", broken)
    app.run()
    assert "odd shape" in app.error[0].value
    assert ("in broken" in caplog.text) is logged
