"""Figures of groups: what is drawn is what was counted."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, Literal, RuleSet, group_metrics
from rulekit.data.groups import GROUP_MEASURES
from rulekit.plots import gap_figure, gap_sentence, group_figure, group_sentence

RULE = RuleSet((Clause((Literal("x", ">", 0),)),), ("<b>yes</b>",), "dnf", "no")


@pytest.fixture
def found():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.normal(size=200)})
    X["town"] = ["tiny"] * 5 + ["a"] * 95 + ["<i>b</i>"] * 100
    y = rng.choice(["<b>yes</b>", "no"], 200)
    y[:5] = "no"
    return group_metrics(RULE, X, y, "town")


@pytest.mark.parametrize("measure", GROUP_MEASURES)
def test_dots_and_intervals_are_the_table_in_percent(found, measure):
    (trace,) = group_figure(found, measure).data
    rows = found.table[found.table[measure].notna()]
    assert list(trace.x) == pytest.approx(100 * rows[measure])
    ends = np.array(trace.x) + np.array(trace.error_x.array)
    assert list(ends) == pytest.approx(100 * rows[f"{measure}_high"])
    starts = np.array(trace.x) - np.array(trace.error_x.arrayminus)
    assert list(starts) == pytest.approx(100 * rows[f"{measure}_low"])
    hollow = [name for name, s in zip(rows.index, trace.marker.symbol, strict=True) if "open" in s]
    assert hollow == (["tiny"] if measure != "found" else [])  # no row of it is to be found
    assert "<" not in "".join(trace.y)


def test_groups_and_the_gap_curve_are_described_by_their_ends(found):
    message = group_sentence(found, "error")
    shares = found.table["error"]
    assert message.startswith(f"Error by town: {shares.idxmax()} {100 * shares.max():.1f} %, ")
    assert f", {shares.idxmin()} {100 * shares.min():.1f} %; " in message
    assert message.endswith(f"{100 * found.overall['error']:.1f} % in all.")
    every = pd.DataFrame({"gap": [0.3, 0.1, 0.2, 0.0], "test_error": [0.1, 0.15, 0.2, 0.25]})
    every["n_conditions"] = [4.0, 3.0, 5.0, 0.0]
    curve = every.iloc[[3, 1, 0]].reset_index(drop=True)
    figure = gap_figure(curve, every, "<b>sex</b>")
    assert list(figure.data[0].x) == pytest.approx([30, 10, 20, 0])
    assert list(figure.data[1].x) == pytest.approx([0, 10, 30])
    assert list(figure.data[1].y) == pytest.approx([25, 15, 10])
    assert "<b>" not in figure.layout.xaxis.title.text
    ring = gap_figure(curve, every, "sex", (0.12, 0.2)).data[-1]
    assert (ring.name, list(ring.x), list(ring.y)) == ("selected rule", [12.0], [20.0])
    message = gap_sentence(curve, "sex")
    assert "from 10.0 % wrong at a gap of 30.0 points to 25.0 % wrong at a gap of 0.0" in message
    assert "costs 15.0 points of accuracy" in message
    assert "no rule compared is better" in gap_sentence(curve.iloc[:1], "sex")
    assert "could be measured" in gap_sentence(curve.iloc[:0], "sex")
    dear = curve.rename(columns={"test_error": "test_cost_per_100"})
    dear["test_cost_per_100"] *= 1000
    assert list(gap_figure(dear, dear, "sex").data[1].y) == pytest.approx([250, 150, 100])
    message = gap_sentence(dear, "sex")
    assert "costs 150.0 more for the errors of 100 cases on the inner folds" in message
