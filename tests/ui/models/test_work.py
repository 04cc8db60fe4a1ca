"""What a run computes: whole points, told of as they come, and the quick pass."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import load_sample
from ui.learners import spec as spec_module
from ui.learners.offered import settings_of_run
from ui.learners.spec import RunSpec, quick_rows
from ui.models.run import quick, work
from ui.state import AppState

SPEC = RunSpec(limits=(1, 2, 3), folds=3, against=False, robust=False, doubting=False)
BY_SIZE = replace(SPEC, baselines=False)


class Telling:
    """Keeps what it is told; says stop after so many pieces."""

    def __init__(self, most=1_000):
        self.most, self.done, self.standing, self.messages = most, [], [], []

    def report(self, done=None, total=None, message=None, standing=None):
        self.done += [] if done is None else [(done, total)]
        self.standing += [] if standing is None else [standing]
        self.messages += [] if message is None else [message]

    def should_stop(self):
        return bool(self.done) and self.done[-1][0] >= self.most


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")


@pytest.fixture(scope="module")
def state():
    return AppState(table=load_sample("breast_cancer"))


@pytest.mark.slow
def test_run_counts_each_search_once_and_returns_rules(state):
    telling = Telling()
    found = work(BY_SIZE, state)(telling)
    assert telling.done[0] == (0, 3)
    assert sorted({done for done, _ in telling.done}) == [0, 1, 2, 3]
    assert "fold 3 of 3" in telling.messages[-1]
    assert list(found.points.index) == [0, 1, 2]
    assert (found.points["folds"] == 3).all()
    assert (found.points["most"] <= np.array([1, 2, 3])).all()
    assert [m.rule_set_.n_conditions for m in found.models.values()] <= [1, 2, 3]
    assert found.missed == ()


@pytest.mark.slow
def test_what_is_told_to_stop_has_no_point_of_which_folds_are_missing(state):
    telling = Telling(most=2)
    found = work(BY_SIZE, state)(telling)
    assert not len(found.points)
    assert not found.models
    assert found.missed == ("A short rule",)
    assert all(not len(standing.points) for standing in telling.standing)


@pytest.mark.slow
def test_the_quick_pass_of_a_large_table_learns_its_rules_as_its_points(state, monkeypatch):
    monkeypatch.setattr(spec_module, "QUICK_CELLS", 0)
    monkeypatch.setattr(spec_module, "QUICK_ROWS", 80)
    asked = work(quick(replace(SPEC, folds=5, against=True)), state)
    found = asked(Telling())
    rows = quick_rows(asked.X, asked.y, np.arange(len(asked.y)))
    assert len(rows) == pytest.approx(80, abs=1)
    family, against = asked.families
    assert against.grid["positive_label"] != [family.estimator.positive_label]
    assert family.estimator.theta == len(rows) / 1000
    alone = next(family.estimator.fit_many(asked.X.iloc[rows], asked.y.iloc[rows], [{}]))
    assert (
        found.models[11].rule_set_
        == alone.set_params(max_conditions=12).fit(asked.X.iloc[rows], asked.y.iloc[rows]).rule_set_
    )
    assert len(found.points) == len(found.models) == 24


@pytest.mark.slow
def test_what_was_stored_comes_back_with_its_budget_and_nothing_is_fitted(
    state, tmp_path, monkeypatch
):
    asked = replace(work(replace(BY_SIZE, budget=60.0), state), store=tmp_path / "sweep.sqlite")
    found = asked(Telling())
    monkeypatch.setattr("rulekit.evaluation.sweeps.sweep._do", None, raising=False)
    again = asked.stored()
    pd.testing.assert_frame_equal(again.points, found.points)


@pytest.mark.slow
def test_a_comparison_says_which_learners_had_no_time_for_a_point(state):
    spec = replace(SPEC, learners=("search", "lp"), budget=0.5, baselines=False)
    found = work(spec, state)(Telling())
    listed = settings_of_run(spec)
    learned = {listed[number]["learner"] for number in found.points.index}
    assert ("Two-level linear program" in found.missed) == ("lp" not in learned)
    assert ("A short rule" in found.missed) == ("search" not in learned)
