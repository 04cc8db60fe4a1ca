"""Power-law trees, through the pages: of two classes and of three, learned, read and taken away."""

import pytest

from rulekit.data import load_sample
from tests.pages.driving import compared, exported, on_tab, opened_tab
from ui.export.formats import FORMATS, obstacle
from ui.learners.offered import RunSpec
from ui.learners.tree import TREE
from ui.models.run import work
from ui.state import AppState, from_plain, to_plain

SPEC = RunSpec(learners=(TREE,), taus=(0.05,), folds=3, baselines=True)
SETTING = {"learner": TREE, "theta": 0.05, "max_power_laws": 2, "max_depth": 2}


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.success, *app.markdown]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


@pytest.fixture
def on_iris(open_app):
    """Open a page on iris, all three species told apart, a tree picked."""

    def opened(page, **more):
        return open_app(
            page,
            state=AppState(
                table=load_sample("iris"),
                every_class=True,
                setting=SETTING,
                run_settings=SPEC.to_dict(),
                **more,
            ),
        )

    return opened


@pytest.mark.slow
def test_learners_of_one_class_are_not_offered_for_three(open_app):
    app = open_app("models", state=AppState(table=load_sample("iris"), every_class=True))
    app = opened_tab(app, "Learners")
    message = text(app)
    assert "“Points to add up” describe one class against the rest" in message
    offered = next(m for m in app.multiselect if m.label == "Learners").options
    assert not [name for name in offered if name.startswith(("Points", "Every combination"))]
    assert [name for name in offered if name.startswith("Short rule")]


@pytest.mark.slow
def test_list_of_all_classes_is_dropped_for_a_single_class(open_app):
    app = open_app("data", sample="iris")
    app.session_state["app"].setting = {"learner": "search", "theta": 1.0, "n_clauses": 1}
    next(t for t in app.toggle if t.label == "One class against the rest").set_value(True).run()
    app.switch_page("pages/rules.py").run()
    assert "No model is picked yet" in text(app)


def test_two_classes_are_never_several(open_app):
    app = open_app("data", sample="credit")
    assert not [t for t in app.toggle if t.label == "One class against the rest"]


def test_another_table_describes_all_classes_again(open_app):
    app = open_app("data", sample="iris")
    next(t for t in app.toggle if t.label == "One class against the rest").set_value(True).run()
    assert not app.session_state["app"].several
    app.button(key="sample_wine").click().run()
    assert app.session_state["app"].several


@pytest.mark.slow
def test_tree_run_over_three_classes_ends_with_one_pick(on_iris):
    app = on_iris("models")
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
    app = on_iris("rules")
    assert all(f"{name}: " in text(app) for name in ("setosa", "versicolor"))
    assert all(f"**{name}** if" in text(app) for name in ("virginica", "versicolor"))
    on_tab(app, "Picture")
    assert "As a tree" in text(app)


def test_explain_shows_the_class_and_the_path_in_the_tree(on_iris):
    app = on_iris("explain")
    assert "On its way through the tree" in [e.label for e in app.expander]
    assert any(name in text(app) for name in ("setosa", "versicolor", "virginica"))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_supports_a_three_class_tree_or_states_why_not(on_iris, name):
    app = exported(on_iris("export"), name)
    assert not app.error
    model, form = app.session_state["app"].model, FORMATS[name]
    assert bool(app.success) == (not obstacle(form, model) and bool(form.run))


def test_an_analysis_of_all_classes_comes_back_as_it_was():
    state = AppState(table=load_sample("iris"), every_class=True, setting=SETTING)
    again = from_plain(to_plain(state), state.table)
    assert again.several
    assert again.fit_key == state.fit_key != AppState(table=state.table).fit_key
    older = {k: v for k, v in to_plain(state).items() if k != "every_class"}
    assert not from_plain(older, state.table).several


def test_folds_hold_all_classes():
    state = AppState(table=load_sample("iris"), every_class=True)
    requested = work(SPEC, state)
    assert all(len(set(requested.y.iloc[test])) == 3 for _, test in requested.folds)
