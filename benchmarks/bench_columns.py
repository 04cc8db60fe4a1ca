"""Planted dates, orders, sets of levels and words: are they found? And do sets of levels pay.

*Planted.* 2 000 rows with a date, a grade of five ordered levels, one of 40 regions, a note of
three to seven words and two numbers; 5 % of the classes are turned round. `RuleClassifier` may
use four conditions. ``agree`` is the share of 5 000 fresh rows, classes not turned, that get the
planted answer; ``exact`` says for how many tables all do.

*Sets of levels.* One path of the box search on 4 000 rows with and without sets of levels, the
other rows (10 000 at most) test. For each number of conditions, as they are counted in the rule
that is shown, the rule of the path with the fewest wrong training rows; ``ours`` is its accuracy
with sets, ``reference`` without, where a set has to be gathered level by level.
"""

import argparse
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import Row, report, run, tables
from rulekit import Binarizer, BoxSearchClassifier, RuleClassifier
from rulekit.data import columns_of
from rulekit.rules import Clause, Literal

ROWS, FRESH, NOISE = 2_000, 5_000, 0.05
GRADES = ("poor", "fair", "good", "great", "best")
REGIONS = tuple(f"region {k:02d}" for k in (1, 4, 7, 8, 13, 17, 19, 22, 26, 29, 31, 35, 38))
VOCABULARY = (
    *("paid", "late", "twice", "call", "again", "refund", "open", "asks", "form", "sent"),
    *("lost", "new", "old", "house", "car", "loan", "rate"),
)
AGED = Literal("age", ">", 45)
PLANTED = {
    "from a date on": (Literal("opened", ">=", "2021-07-01", part="date"),),
    "between dates": (
        Literal("opened", ">=", "2020-03-01", part="date"),
        Literal("opened", "<", "2022-09-15", part="date"),
    ),
    "year and weekday": (
        Literal("opened", ">", 2020, part="year"),
        Literal("opened", ">", 5, part="weekday"),
    ),
    "hour": (Literal("opened", ">", 17, part="hour"), AGED),
    "ordered grade": (Literal("grade", ">=", "great", order=GRADES), AGED),
    "set of 13 of 40": (Literal("region", "in", REGIONS),),
    "set and age": (Literal("region", "in", REGIONS), AGED),
    "word": (Literal("note", "contains", "late"),),
    "word and grade": (
        Literal("note", "contains", "late"),
        Literal("grade", ">=", "good", order=GRADES),
    ),
}
SIZES = (2, 3, 4, 5, 6, 8)
TABLES = ("adult", "bank_marketing")


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure both questions."""
    seeds = range(arguments.seeds or (1 if arguments.quick else 3))
    rows = [] if arguments.only else [report(found(name, seeds)) for name in PLANTED]
    for table in tables(arguments, TABLES):
        rows += [report(row) for row in with_and_without(table, seeds)]
    return rows


def found(name: str, seeds: range) -> Row:
    """Measure how often a planted rule is found."""
    clause = Clause(PLANTED[name])
    agreed = []
    for seed in seeds:
        X, Z = planted(seed, ROWS), planted(seed + 1000, FRESH)
        turned = np.random.default_rng(seed + 2000).random(ROWS) < NOISE
        y = np.where(clause.mask(columns_of(X)) ^ turned, "yes", "no")
        model = RuleClassifier(max_conditions=4, positive_label="yes", random_state=0).fit(X, y)
        agreed.append(float((model.predict(Z) == wanted(clause, Z)).mean()))
    exact = sum(share == 1.0 for share in agreed)
    setting = {"exact": f"{exact}/{len(agreed)}", "least": round(min(agreed), 4)}
    return {
        "table": "planted",
        "what": name,
        "setting": setting,
        "ours": 100 * float(np.mean(agreed)),
        "unit": "% agree",
    }


def wanted(clause: Clause, X: pd.DataFrame) -> np.ndarray:
    """Predict rows as the planted clause does."""
    return np.where(clause.mask(columns_of(X)), "yes", "no")


def planted(seed: int, n: int) -> pd.DataFrame:
    """Draw a table of every kind of column."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 5 * 365 * 24 * 60, n)
    grades = pd.Categorical(rng.choice(GRADES, n), categories=GRADES, ordered=True)
    notes = [rng.choice(VOCABULARY, rng.integers(3, 8), replace=False) for _ in range(n)]
    return pd.DataFrame(
        {
            "opened": pd.Timestamp("2019-01-01") + pd.to_timedelta(minutes, unit="min"),
            "grade": grades,
            "region": [f"region {k:02d}" for k in rng.integers(0, 40, n)],
            "age": rng.normal(50, 12, n).round(1),
            "bmi": rng.normal(27, 4, n).round(1),
            "note": [" ".join(words).capitalize() + "." for words in notes],
        }
    )


def with_and_without(table: Any, seeds: range) -> list[Row]:
    """Compare the paths of one table with and without sets of levels."""
    figures: dict[tuple[int, bool], list[tuple[float, int]]] = {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(table.y))
        rows, rest = order[:4_000], order[4_000:14_000]
        X, y = table.X.iloc[rows], table.y[rows]
        Z, truth = columns_of(table.X.iloc[rest]), table.y[rest]
        for sets in (True, False):
            learner = BoxSearchClassifier(
                positive_label=table.positive, binarizer=Binarizer(sets=sets), random_state=0
            )
            path = learner.path(X, y)
            for most in SIZES:
                fits = [e for e in path if e.rule_set.n_conditions <= most]
                taken = min(fits, key=lambda e: (e.train_error, e.rule_set.n_conditions))
                right = float((taken.rule_set.predict(Z) == truth).mean())
                size = taken.rule_set.n_conditions
                figures.setdefault((most, sets), []).append((100 * right, size))
    return [
        {
            "table": table.name,
            "what": f"at most {most}",
            "setting": {
                "sets": round(float(np.mean([s for _, s in figures[most, True]])), 2),
                "one by one": round(float(np.mean([s for _, s in figures[most, False]])), 2),
            },
            "ours": float(np.mean([a for a, _ in figures[most, True]])),
            "reference": float(np.mean([a for a, _ in figures[most, False]])),
            "unit": "% right",
        }
        for most in SIZES
    ]


if __name__ == "__main__":
    run(measure, __doc__ or "")
