"""Scorecards as scales: the points shown add up to the totals that decide."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulekit import ScorecardClassifier, load_sample
from rulekit.export import to_html, to_markdown
from rulekit.export.documents.text import TextWriter
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.style.phrases import PLAIN, Wording
from rulekit.style.scorecard import (
    bands_of_totals,
    card_lines,
    clause_names,
    count_lines,
    reading_notes,
    scales_of,
)

CUTS = tuple(Literal("gammagt", "<=", v) for v in (11, 22, 41))


def rule_with(conditions, points, *totals):
    clauses = tuple(Clause((PointsSplit(conditions, points, t),)) for t in totals)
    return RuleSet(clauses, tuple(f"band {t}" for t in totals), "dnf", "none")


def scales(*given, wording=PLAIN):
    conditions, points = zip(*given, strict=True)
    split = PointsSplit(conditions, points, max(PointsSplit(conditions, points, 1).span))
    return [f"{s.name}: {s.points}" for s in scales_of(split, wording)]


def points_by_hand(text, value):
    """Read "up to 11: 9, above 11: 0" as a person would."""
    for line in text.split(", "):
        range_text, points = line.rsplit(": ", 1)
        word, limit = re.fullmatch(r"(up to|below|above|at least|) ?(\S+)", range_text).groups()
        limit = float(limit)
        fits = {
            "up to": value <= limit,
            "below": value < limit,
            "above": value > limit,
            "at least": value >= limit,
            "": value == limit,
        }
        if fits[word]:
            return int(points)
    raise AssertionError(f"No range of {text!r} fits {value}.")


def test_lines_of_scales_count_the_rows_and_their_rate():
    split = PointsSplit((*CUTS, Literal("sex", "==", "f")), (5, 2, 2, 1), 6)
    values = np.array([5.0, 11.0, 15.0, 30.0, 41.0, 50.0, np.nan, np.nan])
    columns = {"gammagt": values, "sex": np.array(["f", "m"] * 4, dtype=object)}
    assert count_lines(split, columns, np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=bool)) == [
        ("gammagt: up to 11", 9, 0.25, 1.0),
        ("gammagt: up to 22", 4, 0.125, 0.0),
        ("gammagt: up to 41", 2, 0.25, 0.5),
        ("gammagt: above 41", 0, 0.375, 1 / 3),
        ("sex is 'f'", 1, 0.5, 0.5),
    ]


def test_numeric_scale_gives_the_points_of_the_rule():
    rng = np.random.default_rng(0)
    values = np.arange(0.0, 8.5, 0.5)
    for _ in range(60):
        n = rng.integers(2, 5)
        ops = rng.choice(["<=", "<", ">", ">=", "==", "!="], n)
        ops[0] = "<="
        pairs = zip(map(str, ops), map(float, rng.integers(1, 7, n)), strict=True)
        tests = tuple(dict.fromkeys(Literal("x", op, v) for op, v in pairs))
        if len(tests) < 2:
            continue
        split = PointsSplit(tests, (5, *[int(p) for p in rng.integers(1, 4, len(tests) - 1)]), 5)
        (scale,) = scales_of(split)
        by_hand = [points_by_hand(scale.points, v) for v in values]
        assert by_hand == split.compute_values({"x": values}).tolist(), (tests, scale.points)


def test_levels_grades_dates_and_gaps_are_scales():
    a, b = Literal("town", "==", "Bonn"), Literal("town", "in", ("Bonn", "Ulm"))
    assert scales((a, 2), (b, 1)) == ["town: 'Bonn': 3, 'Ulm': 1, any other: 0"]
    flags = Literal("smoker", "==", True), Literal("smoker", "==", False)
    assert scales((flags[0], 2), (flags[1], -1)) == ["smoker: true: 2, false: -1"]
    grades = [Literal("grade", ">=", g, order=("low", "mid", "high")) for g in ("mid", "high")]
    assert scales(*[(g, 1) for g in grades]) == [
        "grade: below 'mid': 0, below 'high': 1, at least 'high': 2"
    ]
    month = Literal("day", "<=", 3, part="month"), Literal("day", ">=", 4, part="month")
    assert scales((month[0], 1), (month[1], 2)) == [
        "month of day: up to March: 1, at least April: 2"
    ]
    dates = [Literal("day", ">=", d, part="date") for d in ("2024-01-01", "2024-03-01")]
    assert scales(*[(d, 1) for d in dates]) == [
        "day: before 2024-01-01: 0, before 2024-03-01: 1, on or after 2024-03-01: 2"
    ]
    gaps = Literal("dose", "<=", 5, missing=True), Literal("dose", "<=", 9)
    assert scales((gaps[0], 2), (gaps[1], 1)) == [
        "dose: missing: 2, up to 5: 3, up to 9: 1, above 9: 0"
    ]


def test_scorecards_are_named_by_scales_and_totals():
    rule = rule_with((*CUTS, Literal("age", ">", 60)), (3, 3, 3, 2), 9, 5)
    assert card_lines(rule) == [
        "ADD UP THE POINTS",
        "   gammagt: up to 11: 9, up to 22: 6, up to 41: 3, above 41: 0",
        "   age > 60: 2",
        "TOTAL",
        "   9 to 11  band 9",
        "    5 to 8  band 5",
        "    0 to 4  none",
    ]
    assert [(b.low, b.high) for b in bands_of_totals(rule)] == [(9, 11), (5, 8), (0, 4)]
    card = rule_with(CUTS, (1, 2, 3), 6, 4, 2)
    ranges = ["total from 6", "total from 4 to 5", "total from 2 to 3"]
    assert clause_names(card) == [*ranges, "total below 2"]
    assert clause_names(rule_with(CUTS, (1, 2, 3), 4)) == ["total from 4", "total below 4"]
    plain = RuleSet((Clause(CUTS[:1]), Clause(CUTS[1:])), ("a", "b"), "dnf", "c")
    assert clause_names(plain) == ["clause 1", "clause 2", "no clause"]
    given = [(c, 3) for c in CUTS]
    wanted = "gammagt: up to 11: 9, up to 22: 6, up to 41: 3, above 41: 0"
    assert scales(*given, (Literal("age", ">", 60), 2)) == [wanted, "age > 60: 2"]
    ml = Wording(names={"gammagt": "GGT"}, units={"gammagt": "U/l"})
    assert scales(*given, wording=ml)[0].startswith("GGT: up to 11 U/l: 9, ")


def test_probabilities_of_totals_name_the_outcome_they_are_of():
    columns = ("from_total", "to_total", "chance", "weight")
    bands = pd.DataFrame([(5, 11, 0.92, 40.0), (0, 4, 0.04, 60.0)], columns=list(columns))
    rule = rule_with((*CUTS, Literal("age", ">", 60)), (3, 3, 3, 2), 5)
    model = SimpleNamespace(rule_set_=replace(rule, labels=(1,), default=0), bands_=bands)
    assert card_lines(model)[-2:] == [
        "   5 to 11  1  (1: 92 of 100)",
        "    0 to 4  0  (1: 4 of 100)",
    ]
    assert "| total | prediction | of 100 such cases, `1` |" in to_markdown(model)
    assert "| 5 to 11 | `1` | 92 |" in to_markdown(model)
    assert "<th>of 100 such cases, <code>1</code></th>" in to_html(model)


@pytest.mark.parametrize(("missing", "says"), [(False, True), (True, False)])
def test_note_on_missing_values_is_true(missing, says):
    split = PointsSplit((Literal("age", ">", 60, missing),), (1,), 1)
    assert ("missing" in reading_notes(scales_of(split))) == says


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["credit", "breast_cancer"])
def test_points_shown_of_a_learned_card_add_up_to_its_predictions(sample):
    X, y = load_sample(sample).xy()
    X = X.select_dtypes("number").dropna()
    y = y[X.index]
    model = ScorecardClassifier(8).fit(X, y)
    scales = scales_of(scorecard_of(model.rule_set_)[0], TextWriter())
    assert any(len(scale.lines) > 1 for scale in scales), "no column is cut twice"
    bands = {b.label: b for b in bands_of_totals(model.rule_set_)}
    for i in range(0, len(X), 7):
        row, total = X.iloc[i], 0
        for scale in scales:
            name, text = scale.name, scale.points
            if len(scale.lines) == 1:
                name, op, limit = scale.name.rsplit(" ", 2)
                compared = {"<=": "up to", "<": "below", ">": "above", ">=": "at least"}
                text = f"{compared[op]} {limit}: {scale.points}, at least -1e9: 0"
            total += points_by_hand(text, row[name])
        band = bands[model.predict(X.iloc[[i]])[0]]
        assert band.low <= total <= band.high
