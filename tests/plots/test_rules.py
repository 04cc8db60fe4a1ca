"""Bars of a rule: counts, words, escaping."""

import pandas as pd
import pytest

from rulekit.plots import clause_figure, clause_sentence, outcome_figure, outcome_sentence
from rulekit.style.palette import outcome_colours

COUNTS = pd.DataFrame(
    {"name": ["Clause 1", "Clause 2"], "of_class": [40, 10], "other": [10, 0]},
)
CONFUSION = pd.DataFrame([[50, 10], [5, 100]], index=["ill", "well"], columns=["ill", "well"])


def test_each_clause_has_one_bar_of_two_parts_that_differ_by_hatching():
    figure = clause_figure(COUNTS, "ill", "well")
    assert [list(trace.x) for trace in figure.data] == [[40, 10], [10, 0]]
    assert figure.data[0].marker.pattern.shape != figure.data[1].marker.pattern.shape


def test_clause_has_the_colour_of_its_class():
    counts = COUNTS.assign(gives=["well", "ill"])
    first, _ = clause_figure(counts, "its class", "another", classes=["ill", "well"]).data
    colours = outcome_colours(["ill", "well"])
    assert list(first.marker.color) == [colours["well"], colours["ill"]]


def test_the_clause_sentence_names_the_widest_clause_if_there_is_one():
    assert clause_sentence(COUNTS, "ill") == (
        "Clause 1 matches most rows, 50; 80.0 % of them are ill."
    )
    assert clause_sentence(COUNTS.iloc[:0], "ill") == "The rule has no clause."
    assert "— of them" in clause_sentence(COUNTS.assign(of_class=0, other=0), "ill")


def test_outcomes_are_counted_per_true_class_with_room_for_words():
    figure = outcome_figure(CONFUSION)
    assert [list(trace.x) for trace in figure.data] == [[50, 100], [10, 5]]
    assert [list(trace.text) for trace in figure.data] == [
        ["50 correct", "100 correct"],
        ["10 wrong", "5 wrong"],
    ]
    assert figure.layout.xaxis.range == (0, pytest.approx(1.4 * 105))
    assert outcome_sentence(CONFUSION) == (
        "ill: 50 of 60 correct (83 %); well: 100 of 105 correct (95 %). "
        "15 of 165 predictions are wrong (9.1 %)."
    )


def test_outcomes_of_no_row_are_reported():
    assert outcome_sentence(CONFUSION * 0) == "No row to count."
    assert outcome_figure(CONFUSION * 0).layout.xaxis.range == (0, 1.4)


def test_class_names_are_never_read_as_markup():
    figure = clause_figure(COUNTS, "<b>ill</b>", "well")
    assert figure.data[0].name == "&lt;b&gt;ill&lt;/b&gt;"
