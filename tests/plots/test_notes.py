"""Labels in figures: they cover neither points nor each other."""

import numpy as np
import pytest

from rulekit.plots.notes import LETTER, LINE, placed

FRAME, SIZE = ((0.0, 10.0), (0.0, 1.0)), (500.0, 300.0)


def box(note):
    """Left, top, right and bottom of a note as Plotly draws it, in pixels of the plot."""
    x = note["x"] / 10 * 500 + note["ax"]
    y = (1 - note["y"]) * 300 + note["ay"]
    lines = note["text"].split("<br>")
    wide, tall = LETTER * max(map(len, lines)), LINE * len(lines)
    left = {"left": x, "right": x - wide, "center": x - wide / 2}[note["xanchor"]]
    top = y if note["yanchor"] == "top" else y - tall
    return left, top, left + wide, top + tall


def meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("seed", range(20))
def test_notes_of_a_falling_curve_cover_no_point_and_stay_in_the_plot(seed):
    rng = np.random.default_rng(seed)
    x = np.arange(1.0, 10.0)
    y = 0.2 + 0.6 * np.exp(-x / 3) + rng.normal(0, 0.02, 9)
    one, other = rng.choice(9, 2, replace=False)
    words = "5 conditions: each further one buys less than 0.2 points"
    message = {(x[one], y[one]): [words], (x[other], y[other]): ["lowest mean error"]}
    notes = placed(message, np.column_stack([x, y]), FRAME, SIZE)
    boxes = [box(note) for note in notes]
    assert not meet(*boxes)
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= 500
        assert bottom <= 300
        across, down = x * 50, (1 - y) * 300
        assert not ((across > left) & (across < right) & (down > top) & (down < bottom)).any()


def test_long_words_are_broken_between_words():
    words = "Suggested, simplest within one standard error, lowest mean error"
    (note,) = placed({(5.0, 0.5): [words]}, [[5.0, 0.5]], FRAME, SIZE)
    assert note["text"].replace("<br>", " ") == words
    assert max(map(len, note["text"].split("<br>"))) <= 26


def test_no_notes_need_no_space():
    assert placed({}, [[1.0, 0.5]], FRAME, SIZE) == []
