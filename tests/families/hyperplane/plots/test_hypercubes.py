"""What is drawn of a plane and its boxes, as tables."""

import numpy as np
import pandas as pd
import pytest

from rulekit import LPSVM, HyperplaneRuleClassifier
from rulekit.families.hyperplane import (
    coverage_figure,
    coverage_sentence,
    interval_figure,
    projection_figure,
)
from rulekit.families.hyperplane.plots.hypercubes import (
    ANY,
    FAINT,
    Projection,
    coverage_table,
    curves,
    intervals,
    number_names,
    numbers_of,
    plane_words,
    projection,
    side_of,
)
from rulekit.style.phrases import Wording
from tests.learners.planes import blobs, with_levels
from tests.strategies.half_spaces import scale_of

TABLE = pd.DataFrame(
    {
        "name": ["age", "<b>size</b>"],
        "low": [0.0, 10.0],
        "high": [100.0, 20.0],
        "start": [25.0, 10.0],
        "stop": [50.0, 20.0],
        "value": [30.0, np.nan],
        "words": ["age <= 50", "any value"],
        "limits": [True, False],
        "met": [True, True],
    }
)


def shown(n_others=2):
    ends, described = [1.0, 2.0, 3.0, 9.0], [True, True, False, False]
    rows = {"x": ends, "y": ends, "described": described, "others": [2, 1, 2, 0]}
    points = pd.DataFrame(rows)
    boxes = pd.DataFrame({"x0": [0.0, 5.0], "x1": [4.0, 8.0], "y0": [0.0, 5.0], "y1": [4.0, 8.0]})
    line = (0.0, 5.0), (5.0, 0.0)
    return Projection("age", "size", points, boxes, 0, n_others, line, (1.0, 1.0))


def test_boxes_are_drawn_in_shares_with_the_case_as_a_tick():
    _, box, _ = interval_figure(TABLE).data
    assert list(box.base) == [0.25, 0.0]
    assert list(box.x) == [0.25, 1.0]
    tick = interval_figure(TABLE).data[2]
    assert list(tick.x) == [0.3]
    assert tick.marker.symbol == "diamond-tall"
    assert "<b>size" not in str(interval_figure(TABLE).data[0].y)


def test_rectangles_are_boxes_and_rows_fade_by_what_they_miss():
    shapes = projection_figure(shown(), "ill", "well").layout.shapes
    assert [s.line.width for s in shapes] == [3, 1]
    assert (shapes[0].x0, shapes[0].x1) == (0.0, 4.0)
    of_class, other, line, _ = projection_figure(shown(), "ill", "well").data
    assert list(of_class.marker.opacity) == [1.0, FAINT + (1 - FAINT) / 2]
    assert list(other.marker.opacity) == [1.0, FAINT]
    assert {of_class.marker.symbol, other.marker.symbol} == {"circle", "square"}
    assert line.mode == "lines"


def test_the_curve_adds_up_the_boxes():
    curves, totals = {"ill": [6, 3], "well": [5]}, {"ill": 10, "well": 5}
    ill, well = coverage_figure(curves, totals).data
    assert list(ill.y) == pytest.approx([0.0, 0.6, 0.9])
    assert list(well.y) == [0.0, 1.0]
    assert coverage_sentence(curves, totals) == (
        "ill: the largest box covers 60.0 % of the rows that the plane gets right, all 2 together "
        "90.0 %; well: the largest box covers 100.0 % of the rows that the plane gets right, all 1 "
        "together 100.0 %."
    )


WORDS = Wording(names={"income": "Einkommen"})


@pytest.fixture(scope="module", params=[blobs, with_levels], ids=["numbers", "levels"])
def fitted(request):
    X, y = request.param()
    return HyperplaneRuleClassifier(LPSVM(nu=0.5), confidence_folds=0).fit(X, y), X


def cases(model, X):
    half = side_of(model, model.positive_label_)
    return half, numbers_of(model, X)[:, half.columns]


@pytest.mark.slow
def test_case_meets_all_columns_of_a_box_if_its_clause_holds(fitted):
    model, X = fitted
    label = model.positive_label_
    boxes, fired = model.boxes_[label], model.clauses_fired(X)
    _, rows = cases(model, X)
    for k in range(len(boxes)):
        for i in range(20):
            table = intervals(model, label, (boxes.lower[k], boxes.upper[k]), rows[i], WORDS)
            assert table["met"].all() == fired[i, k]
            assert (table["words"] == ANY).tolist() == (~table["limits"]).tolist()
            inside = table["met"] & table["limits"]
            within = table["value"].between(table["start"], table["stop"])
            assert within[inside].all()


def test_points_in_the_rectangle_are_the_rows_of_the_box(fitted):
    model, X = fitted
    label = model.positive_label_
    _, rows = cases(model, X)
    fired = model.clauses_fired(X)
    shown = projection(model, label, 0, (0, 1), rows[0], number_names(model, WORDS))
    box, points = shown.boxes.iloc[0], shown.points
    inside = points["x"].between(box["x0"], box["x1"]) & points["y"].between(box["y0"], box["y1"])
    full = inside & (points["others"] == shown.n_others)
    assert not (fired[:, 0] & ~full).any()


def test_the_trace_is_on_the_plane_for_the_case(fitted):
    model, X = fitted
    half, rows = cases(model, X)
    w = model.plane_.w[half.columns]
    drawn = 0
    for case in rows[:20]:
        names = number_names(model, WORDS)
        shown = projection(model, model.positive_label_, 0, (0, 1), case, names)
        for x, y in shown.line or ():
            point = case.copy()
            point[:2] = x, y
            assert w @ point == pytest.approx(model.plane_.gamma, abs=1e-9 * scale_of(half))
            drawn += 1
    assert drawn


def test_the_table_has_the_readers_names_and_the_share_covered(fitted):
    model, _ = fitted
    assert "Einkommen" in number_names(model, WORDS)
    words = plane_words(model, WORDS)
    assert "Einkommen" in words
    assert max(len(part) for part in words.split() if part.replace(".", "").isdigit()) <= 11
    table = coverage_table(model)
    name = str(model.positive_label_)
    assert len(table) == max(len(c) for c in curves(model)[0].values())
    covered = table[f"covered, {name}"].astype(float)
    assert np.nanmax(covered) == pytest.approx(100 * model.coverage_)
