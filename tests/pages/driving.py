"""What tests of the pages do again and again: ask for a small run, wait for it, read the words."""

import time

from ui import jobs


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


def finished(app, seconds=180):
    """Press Run, unless a run goes on, and wait for its end as a browser polling does."""
    if not app.button(key="run").disabled:
        app.button(key="run").click().run()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (job,) = jobs.registry()._jobs.values()
        if not job.active:
            return app.run()
        time.sleep(0.1)
    raise AssertionError(f"The run did not end within {seconds} s.")


def slider(app, name):
    """Find the slider along a setting, whatever it offers."""
    return next(s for s in app.select_slider if s.key.startswith(f"slider_{name}_"))


def standing(app, seconds=120):
    """Wait until something stands of the run that goes on, and draw the page anew."""
    (job,) = jobs.registry()._jobs.values()
    end = time.monotonic() + seconds
    while job.standing is None and job.active:
        assert time.monotonic() < end
        time.sleep(0.02)
    return app.run()


def chosen(app):
    return app.session_state["app"].setting
