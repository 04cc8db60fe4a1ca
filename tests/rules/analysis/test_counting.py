"""What rows meet, counted by an engine in one query: weights, many clauses, what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from rulekit import _engine
from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Literal, RuleSet, rule_statistics
from rulekit.rules.analysis import statistics
from tests.engine_tables import HIDDEN, as_arrow, assert_counted, cycled, in_memory, placed
from tests.strategies.rules import columns, rule_sets


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
