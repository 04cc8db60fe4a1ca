"""Boxes from a plane, through the pages: learned on Models, seen on Rules, told on Explain."""

import pytest

from rulekit.data import load_sample
from rulekit.families.hyperplane.hyperplane import plane_price
from tests.pages.driving import opened_tab, text, ticked
from ui.learners.hyperplane import HYPERPLANE
from ui.learners.offered import RunSpec
from ui.picked import fit_path, model_key
from ui.state import AppState

SPEC = RunSpec(learners=(HYPERPLANE,), nus=(0.01, 0.1), clauses=(1, 3), folds=5, baselines=False)
SETTING = {"learner": HYPERPLANE, "theta": 0.1, "n_clauses": 3}
pytestmark = pytest.mark.slow


@pytest.fixture
def on_cancer(open_app):
    """Open a page on the breast cancer sample with a setting chosen."""

    def opened(page):
        return open_app(
            page,
            state=AppState(
                table=load_sample("breast_cancer"), setting=SETTING, run_settings=SPEC.to_dict()
            ),
        )

    return opened


def test_a_picked_model_has_boxes_a_confidence_or_the_planes_answer():
    state = AppState(table=load_sample("breast_cancer"))
    model = fit_path([SETTING], SPEC, state)[model_key(SETTING)]
    assert model.linear_.nu == 0.1
    assert model.n_rules_ <= 3
    assert model.plane_.confidence is not None
    spec = RunSpec.from_dict(SPEC.to_dict() | {"plane_answers": True})
    model = fit_path([SETTING], spec, state)[model_key(SETTING)]
    X, _ = state.training
    assert (model.predict(X) == model.linear_.predict(X)).all()


def test_rules_shows_the_boxes_in_bars_in_two_columns_and_by_size(on_cancer):
    app = on_cancer("rules")
    assert "The boxes on the plane's sides" in text(app)
    assert "the case is inside" in text(app)
    assert "The case meets" in text(app)
    assert "the rule predicts benign for them" in text(app)
    assert "the largest box covers" in text(app)
    assert len(app.get("plotly_chart")) == 4
    number = next(n for n in app.number_input if "Training row" in n.label)
    before = text(app)
    number.set_value(2 if number.value != 2 else 3).run()
    assert text(app) != before  # the tick and the words have moved
    app.segmented_control(key="cubes_side").set_value(1).run()
    assert any("Box 1" in s.options[0] for s in app.selectbox)


def test_explain_shows_the_box_of_the_case_and_its_confidence(on_cancer):
    app = on_cancer("explain")
    labels = {m.label: m.value for m in app.metric}
    assert labels["Confidence of the plane"].endswith("%")
    assert {"Right in this box", "Size of the box", "Distance to the plane"} <= set(labels)
    assert "The plane predicts" in text(app)
    app.button(key="presenter_on").click().run()
    assert not app.metric


def test_models_offers_the_learner_with_prices_and_without_constraints(open_app):
    app = opened_tab(open_app("models", sample="iris"), "Learners")
    ticked(app, "From a linear model")
    assert float(app.text_input(key="run_nus").value) == plane_price(35)
    app.text_input(key="run_nus").set_value("none").run()
    assert "Each price ν must be a positive number" in text(app)
    app.text_input(key="run_nus").set_value("0.1").run()
    app.toggle(key="run_not_equal").set_value(False).run()
    assert "From a linear model does not support constraints" in text(app)
