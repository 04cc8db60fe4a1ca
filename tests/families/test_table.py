"""The table of all learners: complete, and every entry usable where it is offered."""

import pytest
from sklearn.base import clone

from rulekit import learners
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.families import FAMILIES
from tests.learners.tables import mixed_table

EACH = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


def estimators(family):
    return [family.model] if family.alone is None else [family.model, family.alone]


@EACH
def test_entry_has_words_for_the_pages(family):
    assert family.name
    assert family.question
    assert family.sentence.endswith(".")
    assert family.good_for.endswith(".")


@EACH
def test_capabilities_equal_those_of_the_estimator(family):
    for model in estimators(family):
        several = model.__sklearn_tags__().classifier_tags.multi_class
        assert several or not family.many_classes


@EACH
def test_parameters_of_an_entry_are_known_to_its_estimator(family):
    known = set(family.model.get_params())
    assert set(family.parameter_names.values()) | set(family.picked) <= known
    if family.default_grid is not None:
        y = mixed_table()[1]
        assert family.default_grid(y) is not family.default_grid(y)  # no shared state
        settings = settings_of(family.default_grid(y))
        assert len(settings) >= 9
        for setting in settings:
            clone(family.model).set_params(**setting)


def test_names_are_unique_and_every_learner_has_an_entry():
    for names in (
        [family.name for family in FAMILIES.values()],
        [family.title for family in FAMILIES.values() if family.title],
        [family.command for family in FAMILIES.values() if family.command],
    ):
        assert len(set(names)) == len(names)
    assert all(family.key == key for key, family in FAMILIES.items())
    listed = {type(model).__name__ for one in FAMILIES.values() for model in estimators(one)}
    public = {name for name in learners.__all__ if name.endswith("Classifier")}
    assert public - {"FixedRuleClassifier"} <= listed
