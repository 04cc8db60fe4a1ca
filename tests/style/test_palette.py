"""Colours and layout that every figure shares."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.hyperplane import coverage_figure, projection_figure
from rulekit.families.hyperplane.plots.hypercubes import Projection
from rulekit.families.power_law import bspace_figure, columns_figure, split_points
from rulekit.plots import plot_rule
from rulekit.plots.outcomes import outcome_bins_figure, outcome_levels, outcome_levels_figure
from rulekit.rules import Clause, Factor, Literal, PowerLaw, PowerLawSplit, RuleSet
from rulekit.style.palette import (
    REST,
    SERIES,
    SYMBOLS,
    base_layout,
    has_legend,
    learner_look,
    outcome_colours,
    outcome_looks,
    plain,
)
from ui.data.split import split_figure

LAWS = [PowerLaw(1.0, (Factor("a"),)), PowerLaw(1.0, (Factor("b"),)), PowerLaw(1.0, (Factor("c"),))]
COLUMNS = {name: np.arange(1.0, 9.0) ** (k + 1) for k, name in enumerate("abc")}
VALUES = np.arange(8.0)


def figures(described, other, classes):
    """Draw all figures that tell outcomes apart, for a rule that describes one of them."""
    truth = np.array([described, other] * 4, dtype=object)
    rows = pd.DataFrame({"x": VALUES, "y": VALUES, "described": truth == described, "others": 0})
    box = pd.DataFrame({"x0": [0.0], "x1": [4.0], "y0": [0.0], "y1": [4.0]})
    shown = Projection("a", "b", rows, box, 0, 0, None, (1.0, 1.0))
    clauses = tuple(Clause((Literal("a", ">", v),)) for v in (6.0, 3.0))
    rule = RuleSet(clauses, (described, other), "dnf", described)
    yield "clauses", plot_rule(rule, COLUMNS, truth, classes=classes)
    for q in (1, 2, 3):
        split = PowerLawSplit(tuple(LAWS[:q]), 5.0)
        one_node = np.arange(8) == 0  # only the described class comes here
        for reached in (None, one_node):
            points = split_points(split, COLUMNS, truth, truth, reached, classes)
            yield f"{q} power laws", bspace_figure(split, points, solid=q == 3)
            if q == 2:
                yield "columns", columns_figure(split, points, COLUMNS)
        rule = RuleSet((Clause((split,)),), (described,), "dnf", other)
        yield "value", plot_rule(rule, COLUMNS, truth, classes=classes)
    yield "boxes", projection_figure(shown, described, other, classes=classes)
    sizes = {described: [3, 1], other: [2]}
    yield "coverage", coverage_figure(sizes, {described: 4, other: 4}, classes=classes)
    codes, looks = (truth != described).astype(int), {"labels": (described, other)}
    looks |= {"name": "a", "classes": classes}
    yield "cuts", outcome_bins_figure(VALUES, codes, [3], **looks)
    yield "levels", outcome_levels_figure(outcome_levels(list("aabbaabb"), codes, 2), **looks)
    yield "split", split_figure({"Training": {described: 5, other: 3}}, classes)


def colours_in(figure, labels):
    """List the colours of each outcome in a figure, in whatever way it shows them."""
    result = {label: set() for label in labels}
    for trace in figure.data:
        if trace.name in result:
            line = getattr(trace, "mode", None) == "lines+markers"
            result[trace.name].add(trace.line.color if line else trace.marker.color)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "described", "other"),
    [
        (["ill", "well"], "ill", "well"),
        (["ill", "well"], "well", "ill"),
        (["a", "b", "c"], "b", "not b"),
        (["c", "b", "a"], "c", "not c"),
    ],
)
def test_outcome_has_one_colour_in_every_figure(classes, described, other):
    expected = outcome_colours(classes) | ({} if other in classes else {other: REST.colour})
    walked = 0
    for name, figure in figures(described, other, classes):
        result = colours_in(figure, (described, other))
        assert result[described], name
        for label, colours in result.items():
            assert colours <= {expected[label]}, (name, label)
            walked += len(colours)
    assert walked >= 24


def test_looks_differ_and_long_text_is_cut():
    looks = [*outcome_looks("abcd"), REST]
    assert len({look.symbol for look in looks}) == len({look.hatch for look in looks}) == 5
    assert len({(look.colour, look.hatch) for look in outcome_looks(range(36))}) == 36
    assert outcome_colours([1, 0]) == outcome_colours([0, 1])
    assert outcome_looks(["1"], [0, 1]) == outcome_looks([1], [0, 1])
    assert len(set(SERIES)) == len(SERIES) == len(set(SYMBOLS))
    assert plain("a" * 60) == "a" * 60
    assert plain("a" * 61) == "a" * 39 + "…" + "a" * 20
    assert plain("abcdef", 4) == "ab…f"
    alike = outcome_levels([f"{'a' * 40}{k}{'b' * 40}" for k in "xyz"], np.array([0, 1, 1]), 2)
    assert len({*outcome_levels_figure(alike, name="c", labels=[0, 1]).data[0].y}) == 3
    layout = base_layout(200)
    assert layout.height == 200
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    plain_looks = [learner_look(place) for place in range(13)]
    variants = [learner_look(0, name) for name in ("against", "price", "quick")]
    looks = plain_looks + variants
    assert len({(look.colour, look.symbol) for look in looks}) == len(looks)
    assert len({look.image for look in plain_looks}) == len(plain_looks)
    assert has_legend(["a" * 60, "b" * 60, "c"])
    assert has_legend(range(10))
    assert not has_legend([f"department {k}" for k in range(10)])
    assert {look.colour for look in variants} == {plain_looks[0].colour}
    for look in looks:  # Plotly has these symbols
        go.Scatter(marker={"symbol": [look.symbol, f"{look.symbol}-open"]})


@pytest.mark.slow
@given(st.text(max_size=200))
def test_text_from_a_table_has_no_markup_and_one_line(text):
    shown = plain(text)
    assert not set(shown) & set("<>\"'\n\r")
    assert shown.count("&") == sum(
        shown.count(e) for e in ("&amp;", "&lt;", "&gt;", "&#34;", "&#x27;")
    )
