"""Test cases of a rule: one of them notices any small fault that is planted in the rule."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings

from rulekit import BoxSearchClassifier, ScorecardClassifier
from rulekit.rules import (
    Clause,
    ColumnSchema,
    LinearSplit,
    Literal,
    PointsSplit,
    RuleSet,
    Schema,
    make_cases,
    verify_rule,
)
from rulekit.rules.analysis.cases import mutations
from rulekit.rules.analysis.row_search import columns_of_rows
from rulekit.rules.schema import schema_of
from tests.rules.analysis.test_verification import list_every_row, read_in_one_way
from tests.strategies.rules import rule_sets


def columns_of(cases, rule):
    return columns_of_rows([case.row for case in cases], rule.features)


def plant_fault(rule, rng):
    """Exchange two limits, lose a level, a condition or a clause, or change a label."""
    k = int(rng.integers(rule.n_clauses))
    clause = rule.clauses[k]
    i = int(rng.integers(len(clause.conditions)))
    conditions, labels, clauses = list(clause.conditions), list(rule.labels), list(rule.clauses)
    fault = rng.choice(["limit", "level", "condition", "clause", "label", "turned"])
    literal = conditions[i]
    if fault == "label" and len(rule.classes) > 1:
        labels[k] = next(v for v in rule.classes if v != labels[k])
    elif fault == "clause":
        del clauses[k], labels[k]
    elif fault == "limit" and isinstance(literal.value, float):
        conditions[i] = replace(literal, value=literal.value * float(rng.choice([0.9, 1.1])) + 0.3)
    elif fault == "level" and isinstance(literal.value, tuple) and len(literal.value) > 1:
        conditions[i] = replace(literal, value=literal.value[1:])
    elif fault == "turned":
        conditions[i] = literal.negate()
    else:
        del conditions[i]
    if len(clauses) == rule.n_clauses:
        clauses[k] = Clause(tuple(conditions))
    return RuleSet(tuple(clauses), tuple(labels), "dnf", rule.default, rule.schema)


def learn_rules(seeds, n=300, noise=0.0):
    """Return rules of two and three outcomes, of numbers, whole numbers, levels and gaps."""
    rules = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(
            {
                "weight": rng.normal(70, 12, n).round(1),
                "visits": rng.integers(0, 9, n),
                "ward": rng.choice(["north", "south", "east", "west"], n),
                "smoker": rng.random(n) < 0.4,
            }
        )
        X.loc[rng.random(n) < 0.1, "weight"] = np.nan
        risk = (X["weight"] > 75) * 2 + (X["visits"] > 4) + X["ward"].isin(["north", "east"])
        y = np.where(risk + X["smoker"] > 2, "ill", "well")
        if seed % 2:
            y = np.where(risk == 0, "young", y)
        y = np.where(rng.random(n) < noise, rng.choice(y, n), y)
        model = BoxSearchClassifier(max_conditions=8, n_perturbations=0, random_state=seed)
        rules.append(model.fit(X, y).rule_set_)
    return rules


@pytest.fixture(scope="module")
def learned():
    return learn_rules(range(6))


def test_sixty_planted_faults_are_found(learned):
    rng = np.random.default_rng(7)
    cases = [make_cases(rule) for rule in learned]
    for own, rule in zip(cases, learned, strict=True):
        assert len(own) <= 5 * rule.n_conditions + 5
    missed = 0
    for k in range(60):
        rule, own = learned[k % len(learned)], cases[k % len(learned)]
        faulty = plant_fault(rule, rng)
        noticed = faulty.predict(columns_of(own, rule)) != [case.answer for case in own]
        missed += not noticed.any() and not verify_rule(faulty).faults
    assert missed <= 3


def list_combinations(rule):
    """Return the columns of all combinations of values that conditions of a rule distinguish."""
    pools = []
    for name in rule.features:
        tests = [t for t in rule.tests if t.feature == name]
        named = [v for t in tests for v in t.values]
        if all(isinstance(v, bool) for v in named):
            pool = [True, False]
        elif all(isinstance(v, float) for v in named):
            step = 1.0 if rule.schema.column(name).kind == "whole number" else 0.01
            near = (np.floor if step == 1.0 else np.asarray)(named)
            pool = sorted({float(v) for d in (-step, 0.0, step) for v in near + d})
        else:
            pool = [*dict.fromkeys(named), "a level of no row"]
        pools.append([*pool, None])
    rows = [dict(zip(rule.features, cells, strict=True)) for cells in product(*pools)]
    return columns_of_rows(rows, rule.features)


@pytest.mark.slow
def test_findings_on_two_hundred_learned_rules_are_true():
    n_faults = n_clean = 0
    for rule in learn_rules(range(100, 300), n=120, noise=0.2):
        columns = list_combinations(rule)
        predicted, fired = rule.predict(columns), rule.clauses_fired(columns)
        first = fired & (np.cumsum(fired, axis=1) == 1)
        checked = verify_rule(rule)
        assert not checked.not_checked
        for finding in checked.faults:
            if finding.kind == "unreachable outcome":
                missing = {*rule.labels, rule.default} - set(predicted)
                assert any(str(label) in finding.sentence for label in missing)
            else:
                assert (finding.shorter.predict(columns) == predicted).all(), finding.sentence
            if finding.kind == "masked clause":
                assert not first[:, finding.clause].any()
        masked = {f.clause for f in checked.faults if f.kind == "masked clause"}
        assert masked == set(np.flatnonzero(~first.any(axis=0)))
        n_faults += len(checked.faults)
        n_clean += not checked.faults
    assert n_clean > 100


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # most rules have a fault
@given(rule_sets(form="dnf", max_clauses=3, max_size=3))
def test_cases_tell_rules_apart_that_lack_a_part(rule):
    assume(
        1 <= len(rule.features) <= 3
        and read_in_one_way(rule)
        and all(c.conditions for c in rule.clauses)
        and not verify_rule(rule).faults
    )
    cases = make_cases(rule)
    columns, every = columns_of(cases, rule), list_every_row(rule)
    expected = rule.predict(every)
    assert [case.answer for case in cases] == rule.predict(columns).tolist()
    for seed in range(5):
        faulty = plant_fault(rule, np.random.default_rng(seed))
        if (faulty.predict(every) != expected).any() and len(rule.classes) > 1:
            assert (faulty.predict(columns) != rule.predict(columns)).any()


def test_a_sum_of_columns_has_a_case_on_each_side_of_its_limit():
    plane = LinearSplit((("height", 1.0), ("mass", -0.5)), ">", 3.0)
    rule = RuleSet((Clause((plane,)),), ("far",), "dnf", "near")
    cases = [case for case in make_cases(rule) if "limit" in case.shows]
    assert [case.answer for case in cases] in (["near", "far"], ["far", "near"])
    totals = [case.row["height"] - 0.5 * case.row["mass"] for case in cases]
    assert max(abs(total - 3.0) for total in totals) < 1e-4


def test_a_scorecard_has_cases_for_its_points():
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(200, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] - X["c"] > 0.3).map({True: "high", False: "low"})
    rule = ScorecardClassifier(max_conditions=4).fit(X, y).rule_set_
    cases = make_cases(rule)
    (split,) = rule.clauses[0].conditions
    for i in range(len(split.points)):
        points = tuple(p + (k == i) * 2 for k, p in enumerate(split.points))
        faulty = replace(rule, clauses=(Clause((replace(split, points=points),)),))
        every = list_grid(split)
        if (faulty.predict(every) != rule.predict(every)).any():
            noticed = faulty.predict(columns_of(cases, rule))
            assert (noticed != [case.answer for case in cases]).any()


def list_grid(split):
    """Rows with every combination of the tests' results, for columns of numbers."""
    ends = {
        name: sorted(t.value for t in split.tests if t.feature == name) for name in split.features
    }
    pools = [[v + d for v in ends[name] for d in (-1e-6, 1e-6)] for name in split.features]
    grid = np.meshgrid(*pools)
    return {name: axis.ravel() for name, axis in zip(split.features, grid, strict=True)}


def list_changes(rule, schema=None):
    return list(mutations(rule, schema or schema_of(rule)))


def test_parts_go_and_limits_and_points_move():
    ward = Literal("ward", "in", ("east", "west"))
    rule = RuleSet((Clause((Literal("age", ">", 50), ward)),), ("ill",), "dnf", "well")
    shorter = [m for m in list_changes(rule) if m.shorter]
    assert [m.part for m in shorter] == ["clause", "condition", "condition", "level", "level"]
    assert [m.level for m in shorter if m.part == "level"] == ["east", "west"]
    assert sorted(m.rule.n_conditions for m in shorter) == [0, 1, 1, 2, 2]
    rule = RuleSet((Clause((Literal("dose", "<=", 2.5),)),), ("ill",), "dnf", "well")
    moved = {str(m.rule.conditions[0]) for m in list_changes(rule) if m.part == "limit"}
    assert moved == {"dose < 2.5", "dose <= 2.49", "dose <= 2.51"}
    whole = Schema((ColumnSchema("dose", "whole number"),))
    moved = {str(m.rule.conditions[0]) for m in list_changes(rule, whole) if m.part == "limit"}
    assert moved == {"dose < 2.5", "dose <= 1.5", "dose <= 3.5"}
    tests = (Literal("age", ">", 50), Literal("bmi", ">", 30))
    bands = tuple(Clause((PointsSplit(tests, (2, 1), total),)) for total in (3, 2))
    rule = RuleSet(bands, ("high", "middle"), "dnf", "low")
    changed = [m.rule.conditions for m in list_changes(rule) if m.part == "points"]
    assert all(one.points == other.points for one, other in changed)
    # fewer points never reach the first total
    expected = {(3, 1), (4, 1), (5, 1), (2, 2), (2, 3), (2, 4)}
    assert {one.points for one, _ in changed} == expected
