"""Work that a tab waits for: begun, shown, stopped, failed, begun again."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.tasks import Deaf, Giving, Raising, Steps
from tests.waiting import PATIENCE, until
from ui.runs import jobs


def page(task, key, offer, total):
    import streamlit as st

    from ui.runs.background import answer_of

    result = answer_of("tried", "Trying", key, task, offer=offer, total=total)
    st.markdown(f"found {result}")


@pytest.fixture
def shown(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("RULEKIT_WORKERS", "1")
    owners = []

    def opened(task, key="one", offer=None, total=0):
        app = AppTest.from_function(
            page, args=(task, key, offer, total), default_timeout=PATIENCE
        ).run()
        assert not app.exception
        owners.append(app.session_state["analysis_id"] + "/tried")
        return app, owners[-1]

    yield opened
    for owner in owners:
        jobs.registry().forget(owner)


def found(app):
    return next(m.value for m in app.markdown if m.value.startswith("found"))


def ended(owner):
    until(lambda: not jobs.registry().get(owner).active)


@pytest.mark.slow
def test_work_begins_by_itself_and_gives_its_answer(shown):
    app, owner = shown(Giving("it"))
    ended(owner)
    assert found(app.run()) == "found it"


@pytest.mark.slow
def test_work_that_is_offered_waits_for_its_button(shown):
    app, owner = shown(Giving("it"), offer="Do it")
    assert jobs.registry().get(owner) is None
    assert found(app) == "found None"
    app.button(key="begin_tried").click().run()
    ended(owner)
    assert found(app.run()) == "found it"


@pytest.mark.slow
def test_partial_results_appear_during_work_and_stay_when_stopped(shown, tmp_path):
    gates = Path(tmp_path)
    (gates / "0").touch()
    app, owner = shown(Steps(3, gates), total=3)
    until(lambda: jobs.registry().get(owner).done == 1)
    app.run()
    assert found(app) == "found 0"
    app.button(key="stop_tried").click().run()
    assert "Trying was stopped at 1 of 3." in [c.value for c in app.caption]
    assert found(app) == "found 0"
    for k in range(3):
        (gates / str(k)).touch()
    app.button(key="begin_tried").click().run()
    ended(owner)
    assert found(app.run()) == "found all"


@pytest.mark.slow
def test_a_refusal_is_shown_as_a_sentence(shown):
    app, owner = shown(Raising(ValueError("It must not be so.")))
    ended(owner)
    app.run()
    assert [e.value.replace("\\", "") for e in app.error] == ["It must not be so."]
    assert app.button(key="begin_tried").label == "Try again"


def limited(owner, most):
    import streamlit as st

    from ui.runs import jobs
    from ui.runs.background import watch

    job = jobs.registry().get(owner)
    if job.active:
        watch(job, lambda job: f"Trying {job.title}", "tried", most=most)
    else:
        st.markdown(f"found {job.state}")


@pytest.mark.slow
def test_work_is_stopped_after_the_seconds_it_may_take(tmp_path):
    job = jobs.registry().start("someone", "it", Deaf(tmp_path / "number"))
    until(lambda: job.version == 1)
    app = AppTest.from_function(limited, args=("someone", 3600.0), default_timeout=PATIENCE).run()
    assert [c.value for c in app.caption] == ["Trying it"]
    assert app.button(key="stop_tried")
    app = AppTest.from_function(limited, args=("someone", 0.0), default_timeout=PATIENCE).run()
    assert found(app) == "found cancelled"
    jobs.registry().forget("someone")


def just_ended():
    from types import SimpleNamespace

    import streamlit as st

    from ui.runs.background import watch

    if st.session_state.setdefault("seen", False):
        st.markdown("found its answer")
    else:
        st.session_state["seen"] = True
        job = SimpleNamespace(version=1, active=False, elapsed=0.0, total=0)
        watch(job, lambda job: "Trying", "tried")


def test_job_that_ends_before_it_is_drawn_is_answered():
    app = AppTest.from_function(just_ended, default_timeout=PATIENCE).run()
    assert found(app) == "found its answer"
