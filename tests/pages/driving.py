"""What tests of the pages do again and again: ask for a small run, wait for it, read the words."""

import secrets
import shutil
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from rulekit import load_sample, to_json
from tests.waiting import PATIENCE, until
from ui.export.formats import AUDIENCES, CODE, LANGUAGES
from ui.learners.offered import QUESTIONS
from ui.models.run import FIRST
from ui.picked import fit_setting
from ui.runs import jobs
from ui.state import AppState

APP = Path(__file__).parents[2] / "app.py"
# Every `AppTest` reads the metadata of all packages installed; once a process will do.
COMPONENTS = cache(manifest_scanner.scan_component_manifests)
loaded = cache(load_sample)


@contextmanager
def routed():
    """Route every run through ``app.py``, as after a server's first run; fail on exceptions.

    Options of lists are plain text: it fails on escaped ones, too.
    """
    begin, run = PagesManager.__init__, AppTest._run

    def with_navigation(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    def without_exception(self, *args, **kwargs):
        app = run(self, *args, **kwargs)
        assert not [e.message for e in app.exception]
        assert not escaped_options(app)
        return app

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PagesManager, "__init__", with_navigation)
        patch.setattr(AppTest, "_run", without_exception)
        patch.setattr(manifest_scanner, "scan_component_manifests", COMPONENTS)
        yield


def escaped_options(app):
    """List the options of an app's lists that are escaped for Markdown, as `loan\\_id`."""
    return [o for box in (*app.selectbox, *app.multiselect) for o in box.options if "\\_" in o]


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


def analysed(workspace, table):
    """Run Models until it has its first rules of a table; return the folder of its analysis."""
    with pytest.MonkeyPatch.context() as patch, routed():
        patch.setenv("RULEKIT_WORKSPACE", str(workspace))
        app = finished(opened("models", state=AppState(table=table)))
        owner = app.session_state["analysis_id"]
        jobs.registry().forget(owner)
    return workspace / owner


def copied(folder, workspace):
    """Copy a kept analysis into a workspace; return the id under which it is opened there."""
    name = secrets.token_urlsafe(18)
    shutil.copytree(folder, workspace / name)
    return name


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.success, *app.markdown]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


def errors(app):
    """Return all error sentences, as they are read."""
    return " ".join(e.value for e in app.error).replace("\\", "").replace("\u2060", "")


def small(app):
    """Select five folds and plain rules alone."""
    app.segmented_control(key="run_folds").set_value(5)
    for key in ("run_against", "run_robust", "run_noisy"):
        app.toggle(key=key).set_value(False)
    return app.run()


def the_job():
    """Return the analysis' work that somebody asked for, else its first rules."""
    return max(jobs.registry()._jobs.values(), key=lambda job: job.title != FIRST)


def finished(app):
    """Wait for the end of what runs, and draw the page anew."""
    until(lambda: not any(job.active for job in jobs.registry()._jobs.values()))
    return app.run()


def interim(app):
    """Wait until there is something whole of the run that goes on, and draw the page anew."""
    job = the_job()
    until(lambda: job.interim is not None or not job.active)
    return app.run()


def opened_tab(app, name):
    """Turn to a tab of Models."""
    app.session_state["models_tab"] = name
    return app.run()


def opened_constraints(app, is_open=True):
    """Open (or close) the constraints on columns of Models, whose lists are filled when open."""
    app.session_state["run_constraints"] = is_open
    return app.run()


def ticked(app, *questions):
    """Tick the learners whose questions begin with some words, and no others."""
    for box in app.checkbox:
        if box.label in QUESTIONS:
            box.set_value(box.label.startswith(questions))
    return app.run()


def compared(app, *questions):
    """Compare the learners of some questions on Models, begun by the words these begin with."""
    app = ticked(opened_tab(app, "Learners"), *questions)
    # a busy machine may need more than the usual minute
    app.segmented_control(key="run_budget").set_value(PATIENCE)
    app.run()
    if app.toggle(key="run_baselines").value:
        app.toggle(key="run_baselines").set_value(False).run()
    return finished(app.button(key="compare_learners").click().run())


def slider(app, name):
    """Find the slider along a setting, or along the curve (``limit``), whatever it offers."""
    return next(s for s in app.select_slider if s.key.startswith(f"slider_{name}_"))


def pick_here(app, found, setting):
    """Pick a setting as a click on its point does."""
    state = app.session_state["app"]
    number = found.number_of(setting)
    model = fit_setting(state, setting, found.specs[number])
    picked = {
        "setting": setting,
        "model": model,
        "rule_json": to_json(model),
        "rule_selected": True,
        "error": float(found.points.loc[number, "test_error"]),
    }
    for name in ("_picks", "_slides"):
        app.session_state[name] = secrets.randbelow(10**9)  # new keys, as after a click
    app.session_state["app"] = replace(state, run_settings=found.specs[number].to_dict(), **picked)
    return app.run()


def chosen(app):
    return app.session_state["app"].setting


VIEWS = {
    **dict.fromkeys(("Predictions", "Operating points", "Overlap"), "Errors"),
    **dict.fromkeys(("Checks", "Probabilities", "Stability", "Optimality"), "Trust"),
}


def on_tab(app, title):
    """Open a tab of Rules or Explain, or a view in one, as a click on it does."""
    if title in VIEWS:
        app = on_tab(app, VIEWS[title])
        views = next(c for c in app.segmented_control if c.key.startswith("rules_view_"))
        return views.set_value(title).run()
    (key,) = [
        k for k in ("rules_tab", "explain_tab") if f"{k}_{len(app.tabs)}" in app.session_state
    ]
    app.session_state[f"{key}_{len(app.tabs)}"] = title
    return app.run()


def listed_conditions(app):
    """Return the list of a clause's conditions in the open editor; the last entry is a table."""
    return next(r for r in app.radio if r.key.startswith("conditions_"))


def as_table(app):
    """Turn the open editor of a clause to its table."""
    conditions = listed_conditions(app)
    return conditions.set_value(len(conditions.options) - 1).run()


def exported(app, name):
    """Choose a format on Export."""
    choice = CODE if name in LANGUAGES else name
    group = next((label for label, names in AUDIENCES.items() if choice in names), "Format")
    app = app.radio(key=f"export_{group}").set_value(choice).run()
    if choice == CODE:
        app = app.selectbox(key="export_language").set_value(name).run()
    return app
