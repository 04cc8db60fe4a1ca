"""Fixtures for driving the dashboard's pages without a browser."""

from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from rulekit.data import Table
from ui import jobs
from ui.certificate_card import proofs

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(autouse=True)
def _served_by_the_router(monkeypatch):
    """Let every run go through ``app.py``, as on a server that has answered before.

    `AppTest` otherwise starts each run as a fresh server does, which runs a page's file without
    the router; that case is tested in the browser.
    """
    begin = PagesManager.__init__

    def with_navigation(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", with_navigation)


@pytest.fixture(autouse=True)
def workspace_folder(tmp_path, monkeypatch) -> Path:
    """Keep analyses in this test's own folder."""
    folder = tmp_path / "workspace"
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _no_job_outlives_its_test():
    yield
    for registry in (jobs.registry(), proofs()):
        for owner in list(registry._jobs):
            registry.forget(owner)


@pytest.fixture
def open_app():
    """Return a function that opens the dashboard in a new session, on the page asked for.

    ``open_app("rules", sample="iris")`` begins with a bundled table, its target chosen;
    ``open_app(query={"analysis": id})`` with query parameters in the address.
    """

    def opened(page="data", *, sample=None, query=None):
        app = AppTest.from_file(str(APP), default_timeout=60)
        for name, value in (query or {}).items():
            app.query_params[name] = value
        app.run()
        if sample is not None:
            app.button(key=f"sample_{sample}").click().run()
        if page != "data":
            app.switch_page(f"pages/{page}.py").run()
        return app

    return opened


@pytest.fixture
def table_of(open_app):
    """Return a function that gives the table a session holds (None without one)."""

    def held(app) -> Table | None:
        state = app.session_state.get("app")
        return state.table if state is not None else None

    return held
