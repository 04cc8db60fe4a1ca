"""Each family at a size people read: its error in five folds with at most 12 conditions.

The setting that predicts a fold is the one with the fewest errors in the other folds, so that
families with many settings are not flattered; ``best`` is the lowest error of one setting, as on
Models. Beside it stands the error of the best single condition, selected in the same way. At most
4,000 rows of a table are used.

``--seeds N`` averages over N divisions into folds, ``--families`` selects some families, and
``--record`` writes their means over the tables to ``families.json`` (the present one: seeds 0
and 1, all tables of the data folder but electricity). The sentences of *What they do* state these
figures, which a test checks:

    python -m benchmarks.bench_families --data DIR --seeds 2 --record

All means are over the same tables, which leaves two methods out: one fit of two clauses does not
end within 10 s of CPU time by ``exact`` on heart_cleveland (303 rows), and by ``lp`` on adult.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from benchmarks._cli import Row, parsed, report, tables, written
from rulekit import BoxSearchClassifier, compare_learners
from rulekit.data.folds import draw_rows
from rulekit.evaluation import LearnerGrid
from rulekit.families import FAMILIES
from rulekit.families.family import Family

MOST_CONDITIONS, FOLDS, MOST_ROWS = 12, 5, 4000
RECORD = Path(__file__).with_name("families.json")
SINGLE = LearnerGrid(
    "one condition", BoxSearchClassifier(n_clauses=1, max_conditions=1), {"theta": [0.5, 2.0]}
)
PRICES = {"theta": [0.5, 1.0, 2.0, 5.0]}
#: Settings of the families that the default comparison leaves out.
OTHERS: dict[str, dict[str, list[Any]]] = {
    "scorecard": {"max_conditions": [1, 2, 3, 4, 6, 8, 10, 12]},
    "one_level_exact": PRICES,
    "column_generation": PRICES,
    "alternating": {"n_clauses": [1, 2, 3], **PRICES},
    "block_coordinate": {"n_clauses": [1, 2, 3], **PRICES},
    "set_cover": {"n_clauses": [1, 2, 3], **PRICES},
}
TABLES = (
    *("heart_cleveland", "wdbc", "pima", "ionosphere", "german_credit", "sonar", "banknote"),
    *("breast_cancer_wisconsin", "congressional_voting", "bank_marketing", "electricity", "adult"),
    *("breast_cancer", "credit", "wine"),
)


def learners(y: np.ndarray) -> list[LearnerGrid]:
    """List the best single condition, and each family that has settings to compare."""
    listed = [SINGLE]
    for key, family in FAMILIES.items():
        grid = family.default_grid(y) if family.default_grid else OTHERS.get(key)
        if grid is not None:
            model = clone(family.model)
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            listed.append(LearnerGrid(key, model, grid, family.whole_front))
    return listed


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each family on each table."""
    rows, n_seeds = [], arguments.seeds or 1
    for table in tables(arguments, TABLES):
        some = draw_rows(np.arange(len(table.y)), table.y, MOST_ROWS)
        X, y = table.X.iloc[some], table.y[some]
        majority = 100 * (1 - np.unique(y, return_counts=True)[1].max() / len(y))
        compared = [SINGLE] if arguments.quick else learners(y)
        if only := getattr(arguments, "families", None):
            compared = [family for family in compared if family.name in (SINGLE.name, *only)]
        fits = [
            compare_learners(X, y, learners=compared, cv=FOLDS, random_state=seed).table
            for seed in range(n_seeds)
        ]
        means = pd.concat([errors(part) for part in fits]).groupby(level=0).mean()
        for name, mean in means.round(1).to_dict("index").items():
            row = {"what": name, "table": table.name, "unit": "% wrong"}
            row |= {"ours": mean.pop("error"), "reference": means.loc[SINGLE.name, "error"]}
            setting = {**mean, "majority": round(majority, 1), "seeds": n_seeds}
            rows.append(report(row | {"setting": setting}))
    return rows


def errors(fits: pd.DataFrame) -> pd.DataFrame:
    """Return error (percent) and conditions of each learner, and those of its best setting.

    >>> wrong = {"test_error": [0.1, 0.4, 0.3, 0.3], "n_conditions": [1, 1, 2, 2]}
    >>> fits = pd.DataFrame({"learner": "a", "setting": [0, 0, 1, 1], "fold": [0, 1, 0, 1]} | wrong)
    >>> errors(fits).round(1).to_dict("index")
    {'a': {'error': 35.0, 'conditions': 1.5, 'best': 25.0, 'best_conditions': 1.0}}
    """
    found = {}
    for learner, part in fits.groupby("learner"):
        wrong, size = (
            part.pivot(index="setting", columns="fold", values=name)
            for name in ("test_error", "n_conditions")
        )
        best = _selected(wrong, size)
        used = [(_selected(wrong.drop(columns=k), size.drop(columns=k)), k) for k in wrong]
        found[learner] = {
            "error": 100 * np.mean([wrong.loc[setting, k] for setting, k in used]),
            "conditions": np.mean([size.loc[setting, k] for setting, k in used]),
            "best": 100 * wrong.loc[best].mean(),
            "best_conditions": size.loc[best].mean(),
        }
    return pd.DataFrame(found).T


def _selected(wrong: pd.DataFrame, size: pd.DataFrame) -> int:
    """Return the setting of fewest errors, then conditions, of those that are short enough."""
    means = pd.DataFrame({"wrong": wrong.mean(axis=1).round(9), "size": size.mean(axis=1)})
    short = means[means["size"] <= MOST_CONDITIONS].sort_values(["wrong", "size"])
    return int(short.index[0])


def recorded(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Return means over the tables: error and conditions of each learner."""
    table = pd.DataFrame([{**row, **row["setting"], "error": row["ours"]} for row in rows])
    columns = ["error", "conditions", "best", "best_conditions", "seeds"]
    means = table.groupby("what")[columns].mean().round(1)
    return means.join(table.groupby("what").size().rename("tables")).to_dict("index")


def read_record() -> dict[str, dict[str, float]]:
    """Read the recorded means; an empty table if there are none yet."""
    record: dict[str, dict[str, float]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return record


def sentence(family: Family, record: dict[str, dict[str, float]]) -> str:
    """Return the figures of a family beside those of the short rule and of one condition."""
    ours, short, single = (record[name] for name in (family.key, "search", SINGLE.name))
    words = f"{ours['error']:.1f} % wrong with {ours['conditions']:.1f} conditions;"
    if ours is not short:
        words += f" the short rule {short['error']:.1f} % with {short['conditions']:.1f},"
    return f"On {ours['tables']:.0f} public tables: {words} one condition {single['error']:.1f} %."


def main() -> None:
    """Measure, and record the means if ``--record`` is given."""
    arguments = parsed(__doc__ or "", extra=_options)
    rows = measure(arguments)
    written(rows, arguments)
    if arguments.record:
        record = read_record() | recorded(rows)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--families", nargs="+", metavar="KEY", help="only these of FAMILIES")
    parser.add_argument("--record", action="store_true", help=f"write means to {RECORD.name}")


if __name__ == "__main__":
    main()
