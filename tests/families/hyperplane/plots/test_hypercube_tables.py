"""What is drawn of a plane and its boxes, as tables."""

import numpy as np
import pytest

from rulekit import LPSVM, HyperplaneRuleClassifier
from rulekit.families.hyperplane.plots.hypercube_tables import (
    ANY,
    coverage_table,
    curves,
    intervals,
    number_names,
    numbers_of,
    others_words,
    plane_words,
    projection,
    side_of,
)
from rulekit.style.phrases import Wording
from tests.learners.planes import blobs, with_levels
from tests.strategies.half_spaces import scale_of

WORDS = Wording(names={"income": "Einkommen"})


@pytest.fixture(scope="module", params=[blobs, with_levels], ids=["numbers", "levels"])
def fitted(request):
    X, y = request.param()
    return HyperplaneRuleClassifier(LPSVM(nu=0.5), confidence_folds=0).fit(X, y), X


def cases(model, X):
    half = side_of(model, model.positive_label_)
    return half, numbers_of(model, X)[:, half.columns]


@pytest.mark.slow
def test_a_case_meets_all_columns_of_a_box_where_its_clause_holds(fitted):
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
        shown = projection(
            model, model.positive_label_, 0, (0, 1), case, number_names(model, WORDS)
        )
        for x, y in shown.line or ():
            point = case.copy()
            point[:2] = x, y
            assert w @ point == pytest.approx(model.plane_.gamma, abs=1e-9 * scale_of(half))
            drawn += 1
    assert drawn


def test_conditions_on_other_columns_are_counted_in_words(fitted):
    model, X = fitted
    label = model.positive_label_
    _, rows = cases(model, X)
    boxes = model.boxes_[label]
    table = intervals(model, label, (boxes.lower[-1], boxes.upper[-1]), rows[0], WORDS)
    words = others_words(table, (0, 1))
    others = table.iloc[2:][table.iloc[2:]["limits"]]
    if len(others) > 1:
        assert f"meets {others['met'].sum()} of the {len(others)}" in words
    else:
        assert "other condition" in words or words.endswith("no condition on other columns.")


def test_names_are_the_readers(fitted):
    model, _ = fitted
    assert "Einkommen" in number_names(model, WORDS)
    words = plane_words(model, WORDS)
    assert "Einkommen" in words
    assert max(len(part) for part in words.split() if part.replace(".", "").isdigit()) <= 11


def test_the_table_ends_with_the_share_covered(fitted):
    model, _ = fitted
    table = coverage_table(model)
    name = str(model.positive_label_)
    assert len(table) == max(len(c) for c in curves(model)[0].values())
    assert np.nanmax(table[f"covered, {name}"].astype(float)) == pytest.approx(
        100 * model.coverage_
    )
