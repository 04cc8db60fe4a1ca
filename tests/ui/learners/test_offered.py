"""The learners of Models, whichever they are: one face for the pages, and settings that add up."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.learners import Certificate
from ui.learners.hyperplane import HYPERPLANE
from ui.learners.ideal import IDEAL_DNF
from ui.learners.learner import price_dials
from ui.learners.literal import proof_headline
from ui.learners.offered import (
    CARDS,
    LEARNERS,
    QUESTIONS,
    RunSpec,
    families,
    list_variants,
    settings_of_run,
)
from ui.learners.spec import LEARNER_KEY
from ui.learners.tree import TREE
from ui.state import AppState, BinningSpec

SPEC = RunSpec(learners=tuple(LEARNERS), view="prices", thetas=(1.0, 2.0), clauses=(1, 2))
EACH = pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))


@pytest.fixture(scope="module")
def state():
    return AppState(table=load_sample("iris"))


@EACH
def test_learners_state_their_method_and_use(learner):
    assert learner.name
    assert learner.sentence.endswith(".")
    assert learner.good_for.endswith(".")
    assert all(hasattr(SPEC, setting) for setting in learner.reads)


@EACH
def test_its_settings_turn_back_into_the_parameters_of_its_grid(learner):
    result = learner.settings(SPEC)
    assert {s[LEARNER_KEY] for s in result} == {learner.key}
    assert [learner.parameters(s) for s in result] == list(settings_of(learner.grid(SPEC)))


@EACH
def test_settings_have_the_prices_and_clauses_of_the_run(learner):
    result = learner.settings(replace(SPEC, nus=(0.1, 0.2), taus=(0.05, 0.15)))
    prices = {HYPERPLANE: {0.1, 0.2}, TREE: {0.05, 0.15}, "ideal": set(), "scorecard": set()}
    unlimited = ("one_level", "one_level_exact", "column_generation", "ideal", "scorecard", TREE)
    clauses = set() if learner.key in unlimited else {1, 2}
    assert {s.get("theta") for s in result} - {None} == prices.get(learner.key, {1.0, 2.0})
    assert {s.get("n_clauses") for s in result} - {None} == clauses


@pytest.mark.slow
@EACH
def test_estimator_accepts_swept_and_picked_settings(learner, state):
    for variant in ({}, *learner.variants(SPEC)):
        known = learner.estimator(SPEC, state, variant).get_params()
        assert set(learner.grid(SPEC)) | set(learner.picked) <= set(known)


@EACH
def test_learners_get_monotonic_constraints_if_supported(learner, state):
    requested = {state.features[0]: ">"}
    spec = replace(SPEC, directions=tuple(requested.items()))
    if learner.keeps_monotonic_constraints:
        result = learner.estimator(spec, state, {}).get_params()["constraints"]
        assert result["directions"] == requested


@EACH
def test_every_setting_has_a_distinct_text_and_slider(learner):
    settings = [s | v for v in ({}, *learner.variants(SPEC)) for s in learner.settings(SPEC)]
    assert len({learner.words(s) for s in settings}) == len(settings)
    for setting in (s for s in settings if "theta" in s):
        assert set(learner.dials(setting, 100)) & set(setting)


@pytest.mark.slow
def test_run_settings_are_numbered_like_their_families(state):
    turned = replace(SPEC, learners=SPEC.learners[::-1])
    for spec in (SPEC, turned, replace(SPEC, view="conditions"), RunSpec(thorough=False)):
        listed = settings_of_run(spec)
        swept = [(family, s) for family in families(spec, state) for s in family.settings]
        assert len(swept) == len(listed) == len({repr(sorted(s.items())) for s in listed})
        for (family, own), result in zip(swept, listed, strict=True):
            mine = LEARNERS[result[LEARNER_KEY]].parameters(result)
            assert mine == {k: v for k, v in own.items() if k != "positive_label"}
            assert family.whole_front == (result[LEARNER_KEY] in ("search", "scorecard"))


@pytest.mark.slow
def test_families_are_named_and_measured_as_the_described_class(state):
    names = [family.name for family in families(SPEC, state)]
    assert len(set(names)) == len(names) == len(list_variants(SPEC))
    assert {learner.name for learner in LEARNERS.values()} <= set(names)
    against = [f for f in families(SPEC, state) if "positive_label" in f.grid]
    assert len(against) == 6
    assert {f.estimator.positive_label for f in against} == {state.positive}
    labels = {s["positive_label"] for f in against for s in f.settings}
    assert labels == {state.other_label, None}  # boxes of a plane describe either class
    assert "max_variables" in families(SPEC, state)[1].grid


def test_learners_have_cards_questions_and_prices_in_rows():
    assert len(set(CARDS)) == len(CARDS)
    assert set(CARDS) == {one.cards for one in LEARNERS.values()} - {None}
    assert {learner.key for learner, _ in list_variants(SPEC)} == set(LEARNERS)
    requested = [name for names in QUESTIONS.values() for name in names]
    assert sorted(requested) == sorted(LEARNERS)
    for typed in ("svm", "tree", "dnf", "boolean", "formula", "score"):
        assert any(typed in question.lower() for question in QUESTIONS)
    one, two = (price_dials({"theta": theta}, 400)["theta"][1] for theta in (1.0, 2.0))
    assert "1 misclassified training row (" in one
    assert two.startswith(
        "Each condition must save at least 2 misclassified training rows (of 400, 0.5 %)."
    )


def test_median_cuts_test_no_gap_that_is_not_allowed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    X.loc[::3, "a"] = np.nan
    table = Table.from_frame(X.assign(y=np.where(X["a"].isna(), "yes", "no")))
    state = AppState(table=table.with_roles({"y": "target"}, positive_label="yes"))

    def tests_of_gaps(state):
        model = IDEAL_DNF.estimator(RunSpec(ideal_cuts="median"), state, {})
        tests = model.set_params(max_variables=3).fit(*state.training).conditions_
        return [str(c) for c in tests if c.op in ("missing", "not-missing")]

    assert tests_of_gaps(state) == []
    assert tests_of_gaps(replace(state, binning=BinningSpec(missing=("a",)))) != []
    whole = replace(state, table=state.table.with_roles({"a": "ignore"}))
    assert IDEAL_DNF.estimator(RunSpec(ideal_cuts="median"), whole, {}).binarizer is None


def test_learners_of_one_clause_have_no_number_of_clauses():
    spec = RunSpec(learners=("one_level_exact", "one_level", "lp"), thetas=(1.0, 2.0))
    result = settings_of_run(spec)
    assert len(result) == 2 * 5 + 2 + 2
    counts = Counter(s["learner"] for s in result)
    assert counts == {"lp": 10, "one_level": 2, "one_level_exact": 2}
    assert all("n_clauses" not in s for s in result if s["learner"] != "lp")


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (Certificate(41.0, 41.0, True, ""), "Cost 41, and no rule of one clause costs less"),
        (Certificate(43.0, 40.0, False, ""), "Cost 43, at most 7.5 % too much"),
        (Certificate(3.0, 0.0, False, ""), "Cost 3, no useful bound"),
    ],
)
def test_the_gap_is_reported_in_few_words(certificate, words):
    assert proof_headline(certificate) == words
