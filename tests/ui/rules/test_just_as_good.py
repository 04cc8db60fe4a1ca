"""The tab "Alternatives": the rules of the library, one looked at, one taken."""

import pytest

from rulekit.data import Table, load_sample
from rulekit.evaluation import alternatives
from tests.pages.driving import finished, on_tab, opened, routed, text
from ui.learners.offered import RunSpec
from ui.rules.just_as_good import PICKED
from ui.runs import jobs
from ui.state import AppState

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()
SETTING = {"learner": "search", "max_conditions": 2}


@pytest.fixture
def on_alike(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("RULEKIT_WORKERS", "1")

    def on(table=None, setting=SETTING, **more):
        table = load_sample("breast_cancer") if table is None else table
        state = AppState(table=table, setting=setting, run_settings=QUICK, **more)
        app = on_tab(opened("rules", state=state), "Alternatives")
        assert not app.exception
        app = finished(app)
        assert not app.exception
        return app

    with routed():
        yield on
    for owner in list(jobs.registry()._jobs):
        jobs.registry().forget(owner)


def listed(app):
    (table,) = [t.value for t in app.dataframe if "reads" in t.value]
    return table


def looked_at(app, number):
    job = jobs.registry().get(app.session_state["analysis_id"] + "/alike")
    app.session_state[PICKED] = job.key, number
    return app.run(), job.answer


@pytest.mark.slow
def test_rules_of_the_library_are_listed_and_described(on_alike):
    app = on_alike()
    state = app.session_state["app"]
    found = alternatives(state.model, *state.training, 0.01, max_rules=2_000)
    table = listed(app)
    assert (table["rule"] - 1).tolist() == found.leading[:200]
    assert table["wrong"].tolist() == (100 * found.table["wrong"][found.leading]).tolist()
    for sentence in found.sentences():
        assert sentence in text(app)


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
    app, found = looked_at(app, int(other))
    assert not app.exception
    rule, hand = found.rules[other], before.model.rule_set_
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
    assert not app.exception
    after = app.session_state["app"]
    assert after.model.rule_set_ == rule
    assert after.setting["edited"].startswith("an alternative to: ")
    app = finished(app)
    assert not app.exception
    assert listed(app)["differs"].min() == 0  # looked for anew, beside the rule that was taken
    assert app.button(key="back_to_learned").label == "Back to the learned rule"


@pytest.mark.slow
def test_rules_without_a_column_are_shown_if_there_are_any(on_alike):
    app = on_alike()
    rule = app.session_state["app"].model.rule_set_
    for name in rule.features:
        app.selectbox(key="alike_which").select(f"without {name}").run()
        assert not app.exception
        tables = [t.value for t in app.dataframe if "reads" in t.value]
        if tables:
            assert not any(name in reads.split(", ") for reads in tables[0]["reads"])
        else:
            assert "None of them; the best that was found is:" in text(app)
            (code,) = [c.value for c in app.code if "THEN" in c.value]
            assert name not in code


def test_several_outcomes_are_refused_in_words(on_alike):
    tree = {"learner": "power_law_tree", "theta": 0.1, "max_power_laws": 1, "max_depth": 2}
    app = on_alike(load_sample("iris"), tree, every_class=True)
    assert "Alternatives are only available for two outcomes" in text(app)
