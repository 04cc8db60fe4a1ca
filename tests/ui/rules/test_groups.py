"""The tab "Groups": any column, figures as counted, refusals as sentences."""

import pytest

from rulekit.data import load_sample
from rulekit.evaluation import group_metrics
from tests.pages.driving import on_tab, opened, routed, text
from ui.learners.offered import RunSpec
from ui.state import AppState

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()


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
