"""Figures of cut points: what is counted is what is drawn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots.thresholds import (
    bin_table,
    interval_signs,
    level_figure,
    level_table,
    threshold_figure,
    threshold_sentence,
)

numbers = st.one_of(st.integers(-5, 5).map(float), st.just(float("nan")))
rows = st.lists(st.tuples(numbers, st.booleans()), min_size=1, max_size=40)
cut_points = st.lists(st.integers(-5, 5).map(float), max_size=5, unique=True).map(sorted)


@given(rows, cut_points)
@pytest.mark.slow
def test_bins_are_counted_as_the_conditions_would_count_them(rows, cuts):
    values = np.array([v for v, _ in rows])
    positive = np.array([p for _, p in rows])
    for _, row in bin_table(values, positive, cuts).iterrows():
        if np.isnan(row["low"]):
            inside = np.isnan(values)
        else:
            inside = (values > row["low"]) & (values <= row["high"])
        assert (row["rows"], row["positive"]) == (inside.sum(), (inside & positive).sum())


@given(rows, cut_points)
def test_every_row_is_in_one_bin(rows, cuts):
    values = np.array([v for v, _ in rows])
    table = bin_table(values, np.array([p for _, p in rows]), cuts)
    assert table["rows"].sum() == len(rows)


def test_a_strip_is_below_the_bars_of_the_values_it_holds():
    values = np.repeat([1.0, 2.0, 3.0, 7.0], [40, 30, 20, 10])
    figure = threshold_figure(values, values > 2, [1.0, 2.0], name="class")
    _, bars, strips = figure.data
    assert list(bars.x) == [0, 1, 2, 3]
    assert list(figure.layout.xaxis2.ticktext) == ["1", "2", "3", "7"]
    spans = [(x - w / 2, x + w / 2) for x, w in zip(strips.x, strips.width, strict=True)]
    assert spans == [(-0.5, 0.5), (0.5, 1.5), (1.5, 3.5)]
    assert list(strips.text) == ["0%", "0%", "100%"]
    assert {line.x0 for line in figure.layout.shapes} == {0.5, 1.5}


@pytest.mark.slow
@given(st.lists(st.integers(0, 60), min_size=1, max_size=80), cut_points)
def test_strips_meet_and_hold_their_values(values, cuts):
    values = np.array(values, dtype=float)
    figure = threshold_figure(values, values > 9, cuts, name="x")
    strips = figure.data[2]
    edges = [x - w / 2 for x, w in zip(strips.x, strips.width, strict=True)]
    np.testing.assert_allclose(
        edges[1:], [x + w / 2 for x, w in zip(strips.x, strips.width, strict=True)][:-1]
    )
    few = len(set(values)) <= 20
    places = np.searchsorted(np.unique(values), values) if few else values
    table = bin_table(values, values > 9, cuts)
    for k, (x, w) in enumerate(zip(strips.x, strips.width, strict=True)):
        assert ((places > x - w / 2) & (places < x + w / 2)).sum() == table["rows"][k]


def test_share_of_an_outcome_called_by_a_number_names_it_as_an_outcome():
    values = np.arange(20.0)
    for labels, title in (((1, 0), "share of outcome 1"), (("ill", "well"), "share of ill")):
        figure = threshold_figure(values, values > 9, [9.5], name="x", labels=labels)
        assert figure.layout.yaxis2.title.text == title


def test_bars_hold_all_rows_in_few_places_of_equal_width():
    values = np.random.default_rng(0).normal(size=100_000)
    figure = threshold_figure(values, values > 0, [0.0], name="x")
    assert max(len(trace.x) for trace in figure.data) <= 40
    values = np.random.default_rng(0).normal(size=500)
    figure = threshold_figure(values, values > 1, [0.0, 1.0], name="x")
    assert sum(trace.y.sum() for trace in figure.data[:2]) == 500
    values = np.random.default_rng(0).normal(size=2000)
    figure = threshold_figure(values, values > 0, [0.0], name="x")
    assert figure.layout.xaxis2.title.text == "x"
    values = np.arange(57.0)
    figure = threshold_figure(values, np.zeros(57, bool), [], name="x")
    assert set(figure.data[1].y[:-1]) == {2}


@pytest.mark.parametrize("round_it", [np.array, np.round], ids=["broken", "whole"])
def test_a_few_values_far_out_do_not_squeeze_the_others(round_it):
    rng = np.random.default_rng(0)
    values = round_it(np.append(np.exp(rng.normal(size=2000)) * 100, [1e6, 2e6, -9e5]))
    cuts = [50.0, 100.0, 200.0, 900.0]
    figure = threshold_figure(values, values > 90, cuts, name="income")
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
    assert held == bin_table(values, values > 90, cuts)["rows"].tolist()


def test_bins_are_written_in_signs():
    table = bin_table(np.array([1.0, 4.0, np.nan]), np.zeros(3, bool), [2, 3])
    signs = [interval_signs(row) for _, row in table.iterrows()]
    assert signs == ["≤ 2", "> 2, ≤ 3", "> 3", "missing"]


def test_a_column_without_a_value_is_refused_with_its_name():
    with pytest.raises(ValueError, match=r"'bmi' holds no value"):
        threshold_figure(np.full(3, np.nan), np.zeros(3, bool), [], name="bmi")


def test_a_hostile_name_is_text_in_the_figure():
    values = np.arange(50.0)
    figure = threshold_figure(values, values > 20, [], name='<a href="http://a.site">x</a>')
    assert "<a" not in figure.to_json().replace("\\u003c", "<")


def test_levels_are_sorted_by_size_and_drawn_once():
    table = level_table(["b", "a", "b", None, None, None], np.array([1, 1, 0, 1, 0, 0], bool))
    assert table["level"].tolist() == ["b", "a", "missing"]
    assert table["share"].tolist() == pytest.approx([0.5, 1.0, 1 / 3])
    table = level_table(["b", "a", "b"], np.array([True, False, False]))
    assert list(level_figure(table, name="c").data[0].y) == ["a", "b"]


def test_the_sentence_names_extreme_bins_or_that_there_is_no_cut():
    table = bin_table(np.arange(10.0), np.arange(10) >= 5, [4.0])
    assert threshold_sentence(table, name="x", label="ill") == (
        "x: 2 bins; the share of ill is highest, 100%, over 4 and lowest, 0%, at most 4."
    )
    table = bin_table(np.ones(3), np.ones(3, bool), [])
    assert isinstance(table, pd.DataFrame)
    assert threshold_sentence(table, name="x") == "x: no cut point divides the rows."


@pytest.mark.slow
def test_many_cut_points_are_ticks_instead_of_lines():
    values = np.arange(200.0)
    few = threshold_figure(values, values > 50, values[1:30], name="x")
    many = threshold_figure(values, values > 50, values[1:-1], name="x")
    assert len(few.layout.shapes) == 2 * 29
    assert len(many.layout.shapes) == 0
    ticks = next(trace for trace in many.data if trace.type == "scatter")
    assert ticks.name == "198 cut points"
    assert len(ticks.x) == 198
