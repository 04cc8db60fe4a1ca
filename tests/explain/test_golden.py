"""The words of explanations, recorded. ``python -m tests.explain.test_golden`` writes them anew.

Do so only when sentences were changed on purpose, and read the difference before committing it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rulekit import explain, from_text
from rulekit.style.phrases import Wording, clause_words

FILE = Path(__file__).parents[1] / "golden" / "explanations.txt"
ILL = "\nOTHERWISE well"
CARD = "POINTS [3 if age > 60, 2 if bp > 140, 2 if town IN (Bonn, Ulm), -1 if sport = true]"
CARD = CARD.replace("(Bonn, Ulm)", '("Bonn", "Ulm")')
BMI = "mass / max(height, 0.1)^2"
LONG = " + ".join(f"0.5 * measurement_{k}" for k in range(6))
PATIENTS = {
    "glucose": [141, 120, 190, np.nan, 141],
    "age": [57, 44, 60, 70, 44],
    "colour": ["blue", "red", "red", None, "blue"],
    "zip": [1, 2, 3, 4, 5],
}
PEOPLE = {
    "age": [72, 65, np.nan, 10],
    "bp": [150, 120, 130, 120],
    "town": ["Köln", "Köln", None, "Ulm"],
    "sport": [False, True, False, True],
}
BODIES = {"mass": [95, 70, np.nan], "height": [1.8, 1.8, 1.8], "age": [30, 60, 30]}
SUMS = {"age": [60, 20, np.nan], "bmi": [20, 20, 20]}
TESTS = {
    "x": [12, 7, 0, np.nan],
    "smoker": [1, 0, 1, 0],
    "flag": [True, False, None, True],
    "town": ["red", "blue", "green", None],
    "opened": ["2024-01-01", "2024-05-04 12:00:00", None, "2023-06-07"],
    "note": ["paid late", "paid", None, "Late!"],
    "grade": ["bad", "fair", "good", None],
}
TWO = '1. IF glucose > 126.5 AND age > 50 THEN ill\n2. IF colour = "red" AND glucose <= 200 THEN'
RULES = {
    "DNF": (f"{TWO} ill{ILL}", PATIENTS),
    "list": (f"{TWO} unclear{ILL}", PATIENTS),
    "CNF": (
        "ALL OF\n1. glucose <= 126.5 (or missing) OR age <= 50 (or missing)\n"
        '2. colour != "red" (or missing)\nTHEN well\nOTHERWISE ill',
        PATIENTS,
    ),
    "one clause": (
        "1. IF 50 < age <= 58 (or missing) AND glucose > 100 THEN true\nOTHERWISE false",
        PATIENTS,
    ),
    "long CNF": (
        "ALL OF\n" + "\n".join(f"{k}. x < {k}" for k in range(1, 9)) + "\nTHEN 1\nOTHERWISE 0",
        TESTS,
    ),
    "constant": ("OTHERWISE well", PATIENTS),
    "card": (f"1. IF {CARD} >= 4 THEN high\nOTHERWISE low", PEOPLE),
    "bands": (f"1. IF {CARD} >= 6 THEN high\n2. IF {CARD} >= 3 THEN middle\nOTHERWISE low", PEOPLE),
    "below": (f"1. IF {CARD} < 4 THEN low\nOTHERWISE high", PEOPLE),
    "power law": (
        f"1. IF [{BMI} > 27] THEN heavy\n2. IF [{BMI} - 0.5 * age <= 20] THEN x{ILL}",
        BODIES,
    ),
    "band": (
        f"1. IF [1 <= age / max(height, 0.1) <= 20] AND NOT [1 <= mass <= 80] THEN x{ILL}",
        BODIES,
    ),
    "linear": (f"1. IF age > 90 THEN ill\n2. IF 0.5 * age - 1 * bmi > 3 THEN ill{ILL}", SUMS),
    "long sum": (
        f"1. IF {LONG} > 10 THEN ill{ILL}",
        {f"measurement_{k}": [1.0 + k, 3.0 - (k == 4)] for k in range(6)},
    ),
    "runs": (f"1. IF x > 10 THEN ill\n2. IF x < 5 AND smoker = 1 THEN ill{ILL}", TESTS),
    "levels": (f'1. IF town != "red" THEN ill\n2. IF flag = true THEN watch{ILL}', TESTS),
    "sets": (f'1. IF town NOT IN ("blue", "red") AND smoker = 1 THEN ill{ILL}', TESTS),
    "dates": (f"1. IF opened >= 2024-03-01 AND WEEKDAY OF opened < Friday THEN ill{ILL}", TESTS),
    "words": (
        f'1. IF note CONTAINS "late" AND grade >= "fair" OF ("bad", "fair", "good") THEN a{ILL}',
        TESTS,
    ),
    "gaps": (
        f"1. IF x IS MISSING THEN ill\n2. IF town IS NOT MISSING AND x > 11 THEN b{ILL}",
        TESTS,
    ),
}
NAMES = {"glucose": "Blood sugar", "bp": "Blood pressure", "mass": "weight"}
UNITS = {"glucose": "mg/dL", "age": "years", "bp": "mmHg", "mass": "kg"}
WORDINGS = {
    "plain": Wording(),
    "names and units": Wording(NAMES, UNITS, "rule"),
    "spoken": Wording(NAMES, UNITS, spoken=True),
}


def written(name):
    """Write every sentence on the rows of one rule, in each wording, and without past rows."""
    text, cells = RULES[name]
    rule, frame = from_text(text), pd.DataFrame(cells)
    frame = frame if name == "DNF" else frame[list(rule.features)[::-1] or ["age"]]
    truth = [rule.labels[0] if rule.labels else rule.default] * len(frame)
    named = set(frame) & set(NAMES)
    for wording, words in WORDINGS.items() if named else [*WORDINGS.items()][::2]:
        yield f"## {name}, {wording}: " + "; ".join(clause_words(c, words) for c in rule.clauses)
        for result in explain(rule, frame, training=(frame, truth), wording=words):
            yield f"{result.row}. {result.sentence}"
            lines = [*(m.sentence for m in result.near_misses), *result.supporting]
            yield from (f"   {line}" for line in lines)
    for result in explain(rule, frame, immutable=rule.features[1:2]):
        yield f"{result.row}. {result.counterfactual.sentence}"


@pytest.mark.parametrize("name", RULES)
def test_explanations_are_word_for_word_the_recorded_ones(name):
    recorded = FILE.read_text(encoding="utf-8").split("\n\n")[list(RULES).index(name)]
    assert "\n".join(written(name)) == recorded.strip("\n")


if __name__ == "__main__":
    parts = ("\n".join(written(name)) for name in RULES)
    FILE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
