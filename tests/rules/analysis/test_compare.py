"""What differs between two rule sets."""

import numpy as np
import pytest
from hypothesis import given

from rulekit.rules import Clause, LinearSplit, Literal, RuleSet, compare_rules
from rulekit.rules.analysis.compare import ChangedThreshold, implies, simplify, simplify_clause
from tests.strategies.rules import clauses, columns, every_row, rule_sets


def over(feature, number, op=">"):
    return Literal(feature, op, number)


def ill(*clauses, default="well", labels=None):
    parts = tuple(Clause(c) for c in clauses)
    return RuleSet(parts, labels or ("ill",) * len(parts), "dnf", default)


OLD, HEAVY = (over("age", 50),), (over("bmi", 30), over("sugar", 120))


@given(rule_sets(), columns())
def test_a_rule_does_not_differ_from_itself(rule_set, table):
    found = compare_rules(rule_set, rule_set, table)
    assert found.is_same
    assert found.kept == rule_set.clauses
    assert len(found.rows) == 0


@given(rule_sets(), rule_sets(), columns())
def test_the_rows_listed_are_those_that_get_another_answer(a, b, table):
    found = compare_rules(a, b, table)
    before, after = a.predict(table), b.predict(table)
    assert found.rows.tolist() == [i for i in range(len(before)) if before[i] != after[i]]
    assert found.before.tolist() == before[found.rows].tolist()
    assert found.after.tolist() == after[found.rows].tolist()


@given(rule_sets("dnf"), rule_sets("dnf"))
def test_every_clause_is_reported_once(a, b):
    found = compare_rules(a, b)
    assert len(found.kept) + len(found.removed) + len(found.changed) == a.n_clauses
    old = [*found.kept, *found.removed, *(c.before for c in found.changed)]
    assert {frozenset(c.conditions) for c in old} == {frozenset(c.conditions) for c in a.clauses}
    new = [*found.added, *(c.after for c in found.changed)]
    assert {frozenset(c.conditions) for c in new} <= {frozenset(c.conditions) for c in b.clauses}


def test_the_order_of_conditions_makes_no_difference():
    assert compare_rules(ill(HEAVY), ill(HEAVY[::-1])).is_same


def test_a_moved_threshold_is_no_other_clause():
    found = compare_rules(ill(OLD, HEAVY), ill(OLD, (over("bmi", 32), over("sugar", 120))))
    (changed,) = found.changed
    assert changed.thresholds == (ChangedThreshold("bmi", ">", 30.0, 32.0),)
    assert (found.removed, found.added) == ((), ())
    assert len(found.kept) == 1


def test_the_nearest_clauses_are_paired():
    found = compare_rules(ill((over("age", 20),), (over("age", 60),)), ill((over("age", 58),)))
    (changed,) = found.changed
    assert changed.before.conditions == (over("age", 60),)
    assert [c.conditions for c in found.removed] == [(over("age", 20),)]


def test_another_operator_is_another_clause():
    found = compare_rules(ill((over("age", 50),)), ill((over("age", 55, "<="),)))
    assert (len(found.removed), len(found.added), found.changed) == (1, 1, ())


def test_a_rule_of_the_other_form_is_written_for_the_other_class():
    a = ill(OLD, HEAVY)
    found = compare_rules(a, a.negated())
    assert found.is_same
    assert found.mirrored


def test_clauses_of_other_forms_are_not_equal_if_not_convertible():
    a = ill(OLD, (over("bmi", 3),), labels=("ill", "well"))
    cnf = RuleSet((Clause(OLD),), ("ill",), "cnf", "well")
    found = compare_rules(cnf, a)
    assert (len(found.removed), len(found.added), found.kept) == (1, 2, ())


def test_order_matters_between_clauses_of_different_labels_only():
    one = ill(OLD, HEAVY, labels=("ill", "well"))
    other = ill(HEAVY, OLD, labels=("well", "ill"))
    assert compare_rules(one, other).reordered
    assert not compare_rules(ill(OLD, HEAVY), ill(HEAVY, OLD)).reordered


def test_another_default_is_reported():
    assert compare_rules(ill(OLD), ill(OLD, default="unknown")).default_changed


def test_the_difference_is_reported_in_a_sentence():
    table = {"age": np.array([40.0, 52.0]), "bmi": np.zeros(2), "sugar": np.zeros(2)}
    found = compare_rules(ill(OLD, HEAVY), ill((over("age", 55),)), table)
    assert str(found) == (
        "Clauses: 1 with other thresholds, 1 removed. 1 of 2 rows get another answer."
    )


ROWS = every_row()


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
def test_simplifying_twice_changes_nothing_more(rule_set):
    short = simplify(rule_set)
    assert simplify(short) == short


@given(rule_sets())
def test_nothing_gets_longer(rule_set):
    short = simplify(rule_set)
    assert short.n_conditions <= rule_set.n_conditions
    assert short.n_clauses <= max(rule_set.n_clauses, 1)
    assert (short.form, short.default) == (rule_set.form, rule_set.default)


@given(rule_sets(labels=("yes",)))
def test_a_rule_and_its_mirror_image_simplify_alike(rule_set):
    if rule_set.labels:
        short, mirrored = simplify(rule_set), simplify(rule_set.negated())
        assert [c.negated() for c in short.clauses] == list(mirrored.clauses)


@given(clauses("and"), clauses("and"))
def test_implication_is_never_claimed_wrongly(narrow, wide):
    if implies(narrow, wide):
        assert not np.any(narrow.mask(ROWS) & ~wide.mask(ROWS))


@given(clauses("and", max_size=3, features=("age",)), clauses("and", 3, features=("age",)))
def test_implication_between_clauses_of_one_column_is_always_found(narrow, wide):
    assert implies(narrow, wide) == (not np.any(narrow.mask(ROWS) & ~wide.mask(ROWS)))


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


def test_a_sum_and_its_negation_never_hold_together():
    plane = LinearSplit((("age", 1.0), ("size", 2.0)), "<=", 3.0)
    assert simplify_clause(Clause((plane, plane.negated()), "and")) is None
    assert simplify_clause(Clause((plane, plane.negated()), "or")) is None


def test_missing_values_keep_a_contradiction_alive():
    clause = Clause((lit("age > 5", missing=True), lit("age <= 3", missing=True)))
    assert simplify_clause(clause) == and_("age missing")


def test_literals_of_one_column_agree_on_missing_values():
    clause = Clause((lit("age > 3", missing=True), lit("age <= 5")))
    assert simplify_clause(clause) == and_("age > 3", "age <= 5")


def test_clause_within_another_of_the_same_label_is_removed():
    wide, narrow = and_("age > 3"), and_("age > 3", "colour == red")
    assert simplify(dnf(wide, narrow)).clauses == (wide,)
    assert simplify(dnf(narrow, wide)).clauses == (wide,)


def test_an_exception_before_a_wider_clause_stays():
    rule = dnf(and_("age > 5"), and_("age > 3"), labels=("no", "yes"))
    assert simplify(rule) == rule


def test_clause_stays_if_another_label_lies_before_the_wider_one():
    rule = dnf(and_("age > 5"), and_("size > 1"), and_("age > 3"), labels=("yes", "no", "yes"))
    assert simplify(rule) == rule


def test_clause_covered_by_an_earlier_one_is_removed():
    rule = dnf(and_("age > 3"), and_("age > 5"), labels=("yes", "no"))
    assert simplify(rule) == dnf(and_("age > 3"))


def test_a_rule_that_never_holds_has_no_clauses():
    assert simplify(dnf(and_("age > 5", "age < 3"))) == RuleSet((), (), "dnf", "no")


def test_a_rule_that_always_holds_has_one_clause_without_conditions():
    always = Clause((Literal("age", ">", 3, True), lit("age > 3")), "or")
    both = RuleSet((and_("age > 5"), Clause()), ("yes", "yes"), "dnf", "no")
    assert simplify(both).clauses == (Clause(),)
    assert simplify(RuleSet((always,), ("yes",), "cnf", "no")).n_clauses == 1


def test_a_cnf_that_always_holds_keeps_its_label():
    always = or_("age > 3", "age <= 3", "age missing")
    assert simplify(RuleSet((always,), ("yes",), "cnf", "no")) == RuleSet((), ("yes",), "cnf", "no")


def test_a_cnf_that_never_holds_has_one_clause_without_conditions():
    rule = RuleSet((Clause((), "or"), or_("age > 3")), ("yes", "yes"), "cnf", "no")
    assert simplify(rule).clauses == (Clause((), "or"),)
