"""What clauses and rule sets do on rows with known classes."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rulekit import _engine
from rulekit.exceptions import RuleError
from rulekit.rules import (
    Clause,
    Literal,
    RuleSet,
    clause_statistics,
    rule_statistics,
    wilson_interval,
)
from rulekit.rules.analysis import statistics
from tests.engine_tables import HIDDEN, as_arrow, assert_counted, cycled, in_memory, placed
from tests.reference.rules import count_clause, rows_of
from tests.strategies.rules import columns, rule_sets

OLD, HEAVY = Literal("age", ">", 50), Literal("bmi", ">", 30)
RULE = RuleSet((Clause((OLD,)), Clause((HEAVY,))), ("ill", "ill"), "dnf", "well")
TABLE = {
    "age": np.array([60.0, 70.0, 60.0, 40.0, 40.0, 30.0, 30.0, np.nan]),
    "bmi": np.array([31.0, 25.0, 25.0, 35.0, 33.0, 25.0, 20.0, 20.0]),
}
TRUTH = ["ill", "ill", "well", "ill", "well", "ill", "well", "well"]


@st.composite
def judged(draw):
    table = draw(columns(max_rows=12))
    n = len(table["age"])
    y = draw(st.lists(st.sampled_from(("yes", "no", "perhaps")), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from((0.0, 0.5, 1.0, 3.0)), min_size=n, max_size=n))
    return draw(rule_sets()), table, y, weight


@given(judged())
def test_counts_equal_a_loop_over_rows(case):
    rule_set, table, y, weight = case
    found = clause_statistics(rule_set, table, y, weight)
    assert len(found) == rule_set.n_clauses
    for k, s in enumerate(found):
        counts, sums = count_clause(rule_set, k, rows_of(table), y, weight)
        assert {name: getattr(s, name) for name in counts} == counts
        assert s.weight == pytest.approx(sums["weight"])
        assert s.positive_weight == pytest.approx(sums["positive_weight"])
        if sum(weight) > 0:
            assert s.unique_coverage == pytest.approx(sums["unique_weight"] / sum(weight))


@pytest.mark.slow
@given(judged())
def test_parts_add_up(case):
    rule_set, table, y, weight = case
    for s in clause_statistics(rule_set, table, y, weight):
        assert s.positives + s.negatives == s.n >= s.n_first >= s.n_unique
        assert s.positive_weight + s.negative_weight == pytest.approx(s.weight)
        assert 0 <= s.confidence_low <= s.confidence_high <= 1


@given(judged())
def test_the_confusion_counts_every_row_once(case):
    rule_set, table, y, weight = case
    s = rule_statistics(rule_set, table, y, weight)
    assert s.confusion.sum() == s.n == len(y)
    wrong = rule_set.predict(table) != np.array(y, dtype=object)
    assert s.errors == wrong.sum()
    if sum(weight) > 0:
        assert s.error == pytest.approx(np.average(wrong, weights=weight))


def test_a_clause_is_described_by_textbook_numbers():
    first, second = clause_statistics(RULE, TABLE, TRUTH)
    assert (first.n, first.positives, first.negatives) == (3, 2, 1)
    assert (first.n_unique, first.n_first, second.n_first) == (2, 3, 2)
    assert (first.coverage, first.support) == (3 / 8, 2 / 8)
    assert first.confidence == pytest.approx(2 / 3)
    assert first.lift == pytest.approx((2 / 3) / (4 / 8))
    assert (second.n_unique, second.unique_coverage) == (2, 2 / 8)


def test_a_clause_of_a_cnf_is_described_by_the_rows_it_fails_on():
    reported = RULE.negated()
    for clause, s, same in zip(
        reported.clauses,
        clause_statistics(reported, TABLE, TRUTH),
        clause_statistics(RULE, TABLE, TRUTH),
        strict=True,
    ):
        assert s.clause == clause
        assert (s.label, s.n, s.positives, s.lift) == ("ill", same.n, same.positives, same.lift)


def test_a_rule_is_described_by_textbook_numbers():
    s = rule_statistics(RULE, TABLE, TRUTH)
    assert s.labels == ("ill", "well")
    assert s.confusion.tolist() == [[3, 1], [2, 2]]
    assert (s.errors, s.error, s.coverage) == (3, 3 / 8, 5 / 8)
    assert (s.precision["ill"], s.recall["ill"]) == (3 / 5, 3 / 4)
    assert (s.precision["well"], s.recall["well"]) == (2 / 3, 2 / 4)
    assert (s.n_clauses, s.n_conditions) == (2, 2)


def test_sample_weights_change_shares_but_not_interval_widths():
    plain = clause_statistics(RULE, TABLE, TRUTH)[0]
    weighted = clause_statistics(RULE, TABLE, TRUTH, [5, 1, 1, 1, 1, 1, 1, 1])[0]
    assert weighted.confidence == pytest.approx(6 / 7)
    assert (weighted.coverage, weighted.support) == (7 / 12, 6 / 12)
    assert weighted.confidence_low == plain.confidence_low


def test_clause_without_rows_has_an_undefined_share():
    nowhere = RuleSet((Clause((Literal("age", ">", 99),)),), ("ill",), "dnf", "well")
    (s,) = clause_statistics(nowhere, TABLE, TRUTH)
    assert s.n == 0
    assert math.isnan(s.confidence)
    assert math.isnan(s.lift)
    assert (s.confidence_low, s.confidence_high) == (0, 1)


def test_a_class_that_is_never_predicted_has_no_precision():
    never = RuleSet((), (), "dnf", "well")
    s = rule_statistics(never, TABLE, TRUTH)
    assert math.isnan(s.precision["ill"])
    assert s.recall == {"ill": 0.0, "well": 1.0}


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (3, 7), (7, 7), (120, 400)])
def test_the_interval_is_wilsons(successes, n):
    other = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson_interval(successes, n) == pytest.approx((other.low, other.high), abs=1e-12)


def test_classes_of_another_length_are_refused():
    with pytest.raises(RuleError, match="there are 2 classes, but 'age' has 8"):
        clause_statistics(RULE, TABLE, ["ill", "well"])


def test_weights_of_another_length_are_refused():
    with pytest.raises(RuleError, match="'sample_weight' has 1"):
        rule_statistics(RULE, TABLE, TRUTH, [1.0])


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_that_are_no_weights_are_refused(bad):
    with pytest.raises(RuleError, match="finite and not negative"):
        clause_statistics(RULE, TABLE, TRUTH, [bad, *[1.0] * 7])


@in_memory
def test_a_rule_is_counted_by_one_query(put, monkeypatch):
    queries = []

    def counted(expression):
        queries.append(expression)
        return _engine.fetch(expression)

    monkeypatch.setattr(statistics, "fetch", counted)
    rule = RuleSet((Clause((Literal("x", ">", 1),)), Clause()), ("yes", "no"), "dnf", "no")
    table = placed(put, {"x": np.arange(9.0)})[0]
    assert rule_statistics(rule, table, HIDDEN).n == 9
    assert rule_statistics(rule, table, table[HIDDEN]).errors == 4
    assert len(queries) == 2


@pytest.mark.slow
@in_memory
@given(columns(), rule_sets())
def test_weights_add_up_as_in_memory(put, columns, rule):
    n = len(columns["age"])
    y, weight = cycled(("yes", "no"), n), np.arange(n, dtype=float)
    table = put(as_arrow(columns, **{HIDDEN: y, "w": weight}))
    found = rule_statistics(rule, table, HIDDEN, "w")
    expected = rule_statistics(rule, columns, y, weight)
    np.testing.assert_array_equal(found.weighted_confusion, expected.weighted_confusion)
    assert found.coverage == pytest.approx(expected.coverage, nan_ok=True)


@pytest.mark.slow
@in_memory
def test_a_rule_of_many_clauses_is_grouped_by_several_words(put):
    values = np.arange(130.0)
    clauses = tuple(Clause((Literal("x", ">=", v),)) for v in values)
    rule = RuleSet(clauses, ("yes", "no") * 65, "dnf", "no")
    assert_counted(rule, *placed(put, {"x": values}))


@in_memory
@pytest.mark.parametrize("weight", [[1.0, -1.0], [1.0, None], [np.nan, 1.0], [np.inf, 1.0]])
def test_invalid_weights_are_rejected(put, weight):
    table = put(pa.table({"x": [1.0, 2.0], HIDDEN: ["yes", "no"], "w": weight}))
    rule = RuleSet((Clause((Literal("x", ">", 1),)),), ("yes",), "dnf", "no")
    with pytest.raises(RuleError, match="weights must be finite and not negative"):
        rule_statistics(rule, table, HIDDEN, "w")
    with pytest.raises(RuleError, match="`y` must be a column or its name; got list"):
        rule_statistics(rule, table, ["yes", "no"])
    with pytest.raises(RuleError, match="no column 'v', which `sample_weight` names"):
        rule_statistics(rule, table, HIDDEN, "v")
