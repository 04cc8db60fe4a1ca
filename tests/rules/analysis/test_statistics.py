"""What clauses and rule sets do on rows with known classes."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rulekit import RuleError, _engine
from rulekit.rules import (
    Clause,
    Literal,
    RuleSet,
    clause_statistics,
    rule_statistics,
    wilson_interval,
)
from rulekit.rules.analysis import statistics
from tests.engine_tables import HIDDEN, assert_counted, in_memory, placed
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
    return draw(rule_sets()), table, y


@given(judged())
def test_counts_equal_a_loop_over_rows(case):
    rule_set, table, y = case
    result = clause_statistics(rule_set, table, y)
    assert len(result) == rule_set.n_clauses
    for k, s in enumerate(result):
        counts = count_clause(rule_set, k, rows_of(table), y)
        assert {name: getattr(s, name) for name in counts} == counts
        assert s.coverage == pytest.approx(s.n / len(y))
        assert 0 <= s.confidence_low <= s.confidence_high <= 1


@given(judged())
def test_the_confusion_counts_every_row_once(case):
    rule_set, table, y = case
    s = rule_statistics(rule_set, table, y)
    assert s.confusion.sum() == s.n == len(y)
    wrong = rule_set.predict(table) != np.array(y, dtype=object)
    assert s.errors == wrong.sum()
    assert s.error == pytest.approx(wrong.mean())


def test_rules_are_described_by_textbook_numbers_in_either_form():
    reported = RULE.negate()
    for clause, s, same in zip(
        reported.clauses,
        clause_statistics(reported, TABLE, TRUTH),
        clause_statistics(RULE, TABLE, TRUTH),
        strict=True,
    ):
        assert s.clause == clause
        assert (s.label, s.n, s.positives, s.lift) == ("ill", same.n, same.positives, same.lift)
    s = rule_statistics(RULE, TABLE, TRUTH)
    assert s.labels == ("ill", "well")
    assert s.confusion.tolist() == [[3, 1], [2, 2]]
    assert (s.errors, s.error, s.coverage) == (3, 3 / 8, 5 / 8)
    assert (s.precision["ill"], s.recall["ill"]) == (3 / 5, 3 / 4)
    assert (s.precision["well"], s.recall["well"]) == (2 / 3, 2 / 4)
    assert (s.n_clauses, s.n_conditions) == (2, 2)


def test_figures_without_rows_are_undefined():
    nowhere = RuleSet((Clause((Literal("age", ">", 99),)),), ("ill",), "dnf", "well")
    (s,) = clause_statistics(nowhere, TABLE, TRUTH)
    assert s.n == 0
    assert math.isnan(s.confidence)
    assert math.isnan(s.lift)
    assert (s.confidence_low, s.confidence_high) == (0, 1)
    s = rule_statistics(RuleSet((), (), "dnf", "well"), TABLE, TRUTH)
    assert math.isnan(s.precision["ill"])
    assert s.recall == {"ill": 0.0, "well": 1.0}
    with pytest.raises(RuleError, match="there are 2 classes, but 'age' has 8"):
        clause_statistics(RULE, TABLE, ["ill", "well"])


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (3, 7), (7, 7), (120, 400)])
def test_the_interval_is_wilsons(successes, n):
    other = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson_interval(successes, n) == pytest.approx((other.low, other.high), abs=1e-12)


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
def test_a_rule_of_many_clauses_is_grouped_by_several_words(put):
    values = np.arange(130.0)
    clauses = tuple(Clause((Literal("x", ">=", v),)) for v in values)
    rule = RuleSet(clauses, ("yes", "no") * 65, "dnf", "no")
    assert_counted(rule, *placed(put, {"x": values}))


@in_memory
def test_unknown_classes_of_a_database_table_are_rejected(put):
    table = put(pa.table({"x": [1.0, 2.0], HIDDEN: ["yes", "no"]}))
    rule = RuleSet((Clause((Literal("x", ">", 1),)),), ("yes",), "dnf", "no")
    with pytest.raises(RuleError, match="`y` must be a column or its name; got list"):
        rule_statistics(rule, table, ["yes", "no"])
    with pytest.raises(RuleError, match="no column 'v', which `y` names"):
        rule_statistics(rule, table, "v")
