"""Figures of several outcomes: each is there by name, and what is counted is what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots.outcomes import (
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


@pytest.mark.slow
@given(rows, cut_points)
def test_each_row_is_counted_once_in_its_bin_and_outcome(rows, cuts):
    values, codes = np.array([v for v, _ in rows]), np.array([c for _, c in rows])
    table = outcome_bins(values, codes, 3, cuts)
    assert (table[[0, 1, 2]].sum(axis=1) == table["rows"]).all()
    assert table[[0, 1, 2]].sum().tolist() == np.bincount(codes, minlength=3).tolist()
    full = table["rows"].to_numpy() > 0
    np.testing.assert_allclose(outcome_shares(table)[full].sum(axis=1), 1)


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


def test_a_column_without_a_value_is_refused_with_its_name():
    with pytest.raises(ValueError, match=r"'bmi' holds no value"):
        outcome_bins_figure(np.full(6, np.nan), CODES, [], name="bmi", labels=LABELS)


def test_levels_are_drawn_by_every_outcome_with_missing_among_them():
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


def test_a_hostile_name_or_outcome_is_text_in_the_figure():
    bad = '<a href="http://a.site">x</a>'
    labels = [bad, "b", "c"]
    figure = outcome_bins_figure(VALUES, CODES, [1.0], name=bad, labels=labels)
    assert "<a" not in figure.to_json().replace("\\u003c", "<")


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
    codes = np.arange(6)
    table = outcome_bins(VALUES, codes, 8, [2.0])
    assert outcome_sentence(table, name="x", labels=list("abcdefgh")).endswith("; 2 more outcomes.")
