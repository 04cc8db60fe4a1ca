"""The learners of Models, whichever they are: one face for the pages, and settings that add up."""

from itertools import chain

import pytest

from rulekit.data import load_sample
from rulekit.evaluation.grid import settings_of
from ui.learners import CARDS, LEARNERS, RunSpec, legs, settings_of_run
from ui.models_asked import ASKED
from ui.models_rounds import parts_of
from ui.run_spec import LEARNER_KEY
from ui.state import AppState

SPEC = RunSpec(learners=tuple(LEARNERS), thetas=(1.0, 2.0), clauses=(1, 2))
EACH = pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))


@pytest.fixture(scope="module")
def state():
    return AppState(table=load_sample("iris"))


@EACH
def test_a_learner_says_what_it_does_and_what_it_is_good_for(learner):
    assert learner.name
    assert learner.sentence.endswith(".")
    assert learner.good_for.endswith(".")
    assert set(learner.reads) <= set(ASKED)


@EACH
def test_its_settings_turn_back_into_the_parameters_of_its_grid(learner):
    told = learner.settings(SPEC)
    assert {s[LEARNER_KEY] for s in told} == {learner.key}
    assert [learner.parameters(s, SPEC) for s in told] == list(settings_of(learner.grid(SPEC)))


@EACH
def test_its_estimator_takes_what_is_swept_and_what_is_set_for_the_picked_model(learner, state):
    for variant in ({}, *learner.variants(SPEC)):
        known = learner.estimator(SPEC, state, variant).get_params()
        assert set(learner.grid(SPEC)) | set(learner.picked) <= set(known)
        assert not learner.family or known["method"] == learner.key


@EACH
def test_every_setting_has_words_of_its_own_and_a_slider_for_what_it_is_asked_for(learner):
    settings = [s | v for v in ({}, *learner.variants(SPEC)) for s in learner.settings(SPEC)]
    assert len({learner.words(s) for s in settings}) == len(settings)
    entries = {dial.entry for dial in learner.dials(settings[0], 100)}
    assert entries & set(settings[0])


@EACH
def test_the_time_of_a_fold_is_told_by_fits_of_its_own_grid(learner):
    asked, times = learner.measured(SPEC)
    assert times >= 1
    assert asked
    assert all(setting in list(settings_of(learner.grid(SPEC))) for setting in asked)


def test_settings_of_a_run_are_numbered_as_its_sweeps_are_whatever_the_order_of_choice(state):
    turned = RunSpec(learners=SPEC.learners[::-1], thetas=(1.0, 2.0), clauses=(1, 2))
    for spec in (SPEC, turned):
        listed = settings_of_run(spec)
        parts = sorted(parts_of(spec, state), key=lambda part: part.first)
        counts = [len(list(settings_of(part.grid))) for part in parts]
        assert [part.first for part in parts] == [sum(counts[:k]) for k in range(len(counts))]
        assert sum(counts) == len(listed) == len({repr(sorted(s.items())) for s in listed})
        for part in parts:
            own = listed[part.first : part.first + len(list(settings_of(part.grid)))]
            assert set(map(repr, part.searched)) <= set(map(repr, own))


def test_a_family_is_swept_together_and_only_the_search_looks_ahead(state):
    plain = [leg for leg in legs(SPEC) if not leg.variant]
    together = [leg for leg in plain if len(leg.learners) > 1]
    assert [one.family for leg in together for one in leg.learners] == ["two-level"] * 6
    quick = [part for part in parts_of(SPEC, state) if part.quick_look is not None]
    assert {part.searched[0][LEARNER_KEY] for part in quick} == {"search"}


def test_what_takes_no_time_comes_right_after_the_first_sweep(state):
    parts = parts_of(SPEC, state)
    assert "max_features" in parts[1].grid


def test_cards_of_several_learners_are_shown_once():
    assert len(set(CARDS)) == len(CARDS)
    assert set(CARDS) == {one.cards for one in LEARNERS.values()} - {None}


def test_every_learner_of_a_run_has_a_part_in_it():
    found = {one.key for one in chain.from_iterable(leg.learners for leg in legs(SPEC))}
    assert found == set(LEARNERS)
