"""The tab "Groups": any column, figures as counted, refusals as sentences."""

import pytest

from rulekit import FixedRuleClassifier
from rulekit.data import load_sample, row_groups
from rulekit.evaluation import group_metrics
from tests.pages.driving import finished, on_tab, opened, routed, text
from tests.ui.tasks import Quiet
from ui.learners.offered import RunSpec
from ui.rules.groups import SOURCE, gap_curve
from ui.runs import jobs
from ui.state import AppState

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()
QUICK_SEARCH = RunSpec(thetas=(2.0,), folds=5, baselines=False, forbidden=("income",)).to_dict()
FEW = ("age", "amount", "housing", "income", "late_payments", "risk")
CREDIT = load_sample("credit")
STATE = {
    "table": CREDIT.with_roles({c.name: "ignore" for c in CREDIT.columns if c.name not in FEW}),
    "setting": {"learner": "alternating", "theta": 2.0, "n_clauses": 2},
    "run_settings": QUICK_SEARCH,
}


@pytest.fixture
def on_groups(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    setting = {"learner": "alternating", "theta": 2.0, "n_clauses": 2}

    def on(column=None, table=None):
        table = load_sample("credit") if table is None else table
        state = AppState(table=table, setting=setting, run_settings=QUICK)
        app = on_tab(opened("rules", state=state), "Groups")
        assert not app.exception
        return app if column is None else app.selectbox(key="groups_column").select(column).run()

    with routed():
        yield on


@pytest.mark.slow
def test_shares_and_the_largest_gap_of_a_column_are_shown(on_groups):
    app = on_groups("income")
    state = app.session_state["app"]
    X, y = state.training
    found = group_metrics(state.model, X, y, "income", positive="high")
    (table,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert table["rows"].tolist() == [*found.table["rows"], len(y)]
    assert [v.split(" %")[0] for v in table["Error"]] == [
        f"{100 * v:.1f}" for v in [*found.table["error"], found.overall["error"]]
    ]
    for sentence in found.sentences():
        assert sentence in text(app)


@pytest.mark.slow
def test_test_rows_are_counted_on_request(on_groups):
    app = on_groups("income")
    app.segmented_control(key="rules_part").set_value("test").run()
    (table,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert table["rows"].iloc[-1] == len(app.session_state["app"].testing[1])


@pytest.mark.slow
def test_a_column_that_the_rule_may_not_use_can_be_grouped_by(on_groups):
    table = load_sample("credit")
    app = on_groups("housing", table.with_roles({"housing": "ignore"}))
    (shown,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert set(shown.iloc[:-1, 0]) == set(table.frame["housing"].dropna())


@pytest.mark.slow
def test_a_column_of_too_many_values_is_refused_in_words(on_groups):
    app = on_groups("loan_id")
    assert "Groups must be at most 50 to be compared, but column 'loan_id' has" in text(app)
    assert not [t for t in app.dataframe if "False positive rate" in t.value]


@pytest.mark.slow
def test_rules_of_the_curve_keep_constraints_and_skip_the_group():
    state = AppState(**STATE)
    X, y = state.training
    groups = row_groups(X["housing"], "housing")
    curve, every, rules = gap_curve(state, groups, Quiet())
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
