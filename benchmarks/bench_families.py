"""Each family at a size people read: its least error in five folds with at most 12 conditions.

Beside it stands that of the best single condition and of the majority. As on Models, the best of a
family's settings is taken on the folds themselves, which flatters families with many settings.
"""

import argparse

import numpy as np

from benchmarks._cli import Row, report, run, tables
from rulekit import BoxSearchClassifier, compare_learners
from rulekit.data.folds import drawn_rows
from rulekit.evaluation import LearnerGrid
from rulekit.evaluation.sweeps.grid import rule_learners

MOST_CONDITIONS, FOLDS, MOST_ROWS = 12, 5, 4000
SINGLE = LearnerGrid(
    "one condition", BoxSearchClassifier(n_clauses=1, max_conditions=1), {"theta": [0.5, 2.0]}
)


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each family on each table."""
    rows = []
    for table in tables(arguments, ["breast_cancer", "credit", "wine"]):
        some = drawn_rows(np.arange(len(table.y)), table.y, MOST_ROWS)
        X, y = table.X.iloc[some], table.y[some]
        majority = 100 * (1 - np.unique(y, return_counts=True)[1].max() / len(y))
        learners = [SINGLE] if arguments.quick else [SINGLE, *rule_learners(y)]
        points = compare_learners(X, y, learners=learners, cv=FOLDS).points()
        short = points[points["n_conditions"] <= MOST_CONDITIONS]
        best = short.sort_values(["test_error", "n_conditions"]).groupby("learner").first()
        for family in learners:
            error, size = best.loc[family.name, ["test_error", "n_conditions"]]
            row = {"what": family.name, "table": table.name, "unit": "% wrong"}
            row |= {"ours": 100 * error, "reference": 100 * best.loc[SINGLE.name, "test_error"]}
            row["setting"] = {"conditions": float(size), "majority": round(majority, 1)}
            rows.append(report(row))
    return rows


if __name__ == "__main__":
    run(measure, __doc__ or "")
