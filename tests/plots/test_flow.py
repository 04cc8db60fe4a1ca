"""Where the rows go: every figure is recomputed by counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots import flow_sentence, flow_table, plot_rule
from rulekit.rules import Clause, LinearSplit, Literal, PointsSplit, RuleSet
from rulekit.rules.analysis.tree import divide_rows
from tests.strategies.rules import columns, rule_sets

OLD, HEAVY = Literal("age", ">", 50), Literal("bmi", ">", 30)
COLUMNS = {"age": np.array([60.0, 70, 40, 30, 80]), "bmi": np.array([35.0, 20, 35, np.nan, 31])}
TRUTH = np.array(["ill", "well", "well", "well", "ill"], dtype=object)
TREE = RuleSet(
    (Clause((OLD, HEAVY)), Clause((OLD, HEAVY.negate())), Clause((OLD.negate(), HEAVY))),
    ("ill", "fair", "ill"),
    "dnf",
    "well",
)
RISK = PointsSplit((OLD, HEAVY), (2, 1), 3)


def bars_of(figure, number):
    """Count the rows of the bars of one part, right and wrong ones."""
    bars = [t for t in figure.data if t.type == "bar" and t.customdata == (number,)]
    return [sum(t.x[0] for t in bars if (t.opacity == 1) == right) for right in (True, False)]


@given(rule_sets(), columns(min_rows=1), st.randoms())
def test_each_row_is_in_the_part_whose_prediction_it_gets(rule, table, random):
    parts = [part for part in divide_rows(rule, table) if part.label is not None]
    assert np.sum([part.rows for part in parts], axis=0).tolist() == [1] * len(parts[0].rows)
    predicted = rule.predict(table)
    for part in parts:
        assert (predicted[part.rows] == part.label).all()
    spans = sorted((part.start, part.start + int(part.rows.sum())) for part in parts)
    assert [a for a, b in spans if b > a] == [0, *[b for a, b in spans if b > a]][:-1]


@pytest.mark.parametrize(
    "rule",
    [
        RuleSet((Clause((OLD,)), Clause((HEAVY,))), ("ill", "well"), "dnf", "fair"),
        RuleSet((Clause((OLD,)), Clause((HEAVY,))), ("ill", "ill"), "cnf", "well"),
        RuleSet((Clause((OLD, LinearSplit((("bmi", 1.0),), ">", 30.0))),), ("ill",), "dnf", "well"),
        TREE,
    ],
)
def test_bars_are_as_wide_as_the_rows_counted_one_by_one(rule):
    figure, table = plot_rule(rule, COLUMNS, TRUTH), flow_table(rule, COLUMNS, TRUTH)
    assert table["rows"].sum() == 5
    assert table["correct"].sum() == (rule.predict(COLUMNS) == TRUTH).sum()
    for k, row in table.iterrows():
        assert bars_of(figure, k) == [row["correct"], row["rows"] - row["correct"]]
    assert flow_sentence(table).startswith("5 rows. ")
    every = [t for t in figure.data if not t.customdata and t.y == figure.data[0].y]
    assert {t.name: t.x[0] for t in every} == {"ill": 2, "well": 3}


def test_trees_cases_and_long_names_are_drawn():
    parts = divide_rows(TREE, COLUMNS)
    names = [part.name for part in parts]
    assert names[:3] == ["split 1", "split 2 (split 1: yes)", "split 2: yes"]
    assert sum(part.label is None for part in parts) == 3
    case = {"age": np.array([70.0]), "bmi": np.array([20.0])}
    for rule, number in ((TREE, 1), (RuleSet((Clause((OLD,)),), ("ill",), "dnf", "well"), 0)):
        figure = plot_rule(rule, COLUMNS, TRUTH, case=case)
        line = figure.data[-1]
        (place,) = {t.y[0] for t in figure.data if t.customdata == (number,)}
        assert line.y[-1] == place
    name = "a <b>name</b> " + "that goes on " * 10
    rule = RuleSet((Clause((Literal(name, ">", 1),)),), ("<i>ill</i> & & &",), "dnf", "well")
    figure = plot_rule(rule, {name: np.array([0.0, 2.0])}, ["well", "<i>ill</i> & & &"])
    lines = [line for note in figure.layout.annotations for line in note.text.split("<br>")]
    assert not any("<i>" in line or "<b>name" in line for line in lines)
    assert lines[1].count("■") == 2  # marks that are escaped take no room
    assert figure.layout.showlegend is False


def test_long_names_of_outcomes_stay_apart():
    names = [f"referred to department {k} for further examination" for k in range(10)]
    rule = RuleSet((Clause((OLD,)),), (names[3],), "dnf", names[7])
    table = {"age": np.arange(40.0, 60.0)}
    figure = plot_rule(rule, table, np.array(names * 2, dtype=object))
    words = [a.text for a in figure.layout.annotations]
    assert all(f"… {k} …" in words[0] for k in range(10))
    assert "… 3 …</b>" in words[1]
    assert "… 7 …</b>" in words[2]
    small = plot_rule(rule, table, np.array(names * 2, dtype=object), is_small=True)
    assert max(len(a.text) for a in small.layout.annotations[1:]) <= 50 + len("<b></b>")
    assert len({(t.marker.color, t.marker.pattern.shape) for t in figure.data[:10]}) == 10


def test_scorecard_is_a_histogram_of_its_totals_with_the_threshold():
    rule = RuleSet((Clause((RISK,)),), ("ill",), "dnf", "well")
    figure = plot_rule(rule, COLUMNS, TRUTH, case={k: v[:1] for k, v in COLUMNS.items()})
    ill, well = figure.data[:2]
    totals = RISK.compute_values(COLUMNS).tolist()  # 3, 2, 1, 0, 3: drawn side by side
    assert list(ill.y) == [
        sum(t == v for t, c in zip(totals, TRUTH, strict=True) if c == "ill") for v in range(4)
    ]
    assert sum(well.y) == 3
    assert figure.layout.shapes[0].x0 == 2.5
    assert figure.data[-1].x == (3.0,)
    assert flow_table(rule, COLUMNS, TRUTH)["part"].tolist() == ["Total from 3", "Total below 3"]
