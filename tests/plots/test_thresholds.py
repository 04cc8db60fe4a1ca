"""Figures of cut points: what is counted is what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots.outcomes import outcome_bins, outcome_bins_figure
from rulekit.plots.thresholds import interval_signs


def drawn(values, is_high, cuts):
    """Draw a column of high and low rows."""
    return outcome_bins_figure(values, 1 - is_high, cuts, name="income", labels=("high", "low"))


numbers = st.one_of(st.integers(-5, 5).map(float), st.just(float("nan")))
rows = st.lists(st.tuples(numbers, st.booleans()), min_size=1, max_size=40)
cut_points = st.lists(st.integers(-5, 5).map(float), max_size=5, unique=True).map(sorted)


@given(rows, cut_points)
@pytest.mark.slow
def test_bins_are_counted_as_the_conditions_would_count_them(rows, cuts):
    values = np.array([v for v, _ in rows])
    positive = np.array([p for _, p in rows])
    for _, row in outcome_bins(values, 1 - positive, 2, cuts).iterrows():
        if np.isnan(row["low"]):
            inside = np.isnan(values)
        else:
            inside = (values > row["low"]) & (values <= row["high"])
        assert (row["rows"], row[0]) == (inside.sum(), (inside & positive).sum())


def test_a_strip_is_below_the_bars_of_the_values_it_holds():
    values = np.repeat([1.0, 2.0, 3.0, 7.0], [40, 30, 20, 10])
    figure = drawn(values, values > 2, [1.0, 2.0])
    _, bars, strips, _ = figure.data
    assert list(bars.x) == [0, 1, 2, 3]
    assert list(figure.layout.xaxis2.ticktext) == ["1", "2", "3", "7"]
    spans = [(x - w / 2, x + w / 2) for x, w in zip(strips.x, strips.width, strict=True)]
    assert spans == [(-0.5, 0.5), (0.5, 1.5), (1.5, 3.5)]
    assert list(strips.text) == ["", "", "100%"]
    assert {line.x0 for line in figure.layout.shapes} == {0.5, 1.5}


@pytest.mark.slow
@given(st.lists(st.integers(0, 60), min_size=1, max_size=80), cut_points)
def test_strips_meet_and_hold_their_values(values, cuts):
    values = np.array(values, dtype=float)
    figure = drawn(values, values > 9, cuts)
    strips = figure.data[2]
    edges = [x - w / 2 for x, w in zip(strips.x, strips.width, strict=True)]
    np.testing.assert_allclose(
        edges[1:], [x + w / 2 for x, w in zip(strips.x, strips.width, strict=True)][:-1]
    )
    few = len(set(values)) <= 20
    places = np.searchsorted(np.unique(values), values) if few else values
    table = outcome_bins(values, 0 + (values > 9), 2, cuts)
    for k, (x, w) in enumerate(zip(strips.x, strips.width, strict=True)):
        assert ((places > x - w / 2) & (places < x + w / 2)).sum() == table["rows"][k]


def test_bars_hold_all_rows_in_few_places_of_equal_width():
    values = np.random.default_rng(0).normal(size=100_000)
    figure = drawn(values, values > 0, [0.0])
    assert max(len(trace.x) for trace in figure.data) <= 40
    values = np.random.default_rng(0).normal(size=500)
    figure = drawn(values, values > 1, [0.0, 1.0])
    assert sum(trace.y.sum() for trace in figure.data[:2]) == 500
    values = np.random.default_rng(0).normal(size=2000)
    figure = drawn(values, values > 0, [0.0])
    assert figure.layout.xaxis2.title.text == "income"
    values = np.arange(57.0)
    figure = drawn(values, np.zeros(57, bool), [])
    assert set(figure.data[1].y[:-1]) == {2}


@pytest.mark.parametrize("round_it", [np.array, np.round], ids=["broken", "whole"])
def test_a_few_values_far_out_do_not_squeeze_the_others(round_it):
    rng = np.random.default_rng(0)
    values = round_it(np.append(np.exp(rng.normal(size=2000)) * 100, [1e6, 2e6, -9e5]))
    cuts = [50.0, 100.0, 200.0, 900.0]
    figure = drawn(values, values > 90, cuts)
    bars = figure.data[0].y + figure.data[1].y
    assert bars.sum() == 2003
    assert (bars > 0).sum() >= 20  # one, of bars that are as wide as a fortieth of the whole range
    centres, half = figure.data[0].x, figure.data[0].width / 2 + 1e-9
    n_below = int((values < centres[0] - half).sum())
    n_above = int((values > centres[-1] + half).sum())
    assert 1 <= n_below <= 10
    assert 2 <= n_above <= 10  # half a hundredth of the rows at either end
    title = figure.layout.xaxis2.title.text
    assert f"{n_below} rows below" in title
    assert f"{n_above} rows above" in title
    strips = figure.data[2]
    shown = np.clip(values, figure.data[0].x[0], figure.data[0].x[-1])
    held = [
        int(((shown > x - w / 2) & (shown <= x + w / 2)).sum())
        for x, w in zip(strips.x, strips.width, strict=True)
    ]
    assert held == outcome_bins(values, 0 + (values > 90), 2, cuts)["rows"].tolist()


def test_bins_are_written_in_signs():
    table = outcome_bins(np.array([1.0, 4.0, np.nan]), np.zeros(3, int), 1, [2, 3])
    signs = [interval_signs(row) for _, row in table.iterrows()]
    assert signs == ["≤ 2", "> 2, ≤ 3", "> 3", "missing"]


@pytest.mark.slow
def test_many_cut_points_are_ticks_instead_of_lines():
    values = np.arange(200.0)
    few = drawn(values, values > 50, values[1:30])
    many = drawn(values, values > 50, values[1:-1])
    assert len(few.layout.shapes) == 2 * 29
    assert len(many.layout.shapes) == 0
    ticks = next(trace for trace in many.data if trace.type == "scatter")
    assert ticks.name == "198 cut points"
    assert len(ticks.x) == 198
