"""Figures of a column by outcome: what is counted is what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots.outcomes import (
    gather_outliers,
    interval_signs,
    outcome_bins,
    outcome_bins_figure,
    outcome_levels,
    outcome_levels_figure,
    outcome_sentence,
    outcome_shares,
)
from rulekit.style.palette import outcome_colours

LABELS = ["setosa", "versicolor", "virginica"]
VALUES = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 4.0])
CODES = np.array([0, 0, 1, 1, 2, 2])

numbers = st.one_of(st.integers(-5, 5).map(float), st.just(float("nan")))
rows = st.lists(st.tuples(numbers, st.integers(0, 2)), min_size=1, max_size=40)
cut_points = st.lists(st.integers(-5, 5).map(float), max_size=5, unique=True).map(sorted)


def drawn(values, is_high, cuts):
    """Draw a column of high and low rows."""
    return outcome_bins_figure(values, 1 - is_high, cuts, name="income", labels=("high", "low"))


@pytest.mark.slow
@given(rows, cut_points)
def test_bins_are_counted_as_the_conditions_would_count_them(rows, cuts):
    values, codes = np.array([v for v, _ in rows]), np.array([c for _, c in rows])
    table = outcome_bins(values, codes, 3, cuts)
    assert table["rows"].sum() == len(rows)
    for _, row in table.iterrows():
        inside = (values > row["low"]) & (values <= row["high"])
        inside = np.isnan(values) if np.isnan(row["low"]) else inside
        assert row["rows"] == inside.sum()
        assert row[[0, 1, 2]].tolist() == [(codes[inside] == k).sum() for k in range(3)]
    np.testing.assert_allclose(outcome_shares(table)[table["rows"].to_numpy() > 0].sum(axis=1), 1)


@pytest.mark.parametrize("n_rows", [6, 200])
def test_outcomes_have_their_name_and_colour_in_both_figures(n_rows):
    values = np.linspace(0, 9, n_rows)
    codes = np.arange(n_rows) % 3
    figure = outcome_bins_figure(values, codes, [2.0, 5.0], name="petal", labels=LABELS)
    drawn = [trace for trace in figure.data if trace.type == "bar"]
    assert [trace.name for trace in drawn] == 2 * LABELS
    colours = outcome_colours(LABELS)
    assert all(trace.marker.color == colours[trace.name] for trace in drawn)
    assert sum(trace.y.sum() for trace in drawn[:3]) == n_rows
    np.testing.assert_allclose(sum(trace.y for trace in drawn[3:]), 1)
    assert "not " not in figure.to_json()


def test_bins_are_written_in_signs_and_empty_columns_refused():
    with pytest.raises(ValueError, match=r"'bmi' holds no value"):
        outcome_bins_figure(np.full(6, np.nan), CODES, [], name="bmi", labels=LABELS)
    table = outcome_bins(np.array([1.0, 4.0, np.nan]), np.zeros(3, int), 1, [2, 3])
    signs = [interval_signs(row) for _, row in table.iterrows()]
    assert signs == ["≤ 2", "> 2, ≤ 3", "> 3", "missing"]
    bad = '<a href="http://a.site">x</a>'
    figure = outcome_bins_figure(VALUES, CODES, [1.0], name=bad, labels=[bad, "b", "c"])
    assert "<a" not in figure.to_json().replace("\\u003c", "<")


def test_levels_and_strips_hold_the_values_of_every_outcome():
    table = outcome_levels(["b", "a", "b", None, "b", "a"], CODES, 3)
    assert table["level"].tolist() == ["b", "a", "missing"]
    assert table[[0, 1, 2]].to_numpy().tolist() == [[1, 1, 1], [1, 0, 1], [0, 1, 0]]
    figure = outcome_levels_figure(table, name="town", labels=LABELS)
    assert [trace.name for trace in figure.data] == LABELS
    assert list(figure.data[1].x) == [1, 0, 1]
    table = outcome_levels(["b", "a", "b"], np.array([0, 1, 1]), 2)
    figure = outcome_levels_figure(table, name="town", labels=(1, 0))
    assert list(figure.data[-1].text) == ["0%", "50%"]
    assert figure.layout.xaxis.title.text == "rows (and share of outcome 1)"
    values = np.repeat([1.0, 2.0, 3.0, 7.0], [40, 30, 20, 10])
    figure = drawn(values, values > 2, [1.0, 2.0])
    _, bars, strips, _ = figure.data
    assert list(bars.x) == [0, 1, 2, 3]
    assert list(figure.layout.xaxis2.ticktext) == ["1", "2", "3", "7"]
    spans = [(x - w / 2, x + w / 2) for x, w in zip(strips.x, strips.width, strict=True)]
    assert spans == [(-0.5, 0.5), (0.5, 1.5), (1.5, 3.5)]
    assert list(strips.text) == ["", "", "100%"]
    assert {line.x0 for line in figure.layout.shapes} == {0.5, 1.5}
    assert figure.layout.yaxis2.range == (0, 1)


def test_sentence_names_where_up_to_six_outcomes_are_commonest():
    table = outcome_bins(VALUES, CODES, 3, [1.0, 2.0])
    assert outcome_sentence(table, name="petal", labels=LABELS) == (
        "petal: the share of each outcome is highest: setosa at most 1 (100%); versicolor over 1 "
        "and at most 2 (100%); virginica over 2 (67%)."
    )
    levels = outcome_levels(["b", "b", "a", "a", "a", "c"], CODES, 3)
    assert "setosa at b (100%)" in outcome_sentence(levels, name="town", labels=LABELS)
    table = outcome_bins(VALUES, CODES, 3, [])
    assert outcome_sentence(table, name="x", labels=LABELS) == ("x: no cut point divides the rows.")
    table = outcome_bins(VALUES, np.arange(6), 8, [2.0])
    assert outcome_sentence(table, name="x", labels=list("abcdefgh")).endswith("; 2 more outcomes.")


def test_strips_of_positive_values_start_at_zero_or_above():
    for low, cuts, start in ((0.5, [3.0], 0.0), (0.0, [0.0, 3.0], -1.0), (20.0, [], 19.4)):
        strip = drawn(np.linspace(low, 50, 101), np.arange(101) > 9, cuts).data[2]
        assert strip.x[0] - strip.width[0] / 2 == pytest.approx(start)


def test_counts_in_the_hover_text_have_separators():
    values = np.linspace(0, 1, 4_000)
    assert "2,000 of 2,000 rows" in drawn(values, values > 0.5, [0.5]).data[2].hovertext[1]


@pytest.mark.slow
@given(st.lists(st.integers(0, 60), min_size=1, max_size=80), cut_points)
def test_strips_meet_and_hold_their_values(values, cuts):
    values = np.array(values, dtype=float)
    strips = drawn(values, values > 9, cuts).data[2]
    starts, ends = strips.x - strips.width / 2, strips.x + strips.width / 2
    np.testing.assert_allclose(starts[1:], ends[:-1])
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


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=3).map(sorted))
def test_outliers_stay_on_their_side_of_each_cut(cuts):
    values = np.append(np.linspace(-1, 1, 500), [-1e6, 1e6])
    gathered, note = gather_outliers(values, cuts)
    assert "drawn at the end" in note
    for compare in (np.greater, np.greater_equal):
        np.testing.assert_array_equal(compare.outer(gathered, cuts), compare.outer(values, cuts))


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
