"""The smallest change: against every combination of values, and in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.explain.counterfactual import smallest_change
from rulekit.explain.domains import domain_of
from rulekit.explain.subject import as_column, row_values
from rulekit.rules import Clause, Literal, RuleSet
from tests.explain.tables import PLAIN, cases, rule_sets, tables
from tests.reference import counterfactual as reference

FEW = {"age": "level", "bmi": "level", "colour": "text"}


def dnf(*clauses, labels=None, default="well"):
    made = tuple(Clause(c) for c in clauses)
    return RuleSet(made, labels or ("ill",) * len(made), "dnf", default)


def answer(rule, values):
    return rule.predict({f: as_column([v]) for f, v in values.items()})[0]


def asked_of(rule, feature):
    conditions = [c for clause in rule.clauses for c in clause.conditions]
    return [x for c in conditions for x in c.tests if x.feature == feature]


def scales(rule, row):
    on = {f: asked_of(rule, f) for f in rule.features}
    return {f: domain_of(on[f], None, row[f]).scale for f in rule.features}


def is_free_of_flag_numbers(rule):
    """The twin tries any number; the library keeps a column compared with 0 and 1 only to these."""
    for f in rule.features:
        on = asked_of(rule, f)
        if FEW[f] == "level" and not any(x.op in ("<=", "<", ">=", ">") for x in on):
            return False
    return True


@given(rule_sets(FEW, max_clauses=4), tables(FEW, n=1))
def test_smallest_change_is_as_small_as_any_combination_of_values(rule, columns):
    if not is_free_of_flag_numbers(rule):
        return
    row = {f: v for f, v in row_values(columns, 0).items() if f in rule.features}
    found = smallest_change(rule, row)
    best = reference.smallest_change(rule, row, scales(rule, row))
    assert found.possible == (best is not None)
    if best is not None:
        assert len(found.changes) == best[0]
        assert found.cost == pytest.approx(best[1], rel=1e-6, abs=1e-6)


@given(cases(PLAIN, max_clauses=5, max_conditions=4), st.sets(st.sampled_from(sorted(PLAIN))))
def test_changed_row_gets_the_wanted_prediction_by_free_columns(case, immutable):
    rule, columns = case
    for i in range(len(columns["age"])):
        row = {f: v for f, v in row_values(columns, i).items() if f in rule.features}
        found = smallest_change(rule, row, training=columns, immutable=immutable)
        assert not {c.feature for c in found.changes} & immutable
        if found.possible:
            changed = {**row, **{c.feature: c.new for c in found.changes}}
            assert answer(rule, changed) == found.prediction != rule.predict(columns)[i]


@given(cases(PLAIN, max_clauses=4), st.data())
def test_every_value_of_a_range_named_in_words_gives_the_new_answer(case, data):
    rule, columns = case
    row = {f: v for f, v in row_values(columns, 0).items() if f in rule.features}
    found = smallest_change(rule, row)
    changed = {c.feature: c.new for c in found.changes}
    for change in found.changes:
        if change.text.split(" (now")[0].endswith(("or lower", "or higher")):
            further = data.draw(st.floats(0, 1e25))
            sign = 1.0 if change.text.split(" (now")[0].endswith("or higher") else -1.0
            changed[change.feature] = change.new + sign * further
    if found.possible:
        assert answer(rule, {**row, **changed}) == found.prediction


def test_one_column_within_reach_is_named_with_its_limit():
    rule = dnf((Literal("glucose", ">", 126), Literal("age", ">", 50)))
    found = smallest_change(rule, {"glucose": 141.0, "age": 90.0})
    assert found.sentence == "The prediction would be well if glucose were 126 or lower (now 141)."
    assert found.cost == pytest.approx(15 / 126)


def test_change_up_to_a_strict_threshold_lies_just_past_it():
    rule = dnf((Literal("glucose", ">", 126),))
    found = smallest_change(rule, {"glucose": 120.0})
    assert found.sentence == "The prediction would be ill if glucose were above 126 (now 120)."
    assert 126 < found.changes[0].new < 127


def test_whole_numbers_change_to_whole_numbers():
    rule = dnf((Literal("age", ">", 50),))
    found = smallest_change(rule, {"age": 44.0}, training={"age": np.arange(20.0, 80.0)})
    assert found.changes[0].new == 51.0
    assert found.sentence == "The prediction would be ill if age were 51 or higher (now 44)."


def test_range_closed_by_another_clause_names_both_ends():
    rule = dnf((Literal("x", ">", 10),), (Literal("x", "<", 5),))
    found = smallest_change(rule, {"x": 12.0})
    assert (
        found.sentence == "The prediction would be well if x were 10 or lower, down to 5 (now 12)."
    )


def test_clause_that_would_fire_next_is_avoided():
    rule = dnf((Literal("x", ">", 10),), (Literal("x", "<=", 10), Literal("y", ">", 0)))
    found = smallest_change(rule, {"x": 11.0, "y": 5.0})
    assert {c.feature for c in found.changes} == {"x", "y"}


def test_flag_of_zeros_and_ones_changes_to_the_other_one():
    rule = dnf((Literal("smoker", "==", 1),))
    found = smallest_change(rule, {"smoker": 1.0})
    assert found.sentence == "The prediction would be well if smoker were 0 (now 1)."


def test_level_is_taken_from_those_seen():
    rule = dnf((Literal("colour", "!=", "red"),))
    seen = {"colour": np.array(["red", "blue", "green"], dtype=object)}
    found = smallest_change(rule, {"colour": "red"}, training=seen)
    assert found.sentence == "The prediction would be ill if colour were 'blue' (now 'red')."


def test_unknown_levels_are_named_by_what_they_are_not():
    rule = dnf((Literal("colour", "!=", "red"),))
    found = smallest_change(rule, {"colour": "red"})
    assert found.sentence.endswith("if colour were other than 'red' (now 'red').")
    rule = dnf((Literal("colour", "not-in", ("blue", "red")),))
    found = smallest_change(rule, {"colour": "red"})
    assert found.sentence.endswith("if colour were none of 'blue', 'red' (now 'red').")


def test_value_goes_missing_only_if_nothing_else_helps():
    rule = dnf((Literal("x", "missing"),))
    assert smallest_change(rule, {"x": 3.0}).changes[0].new is None
    rule = dnf((Literal("x", ">", 5, missing=True),))
    assert smallest_change(rule, {"x": 3.0}).changes[0].new > 5


def test_constant_rule_reports_that_no_change_helps():
    found = smallest_change(RuleSet((), (), "dnf", "well"), {})
    assert found.sentence == "Every row is predicted well: the rule reads no column."
    assert not found.possible


def test_blocking_immutable_columns_are_named():
    rule = dnf((Literal("age", ">", 50),))
    found = smallest_change(rule, {"age": 60.0}, immutable=("age",))
    assert found.sentence == "No change gives another prediction while age stays as it is."


def test_target_requires_one_of_several_predictions():
    rule = dnf((Literal("x", ">", 2),), (Literal("x", ">", 1),), labels=("c", "b"), default="a")
    assert smallest_change(rule, {"x": 3.0}).prediction == "b"
    assert smallest_change(rule, {"x": 3.0}, target="a").prediction == "a"
    with pytest.raises(RuleError, match="is already predicted as 'c'"):
        smallest_change(rule, {"x": 3.0}, target="c")


def test_many_clauses_to_break_are_searched_in_a_blink():
    rng = np.random.default_rng(0)
    features = [f"x{i}" for i in range(8)]
    clauses = [
        tuple(Literal(f, ">", float(rng.integers(0, 5))) for f in rng.choice(features, 3, False))
        for _ in range(20)
    ]
    found = smallest_change(dnf(*clauses), dict.fromkeys(features, 9.0))
    assert found.prediction == "well"
    assert 3 <= len(found.changes) <= 8
