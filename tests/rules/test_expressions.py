"""Conditions asked of an engine: on every kind, name and value the counts of going through rows."""

import datetime as dt
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings

from rulekit import BoxSearchClassifier, RuleError, load_sample
from rulekit.data import columns_of, list_samples
from rulekit.rules import (
    Clause,
    Factor,
    LinearSplit,
    Literal,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
    rule_statistics,
)
from tests.engine_tables import HIDDEN, as_arrow, assert_counted, everywhere, in_memory, placed
from tests.strategies.power_laws import split_rules
from tests.strategies.rules import every_row, rule_sets
from tests.test_kinds import EXAMPLES, FRAME, HOSTILE, READ


def one_each(conditions, label, default, form="dnf"):
    """Return a rule with a clause of each condition: the counts of clauses are those of each."""
    clauses = tuple(Clause((condition,)) for condition in conditions)
    return RuleSet(clauses, (label,) * len(clauses), form, default)


@pytest.mark.slow
@everywhere
def test_every_kind_is_evaluated_in_the_database(put):
    case = placed(put, columns_of(FRAME))
    conditions = (EXAMPLES | READ).values()
    assert_counted(one_each(conditions, "yes", "no"), *case)
    assert_counted(one_each([c.negate() for c in conditions], "yes", "no", "cnf"), *case)


@pytest.mark.slow
@everywhere
def test_special_names_and_values_are_escaped_in_databases(put):
    strange = ("it's", 'a"b', "a\\b", "\\", "", " ", "%", "_", "Ünal", "İK", "O'DOG", "ΟΔΟΣ,x")
    strange += ("STRAẞE", "\u212b\u2126")
    for name in HOSTILE:
        values = np.array([*strange, None] * 2, dtype=object)
        case = placed(put, {name: values}, ("it's", 'l"autre', "a\\'b"))
        equal = [Literal(name, "==", value) for value in strange]
        assert_counted(one_each(equal, "it's", "a\\'b"), *case)
        words = ("ünal", "οδος", "i\u0307k", "dog", "a", "b", "straße", "åω")
        assert_counted(one_each([Literal(name, "contains", w) for w in words], "x", "y"), *case)


@pytest.mark.slow
@everywhere
def test_any_rule_over_any_table_is_counted_as_in_memory(put):
    case = placed(put, every_row(), ("yes", "no", "perhaps"))

    @settings(max_examples=settings.default.max_examples // 2)
    @given(rule_sets())
    def check(rule):
        assert_counted(rule, *case)

    check()


@pytest.mark.slow
@everywhere
def test_sums_of_power_laws_are_the_same_doubles(put):
    rng = np.random.default_rng(0)
    names = ("mass", "height of wall", 'odd "name"', "x-1", "max")
    pool = np.array([0.0, 0.5, 1.0, 2.0, 3.0, -1.0, 150.0, np.nan])
    case = placed(put, {n: pool[rng.integers(0, len(pool), 300)] for n in names}, ("a", "b"))

    @settings(max_examples=settings.default.max_examples // 2)
    @given(split_rules())
    def check(rule):
        assert_counted(rule, *case)

    check()


@pytest.mark.slow
@everywhere
def test_a_number_is_compared_to_the_last_bit(put):
    steps = [0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 0), np.float32(0.1), 1e22, 5e-324, 1e300]
    values = np.array([*steps, np.inf, -np.inf, 0.0, -0.0, np.nan], dtype=float)
    case = placed(put, {"x": values, "w": values[::-1].copy()})
    signs = ("<=", "<", ">", ">=", "==", "!=")
    tests = [Literal("x", op, value) for value in map(float, steps) for op in signs]
    assert_counted(one_each(tests, "yes", "no"), *case)
    for weights in ((0.1, 0.3), (1.1, -0.7), (3.0, 1.0)):
        condition = LinearSplit((("x", weights[0]), ("w", weights[1])), "<=", 0.1)
        small = (np.abs(values) < 1e6) & (np.abs(values) != 5e-324)  # PostgreSQL refuses to lose it
        some = placed(put, {"x": values[small], "w": values[::-1][small]})
        assert_counted(RuleSet((Clause((condition,)),), ("yes",), "dnf", "no"), *some)


@pytest.mark.slow
@everywhere
def test_columns_of_other_types_are_read_as_a_data_frame_of_them_is(put):
    moments = [dt.datetime(2024, 2, 29, 18, 30, 59, 999_999), None, dt.datetime(1969, 12, 31, 23)]
    numbers = [Decimal("0.1000000000000000000001"), Decimal("0.3"), None]
    table = pa.table(
        {
            "opened": pa.array(moments, pa.timestamp("us")),
            "day": pa.array([dt.date(2024, 3, 3), dt.date(1600, 1, 1), None]),
            "cents": pa.array(numbers, pa.decimal128(38, 22)),
            "price": pa.array([Decimal("0.07"), None, Decimal("1.13")], pa.decimal128(9, 2)),
            "n": pa.array([1, -3, None], pa.int8()),
            "small": pa.array([0.1, None, 2.5], pa.float32()),
            HIDDEN: pa.array([1, 2, 1]),
        }
    )
    frame = pd.DataFrame({n: table[n].to_pandas() for n in table.column_names})
    frame["day"] = frame["day"].astype("datetime64[s]")
    conditions = [
        *(Literal(c, ">=", 3, part="weekday") for c in ("opened", "day")),
        Literal("opened", "<", "2024-02-29 18:31:00", part="date"),
        Literal("opened", "==", 20_024.0 + 66_659 / 86_400, part="days since 1970-01-01"),
        Literal("opened", "==", 19_782.0 + 66_659 / 86_400, part="days since 1970-01-01"),
        Literal("day", "==", "1600-01-01"),
        Literal("cents", "==", 0.1),
        Literal("price", "in", (0.07, 1.13)),
        Literal("n", "==", True),
        Literal("n", "==", "1"),
        Literal("small", ">", 0.1),
        LinearSplit((("n", 0.1), ("price", 3.0)), "<=", 0.31),
    ]
    table, columns = put(table), columns_of(frame.drop(columns=HIDDEN))
    for tests in (conditions, [condition.negate() for condition in conditions]):
        assert_counted(one_each(tests, 1, 2), table, columns, frame[HIDDEN])


@cache
def learned(sample):
    X, y = load_sample(sample).xy()
    search = BoxSearchClassifier(theta=0.5, n_clauses=3, n_perturbations=0)
    truth = np.array(y == y.iloc[0], dtype=object)
    return search.fit(X, y == y.iloc[0]).rule_set_, columns_of(X), truth


@everywhere
@pytest.mark.parametrize("sample", [info.name for info in list_samples()])
def test_the_sample_tables_are_counted_as_in_memory(put, sample):
    rule, columns, truth = learned(sample)
    assert_counted(rule, put(as_arrow(columns, **{HIDDEN: truth})), columns, truth)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (Literal("note", ">", 3), "compares it with a number, but the column holds text"),
        (LinearSplit((("note", 1.0),), ">", 3), "computes with column 'note'"),
        (Literal("age", "contains", "late"), "the word 'late' in a column that holds numbers"),
        (Literal("note", ">=", 2024, part="year"), "'note' as dates, but a row holds something"),
        (Literal("age", ">=", 2024, part="year"), "'age' as dates, but a row holds something"),
        (Literal("wage", ">", 3), "reads column 'wage', which the table does not have"),
    ],
)
@in_memory
def test_impossible_column_tests_are_refused_with_the_reason(put, condition, message):
    rule = RuleSet((Clause((condition,)),), ("yes",), "dnf", "no")
    table = placed(put, columns_of(FRAME))[0]
    with pytest.raises(RuleError, match=message):
        rule_statistics(rule, table, HIDDEN)


@in_memory
def test_a_law_that_divides_by_zero_is_refused(put):
    table = put(pa.table({"x": [1.0, 2.0], HIDDEN: ["yes", "no"]}))
    law = PowerLaw(1.0, (Factor("x", -3, shift=0.0, floor=1e-200),))
    rule = RuleSet((Clause((PowerLawSplit((law,), 2.0),)),), ("yes",), "dnf", "no")
    assert rule_statistics(rule, table, HIDDEN).n == 2
    tiny = put(pa.table({"x": [-1.0, 2.0], HIDDEN: ["yes", "no"]}))
    with pytest.raises(RuleError, match="divides by zero"):
        rule_statistics(rule, tiny, HIDDEN)
