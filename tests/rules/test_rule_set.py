"""Clauses and rule sets: how conditions are joined, and told from the other side."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rulekit import Clause, Literal, RuleError, RuleSet
from rulekit.rules.rule_set import rule_of, stack_masks
from tests.reference.rules import clause_holds, decide, rows_of
from tests.strategies.rules import clauses, columns, rule_sets

OLD, HEAVY = Literal("age", ">", 50), Literal("size", ">", 30)
ADULT = Literal("age", ">", 30)


@given(clauses(), columns(max_rows=10))
def test_a_clause_joins_its_conditions_row_by_row(clause, table):
    assert clause.mask(table).tolist() == [clause_holds(clause, row) for row in rows_of(table)]


@given(clauses(), columns(max_rows=10))
def test_negated_clause_holds_exactly_if_the_clause_does_not(clause, table):
    assert clause.negate().mask(table).tolist() == (~clause.mask(table)).tolist()
    assert clause.negate().negate() == clause


@given(rule_sets(), columns(max_rows=10))
def test_a_rule_set_decides_row_by_row(rule_set, table):
    assert rule_set.predict(table).tolist() == [decide(rule_set, row) for row in rows_of(table)]
    known = {}
    for _ in range(2):  # computed, then looked up
        masks = stack_masks(rule_set.clauses, table, known)
        assert masks.tolist() == rule_set.clauses_fired(table).tolist()
    assert set(known) == set(rule_set.conditions)


@given(rule_sets(labels=("yes",)), columns(max_rows=10))
def test_a_rule_written_for_the_other_class_answers_the_same(rule_set, table):
    if rule_set.labels:
        mirrored = rule_set.negate()
        assert mirrored.form != rule_set.form
        assert mirrored.predict(table).tolist() == rule_set.predict(table).tolist()
        assert rule_set.as_dnf in (rule_set, mirrored)
        assert rule_set.as_dnf.form == "dnf"


def test_rules_match_by_form_labels_and_constants():
    table = {"age": np.zeros(2)}
    assert Clause((), "and").mask(table).tolist() == [True, True]
    assert Clause((), "or").mask(table).tolist() == [False, False]
    assert Clause((OLD, HEAVY, OLD)).conditions == (OLD, HEAVY)
    assert RuleSet((Clause((OLD,), "or"),), ("a",), "dnf", "b").clauses[0].op == "and"
    ages, clauses = {"age": np.array([60.0, 40.0, 20.0])}, (Clause((OLD,)), Clause((ADULT,)))
    masks = [RuleSet(clauses, ("a", "a"), form, "b").mask(ages).tolist() for form in ("dnf", "cnf")]
    assert masks == [[True, True, False], [True, False, False]]
    gaps = pd.DataFrame({"age": [60.0, None, 20.0]})
    assert RuleSet(clauses, ("a", "a"), "dnf", "b").predict(gaps).tolist() == ["a", "b", "b"]
    assert RuleSet((), (), "dnf", "b").is_constant
    assert RuleSet((Clause(),), ("a",), "dnf", "b").is_constant
    assert not RuleSet((Clause((OLD,)),), ("a",), "dnf", "b").is_constant
    rule = RuleSet((), (), "dnf", "no")
    assert rule.predict(pd.DataFrame({"a": [1, 2, 3]})).tolist() == ["no"] * 3
    rule = RuleSet((Clause((OLD,)), Clause((HEAVY,))), ("a", "b"), "dnf", "c")
    with pytest.raises(RuleError, match="share one label"):
        rule.negate()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (((), (), "xnf", "b"), "`form` must be 'dnf' or 'cnf'"),
        (((), (), "dnf", None), "needs a `default`"),
        (((Clause((OLD, HEAVY), "or"),), ("a",), "dnf", "b"), "join their conditions by AND"),
        (((Clause((OLD,)),), (), "dnf", "b"), "one label a clause"),
        (((), (), "cnf", "b"), "an empty CNF needs one"),
        (((Clause((OLD,)), Clause((HEAVY,))), ("a", "b"), "cnf", "c"), "share one label"),
    ],
    ids=str,
)
def test_parts_that_do_not_fit_together_are_refused(parts, message):
    with pytest.raises(RuleError, match=message):
        RuleSet(*parts)


def test_unknown_operators_and_missing_rules_are_refused():
    with pytest.raises(RuleError, match="'and' or 'or', got 'xor'"):
        Clause((OLD,), "xor")
    with pytest.raises(RuleError, match="got int without `rule_set_`"):
        rule_of(3)
