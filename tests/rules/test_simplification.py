"""Literals of one column together, and the rule sets that they make shorter."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import Clause, LinearSplit, Literal, RuleSet
from rulekit.rules.literal import holds
from rulekit.rules.simplification import (
    FeatureTest,
    _list_tests,
    _tests_imply,
    group_conditions,
    simplify,
    simplify_clause,
)
from tests.reference.rules import is_missing, literal_holds
from tests.strategies.rules import (
    FLAGS,
    NUMERIC,
    TEXTS,
    clauses,
    columns,
    every_row,
    literals,
    rule_sets,
)

ROWS = every_row()


def conditions_of(clause):
    return set(clause.conditions)


def allowed(test, value):
    """Return whether a value meets a test, by its attributes alone."""
    if is_missing(value):
        return test.missing
    if test.values is not None:
        return value in test.values
    if value in test.excluded:
        return False
    low, high = test.low, test.high
    if not any(map(math.isfinite, (low.value, high.value))):
        return True
    above = low.value < value or (low.closed and value == low.value)
    return above and (value < high.value or (high.closed and value == high.value))


@pytest.mark.slow
@given(
    st.sampled_from((*NUMERIC, *TEXTS, *FLAGS)).flatmap(
        lambda name: st.lists(literals((name,)), min_size=1, max_size=4)
    )
)
def test_grouped_test_equals_all_its_literals(group):
    (test,) = group_conditions(group)
    feature = group[0].feature
    values = ROWS[feature]
    together = Clause(tuple(group)).mask(ROWS)
    assert [allowed(test, v) for v in values] == together.tolist()
    assert test.never == (not together.any()) or feature in FLAGS
    if not test.never:
        assert Clause(test.fewest_literals()).mask(ROWS).tolist() == together.tolist()


@given(literals(), st.data())
def test_one_value_is_answered_as_in_a_column(literal, data):
    value = data.draw(st.sampled_from(list(ROWS[literal.feature])))
    position = literal.position_of(value)
    if literal.op in ("contains", "not-contains") and value is not None:
        position = literal_holds(Literal("note", "contains", literal.value), value)
    if not is_missing(position):
        assert holds(literal, position) == literal_holds(literal, value)


@given(clauses("and"))
def test_grouping_neither_loses_nor_invents_a_literal(clause):
    tests = group_conditions(clause.conditions)
    assert sum(len(t.literals) for t in tests) == clause.n_conditions
    assert {c for t in tests for c in t.literals} == set(clause.conditions)
    read = dict.fromkeys((c.feature, c.scale) for c in clause.conditions)
    assert [(t.literals[0].feature, t.literals[0].scale) for t in tests] == list(read)


def test_impossible_and_foreign_tests_are_refused():
    above, unequal = Literal("a", ">", 3), Literal("a", "!=", math.inf)
    assert group_conditions([above, Literal("a", "==", "red")])[0].never
    assert group_conditions([unequal])[0].excluded == (math.inf,)
    assert not group_conditions([above, unequal])[0].never
    with pytest.raises(RuleError, match="No value of column 'a' is left"):
        FeatureTest((Literal("a", ">", 1),), False, values=()).fewest_literals()


def test_conditions_of_another_kind_stay_as_they_are():
    odd, above = object(), Literal("a", ">", 1)
    assert group_conditions((odd, above)) == (odd, *group_conditions([above]))


def lit(text, missing=False):
    """Write ``age > 3`` or ``colour in red,blue`` as a literal."""
    feature, op, *value = text.split()
    if not value:
        return Literal(feature, op)
    numeric = feature in ("age", "size")
    parts = tuple(float(v) if numeric else v for v in value[0].split(","))
    return Literal(feature, op, parts if op in ("in", "not-in") else parts[0], missing)


def and_(*texts):
    return Clause(tuple(lit(t) for t in texts), "and")


def or_(*texts):
    return Clause(tuple(lit(t) for t in texts), "or")


def dnf(*parts, labels=None):
    return RuleSet(parts, labels or ("yes",) * len(parts), "dnf", "no")


@pytest.mark.slow
@given(rule_sets(), columns())
def test_no_prediction_changes_on_any_row(rule_set, table):
    short = simplify(rule_set)
    assert short.predict(table).tolist() == rule_set.predict(table).tolist()
    assert short.predict(ROWS).tolist() == rule_set.predict(ROWS).tolist()


@given(rule_sets())
def test_a_simplified_rule_is_no_longer_and_stays_as_it_is(rule_set):
    short, removed = simplify(rule_set, return_removed=True)
    assert simplify(short, return_removed=True) == (short, ())
    assert bool(removed) == (
        list(map(conditions_of, short.clauses)) != list(map(conditions_of, rule_set.clauses))
    )
    assert short.n_conditions <= rule_set.n_conditions
    assert short.n_clauses <= max(rule_set.n_clauses, 1)
    assert (short.form, short.default) == (rule_set.form, rule_set.default)


@given(rule_sets(labels=("yes",)))
def test_a_rule_and_its_mirror_image_simplify_alike(rule_set):
    if rule_set.labels:
        short, mirrored = simplify(rule_set), simplify(rule_set.negate())
        assert [c.negate() for c in short.clauses] == list(mirrored.clauses)


@given(clauses("and"), clauses("and"))
def test_implication_is_never_claimed_wrongly(narrow, wide):
    if _tests_imply(_list_tests(narrow), _list_tests(wide)):
        assert not np.any(narrow.mask(ROWS) & ~wide.mask(ROWS))


@given(clauses("and", max_size=3, features=("age",)), clauses("and", 3, features=("age",)))
def test_implication_between_clauses_of_one_column_is_always_found(narrow, wide):
    implies = _tests_imply(_list_tests(narrow), _list_tests(wide))
    assert implies == (not np.any(narrow.mask(ROWS) & ~wide.mask(ROWS)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (and_("age > 3", "age > 5"), and_("age > 5")),
        (and_("age > 3", "age >= 3"), and_("age > 3")),
        (and_("age >= 3", "age != 3"), and_("age > 3")),
        (and_("age >= 3", "age <= 3"), and_("age == 3")),
        (and_("age > 3", "age != 1"), and_("age > 3")),
        (and_("age > 3", "age in 1,4,5"), and_("age in 4,5")),
        (and_("age <= 5", "size > 1", "age > 3"), and_("age > 3", "age <= 5", "size > 1")),
        (and_("colour != red", "colour != blue"), and_("colour not-in red,blue")),
        (and_("colour in red,blue", "colour != red"), and_("colour == blue")),
        (and_("age > 3", "age not-missing"), and_("age > 3")),
        (or_("colour == red", "colour == blue"), or_("colour in red,blue")),
        (or_("age > 3", "age > 5"), or_("age > 3")),
        (or_("age <= 3", "age > 5"), or_("age <= 3", "age > 5")),
        (or_("age <= 3", "age > 3"), or_("age not-missing")),
        (or_("age < 3", "age > 3"), or_("age != 3")),
        (or_("age > 3", "age == 3"), or_("age >= 3")),
        (Clause((lit("age > 5", True), lit("age <= 3", True))), and_("age missing")),
        (Clause((lit("age > 3", True), lit("age <= 5"))), and_("age > 3", "age <= 5")),
    ],
    ids=str,
)
def test_literals_of_one_column_become_as_few_as_possible(before, after):
    short = simplify_clause(before)
    assert (set(short.conditions), short.op) == (set(after.conditions), after.op)


@pytest.mark.parametrize(
    "clause",
    [
        and_("age > 5", "age <= 3"),
        and_("age > 3", "age < 3"),
        and_("age >= 3", "age < 3"),
        and_("colour == red", "colour == blue"),
        and_("colour == red", "colour missing"),
        or_("age > 3", "age <= 3", "age missing"),
    ],
    ids=str,
)
def test_clauses_that_are_always_or_never_true_go(clause):
    assert simplify_clause(clause) is None


def test_contradictions_and_constants_are_simplified():
    plane = LinearSplit((("age", 1.0), ("size", 2.0)), "<=", 3.0)
    assert simplify_clause(Clause((plane, plane.negate()), "and")) is None
    assert simplify_clause(Clause((plane, plane.negate()), "or")) is None
    always = Clause((Literal("age", ">", 3, True), lit("age > 3")), "or")
    both = RuleSet((and_("age > 5"), Clause()), ("yes", "yes"), "dnf", "no")
    assert simplify(both).clauses == (Clause(),)
    assert simplify(RuleSet((always,), ("yes",), "cnf", "no")).n_clauses == 1
    rule = RuleSet((Clause((), "or"), or_("age > 3")), ("yes", "yes"), "cnf", "no")
    assert simplify(rule).clauses == (Clause((), "or"),)


WIDE, NARROW = and_("age > 3"), and_("age > 5")
ALWAYS = or_("age > 3", "age <= 3", "age missing")


@pytest.mark.parametrize(
    ("rule", "short"),
    [
        (dnf(WIDE, NARROW), dnf(WIDE)),
        (dnf(NARROW, WIDE), dnf(WIDE)),
        (dnf(NARROW, WIDE, labels=("no", "yes")), None),  # an exception before a wider clause
        (dnf(NARROW, and_("size > 1"), WIDE, labels=("yes", "no", "yes")), None),
        (dnf(WIDE, NARROW, labels=("yes", "no")), dnf(WIDE)),
        (dnf(and_("age > 5", "age < 3")), dnf()),
        (RuleSet((ALWAYS,), ("yes",), "cnf", "no"), RuleSet((), ("yes",), "cnf", "no")),
    ],
    ids=str,
)
def test_clauses_that_decide_no_row_go(rule, short):
    assert len(simplify(rule, return_removed=True)[1]) == (short is not None)
    assert simplify(rule) == (rule if short is None else short)
