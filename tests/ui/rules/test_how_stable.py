"""The tab "Stability": offered, done in the background, told as counted."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.evaluation import stability
from rulekit.learners import BoxSearchClassifier
from tests.pages.driving import finished, on_tab, opened, routed, text
from tests.ui.tasks import Quiet
from ui.learners.offered import RunSpec
from ui.rule_numbers import rows_of
from ui.rules import how_stable
from ui.runs import jobs
from ui.state import AppState, Wording

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()
SETTING = {"learner": "search", "max_conditions": 2}


@pytest.fixture
def on_stable(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("RULEKIT_WORKERS", "1")

    def on(setting=SETTING, **more):
        state = AppState(
            table=load_sample("breast_cancer"), setting=setting, run_settings=QUICK, **more
        )
        app = on_tab(opened("rules", state=state), "Stability")
        assert not app.exception
        return app

    with routed():
        yield on
    for owner in list(jobs.registry()._jobs):
        jobs.registry().forget(owner)


@pytest.mark.slow
def test_stability_is_shown_in_words_charts_and_tables(on_stable, monkeypatch):
    monkeypatch.setattr(how_stable, "N_RESAMPLES", 20)
    app = on_stable(wording={"worst radius": Wording("Radius", "mm")})
    assert not app.get("plotly_chart")
    app = finished(app.button(key="begin_stable").click().run())
    assert not app.exception
    state = app.session_state["app"]
    X, y = state.training
    found = stability(state.model, X, y.to_numpy(dtype=object), n_resamples=20)
    assert found.n_made == 20
    message = text(app)
    for sentence in found.sentences({"worst radius": "Radius"}):
        assert sentence in message
    assert len(app.get("plotly_chart")) == 2
    (columns,) = [t.value for t in app.dataframe if list(t.value) == list(found.columns)]
    assert columns["returned"].tolist() == found.columns["returned"].tolist()


def test_outcomes_that_are_numbers_are_learned_again_too():
    frame = pd.DataFrame({"a": np.arange(40) // 4 * 1.5, "ill": np.arange(40) > 20}).astype(float)
    X, y = frame[["a"]], frame["ill"].astype(int)
    model = BoxSearchClassifier(n_perturbations=0).fit(X, y)
    state = AppState(
        table=Table.from_frame(frame.astype({"ill": int})).with_roles(
            {"ill": "target"}, positive_label=1
        )
    )
    train, _ = rows_of(state, model)
    repeating = how_stable.Repeating(model, train.X, train.target, None, None, n_resamples=2)
    assert repeating(Quiet()).n_made == 2


@pytest.mark.slow
def test_stop_keeps_partial_results(on_stable):
    app = on_stable()
    app.button(key="begin_stable").click().run()
    app.button(key="stop_stable").click().run()
    assert not app.exception
    assert "Learning again was stopped" in text(app)
    assert app.button(key="begin_stable").label == "Begin again"


@pytest.mark.slow
def test_a_rule_changed_by_hand_is_refused_in_words(on_stable):
    app = on_stable()
    app.toggle[0].set_value(False).run()
    app.button(key="keep_shorter").click().run()
    assert how_stable.BY_HAND in text(app)
