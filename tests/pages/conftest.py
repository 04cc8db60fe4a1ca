"""Fixtures for driving the dashboard's pages without a browser."""

from pathlib import Path

import pytest

from rulekit.data import Table
from tests.pages.driving import analysed, copied, loaded, opened, routed
from tests.ui.tasks import Giving
from tests.waiting import PATIENCE, until
from ui.runs import jobs
from ui.state import AppState


@pytest.fixture(autouse=True)
def _served_by_the_router():
    with routed():
        yield


@pytest.fixture(autouse=True)
def _no_choice_by_itself(monkeypatch):
    """Start no choice of the library after the quick search: it takes seconds."""
    monkeypatch.setattr("ui.models.run.start_choice", lambda spec: None)


@pytest.fixture(autouse=True, scope="session")
def _one_worker():
    """Run one job at a time, to its end on a busy machine too, and wait until jobs begin."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULEKIT_WORKERS", "1")
        patch.setattr("ui.learners.learner.FIT_SECONDS", PATIENCE)
        patch.setattr("ui.learners.literal.QUICK_SECONDS", PATIENCE)
        job = jobs.registry().start("nobody", "Warm", Giving(None))
        until(lambda: not job.active)
        jobs.registry().forget(job.owner)
        yield
    jobs.registry.clear()  # ends it


@pytest.fixture(autouse=True)
def workspace_folder(tmp_path, monkeypatch) -> Path:
    """Keep analyses in this test's own folder."""
    folder = tmp_path / "workspace"
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _no_job_outlives_its_test():
    yield
    for owner in list(jobs.registry()._jobs):
        jobs.registry().forget(owner)


@pytest.fixture
def open_app():
    """Return a function that opens a page in a new session, with a sample or a state."""

    def begun(page="data", *, sample=None, state=None, query=None):
        if sample is not None and page == "data":
            return opened(query=query).button(key=f"sample_{sample}").click().run()
        if sample is not None:
            state = AppState(table=loaded(sample))
        return opened(page, state=state, query=query)

    return begun


@pytest.fixture(scope="session")
def _analysed_credit(tmp_path_factory) -> Path:
    return analysed(tmp_path_factory.mktemp("ready"), loaded("credit"))


@pytest.fixture
def swept_credit(open_app, workspace_folder, _analysed_credit):
    """Models, opened on the sample "credit" after a small run: its points are there."""
    return open_app("models", query={"analysis": copied(_analysed_credit, workspace_folder)})


@pytest.fixture
def table_of(open_app):
    """Return a function that gives the table a session holds (None without one)."""

    def held(app) -> Table | None:
        state = app.session_state.get("app")
        return state.table if state is not None else None

    return held
