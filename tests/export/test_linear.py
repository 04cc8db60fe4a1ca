"""Weighted sums of columns survive every export, to the last digit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import ExportError
from rulekit.export import from_text, to_csv, to_latex, to_sql, to_text, verify_export
from rulekit.export.formats import CHECKED
from rulekit.rules import Clause, LinearSplit, Literal, RuleSet

NAMES = ("age", "Ab - schlag", 'b"; --', "x 2", "AND", "größe", "1st")
NUMBERS = st.floats(-50, 50).filter(lambda v: v == 0 or abs(v) > 1e-3)


@st.composite
def linear_rules(draw):
    """A rule of an interval and a sum, in either form, with rows near the plane and gaps."""
    features = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    terms = tuple((f, draw(NUMBERS.filter(bool))) for f in features)
    split = LinearSplit(
        terms, draw(st.sampled_from(["<=", ">"])), draw(NUMBERS), draw(st.booleans())
    )
    form = draw(st.sampled_from(["dnf", "cnf"]))
    op = "and" if form == "dnf" else "or"
    clauses = (Clause((Literal(features[0], ">", draw(NUMBERS)), split), op), Clause((split,), op))
    rule = RuleSet(clauses, ("yes", "yes"), form, "no")
    cell = st.one_of(NUMBERS, st.just(np.nan))
    columns = {f: np.array(draw(st.lists(cell, min_size=5, max_size=5))) for f in features}
    return rule, columns


@pytest.mark.slow
@pytest.mark.parametrize("format", CHECKED)
@given(linear_rules())
def test_running_the_export_gives_every_label(format, case):
    rule, columns = case
    found = verify_export(rule, columns, format)
    assert found.ok, (found.sentence, found.text)
    assert found.n_probes > 0


@given(linear_rules())
def test_text_read_back_is_the_same_rule(case):
    rule, _ = case
    assert from_text(to_text(rule)) == rule


def one_rule(*names, op="<=", missing=False):
    weights = (0.5, -1.25, 2e-7)
    split = LinearSplit(tuple(zip(names, weights, strict=False)), op, 3.0, missing)
    return RuleSet((Clause((split,)),), ("yes",), "dnf", "no")


def test_text_writes_a_sum_and_quotes_names_with_a_minus_sign():
    assert to_text(one_rule("age", "a - b", op=">")).splitlines()[1] == (
        '1. IF 0.5 * age - 1.25 * "a - b" > 3 THEN yes'
    )


def test_sql_checks_that_every_column_is_present():
    assert to_sql(one_rule("age", "bmi"), part="where") == (
        '((0.5 * "age" - 1.25 * "bmi" <= 3.0 AND "age" IS NOT NULL AND "bmi" IS NOT NULL))'
    )
    assert "OR" in to_sql(one_rule("age", "bmi", missing=True))


def test_latex_writes_short_formulas():
    assert r"$0.5 \cdot {}$ age $- 1.25 \cdot {}$ bmi $\le 3$" in to_latex(one_rule("age", "bmi"))
    assert r"$+ 2 \cdot 10^{-7} \cdot {}$ c" in to_latex(one_rule("a", "b", "c"))


def test_a_table_of_clauses_has_the_sum_in_a_cell():
    assert "0.5 * age - 1.25 * bmi <= 3" in to_csv(one_rule("age", "bmi"))


def test_a_column_compared_with_text_and_summed_cannot_be_sql():
    rule = one_rule("age")
    mixed = RuleSet(
        (*rule.clauses, Clause((Literal("age", "==", "old"),))), ("yes",) * 2, "dnf", "no"
    )
    with pytest.raises(ExportError, match="compared with text and with numbers"):
        to_sql(mixed)


def test_truth_values_can_be_summed_in_every_format():
    columns = {"age": np.array([3.0, 9.0, 7.0]), "ill": np.array([True, False, None], dtype=object)}
    for format in CHECKED:
        assert verify_export(one_rule("age", "ill"), columns, format).ok
