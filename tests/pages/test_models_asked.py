"""What the form of a run asks of which learner."""

import pytest

from tests.pages.driving import text
from ui.learners.offered import LEARNERS, RunSpec
from ui.models.form import GREY, READERS, own_ways, unread

WIDGETS = {
    "form": ("segmented_control", "run_form_shape"),
    "clauses": ("slider", "run_clauses"),
    "thetas": ("text_input", "run_thetas"),
    "rounding": ("selectbox", "run_rounding"),
    "refine": ("toggle", "run_refine"),
    "allow_disabled": ("toggle", "run_disable"),
    "against": ("toggle", "run_against"),
    "robust": ("toggle", "run_robust"),
    "doubting": ("toggle", "run_doubting"),
}
VARIANTS = ("against", "robust", "doubting")


def greyed(app):
    return {name for name, (kind, key) in WIDGETS.items() if getattr(app, kind)(key=key).disabled}


@pytest.mark.parametrize(
    ("learners", "expected"),
    [
        (["search"], {"rounding", "allow_disabled"}),
        (["alternating"], set(VARIANTS)),
        (["power_law_tree"], set(READERS)),
        (["ideal"], set(READERS)),
        (["hyperplane"], set(READERS) - {"clauses"}),
        (["one_level"], {"clauses", "refine", "allow_disabled", *VARIANTS}),
        (["power_law_tree", "search"], {"rounding", "allow_disabled"}),
    ],
)
def test_what_no_chosen_learner_reads_is_greyed_out_and_said_to_be(open_app, learners, expected):
    app = open_app("models", sample="iris")
    app.multiselect(key="run_learners").set_value(learners).run()
    assert not app.exception
    assert greyed(app) == expected
    assert text(app).count(GREY) == 1


def test_the_tree_says_what_it_tries_and_what_is_not_asked_of_it(open_app):
    app = open_app("models", sample="iris")
    app.multiselect(key="run_learners").set_value(["power_law_tree"]).run()
    assert "with τ at 0.02, 0.05, 0.1, 0.2" in text(app)
    assert "keeps no constraints" in text(app)


def test_every_setting_with_readers_is_one_of_a_run_and_every_reader_a_learner():
    assert all(hasattr(RunSpec(), setting) for setting in READERS)
    assert all(set(readers) <= set(LEARNERS) for readers in READERS.values())


def test_without_a_learner_and_for_what_all_read_nothing_is_greyed_out():
    assert not unread("clauses", [])
    assert not any(unread("folds", [name]) for name in LEARNERS)
    assert own_ways(["search", "one_level"]) == []
