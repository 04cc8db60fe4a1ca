"""Every figure that a page shows is the selected rule's own, after any sequence of actions."""

import re

import numpy as np
import pytest

from rulekit.style.wording import percent
from tests.pages.driving import finished, opened, slider, small, text
from ui.models.picked_rule import constant_words
from ui.picked import model_key
from ui.runs import jobs
from ui.shell import status_words
from ui.state import AppState
from ui.words import rule_words, wording

STEPS = 30
PAGES = ("models", "rules", "explain", "score", "export")


class Session:
    """One person's session; actions act on it, and `check` recomputes what it shows."""

    def __init__(self, state, seed, costs=False):
        self.rng = np.random.default_rng(seed)
        app = opened("models", state=state)
        several = state.every_class
        app = app.segmented_control(key="run_folds").set_value(5).run() if several else small(app)
        self.app = finished(app)
        self.page = "models"
        if costs:
            self.price("costs")

    @property
    def state(self):
        return self.app.session_state["app"]

    def go(self, page):
        if page != self.page:
            self.app.switch_page(f"pages/{page}.py").run()
            self.page = page

    def price(self, kind):
        self.app = finished(self.app.selectbox(key="run_weight").set_value(kind).run())
        for key, value in (("run_cost_0", 5.0), ("run_cost_1", 1.0)):
            if any(n.key == key for n in self.app.number_input):
                self.app.number_input(key=key).set_value(value)
        self.app = finished(self.app.run())

    def act(self):
        """Do one thing that a person may do; return its name."""
        action = self.rng.choice(["slide", "slide", "turn", "suggested", "costs", "page", "reload"])
        getattr(self, f"_{action}")()
        return action

    def _slide(self):
        self.go("models")
        found = [s for s in self.app.select_slider if s.key.startswith("slider_limit_")]
        if found:
            found[0].set_value(int(self.rng.choice(list(map(int, found[0].options))))).run()

    def _turn(self):
        """Describe the other class, where runs have rules of both."""
        self.go("models")
        self.app.session_state["models_tab"] = "How it was found"
        self.app.run()
        sides = [s for s in self.app.segmented_control if s.key.startswith("side_")]
        if sides:
            sides[0].set_value(str(self.rng.choice(["for", "other"]))).run()

    def _suggested(self):
        self.go("models")
        if any(b.key == "pick_suggested" for b in self.app.button):
            self.app.button(key="pick_suggested").click().run()

    def _costs(self):
        self.go("models")
        options = self.app.selectbox(key="run_weight").options
        if len(options) > 1:
            now = self.app.selectbox(key="run_weight").value
            self.price("costs" if now != "costs" else "none")

    def _page(self):
        self.go(str(self.rng.choice(PAGES)))

    def _reload(self):
        """Open the address again on a server that knows of no job."""
        jobs.registry().forget(self.app.session_state["analysis_id"])
        query = {"analysis": self.app.query_params["analysis"]}
        self.app = finished(opened(self.page, query=query))

    def check(self):
        app, state = self.app, self.state
        assert not app.exception
        assert not [e.value for e in app.error]
        model, (X, y) = state.model, state.training
        assert (model.predict(X) == model.rule_set_.predict(model.read_columns(X))).all()
        words, message = text(app), status_words(state)
        assert f"{model.rule_set_.n_conditions} condition" in message
        number = None if state.sweep is None else state.sweep.number_of_rule(state)
        known = [state.error] if number is None else [state.sweep.points.loc[number, "test_error"]]
        for error in known:
            assert error is None or f"{percent(error)} wrong" in message
        assert message in words
        if self.page == "models":
            self.check_models(model, number, words, X, y)
        if self.page == "rules":
            wrong = percent(float((model.predict(X) != y.to_numpy()).mean()))
            assert wrong in {m.label: m.value for m in app.metric}.values()

    def check_models(self, model, number, words, X, y):
        app, state = self.app, self.state
        rule = model.rule_set_
        assert app.code[0].value == rule_words(rule, wording(state))
        assert constant_words(rule, state) in words
        if number is None:
            assert not [s for s in app.select_slider if s.key.startswith("slider_limit_")]
            assert "not measured with these " in words
            return
        row = state.sweep.points.loc[number]
        assert f"**{percent(row['test_error'])}" in words
        assert rule.n_conditions <= row["limit"]
        measured = state.sweep.models.get(model_key(state.setting))
        assert measured is None or measured.rule_set_ == rule  # the figures are this rule's
        if any(s.key.startswith("slider_limit_") for s in app.select_slider):
            assert slider(app, "limit").value == row["limit"]
        left, truth = model.clauses_fired(X), y.to_numpy()
        if len(set(rule.labels)) > 1:  # rows are counted with the clause that decides them
            left = left & (left.cumsum(axis=1) == 1)
        shown = re.findall(r"Clause (\d+): ([\d,]+) of ([\d,]+) training rows", words)
        for number, right, rows in shown:
            of_clause = truth[left[:, int(number) - 1]]
            assert rows == f"{len(of_clause):,}"
            assert right == f"{(of_clause == rule.labels[int(number) - 1]).sum():,}"
        assert len(shown) == min(2, left[:, :2].any(axis=0).sum()) or rule.form == "cnf"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "costs"), [("credit", False), ("iris", False), ("credit", True)]
)
def test_figures_are_the_selected_rules_own_after_any_action(sample, costs):
    from rulekit.data import load_sample

    state = AppState(table=load_sample(sample), every_class=sample == "iris")
    session = Session(state, seed=len(sample) + costs, costs=costs)
    done = []
    for _ in range(STEPS):
        done.append(session.act())
        try:
            session.check()
        except AssertionError as error:
            raise AssertionError(f"after {done}, on {session.page}: {error}") from error
    assert set(done) >= {"slide", "costs", "page", "reload"}
