"""Scorecards on a lender's scale of points."""

import math

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, RuleError, ScorecardClassifier
from rulekit.export import from_json, to_html, to_json, to_sheet, verify_export
from rulekit.families import scale_points
from rulekit.rules import scorecard_of, verify_rule
from rulekit.style.scorecard import (
    EVERY_CASE,
    bands_of_totals,
    reading_notes,
    scale_note,
    scales_of,
)


def table(n=400):
    """Rows whose odds of being bad follow three conditions, with gaps."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd")).round(2)
    total = 2.0 * (X.a > 0) + 1.5 * (X.b > 0.5) - 2.0 * (X.c > -0.5)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-total + 0.5)), "bad", "good")
    return X.mask(rng.random(X.shape) < 0.05), y


X, Y = table()


@pytest.fixture(scope="module")
def card():
    return ScorecardClassifier(max_conditions=4, positive_label="bad", bands=4).fit(X, Y)


@pytest.mark.parametrize("label", ["bad", "good"])
def test_scale_keeps_predictions_bands_and_nearly_odds(card, label):
    scaled = scale_points(card, base_score=500, base_odds=10, points_to_double=30, label=label)
    assert (scaled.predict(X) == card.predict(X)).all()
    assert np.abs(scaled.predict_proba(X) - card.predict_proba(X)).max() < 0.01
    chances = []
    for model in (card, scaled):
        totals = scorecard_of(model.rule_set_)[0].compute_values(model.read_columns(X))
        bands = bands_of_totals(model)
        chances.append([next(b.chance for b in bands if b.low <= t <= b.high) for t in totals])
        assert all(high.low == low.high + 1 for low, high in zip(bands[1:], bands, strict=False))
    assert np.allclose(chances[0], chances[1] if label == "bad" else 1 - np.array(chances[1]))
    assert not verify_rule(scaled.rule_set_).faults


def test_odds_at_three_scores_are_those_computed_by_hand(card):
    scaled = scale_points(card, base_score=600, base_odds=50, points_to_double=20, label="good")
    rows = pd.DataFrame([[-1.0, 0, 0, 0], [1.0, 0, 0, 0], [1.0, 1, -1, 0]], columns=list("abcd"))
    scores = scorecard_of(scaled.rule_set_)[0].compute_values(scaled.read_columns(rows))
    totals = scorecard_of(card.rule_set_)[0].compute_values(card.read_columns(rows))
    assert len(set(scores)) == 3
    proba = scaled.predict_proba(rows)
    fitted = card.predict_proba(rows)
    assert scaled.classes_.tolist() == card.classes_.tolist() == ["bad", "good"]
    for k in range(3):
        assert proba[k, 1] / proba[k, 0] == pytest.approx(50 * 2 ** ((scores[k] - 600) / 20))
        by_hand = 600 + 20 * math.log2(fitted[k, 1] / fitted[k, 0] / 50)
        assert abs(scores[k] - by_hand) <= 0.5 * (card.n_conditions_ + 1)  # rounded points
    assert (np.argsort(scores) == np.argsort(-totals)).all()


def test_points_of_every_case_are_one_line_in_documents(card):
    scaled = scale_points(card)
    split = scorecard_of(scaled.rule_set_)[0]
    (constant,) = [s for s in scales_of(split) if s.name == EVERY_CASE]
    columns = scaled.read_columns(X)
    others = [p * c.mask(columns) for c, p in split.given if c not in constant.conditions]
    assert (split.compute_values(columns) - sum(others) == int(constant.points)).all()
    fitted = scales_of(scorecard_of(card.rule_set_)[0])
    assert reading_notes(scales_of(split)) == reading_notes(fitted)
    for text in (to_html(scaled), to_sheet(scaled)):
        assert EVERY_CASE in text
        assert scale_note(scaled) in text
    back = from_json(to_json(scaled))
    assert back == scaled.rule_set_
    assert scale_note(back) == scale_note(scaled)
    assert scale_note(back) in to_sheet(back)
    for name in ("python", "sqlite", "javascript"):
        assert verify_export(scaled, X, name).ok


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"points_to_double": 0.5}, RuleError, r"too coarse: .* Use \d+ points or more"),
        ({"points_to_double": 0}, ValueError, "`points_to_double` must be a positive number"),
        ({"base_odds": -1}, ValueError, "`base_odds` must be a positive number"),
        ({"label": "ugly"}, ValueError, "`label` must be one of"),
    ],
)
def test_wrong_scales_are_rejected(card, given, error, message):
    with pytest.raises(error, match=message):
        scale_points(card, **given)


def test_scale_needs_a_scorecard():
    model = BoxSearchClassifier().fit(X, Y)
    with pytest.raises(RuleError, match="Only a fitted scorecard with conditions"):
        scale_points(model)


def test_proposed_scale_is_fine_enough(card):
    with pytest.raises(RuleError) as raised:
        scale_points(card, points_to_double=0.5)
    least = int(str(raised.value).split("Use ")[1].split()[0])
    assert (scale_points(card, points_to_double=least).predict(X) == card.predict(X)).all()
