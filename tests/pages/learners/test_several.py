"""Three outcomes through the pages: lists and trees, learned, read and taken away."""

import json

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from tests.pages.driving import as_table, compared, exported, finished, opened_tab, text
from ui.export.formats import FORMATS, obstacle
from ui.learners.offered import RunSpec
from ui.learners.tree import TREE
from ui.state import AppState, from_plain, to_plain

LIST = {"learner": "search", "max_conditions": 4}
FORMULA = {"learner": TREE, "theta": 0.05, "max_exponents": 2, "max_depth": 2}
SPEC = RunSpec(learners=(TREE,), taus=(0.05,), folds=3, baselines=True)
SPECIES = ["setosa", "versicolor", "virginica"]


@pytest.fixture
def on_iris(open_app):
    """Open a page on iris, all three species described, a list or a tree picked."""

    def opened(page, setting=LIST):
        spec = {"run_settings": SPEC.to_dict()} if setting is FORMULA else {}
        state = AppState(table=load_sample("iris"), every_class=True, setting=setting, **spec)
        return open_app(page, state=state)

    return opened


def test_table_of_three_classes_is_described_whole_by_default(open_app):
    app = open_app("data", sample="iris")
    state = app.session_state["app"]
    assert state.labels == SPECIES
    assert not [r for r in app.radio if r.label == "The rule describes the class"]
    toggle = next(t for t in app.toggle if t.label == "One class against the rest")
    toggle.set_value(True).run()
    assert app.session_state["app"].labels == ["virginica", "not virginica"]
    assert [r for r in app.radio if r.label == "The rule describes the class"]


@pytest.mark.slow
def test_binning_draws_and_counts_all_classes_by_name(on_iris):
    app = on_iris("binning")
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert {trace["name"] for trace in figure["data"] if trace["type"] == "bar"} == set(SPECIES)
    shares = app.dataframe[1].value
    assert list(shares.columns) == ["values", "rows", *(f"{name}, %" for name in SPECIES)]
    assert shares[[f"{name}, %" for name in SPECIES]].sum(axis=1).round(6).eq(100).all()
    seen = [json.dumps(figure), text(app), *map(str, (d.value for d in app.dataframe))]
    assert "not " + SPECIES[2] not in " ".join(seen)


@pytest.mark.parametrize("kind", ["category", "date"])
def test_binning_counts_all_classes_of_levels_and_dates(open_app, kind):
    days = pd.date_range("2024-01-01", periods=60, freq="9D").strftime("%Y-%m-%d")
    values = [("low", "middle", "high")[k // 20] for k in range(60)] if kind == "category" else days
    frame = pd.DataFrame({"x": values, "ill": [("a", "b", "c")[k // 20] for k in range(60)]})
    table = Table.from_frame(frame).with_roles({"x": "feature", "ill": "target"})
    table = table.with_roles({}, positive_label="c")
    app = open_app("binning", state=AppState(table=table, every_class=True))
    assert list(app.dataframe[1].value.columns)[-3:] == ["a, %", "b, %", "c, %"]
    drawn = [json.loads(result.proto.spec) for result in app.get("plotly_chart")]
    assert all({t["name"] for t in one["data"]} == {"a", "b", "c"} for one in drawn)
    assert len(drawn) == (kind == "category")


@pytest.mark.slow
def test_the_quick_look_draws_a_curve_and_picks_a_list(open_app):
    state = AppState(table=load_sample("iris"), every_class=True)
    app = finished(open_app("models", state=state))
    state = app.session_state["app"]
    assert state.result.points["test_error"].min() < 0.1
    rule = state.model.rule_set_
    assert set(rule.classes) == set(SPECIES)
    assert all(name in " ".join(t.value for t in app.text) for name in SPECIES)


def matrix(app):
    """Return the confusion table of the page."""
    return next(e.proto.body for e in app.get("html") if "<table" in e.proto.body)


def test_rules_counts_each_class_by_each_answer_and_edits_a_clause(on_iris):
    app = on_iris("rules")
    rule = app.session_state["app"].model.rule_set_
    assert all(f">{name}</th>" in matrix(app) for name in SPECIES)
    as_table(app.button(key="edit_0").click().run())
    answer = next(s for s in app.selectbox if s.label == "Predicted")
    assert answer.value == rule.labels[0]
    answer.set_value(next(v for v in SPECIES if v != rule.labels[0])).run()
    app.button(key="score_edit").click().run()
    changed = app.session_state["app"].model.rule_set_
    assert changed.labels[1:] == rule.labels[1:]
    assert changed.labels[0] == answer.value != rule.labels[0]


@pytest.mark.slow
@pytest.mark.parametrize("setting", [LIST, FORMULA], ids=["list", "tree"])
def test_explain_names_the_answer_and_the_path_in_a_tree(on_iris, setting):
    app = on_iris("explain", setting)
    assert any(name in text(app) for name in SPECIES)
    path = "On its way through the tree" in [e.label for e in app.expander]
    assert path is (setting is FORMULA)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [LIST, FORMULA], ids=["list", "tree"])
def test_every_format_supports_three_classes_or_states_why_not(on_iris, setting):
    app = on_iris("export", setting)
    for name, form in FORMATS.items():
        app = exported(app, name)
        assert not app.error, name
        can_be_run = not obstacle(form, app.session_state["app"].model) and bool(form.run)
        assert bool(app.success) == can_be_run, name


@pytest.mark.slow
def test_learners_of_one_class_are_not_offered_for_three(open_app):
    app = open_app("models", state=AppState(table=load_sample("iris"), every_class=True))
    app = opened_tab(app, "Learners")
    message = text(app)
    assert "“Points to add up” describe one class against the rest" in message
    offered = [box.label for box in app.checkbox]
    assert not [name for name in offered if name.startswith(("Points", "Every combination"))]
    assert [name for name in offered if name.startswith("Short rule")]


@pytest.mark.slow
def test_list_of_all_classes_is_dropped_for_a_single_class(open_app):
    app = open_app("data", sample="iris")
    app.session_state["app"].setting = {"learner": "search", "theta": 1.0, "n_clauses": 1}
    next(t for t in app.toggle if t.label == "One class against the rest").set_value(True).run()
    app.switch_page("pages/rules.py").run()
    assert "No model is picked yet" in text(app)


def test_two_classes_are_never_several_and_tables_begin_with_all(open_app):
    app = open_app("data", sample="credit")
    assert not [t for t in app.toggle if t.label == "One class against the rest"]
    app = open_app("data", sample="iris")
    next(t for t in app.toggle if t.label == "One class against the rest").set_value(True).run()
    assert not app.session_state["app"].several
    app.button(key="sample_wine").click().run()
    assert app.session_state["app"].several


@pytest.mark.slow
def test_tree_run_over_three_classes_ends_with_one_pick(on_iris):
    app = on_iris("models", FORMULA)
    app.segmented_control(key="run_folds").set_value(5).run()
    app = compared(app, "A formula")
    state = app.session_state["app"]
    assert state.model.rule_set_.n_clauses >= 2
    assert state.result.points["test_error"].min() < 0.1
    assert len(state.result.models) == len(state.result.settings)
    judged = next(s for s in app.selectbox if s.label == "Measure")
    assert "1 − F1, cross-validated" not in judged.options


@pytest.mark.slow
def test_rules_counts_each_class_and_draws_the_tree(on_iris):
    app = on_iris("rules", FORMULA)
    assert all(f">{name}</th>" in matrix(app) for name in SPECIES)
    assert all(f"**{name}** if" in text(app) for name in ("virginica", "versicolor"))
    model, (X, y) = app.session_state["app"].model, app.session_state["app"].training
    fired, right = model.rule_set_.clauses_fired(model.read_columns(X)), model.predict(X) == y
    for column in fired.T:  # the leaves are disjoint
        assert f"{(column & right).sum()} of {column.sum()} correct" in text(app)
    assert "The tree's formulas" in text(app)


def test_an_analysis_of_all_classes_comes_back_as_it_was():
    state = AppState(table=load_sample("iris"), every_class=True, setting=FORMULA)
    again = from_plain(to_plain(state), state.table)
    assert again.several
    assert again.fit_key == state.fit_key != AppState(table=state.table).fit_key
