"""The tabs Groups, Stability and Alternatives of Rules: background jobs, figures as counted."""

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, FixedRuleClassifier, alternatives, group_metrics, stability
from rulekit.data import Table, load_sample, row_groups
from tests.pages.driving import finished, on_tab, opened, routed, text
from tests.ui.tasks import Quiet
from tests.waiting import PATIENCE
from ui.learners.offered import RunSpec
from ui.rule_numbers import rows_of
from ui.rules import trust
from ui.rules.trust import PICKED, SOURCE, gap_curve
from ui.runs import jobs
from ui.state import AppState, ColumnName

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()
SETTING = {"learner": "search", "max_conditions": 2}


@pytest.fixture
def on_rules(tmp_path, monkeypatch):
    """Open a tab of Rules on a table and a setting."""
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("RULEKIT_WORKERS", "1")

    def on(tab, table=None, setting=SETTING, run_settings=QUICK, **more):
        table = load_sample("breast_cancer") if table is None else table
        state = AppState(table=table, setting=setting, run_settings=run_settings, **more)
        return on_tab(opened("rules", state=state), tab)

    with routed():
        yield on
    for owner in list(jobs.registry()._jobs):
        jobs.registry().forget(owner)


@pytest.fixture
def on_alike(on_rules, monkeypatch):
    monkeypatch.setattr(trust, "SECONDS", PATIENCE)

    return lambda *arguments, **more: finished(on_rules("Alternatives", *arguments, **more))


@pytest.mark.slow
def test_stability_is_shown_in_words_charts_and_tables(on_rules, monkeypatch):
    monkeypatch.setattr(trust, "N_RESAMPLES", 20)
    app = on_rules("Stability", wording={"worst radius": ColumnName("Radius", "mm")})
    app = finished(app.button(key="begin_stable").click().run())
    state = app.session_state["app"]
    X, y = state.training
    result = stability(state.model, X, y.to_numpy(dtype=object), n_resamples=20)
    assert result.n_made == 20
    message = text(app)
    for sentence in result.sentences({"worst radius": "Radius"}):
        assert sentence in message
    assert len(app.get("plotly_chart")) == 3
    (columns,) = [t.value for t in app.dataframe if list(t.value) == list(result.columns)]
    assert columns["returned"].tolist() == result.columns["returned"].tolist()


@pytest.mark.slow
def test_stability_of_a_scorecard_speaks_of_points_and_totals(on_rules, monkeypatch):
    monkeypatch.setattr(trust, "N_RESAMPLES", 3)
    monkeypatch.setattr(trust, "OTHERS", 1)
    app = on_rules("Stability", setting={"learner": "scorecard", "max_conditions": 2})
    app = finished(app.button(key="begin_stable").click().run())
    assert "Points as a table" in [box.label for box in app.expander]
    (table,) = [t for t in app.dataframe if "overlap" in t.value]
    total = app.session_state["app"].model.rule_set_.clauses[0].conditions[0].total
    assert table.value["number"].tolist()[:1] == [f"total from {total}"]
    assert "clause no." not in table.proto.columns
    assert '"points"' in table.proto.columns


def test_outcomes_that_are_numbers_are_learned_again_too():
    frame = pd.DataFrame({"a": np.arange(40) // 4 * 1.5, "ill": np.arange(40) > 20}).astype(float)
    X, y = frame[["a"]], frame["ill"].astype(int)
    model = BoxSearchClassifier(n_perturbations=0).fit(X, y)
    table = Table.from_frame(frame.astype({"ill": int}))
    train, _ = rows_of(AppState(table=table.with_roles({"ill": "target"}, positive_label=1)), model)
    rows, options = (train.X, train.target), {"n_resamples": 2}
    assert trust.repeat(model, rows, options, Quiet()).n_made == 2


@pytest.mark.slow
def test_learning_again_is_refused_by_hand_and_stopped_on_request(on_rules):
    app = on_rules("Stability")
    app.button(key="begin_stable").click().run()
    app.button(key="stop_stable").click().run()
    assert "Learning again was stopped" in text(app)
    assert app.button(key="begin_stable").label == "Begin again"
    app.toggle[0].set_value(False).run()
    app.button(key="keep_shorter").click().run()
    assert trust.BY_HAND in text(app)


def listed(app):
    (table,) = [t.value for t in app.dataframe if "reads" in t.value]
    return table


def looked_at(app, number):
    job = jobs.registry().get(app.session_state["analysis_id"] + "/alike")
    app.session_state[PICKED] = job.key, number
    return app.run(), job.answer


@pytest.mark.slow
def test_rules_of_the_library_are_listed_described_and_narrowed(on_alike):
    app = on_alike()
    state = app.session_state["app"]
    limits = {"max_rules": 2_000, "time_limit": PATIENCE}
    result = alternatives(state.model, *state.training, 0.01, **limits)
    table = listed(app)
    assert (table["rule"] - 1).tolist() == result.leading[:200]
    assert table["wrong"].tolist() == (100 * result.table["wrong"][result.leading]).tolist()
    for sentence in result.sentences():
        assert sentence in text(app)
    for name in state.model.rule_set_.features:
        app.selectbox(key="alike_which").select(f"without {name}").run()
        tables = [t.value for t in app.dataframe if "reads" in t.value]
        if tables:
            assert not any(name in reads.split(", ") for reads in tables[0]["reads"])
        else:
            assert "None of them; the best that was found is:" in text(app)
            (rule,) = [t.value for t in app.text if "THEN" in t.value]
            assert name not in rule


@pytest.mark.slow
def test_outcomes_that_are_numbers_are_looked_through_too(on_alike):
    table = load_sample("breast_cancer")
    ones = table.frame.assign(diagnosis=(table.frame["diagnosis"] == "malignant").astype(int))
    coded = Table.from_frame(ones).with_roles({"diagnosis": "target"}, positive_label=1)
    assert len(listed(on_alike(coded))) == len(listed(on_alike()))


@pytest.mark.slow
def test_viewed_rule_shows_its_differences_and_can_be_used(on_alike):
    app = on_alike()
    before = app.session_state["app"]
    other = next(k for k in listed(app)["rule"] - 1 if k)
    app, result = looked_at(app, int(other))
    rule, hand = result.rules[other], before.model.rule_set_
    X, y = before.training
    columns = before.model.read_columns(X)
    rows = rule.predict(columns) != hand.predict(columns)
    right = [(r.predict(columns)[rows] == y[rows]).sum() for r in (hand, rule)]
    assert (
        f"Predictions differ for {rows.sum()} of {len(y)} training rows "
        f"({100 * rows.mean():.1f} %): the selected rule is right for {right[0]} of them, this one "
        f"for {right[1]}."
    ) in text(app)
    app.button(key="alike_take").click().run()
    after = app.session_state["app"]
    assert after.model.rule_set_ == rule
    assert after.setting["edited"].startswith("an alternative to: ")
    app = finished(app)
    assert listed(app)["differs"].min() == 0  # looked for anew, beside the rule that was taken
    assert app.button(key="back_to_learned").label == "Back to the learned rule"


def test_several_outcomes_are_refused_in_words(on_alike):
    tree = {"learner": "power_law_tree", "theta": 0.1, "max_exponents": 2, "max_depth": 2}
    app = on_alike(load_sample("iris"), tree, every_class=True)
    assert "Alternatives are only available for two outcomes" in text(app)


QUICK_SEARCH = RunSpec(thetas=(2.0,), folds=5, baselines=False, forbidden=("income",)).to_dict()
FEW = ("age", "amount", "housing", "income", "late_payments", "risk")
CREDIT = load_sample("credit")
STATE = {
    "table": CREDIT.with_roles({c.name: "ignore" for c in CREDIT.columns if c.name not in FEW}),
    "setting": {"learner": "alternating", "theta": 2.0, "n_clauses": 2},
    "run_settings": QUICK_SEARCH,
}


@pytest.fixture
def on_groups(on_rules):
    def on(column, table=CREDIT):
        app = on_rules("Groups", table, STATE["setting"])
        return app.selectbox(key="groups_column").select(column).run()

    return on


@pytest.mark.slow
def test_groups_are_compared_by_any_column_for_either_part(on_groups):
    app = on_groups("income")
    state = app.session_state["app"]
    X, y = state.training
    metrics = group_metrics(state.model, X, y, "income", positive="high")
    (table,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert table["rows"].tolist() == [*metrics.table["rows"], len(y)]
    errors = [f"{100 * v:.1f}" for v in [*metrics.table["error"], metrics.overall["error"]]]
    assert [v.split(" %")[0] for v in table["Error"]] == errors
    for sentence in metrics.sentences():
        assert sentence in text(app)
    app.segmented_control(key="rules_part").set_value("test").run()
    (table,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert table["rows"].iloc[-1] == len(app.session_state["app"].testing[1])
    app.selectbox(key="groups_column").select("loan_id").run()
    assert "Groups must be at most 50 to be compared, but column 'loan_id' has" in text(app)
    assert not [t for t in app.dataframe if "False positive rate" in t.value]
    app = on_groups("housing", CREDIT.with_roles({"housing": "ignore"}))
    (shown,) = [t.value for t in app.dataframe if "False positive rate" in t.value]
    assert set(shown.iloc[:-1, 0]) == set(CREDIT.frame["housing"].dropna())


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
def test_a_rule_with_a_smaller_gap_is_searched_for_and_taken(on_rules):
    app = on_rules("Groups", **STATE)
    app = app.selectbox(key="groups_column").select("housing").run()
    app = finished(app.button(key="begin_gaps").click().run())
    assert "wrong at a gap of" in text(app)
    assert not isinstance(app.session_state["app"].model, FixedRuleClassifier)
    app = app.button(key="take_gap_rule").click().run()
    state = app.session_state["app"]
    assert state.setting == {"edited": SOURCE}
    assert isinstance(state.model, FixedRuleClassifier)
