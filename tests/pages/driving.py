"""What tests of the pages do again and again: ask for a small run, wait for it, read the words."""

import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from tests.waiting import PATIENCE, until
from ui import jobs
from ui.state import AppState

APP = Path(__file__).parents[2] / "app.py"


@contextmanager
def routed():
    """Let every run go through ``app.py``, as on a server that has answered before.

    `AppTest` otherwise starts each run as a fresh server does, which runs a page's file without
    the router; that case is tested in the browser.
    """
    begin = PagesManager.__init__

    def with_navigation(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PagesManager, "__init__", with_navigation)
        yield


def opened(page="data", *, state=None, query=None):
    """Open a page in a new session, on an analysis or with query parameters in the address."""
    app = AppTest.from_file(str(APP), default_timeout=PATIENCE)
    for name, value in (query or {}).items():
        app.query_params[name] = value
    if state is not None:
        app.session_state["app"] = state
    if page != "data":
        app.switch_page(f"pages/{page}.py")
    return app.run()


def analysed(workspace, table, thetas="2, 20"):
    """Run the small sweep over a table; return the folder in which its analysis is kept."""
    with pytest.MonkeyPatch.context() as patch, routed():
        patch.setenv("RULEKIT_WORKSPACE", str(workspace))
        app = finished(small(opened("models", state=AppState(table=table)), thetas))
        assert not app.exception
        owner = app.session_state["analysis_id"]
        jobs.registry().forget(owner)
    return workspace / owner


def copied(folder, workspace):
    """Copy a kept analysis into a workspace; return the id under which it is opened there."""
    name = secrets.token_urlsafe(18)
    shutil.copytree(folder, workspace / name)
    return name


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.markdown]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


def small(app, thetas="2, 20"):
    """Ask for few prices and no reference models, as far as the learners read it."""
    asked = [
        (app.text_input(key="run_thetas"), thetas),
        (app.toggle(key="run_baselines"), False),
        (app.segmented_control(key="run_folds"), 5),
        (app.slider(key="run_clauses"), (1, 2)),
        (app.toggle(key="run_against"), False),
        (app.toggle(key="run_robust"), False),
        (app.toggle(key="run_doubting"), False),
    ]
    for widget, value in asked:
        if not widget.disabled:
            widget.set_value(value)
    return app.run()


def the_job():
    (job,) = jobs.registry()._jobs.values()
    return job


def finished(app):
    """Press Run, unless a run goes on, wait for its end and draw the page anew."""
    if not app.button(key="run").disabled:
        app.button(key="run").click().run()
    until(lambda: not the_job().active)
    return app.run()


def slider(app, name):
    """Find the slider along a setting, whatever it offers."""
    return next(s for s in app.select_slider if s.key.startswith(f"slider_{name}_"))


def standing(app):
    """Wait until something stands of the run that goes on, and draw the page anew."""
    job = the_job()
    until(lambda: job.standing is not None or not job.active)
    return app.run()


def chosen(app):
    return app.session_state["app"].setting


def on_tab(app, title):
    """Open a tab of Rules or Explain, as a click on it does."""
    (key,) = [
        k for k in ("rules_tab", "explain_tab") if f"{k}_{len(app.tabs)}" in app.session_state
    ]
    app.session_state[f"{key}_{len(app.tabs)}"] = title
    return app.run()
