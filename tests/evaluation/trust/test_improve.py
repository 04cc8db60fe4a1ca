"""Conditions added to a rule: the best of all single changes, by trying each of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Binarizer, RuleError, from_text
from rulekit.evaluation import improve_rule
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

RULES = [
    "IF a > 3 THEN x\nOTHERWISE y",
    "IF a > 3 AND b <= 6 THEN x\nIF b > 7 THEN y\nIF a <= 1 THEN z\nOTHERWISE y",
    "OTHERWISE y",
]


def change_each(rule, literals, labels):
    """All rules with one condition more."""
    for literal in literals:
        for k, clause in enumerate(rule.clauses):
            longer = Clause((*clause.literals, literal))
            clauses = (*rule.clauses[:k], longer, *rule.clauses[k + 1 :])
            yield RuleSet(clauses, rule.labels, "dnf", rule.default)
        for label in labels - {rule.default}:
            clauses, names = (*rule.clauses, Clause((literal,))), (*rule.labels, label)
            yield RuleSet(clauses, names, "dnf", rule.default)


@given(st.sampled_from(RULES), st.integers(0, 10_000))
def test_each_added_condition_is_the_best_of_all(text, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 10, (40, 2)).astype(float), columns=["a", "b"])
    y, weight = rng.choice(list("xyz"), 40), rng.integers(0, 3, 40)
    binarizer = Binarizer(n_thresholds=4)
    literals = binarizer.fit(X, y).literals_

    def error(rule):
        return weight[rule.predict(X) != y].sum()

    rule = from_text(text)
    options = {"binarizer": binarizer, "sample_weight": weight}
    rules = improve_rule(rule, X, y, **options)
    for better in rules:
        best = min(map(error, change_each(rule, literals, set(y))))
        assert better.n_conditions == rule.n_conditions + 1
        assert error(better) == best < error(rule)
        rule = better
    if len(rules) < 2:
        assert min(map(error, change_each(rule, literals, set(y)))) >= error(rule)


def test_rule_of_points_is_refused():
    points = PointsSplit((Literal("a", ">", 1), Literal("b", ">", 1)), (2, 1), 2)
    rule = RuleSet((Clause((points,)),), ("x",), "dnf", "y")
    with pytest.raises(RuleError, match="Only a rule of conditions on single columns"):
        improve_rule(rule, pd.DataFrame({"a": [1.0, 2], "b": [1.0, 2]}), ["x", "y"])
