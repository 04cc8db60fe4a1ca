"""What differs between two rule sets."""

import numpy as np
from hypothesis import given

from rulekit.rules import Clause, Literal, RuleSet, compare_rules
from rulekit.rules.analysis.compare import ChangedThreshold
from tests.strategies.rules import columns, rule_sets


def over(feature, number, op=">"):
    return Literal(feature, op, number)


def ill(*clauses, default="well", labels=None):
    parts = tuple(Clause(c) for c in clauses)
    return RuleSet(parts, labels or ("ill",) * len(parts), "dnf", default)


OLD, HEAVY = (over("age", 50),), (over("bmi", 30), over("sugar", 120))


@given(rule_sets(), columns())
def test_a_rule_does_not_differ_from_itself(rule_set, table):
    comparison = compare_rules(rule_set, rule_set, table)
    assert comparison.is_same
    assert comparison.kept == rule_set.clauses
    assert len(comparison.rows) == 0


@given(rule_sets(), rule_sets(), columns())
def test_the_rows_listed_are_those_that_get_another_answer(a, b, table):
    comparison = compare_rules(a, b, table)
    before, after = a.predict(table), b.predict(table)
    assert comparison.rows.tolist() == [i for i in range(len(before)) if before[i] != after[i]]
    assert comparison.before.tolist() == before[comparison.rows].tolist()
    assert comparison.after.tolist() == after[comparison.rows].tolist()


@given(rule_sets("dnf"), rule_sets("dnf"))
def test_every_clause_is_reported_once(a, b):
    comparison = compare_rules(a, b)
    assert len(comparison.kept) + len(comparison.removed) + len(comparison.changed) == a.n_clauses
    old = [*comparison.kept, *comparison.removed, *(c.before for c in comparison.changed)]
    assert {frozenset(c.conditions) for c in old} == {frozenset(c.conditions) for c in a.clauses}
    new = [*comparison.added, *(c.after for c in comparison.changed)]
    assert {frozenset(c.conditions) for c in new} <= {frozenset(c.conditions) for c in b.clauses}


def test_clauses_are_paired_by_their_conditions():
    assert compare_rules(ill(HEAVY), ill(HEAVY[::-1])).is_same
    comparison = compare_rules(ill(OLD, HEAVY), ill(OLD, (over("bmi", 32), over("sugar", 120))))
    (changed,) = comparison.changed
    assert changed.thresholds == (ChangedThreshold("bmi", ">", 30.0, 32.0),)
    assert (comparison.removed, comparison.added) == ((), ())
    assert len(comparison.kept) == 1
    comparison = compare_rules(ill((over("age", 20),), (over("age", 60),)), ill((over("age", 58),)))
    (changed,) = comparison.changed
    assert changed.before.conditions == (over("age", 60),)
    assert [c.conditions for c in comparison.removed] == [(over("age", 20),)]
    comparison = compare_rules(ill((over("age", 50),)), ill((over("age", 55, "<="),)))
    assert (len(comparison.removed), len(comparison.added), comparison.changed) == (1, 1, ())


def test_other_forms_and_differences_are_reported():
    a = ill(OLD, HEAVY)
    comparison = compare_rules(a, a.negate())
    assert comparison.is_same
    assert comparison.mirrored
    a = ill(OLD, (over("bmi", 3),), labels=("ill", "well"))
    comparison = compare_rules(RuleSet((Clause(OLD),), ("ill",), "cnf", "well"), a)
    assert (len(comparison.removed), len(comparison.added), comparison.kept) == (1, 2, ())
    table = {"age": np.array([40.0, 52.0]), "bmi": np.zeros(2), "sugar": np.zeros(2)}
    comparison = compare_rules(ill(OLD, HEAVY), ill((over("age", 55),)), table)
    assert str(comparison) == (
        "Clauses: 1 with other thresholds, 1 removed. 1 of 2 rows get another answer."
    )
    one = ill(OLD, HEAVY, labels=("ill", "well"))
    assert compare_rules(one, ill(HEAVY, OLD, labels=("well", "ill"))).reordered
    assert not compare_rules(ill(OLD, HEAVY), ill(HEAVY, OLD)).reordered
    assert compare_rules(ill(OLD), ill(OLD, default="unknown")).default_changed
