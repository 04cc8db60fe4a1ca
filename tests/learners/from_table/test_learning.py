"""Samples, rounds and steps: what is drawn after what was wrong, and when it ends."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Clause, Constraints, DataError, Literal, RuleSet
from rulekit.data import columns_of
from rulekit.learners.from_table.counts import CutRefiner, Grid, window
from rulekit.learners.from_table.fit import ROUNDS, TableLearning, factors_of, split_budget
from rulekit.learners.from_table.rows import Parts, TableRows
from tests.learners.tables import in_engine

pytest.importorskip("ibis")
FACTORS = np.array([1.0, 2.5])
N = 1500


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((n, 3)).round(4), columns=list("abc"))
    frame["whole"] = rng.integers(0, 12, n)
    frame.loc[rng.random(n) < 0.1, "b"] = np.nan
    holds = (frame["a"] > 0.337) & (frame["b"] <= 0.7) | (frame["whole"] > 6) & (frame["c"] > 0.8)
    return frame.assign(y=np.where(holds ^ (rng.random(n) < 0.1), "yes", "no"))


FRAME = table()
ROWS = TableRows(in_engine(FRAME), "y", None, Parts())
REFINER = CutRefiner(ROWS, FRAME, FACTORS, Constraints())


def loss(rule, frame=FRAME):
    """Count in memory: the plain twin."""
    wrong = rule.predict(columns_of(frame)) != frame["y"].to_numpy()
    return float(FACTORS[(frame["y"] == "yes").to_numpy(dtype=int)][wrong].sum())


def at(rule, k, i, cut):
    conditions = list(rule.clauses[k].conditions)
    conditions[i] = replace(conditions[i], value=cut)
    return rule.with_conditions(k, conditions)


@st.composite
def rules(draw):
    form = draw(st.sampled_from(["dnf", "cnf"]))
    parts = ["a", "b", "c", "whole"], [">", "<="], [0.2, 0.337, 0.5, 0.75, 5.0, 8.0]
    literal = st.builds(Literal, *map(st.sampled_from, parts), st.booleans())
    op = "and" if form == "dnf" else "or"
    clause = st.lists(literal, min_size=1, max_size=3).map(lambda c: Clause(tuple(c), op))
    clauses = tuple(draw(st.lists(clause, min_size=1, max_size=3)))
    labels = draw(st.sampled_from([("yes", "no"), ("no", "yes")]))
    return RuleSet(clauses, (labels[0],) * len(clauses), form, labels[1])


@pytest.mark.slow
@given(rules(), st.data())
def test_histogram_losses_equal_counts_of_the_rule_with_each_cut(rule, data):
    k = data.draw(st.integers(0, rule.n_clauses - 1))
    i = data.draw(st.integers(0, len(rule.clauses[k].conditions) - 1))
    if rule.clauses[k].conditions[i].feature == "whole":
        result = REFINER.losses_by_value(rule, k, i)
        assert len(result.cuts) == 11
    else:
        grid = Grid.from_window(0.123, 0.877, whole=False)
        grid = Grid(grid.first, 40, grid.step, grid.decimals)
        result = REFINER.losses(rule, k, i, grid)
        assert len(result.cuts) == 41
    wanted = [loss(at(rule, k, i, float(cut))) for cut in result.cuts[::5]]
    np.testing.assert_allclose(np.diff(result.loss[::5]), np.diff(wanted), atol=1e-9)


@pytest.mark.slow
@given(rules())
def test_moved_cuts_are_never_worse_with_few_values(rule):
    frame = FRAME.assign(**{name: FRAME[name].round(2) for name in "abc"})
    rows = TableRows(in_engine(frame), "y", None, Parts())
    moved = CutRefiner(rows, frame, FACTORS, Constraints()).refine(rule)
    assert loss(moved, frame) <= loss(rule, frame) + 1e-9
    assert len(_tests(moved)) <= len(_tests(rule))  # two that become one are one


def _tests(rule):
    return [c for clause in rule.clauses for c in clause.conditions]


def planted(a=0.337, b=0.7, whole=6.0, c=0.8):
    first = Clause((Literal("a", ">", a), Literal("b", "<=", b)))
    second = Clause((Literal("whole", ">", whole), Literal("c", ">", c)))
    return RuleSet((first, second), ("yes", "yes"), "dnf", "no")


@pytest.mark.slow
def test_planted_cuts_are_found_even_outside_the_first_window():
    frame = table(1, 60_000)
    rows = TableRows(in_engine(frame), "y", None, Parts())
    refiner = CutRefiner(rows, frame.sample(3000, random_state=0), np.ones(2), Constraints())
    rule = refiner.refine(refiner.refine(planted(0.3, 0.9, 3.0, 0.6)))
    cuts = [c.value for c in _tests(rule)]
    np.testing.assert_allclose(cuts, [0.337, 0.7, 6.0, 0.8], atol=0.002)
    assert cuts[2] == 6.0
    assert (rule.predict(columns_of(frame)) != frame["y"]).mean() < 0.103


@pytest.mark.slow
def test_refinement_keeps_required_and_avoids_forbidden_conditions():
    result = _tests(REFINER.refine(planted(whole=3.0)))[2]
    assert result.value != 3.0
    for limits, kept in (
        (Constraints(required=("whole",)), Literal("whole", ">", 3.0)),
        (Constraints(forbidden=(result,)), Literal("whole", ">", 3.0)),
    ):
        refiner = CutRefiner(ROWS, FRAME, FACTORS, limits)
        assert _tests(refiner.refine(planted(whole=3.0)))[2] == kept


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_the_edges_of_a_grid_are_short_numbers_that_cover_a_window(low, reach):
    high = low + reach
    grid = Grid.from_window(low, high, whole=False)
    edges = grid.edges
    assert edges[0] <= low + 1e-9 * abs(low)
    assert edges[-1] >= high - 1e-9 * abs(high)
    assert len(edges) <= 2003
    assert (np.diff(edges) > 0).all()
    assert all(-Decimal(repr(float(e))).as_tuple().exponent <= max(1, grid.decimals) for e in edges)


def test_whole_cuts_and_class_weights_are_whole():
    grid = Grid.from_window(3.0, 900.0, whole=True)
    assert (grid.edges == np.round(grid.edges)).all()
    assert window(np.arange(100.0), 50.0, 0.02) == (49.0, 53.0)
    assert window(np.array([1.0, 1.0, 2.0]), 5.0, 0.02) == (1.0, 2.0)
    sizes, classes = np.array([900, 100]), np.array(["a", "b"])
    for given_weight, ratio in ((None, 1.0), ("balanced", 9.0), ({"a": 2, "b": 3}, 1.5)):
        factors = factors_of(given_weight, classes, sizes)
        assert factors @ sizes == pytest.approx(1000)
        assert factors[1] / factors[0] == pytest.approx(ratio)
    with pytest.raises(DataError, match="some class a positive weight"):
        factors_of({"a": 0, "b": 0}, classes, sizes)


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
    return TableLearning(rows, sample_rows, lambda share, what: None, np.ones(2), moves_cuts)


def rule(cut, feature="x"):
    return RuleSet((Clause((Literal(feature, ">", cut),)),), (True,), "dnf", False)


def test_second_sample_balances_wrong_and_right_rows_by_weight():
    work, seen = learning(), []
    rules = [rule(0.7), rule(0.5), rule(0.5), rule(0.5)]
    assert work.run(lambda number: Given(rules[number], seen)).rule == rule(0.5)
    assert [len(s) for s in (seen, work.steps)] == [3, 3]
    (X, y, weight), (first, _, even) = seen[1], seen[0]
    wrong = (X["x"] > 0.7).to_numpy() != y
    assert abs(wrong.mean() - 0.5) < 0.08
    assert even is None
    assert abs(len(first) - 1000) < 130
    assert weight.sum() == pytest.approx(20_000)
    assert weight[wrong].sum() == pytest.approx(work.steps[0]["wrong"])


@pytest.mark.slow
def test_learning_ends_without_progress_and_reads_small_tables_whole():
    work, seen = learning(), []
    result = work.run(lambda number: Given(rule([0.5, 0.1][number]), seen))
    assert (result.rule, len(seen)) == (rule(0.5), 2)
    seen = []
    result = learning().run(lambda number: Given(rule([0.1, 0.2, 0.3, 0.4][number]), seen))
    assert (result.rule, len(seen)) == (rule(0.4), ROUNDS)
    work, seen = learning(800, 1000, moves_cuts=True), []
    clause = Clause((Literal("x", ">", 0.7), Literal("z", ">", 0.0)))
    junk = RuleSet((clause,), (True,), "dnf", False)
    result = work.run(lambda number: Given(junk, seen))
    assert result.rule == junk
    assert [len(s[0]) for s in seen] == [800]
    assert [s["step"] for s in work.steps] == ["sample"]


@pytest.mark.slow
def test_useless_conditions_go_and_cuts_move_to_fewest_errors():
    work = learning(moves_cuts=True)
    first = Clause((Literal("x", ">", 0.47), Literal("z", ">", 0.001)))
    start = RuleSet((first, Clause((Literal("z", "<=", 0.001),))), (True, True), "dnf", False)
    result = work.run(lambda number: Given(start, []))
    ((clause,), steps) = result.rule.clauses, pd.DataFrame(work.steps)
    assert [c.feature for c in clause.conditions] == ["x"]
    assert abs(clause.conditions[0].value - 0.5) < 0.002
    assert steps.loc[0, "wrong"] > steps.loc[1, "wrong"]
    assert result.loss == pytest.approx(steps["loss"].min())


@given(st.lists(st.integers(0, 10**8), min_size=2, max_size=5), st.integers(1, 10**5))
def test_each_class_gets_half_an_even_share_at_least_or_all_its_rows(sizes, budget):
    sizes = np.array(sizes, dtype=float)
    result = split_budget(sizes, budget)
    assert (result <= sizes).all()
    assert result.sum() <= budget * (1 + 1e-9)
    if sizes.sum():
        assert (result >= np.minimum(sizes, budget / (sizes > 0).sum() / 3) - 1e-9).all()
