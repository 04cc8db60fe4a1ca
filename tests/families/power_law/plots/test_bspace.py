"""Pictures of power-law splits: every row once, the boundary where the split has it."""

import dataclasses

import numpy as np
import pytest

from rulekit.families.power_law import (
    bspace_figure,
    bspace_sentence,
    columns_figure,
    log_helps,
    split_points,
)
from rulekit.families.power_law.plots import bspace as points_module
from rulekit.rules import Factor, PowerLaw, PowerLawSplit

COLUMNS = {name: np.random.default_rng(k).uniform(0.5, 3.0, 60) for k, name in enumerate("abcd")}
COLUMNS["a"] = np.where(np.arange(60) == 7, np.nan, COLUMNS["a"])
TRUTH = np.where(np.arange(60) % 3 == 0, "ill", "well").astype(object)
PREDICTED = np.where(np.arange(60) % 2 == 0, "ill", "well").astype(object)


def split(q, low=None):
    laws = [
        PowerLaw(1.0, (Factor("a", 2), Factor("b"))),
        PowerLaw(-0.5, (Factor("b", -1, floor=0.1),)),
        PowerLaw(2.0, (Factor("c"), Factor("d", -2, floor=0.1))),
    ]
    return PowerLawSplit(tuple(laws[:q]), 4.0, low)


def points(q, low=None, **more):
    return split_points(split(q, low), COLUMNS, TRUTH, PREDICTED, **more)


def drawn(figure, name):
    return next(t for t in figure.data if t.name == name)


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("low", [None, 1.0])
def test_every_present_row_is_drawn_once_and_wrong_ones_have_rings(q, low):
    made = points(q, low)
    figure = bspace_figure(split(q, low), made)
    assert len(made.margin) == 59
    shown = [row for label in ("ill", "well") for row in drawn(figure, label).customdata]
    assert sorted(shown) == [k + 1 for k in range(60) if k != 7]
    wrong = sum(TRUTH[k] != PREDICTED[k] for k in range(60) if k != 7)
    assert len(drawn(figure, "decided wrongly").x) == wrong


def test_pictures_hold_laws_rows_and_the_case():
    made = points(3)
    figure = bspace_figure(split(3), made)
    x = np.concatenate([drawn(figure, label).x for label in ("ill", "well")])
    np.testing.assert_allclose(np.sort(x), np.sort(made.margin))
    assert figure.layout.shapes[0].x0 == 0
    law = PowerLaw(-2.0, (Factor("b"),))
    band = PowerLawSplit((law,), -1.0, -3.0)
    figure = bspace_figure(band, split_points(band, COLUMNS, TRUTH, PREDICTED))
    assert sorted(s.x0 for s in figure.layout.shapes) == [0.5, 1.5]
    figure = bspace_figure(split(2), points(2), names={"a": "age <b>"})
    assert figure.layout.xaxis.title.text == "age &lt;b&gt;^2 * b"
    assert figure.layout.yaxis.title.text == "1 / max(b, 0.1)"
    case = {name: np.array([1.0]) for name in "abcd"}
    for q in (1, 2, 3):
        star = drawn(bspace_figure(split(q), points(q), case=case), "this case")
        assert star.marker.symbol == "star"
        assert len(star.x) == 1
    figure = columns_figure(split(2), points(2), COLUMNS)
    x = np.concatenate([drawn(figure, label).x for label in ("ill", "well")])
    np.testing.assert_allclose(np.sort(x), np.sort(COLUMNS["a"][~np.isnan(COLUMNS["a"])]))
    with pytest.raises(ValueError, match="must read two columns, it reads 4"):
        columns_figure(split(3), points(3), COLUMNS)
    reached = np.arange(60) < 20
    assert points(2, reached=reached).rows.tolist() == [k for k in range(20) if k != 7]
    made = points(1)
    within = int((made.margin <= 0).sum())
    text = bspace_sentence(split(1), made)
    assert f"{within} of 59 rows lie at or below the boundary" in text
    assert f"{int(made.wrong.sum())} of these rows wrong" in text
    nobody = points(1, reached=np.zeros(60, dtype=bool))
    assert bspace_sentence(split(1), nobody) == "No row comes to this split."


def test_a_solid_picture_has_rows_planes_and_rings():
    figure = bspace_figure(split(3, 1.0), points(3, 1.0), solid=True)
    kinds = [t.type for t in figure.data]
    assert kinds.count("surface") == 2
    for plane in (t for t in figure.data if t.type == "surface"):
        z = plane.z[~np.isnan(plane.z)]
        assert len(z)
        assert abs(z - points(3).laws[:, 2].mean()).max() <= np.ptp(points(3).laws[:, 2]) * 1.1
    rows = [t for t in figure.data if t.type == "scatter3d" and t.name != "decided wrongly"]
    assert sum(len(t.x) for t in rows) == 59
    assert len({t.marker.symbol for t in rows}) == len(rows) == 2
    made = points(3)
    figure = bspace_figure(split(3), made, solid=True)
    rings = drawn(figure, "decided wrongly")
    assert rings.marker.symbol == "circle-open"
    result = zip(rings.x, rings.y, rings.z, strict=True)
    assert sorted(result) == sorted(map(tuple, made.laws[made.wrong]))
    right = dataclasses.replace(made, wrong=np.zeros(59, dtype=bool))
    names = [t.name for t in bspace_figure(split(3), right, solid=True).data]
    assert "decided wrongly" not in names


def test_wrongly_decided_rows_stay_among_many(monkeypatch):
    monkeypatch.setattr(points_module, "MAX_POINTS", 12)
    made = points(2)
    figure = bspace_figure(split(2), made)
    wrong = {label: (made.wrong & (made.labels == label)).sum() for label in ("ill", "well")}
    for label in ("ill", "well"):
        assert len(drawn(figure, label).x) == 12
    assert len(drawn(figure, "decided wrongly").x) == sum(min(12, n) for n in wrong.values())


def test_log_axes_are_offered_for_long_tails_only():
    long = PowerLawSplit((PowerLaw(1.0, (Factor("b", 9),)), PowerLaw(1.0, (Factor("c"),))), 1.0)
    assert log_helps(split_points(long, COLUMNS, TRUTH, PREDICTED))
    one = PowerLawSplit((PowerLaw(1.0, (Factor("b", 9),)),), 1.0)
    assert log_helps(split_points(one, COLUMNS, TRUTH, PREDICTED))
    figure = bspace_figure(one, split_points(one, COLUMNS, TRUTH, PREDICTED), log=True)
    assert figure.layout.xaxis.type == "log"
    assert [s.x0 for s in figure.layout.shapes] == [1.0]
    even = PowerLawSplit((PowerLaw(1.0, (Factor("b"),)), PowerLaw(1.0, (Factor("c"),))), 1.0)
    assert not log_helps(split_points(even, COLUMNS, TRUTH, PREDICTED))
