"""Reason codes: the columns that cost a case the most points."""

from dataclasses import replace

import numpy as np
import pandas as pd

from rulekit.explain import explain, rank_reasons, score
from rulekit.export import from_json, to_app, to_json, to_report, to_sheet
from rulekit.export.sheets.frame import cases_frame
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.schema import schema_of

SPLIT = PointsSplit(
    (
        Literal("age", ">", 60),
        Literal("age", ">", 75),
        Literal("bp", ">", 140, missing=True),
        Literal("sport", "==", "yes"),
    ),
    (3, 2, 4, -1),
    6,
)
CARD = RuleSet((Clause((SPLIT,)),), ("ill",), "dnf", "well")
MOST = {"age": (0, 5), "bp": (0, 4), "sport": (-1, 0)}


def points_by_hand(row):
    return {
        "age": 3 * (row.age > 60) + 2 * (row.age > 75),
        "bp": 4 * (row.bp > 140 or row.bp != row.bp),
        "sport": -1 * (row.sport == "yes"),
    }


def test_reasons_are_ranked_by_points_off_the_best_or_least():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.choice([50.0, 70.0, 80.0, np.nan], 60),
            "bp": rng.choice([120.0, 150.0, np.nan], 60),
            "sport": rng.choice(["yes", "no"], 60),
        }
    )
    result = rank_reasons(CARD, X)
    sides = set()
    for row, reasons in zip(X.itertuples(), result, strict=True):
        points = points_by_hand(row)
        top = sum(points.values()) >= 6
        sides.add(top)
        off = {n: p - MOST[n][0] if top else MOST[n][1] - p for n, p in points.items()}
        expected = sorted((n for n in off if off[n]), key=lambda n: -off[n])
        assert [(r.feature, r.points, r.off) for r in reasons] == [
            (n, points[n], off[n]) for n in expected
        ]
    assert sides == {True, False}
    assert [r.feature for r in rank_reasons(CARD, X, most=1)[0]] == [result[0][0].feature]


def test_explanations_and_scored_files_have_reasons():
    X = pd.DataFrame({"age": [70.0, 80.0], "bp": [120.0, 150.0], "sport": ["yes", "no"]})
    texts = [
        "bp 120: 0 points, 4 below the most",
        "age 70: 3 points, 2 below the most",
        "sport 'yes': -1 points, 1 below the most",
    ]
    assert explain(CARD, X)[0].to_dict()["reasons"] == texts
    frame = cases_frame(score(CARD, X), changes=False)
    assert frame.loc[0, [f"reason {k}" for k in (1, 2, 3, 4)]].tolist() == [*texts, ""]
    assert frame.loc[1, "reason 1"] == "age 80: 5 points, 5 above the least"


def test_names_of_conditions_are_in_reasons_sentences_and_documents():
    texts = {"age > 60": "old", "age > 75": "very old", "bp > 140 or missing": "high pressure"}
    X = pd.DataFrame({"age": [70.0], "bp": [120.0], "sport": ["yes"]})
    rule = from_json(to_json(replace(CARD, schema=replace(schema_of(CARD), texts=texts))))
    assert [reason.text for reason in rank_reasons(rule, X)[0]] == [
        "not high pressure: 0 points, 4 below the most",
        "old, not very old: 3 points, 2 below the most",
        "sport 'yes': -1 points, 1 below the most",
    ]
    frame = cases_frame(score(rule, X), changes=False)
    assert frame.loc[0, "reason 1"] == "not high pressure: 0 points, 4 below the most"
    tests = Clause((Literal("age", ">", 60), Literal("age", "<", 75)))
    clauses = replace(rule, clauses=(tests,))
    assert "old (age 70 > 60)" in explain(clauses, X)[0].sentence
    (miss,) = explain(clauses, X.assign(age=50.0))[0].near_misses
    assert "old (age is 50 but would have to be above 60)" in miss.sentence
    for page in (to_app(clauses), to_sheet(clauses)):
        assert "old (age &gt; 60)" in page or "old (age > 60)" in page
        assert "age &lt; 75" in page or "age < 75" in page
    assert "“very old” means age &gt; 75." in to_report(rule, (X, ["well"]))


def test_rules_without_points_have_no_reasons():
    rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    X = pd.DataFrame({"age": [60, 40]})
    assert rank_reasons(rule, X) == [(), ()]
    assert "reason 1" not in cases_frame(score(rule, X), changes=False)
