"""Operating points and reliability: what is drawn, what a click gives back, what is said."""

import pandas as pd

from rulekit.evaluation import brier_score, reliability
from rulekit.plots import (
    operating_figure,
    operating_sentence,
    reliability_figure,
    reliability_sentence,
)

POINTS = pd.DataFrame({"found": [0.0, 0.5, 1.0], "false_alarms": [0.0, 0.1, 1.0]})


def test_a_click_returns_the_position_of_a_point_with_rows():
    figure = operating_figure(POINTS, "bad", selected=1)
    assert [row[0] for row in figure.data[0].customdata] == [0, 1, 2]
    assert figure.data[0].hovertext[1] == "true positive rate 50.0 %, false positive rate 10.0 %"
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (0.1, 0.5)
    assert len(operating_figure(POINTS, "bad").data) == 3
    figure = operating_figure(POINTS.assign(found=float("nan")), "bad")
    assert len(figure.data[0].x) == 0


def test_points_are_described_and_tenths_drawn_as_observed():
    assert operating_sentence(POINTS, "bad") == (
        "3 operating points for bad: true positive rate from 0.0 % to 100.0 %, "
        "false positive rate from 0.0 % to 100.0 %."
    )
    true, chance = [True, False, True, True], [0.3, 0.3, 0.9, 0.9]
    table = reliability(true, chance)
    dots = reliability_figure(table, "bad").data[1]
    assert [round(x, 6) for x in dots.x] == [0.3, 0.9]
    assert list(dots.y) == [0.5, 1.0]
    assert dots.hovertext[0] == "predicted 30.0 %, observed 50.0 % of 2 rows"
    result = reliability_sentence(table, brier_score(true, chance), 0.75)
    assert "15.0 points from" in result
    assert "0.150; always predicting 75.0 %: 0.188" in result
    figures = {"called_positive": [0.0, 0.4, 0.5], "precision": [float("nan"), 0.25, 0.4]}
    points = POINTS.assign(**figures)
    figure = operating_figure(points, "bad", selected=2, precision=True)
    assert [list(figure.data[k].y) for k in (0, 1, 3)] == [[0.25, 0.4], [0.25, 0.4], [0.4]]
    assert list(figure.data[0].x) == [0.5, 1.0]
    assert list(figure.data[2].y) == [0.2, 0.2]
    assert len(operating_figure(points[:1], "bad", precision=True).data[0].x) == 0
