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


@pytest.mark.parametrize(
    ("figure", "texts", "ends"),
    [
        (
            clause_figure(COUNTS.astype({"other": float}), "ill", "well"),
            ["40<br>of 50", "10<br>of 10"],
            [50, 10],
        ),
        (
            outcome_figure(CONFUSION),
            ["50 correct<br>10 wrong", "100 correct<br>5 wrong"],
            [60, 105],
        ),
        (clause_figure(COUNTS[:0], "ill", "well"), [], []),
        (outcome_figure(CONFUSION * 0), ["0 correct<br>0 wrong"] * 2, [0, 0]),
    ],
)
def test_counts_are_beside_the_bars_where_no_hatching_is_behind_them(figure, texts, ends):
    assert not any(trace.text for trace in figure.data)
    notes = figure.layout.annotations
    assert [note.text for note in notes] == texts
    assert [note.x for note in notes] == ends
    assert all((note.xanchor, note.showarrow) == ("left", False) for note in notes)
    assert [note.y for note in notes] == list(range(len(notes)))
    assert figure.layout.xaxis.range == (0, pytest.approx(1.4 * max([*ends, 1])))


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
    assert outcome_sentence(CONFUSION) == (
        "ill: 50 of 60 correct (83 %); well: 100 of 105 correct (95 %). "
        "15 of 165 predictions are wrong (9.1 %)."
    )


def test_outcomes_of_no_row_are_reported():
    assert outcome_sentence(CONFUSION * 0) == "No row to count."


def test_class_names_are_never_read_as_markup():
    figure = clause_figure(COUNTS, "<b>ill</b>", "well")
    assert figure.data[0].name == "&lt;b&gt;ill&lt;/b&gt;"
