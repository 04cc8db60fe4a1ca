"""Samples, rounds and steps: what is drawn after what was wrong, and when it ends."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import DataError
from rulekit.learners.from_table.learning import ROUNDS, Aims, TableLearning, by_class, factors_of
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.rules import Clause, Literal, RuleSet
from tests.learners.tables import in_engine

pytest.importorskip("ibis")


class Given:
    """A learner that returns the rules it was given, one after another, and keeps what it saw."""

    theta = 1.0

    def __init__(self, rule, seen):
        self.rule_set_, self.seen = rule, seen

    def _fit_quietly(self, X, y, sample_weight):
        self.seen.append((X, y, sample_weight))


def learning(n=20_000, sample_rows=1000, share=0.5, moves_cuts=False):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(n), "z": rng.random(n)})
    frame["y"] = (frame["x"] > 1 - share) ^ (rng.random(n) < 0.05)
    rows = TableRows(in_engine(frame), "y", None, Parts())
    return TableLearning(rows, sample_rows, Aims(np.ones(2), moves_cuts), lambda share, what: None)


def rule(cut, feature="x"):
    return RuleSet((Clause((Literal(feature, ">", cut),)),), (True,), "dnf", False)


def test_second_sample_balances_wrong_and_right_rows_by_weight():
    work, seen = learning(), []
    rules = [rule(0.7), rule(0.5), rule(0.5), rule(0.5)]
    found = work.run(lambda number: Given(rules[number], seen))
    assert found.rule == rule(0.5)
    assert [len(s) for s in (seen, work.steps)] == [3, 3]
    (X, y, weight), (first, _, even) = seen[1], seen[0]
    wrong = (X["x"] > 0.7).to_numpy() != y
    assert abs(wrong.mean() - 0.5) < 0.08
    assert even is None
    assert abs(len(first) - 1000) < 130
    assert weight.sum() == pytest.approx(20_000)
    assert weight[wrong].sum() == pytest.approx(work.steps[0]["wrong"])


@pytest.mark.slow
def test_learning_stops_without_progress_or_after_four_samples():
    work, seen = learning(), []
    found = work.run(lambda number: Given(rule([0.5, 0.1][number]), seen))
    assert (found.rule, len(seen)) == (rule(0.5), 2)
    seen = []
    found = learning().run(lambda number: Given(rule([0.1, 0.2, 0.3, 0.4][number]), seen))
    assert (found.rule, len(seen)) == (rule(0.4), ROUNDS)


def test_small_tables_are_read_whole_and_the_rule_is_unchanged():
    work, seen = learning(800, 1000, moves_cuts=True), []
    junk = RuleSet(
        (Clause((Literal("x", ">", 0.7), Literal("z", ">", 0.0))),), (True,), "dnf", False
    )
    found = work.run(lambda number: Given(junk, seen))
    assert found.rule == junk
    assert [len(s[0]) for s in seen] == [800]
    assert [s["step"] for s in work.steps] == ["sample"]


@pytest.mark.slow
def test_useless_conditions_go_and_cuts_move_to_fewest_errors():
    work = learning(moves_cuts=True)
    clauses = (
        Clause((Literal("x", ">", 0.47), Literal("z", ">", 0.001))),
        Clause((Literal("z", "<=", 0.001),)),
    )
    start = RuleSet(clauses, (True, True), "dnf", False)
    found = work.run(lambda number: Given(start, []))
    ((clause,), steps) = found.rule.clauses, pd.DataFrame(work.steps)
    assert [c.feature for c in clause.conditions] == ["x"]
    assert abs(clause.conditions[0].value - 0.5) < 0.002
    assert steps.loc[0, "wrong"] > steps.loc[1, "wrong"]
    assert found.loss == pytest.approx(steps["loss"].min())


@given(st.lists(st.integers(0, 10**8), min_size=2, max_size=5), st.integers(1, 10**5))
def test_each_class_gets_half_an_even_share_at_least_or_all_its_rows(sizes, budget):
    sizes = np.array(sizes, dtype=float)
    found = by_class(sizes, budget)
    assert (found <= sizes).all()
    assert found.sum() <= budget * (1 + 1e-9)
    if sizes.sum():
        least = np.minimum(sizes, budget / (sizes > 0).sum() / 3)
        assert (found >= least - 1e-9).all()


def test_what_classes_count_comes_to_the_number_of_rows():
    sizes, classes = np.array([900, 100]), np.array(["a", "b"])
    for given_weight, ratio in ((None, 1.0), ("balanced", 9.0), ({"a": 2, "b": 3}, 1.5)):
        found = factors_of(given_weight, classes, sizes)
        assert found @ sizes == pytest.approx(1000)
        assert found[1] / found[0] == pytest.approx(ratio)
    with pytest.raises(DataError, match="some class a positive weight"):
        factors_of({"a": 0, "b": 0}, classes, sizes)
