"""The slider of a cut point covers a column in steps that can be read."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.rules import Clause, Literal, RuleSet
from ui.rule_numbers import Cases
from ui.rules.condition_editor import (
    condition_counts,
    digits_of,
    slider_range,
    tick_distance,
    with_condition,
    with_levels,
)

LABELS = ["a", "b", "c"]
GRADES = ("low", "mid", "high")
CELLS = {
    "x": st.sampled_from([0.0, 1.0, 2.5, 3.0, np.nan]),
    "town": st.sampled_from(["Bonn", "Ulm", "Kiel", None]),
    "day": st.sampled_from(["2024-01-05", "2024-03-09", "2025-02-01", None]),
    "grade": st.sampled_from([*GRADES, None]),
    "smokes": st.sampled_from([True, False, None]),
    "note": st.sampled_from(["paid late", "paid", None]),
}
EDITS = [
    (Literal("x", ">", 1.0), Literal("x", ">", 2.7)),
    (Literal("x", "<=", 1.0, missing=True), Literal("x", "<=", 0.5)),
    (Literal("x", "in", (1.0, 2.5)), Literal("x", "in", (3.0,))),
    (Literal("town", "==", "Ulm"), Literal("town", "in", ("Bonn", "Ulm"), missing=True)),
    (Literal("town", "not-in", ("Ulm", "Kiel")), Literal("town", "not-in", ("Bonn",))),
    (
        Literal("day", ">=", "2024-03-09", part="date"),
        Literal("day", ">=", "2024-03-10", part="date"),
    ),
    (Literal("day", "in", (1.0,), part="month"), Literal("day", "in", (1.0, 2.0), part="month")),
    (Literal("grade", ">=", "mid", order=GRADES), Literal("grade", ">=", "high", order=GRADES)),
    (Literal("smokes", "==", True), Literal("smokes", "in", (False, True))),
    (Literal("note", "contains", "late"), Literal("note", "contains", "paid", missing=True)),
]
OTHER = Clause((Literal("x", ">", 2.0), Literal("town", "!=", "Kiel")))


@pytest.mark.parametrize(
    ("values", "limit", "expected"),
    [
        (np.arange(101.0), 50.5, (-1.0, 100.0, 1.0)),
        (np.linspace(0, 1, 1001), 0.25, (0.0, 1.0, 0.005)),
        (np.linspace(0, 1e-4, 1001), 2.5e-5, (0.0, 1e-4, 5e-7)),
        (np.arange(101.0), 200.0, (-1.0, 200.0, 1.0)),
        (np.array([3.0, 3.0]), 3.0, (3.0, 3.0, 1.0)),
        (np.array([]), 3.0, (3.0, 3.0, 1.0)),
    ],
)
def test_slider_covers_the_column_and_the_limit(values, limit, expected):
    assert slider_range(values, limit) == pytest.approx(expected, abs=1e-12)


def test_far_values_do_not_stretch_the_slider():
    _, high, _ = slider_range(np.append(np.linspace(0, 1, 999), 1e9), 0.5)
    assert high <= 1.1


def test_figures_of_few_whole_numbers_have_ticks():
    ranges = [(18.0, 95.0, 1.0), (0.0, 1.0, 0.005), (0.0, 74.0, 0.5), (0.0, 2.0, 1.0)]
    assert [tick_distance(*ends) for ends in ranges] == pytest.approx([20.0, 0.25, 10.0, 1.0])


@pytest.mark.parametrize(("number", "digits"), [(5.0, 0), (0.25, 2), (1e-7, 7), (1 / 3, 12)])
def test_digits_of_a_cut_point(number, digits):
    assert digits_of(number) == digits


def rules(literal):
    """A rule of two clauses as a DNF, as a CNF, and as a list of three outcomes."""
    clause = Clause((Literal("town", "not-missing"), literal))
    dnf = RuleSet((clause, OTHER), ("a", "a"), "dnf", "b")
    return [dnf, dnf.negate(), RuleSet((clause, OTHER), ("b", "a"), "dnf", "c")]


@st.composite
def tables(draw):
    rows = draw(st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=12))
    columns = {name: np.array([r[name] for r in rows], dtype=object) for name in CELLS}
    columns["x"] = columns["x"].astype(float)
    y = draw(st.lists(st.sampled_from(LABELS), min_size=len(rows), max_size=len(rows)))
    return Cases("training", None, np.array(y, dtype=object), columns)


@given(tables(), st.sampled_from(EDITS), st.integers(0, 2))
def test_counts_equal_predictions_of_the_edited_rule(rows, edit, form):
    before, after = edit
    rule = rules(before)[form]
    if form == 1:  # De Morgan: the CNF has the negated conditions
        before, after = before.negate(), after.negate()
    counts = condition_counts(rule, 0, 1, rows, LABELS)
    edited = with_condition(rule, 0, 1, after).predict(rows.columns)
    now = rule.predict(rows.columns)
    assert counts.before == (now != rows.y).sum()
    assert counts.errors(after) == ((edited != rows.y).sum(), (edited != now).sum())
    assert counts.errors(before) == (counts.before, 0)
    holds = after.mask(rows.columns)
    sides = [[(rows.y[side] == label).sum() for label in LABELS] for side in (holds, ~holds)]
    assert counts.sides(after).tolist() == sides
    absent = replace(after, missing=not after.missing).mask(rows.columns) != holds
    assert counts.n_missing == absent.sum()


@pytest.mark.parametrize(
    ("before", "levels", "after"),
    [
        (Literal("t", "==", "u"), ("b",), Literal("t", "==", "b")),
        (Literal("t", "==", "u"), ("b", "u"), Literal("t", "in", ("b", "u"))),
        (Literal("t", "!=", "u"), ("b", "u"), Literal("t", "not-in", ("b", "u"))),
        (
            Literal("t", "in", ("b", "u"), missing=True),
            ("b",),
            Literal("t", "in", ("b",), missing=True),
        ),
    ],
)
def test_levels_replace_the_value_and_keep_the_rest(before, levels, after):
    assert with_levels(before, levels) == after
