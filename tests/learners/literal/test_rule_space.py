"""Rules near the best one: their costs, and that exchange finds nearly all of them."""

import numpy as np
import pytest

from rulekit import BoxSearchClassifier
from rulekit.learners.literal.rule_space import RuleSpace
from tests.reference.near_rules import near_rules_by_force


def small(seed, n=40):
    """Four truth values, and a class that two clauses describe, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)) < 0.5
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3])
    return X.astype(float), y ^ (rng.random(n) < 0.15)


def space_of(seed, max_clauses=2, max_conditions=4, theta=0.5):
    X, y = small(seed)
    learner = BoxSearchClassifier(theta=theta, positive_label=True, random_state=0)
    learner._check()
    problem = learner.problem_of(learner._read(X, y, None), True)
    return RuleSpace(learner, problem, theta, max_clauses, max_conditions, lambda: False)


def columns_drawn(space, rng):
    d = space.holds.shape[1]
    return [rng.choice(d, rng.integers(0, 4), replace=False) for _ in range(rng.integers(0, 4))]


@pytest.mark.parametrize("seed", range(10))
def test_a_rule_costs_its_wrong_rows_and_its_conditions(seed):
    space, rng = space_of(seed), np.random.default_rng(seed)
    for _ in range(20):
        rule = space.price_rule(columns_drawn(space, rng))
        written = space.rule(rule)
        wrong = (written.predict(space.problem.columns) == True) != space.problem.table.y  # noqa: E712
        assert rule.wrong == wrong.sum()
        assert rule.cost == rule.wrong + 0.5 * rule.n_conditions
        assert {f for c in written.clauses for f in c.features} <= space.features(rule)


@pytest.mark.parametrize("seed", range(10))
def test_reduced_rule_cannot_be_reduced_further(seed):
    space, rng = space_of(seed), np.random.default_rng(seed)
    for _ in range(20):
        given = space.price_rule(columns_drawn(space, rng))
        rule = space.reduce_rule(given)
        assert rule.cost <= given.cost + 1e-9
        for r, clause in enumerate(rule.columns):
            rest = rule.columns[:r] + rule.columns[r + 1 :]
            for shorter in (rest, *((*rest, set(clause) - {j}) for j in clause)):
                assert space.price_rule(shorter).cost > rule.cost + 1e-9


def shares_found(seeds, margin=6.0):
    """Compare what the search of longer rules finds with all there is: found and all, a table."""
    counts = []
    for seed in seeds:
        space = space_of(seed)
        known = [*space.constants(), *space.search(space.problem, np.random.default_rng(0))]
        best = min(rule.cost for rule in known)
        table = space.problem.table
        wanted = near_rules_by_force(space.holds, table.y, table.weight, 0.5, margin, 2, 4, best)
        limit = min([best, *wanted.values()]) + margin
        names = {r.columns for r in space.grow_rules(known, limit, 10_000)}
        rules = {tuple(sorted(rule)) for rule in wanted}
        assert {c for c in names if space.reduce_rule(space.price_rule(c)).columns == c} <= rules
        counts.append((len(names & rules), len(rules)))
    return counts


@pytest.mark.slow
def test_exchanging_clauses_finds_nearly_all_rules_of_the_margin():
    result, every = np.sum(shares_found(range(4)), axis=0)
    assert every > 20
    assert result > 0.95 * every
