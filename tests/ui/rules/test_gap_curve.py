"""What a smaller gap costs: searched for as a job, told, and a rule of the curve taken."""

import threading

import pytest

from rulekit import FixedRuleClassifier
from rulekit.data import load_sample, row_groups
from rulekit.evaluation import group_metrics
from tests.pages.driving import finished, on_tab, opened, routed, text
from ui.learners.offered import RunSpec
from ui.rules.gap_curve import SOURCE, GapCurve
from ui.runs import jobs
from ui.runs.worker import Reporter
from ui.state import AppState

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False, forbidden=("income",)).to_dict()
FEW = ("age", "amount", "housing", "income", "late_payments", "risk")
CREDIT = load_sample("credit")
STATE = {
    "table": CREDIT.with_roles({c.name: "ignore" for c in CREDIT.columns if c.name not in FEW}),
    "setting": {"learner": "alternating", "theta": 2.0, "n_clauses": 2},
    "run_settings": QUICK,
}


@pytest.mark.slow
def test_rules_of_the_curve_keep_constraints_and_skip_the_group():
    state = AppState(**STATE)
    X, y = state.training
    groups = row_groups(X["housing"], "housing")
    task = GapCurve(state, "housing", groups)
    curve, every, rules = task(Reporter(lambda *_: None, threading.Event()))
    assert len(rules) == len(curve) < len(every)
    for rule in rules:
        assert set(rule.features) <= set(X.columns) - {"income"}
    best = every["test_error"].min()
    assert curve["test_error"].iloc[-1] == best
    gaps = group_metrics(rules[-1], X, y, groups, positive="high").gaps
    assert gaps["found"].size >= 0


@pytest.mark.slow
def test_a_rule_with_a_smaller_gap_is_searched_for_and_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    with routed():
        app = on_tab(opened("rules", state=AppState(**STATE)), "Groups")
        app = app.selectbox(key="groups_column").select("housing").run()
        app = finished(app.button(key="begin_gaps").click().run())
        assert not app.exception
        assert "wrong at a gap of" in text(app)
        assert not isinstance(app.session_state["app"].model, FixedRuleClassifier)
        app = app.button(key="take_gap_rule").click().run()
        state = app.session_state["app"]
        assert state.setting == {"edited": SOURCE}
        assert isinstance(state.model, FixedRuleClassifier)
    for owner in list(jobs.registry()._jobs):
        jobs.registry().forget(owner)
