"""What was counted of a rule: the same figures as from the rows, and what does not pay left out."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Clause, Constraints, Literal, RuleError, RuleSet
from rulekit.data import columns_of
from rulekit.learners.from_table.counts import Kinds, Pruning, confusion_of, shares_of, wrong_of
from rulekit.learners.shares import Likeness, Shares
from tests.strategies.rules import every_row, rule_sets

LABELS = ("no", "perhaps", "yes")
COLUMNS = columns_of(pd.DataFrame(every_row()))
CODES = np.random.default_rng(1).integers(0, 3, 400)
TRUTH = np.array(LABELS, dtype=object)[CODES]


def kinds_of(rule, codes=CODES):
    """Count in memory what an engine counts."""
    patterns, kind = Likeness(rule).kinds(COLUMNS)
    counts = np.zeros((2, len(patterns[0]), 3), dtype=np.int64)
    np.add.at(counts[0], (kind, codes), 1)
    return Kinds(patterns[1][:, rule.n_clauses :].astype(bool), counts)


def counted(rule):
    try:
        return kinds_of(rule)
    except RuleError:
        return None


@given(rule_sets())
def test_confusion_wrong_rows_and_shares_equal_row_counts(rule):
    kinds = counted(rule)
    if kinds is None:
        return
    answers = rule.predict(COLUMNS)
    wanted = [[int(((a == TRUTH) & (b == answers)).sum()) for b in LABELS] for a in LABELS]
    assert confusion_of(rule, kinds, LABELS)[0].tolist() == wanted
    wrong = [int(((a == TRUTH) & (answers != a)).sum()) for a in LABELS]
    assert wrong_of(rule, kinds, LABELS).tolist() == wrong
    ones = np.ones(400)
    own = Shares.from_rows(rule, COLUMNS, CODES, (ones, ones), 3)
    np.testing.assert_allclose(
        shares_of(rule, kinds, np.ones(3)).compute(COLUMNS), own.compute(COLUMNS), rtol=1e-12
    )


def value(rule, factors, price):
    return factors[CODES][rule.predict(COLUMNS) != TRUTH].sum() + price * rule.n_conditions


@given(rule_sets(), st.sampled_from([0.5, 3.0, 20.0]), st.permutations([1.0, 2.0, 0.5]))
def test_unprofitable_conditions_are_removed_until_none_is_left(rule, price, factors):
    kinds = counted(rule)
    if kinds is None:
        return
    factors = np.array(factors)
    result = Pruning(LABELS, factors, price).prune_rule(rule, kinds)
    now = value(result, factors, price)
    assert now <= value(rule, factors, price) + 1e-6
    for k in range(result.n_clauses):
        shorter = result.clauses[:k] + result.clauses[k + 1 :]
        labels = result.labels[:k] + result.labels[k + 1 :] or result.labels[: result.form == "cnf"]
        less = RuleSet(shorter, labels, result.form, result.default)
        assert value(less, factors, price) > now - 1e-6


def test_required_conditions_stay_even_if_unprofitable():
    age, colour = Literal("age", ">", 1.0), Literal("colour", "==", "red")
    rule = RuleSet((Clause((age, colour)),), ("yes",), "dnf", "no")
    kinds = kinds_of(rule)
    assert Pruning(LABELS, np.ones(3), 1e4).prune_rule(rule, kinds).is_constant
    for constraint, kept in ((age, age), ("colour", colour)):
        pruning = Pruning(LABELS, np.ones(3), 1e4, Constraints(required=(constraint,)))
        assert pruning.prune_rule(rule, kinds).clauses[0].conditions == (kept,)
