"""Do the probabilities of a rule rank? AUC and calibration beside a CART of as many splits.

Stratified shuffled folds. On each training part the box search learns the best rule of at most 2,
4, 6 and 8 conditions (one search, no perturbations), and CART a tree of as many splits as the rule
has conditions; both answer the fold that was left out. ``AUC`` and ``accuracy`` are means over
folds, seeds and sizes (rules without conditions are left out of both). ``Brier`` is the mean
squared distance of the probability from what came true, ``calibration gap`` the mean distance of a
stated probability from the frequency in its tenth, over the left-out rows of all folds together.
``answers alone`` is the AUC of 1 for the class described and 0 for the other one.

Seeds are counted from 1: what the probabilities count was settled with five folds of seed 0.
"""

import argparse
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, run, tables, told
from rulekit import BoxSearchClassifier
from rulekit.data import make_folds
from rulekit.evaluation import Baseline
from rulekit.evaluation.calibration import brier_score, reliability
from rulekit.evaluation.metrics import area_under_roc

TABLES = (
    *("banknote", "pima", "heart_cleveland", "breast_cancer_wisconsin", "wdbc"),
    *("ionosphere", "sonar", "congressional_voting", "german_credit"),
)
SIZES, FOLDS, FIRST_SEED = (2, 4, 6, 8), 10, 1
ROWS_A_CONDITION = 500  # of training rows, a condition must save one at least


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each table, then all."""
    n_seeds = arguments.seeds or 1
    n_folds = 2 if arguments.quick else FOLDS
    rows: list[Row] = []
    for table in tables(arguments, TABLES):
        seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
        tasks = [(seed, fold) for seed in seeds for fold in range(n_folds)]
        found = Parallel(n_jobs=arguments.jobs)(
            delayed(one_fold)(table, seed, fold, n_folds) for seed, fold in tasks
        )
        answers = pd.concat([part for parts in found for part in parts])
        setting = {"folds": n_folds, "seeds": n_seeds, "sizes": list(SIZES)}
        rows += [told(row) for row in compared(table.name, answers, setting)]
    names = list(dict.fromkeys(row["what"] for row in rows))
    if len(rows) > len(names):
        rows += [told(row) for row in overall(rows, names)]
    return rows


def one_fold(table: BenchTable, seed: int, fold: int, n_folds: int = FOLDS) -> list[pd.DataFrame]:
    """Give truth, probabilities and answers of the left-out rows, for each size."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    rest = table.X.iloc[test]
    learner = BoxSearchClassifier(
        theta=len(y) / ROWS_A_CONDITION,
        n_clauses=5,
        n_perturbations=0,
        positive_label=table.positive,
        random_state=seed,
    )
    found = []
    settings = [{"max_conditions": size} for size in SIZES]
    for size, model in zip(SIZES, learner.fit_many(X, y, settings), strict=True):
        if not model.n_conditions_:
            continue
        tree = DecisionTreeClassifier(max_leaf_nodes=model.n_conditions_ + 1, random_state=seed)
        both = {"ours": model, "reference": Baseline("CART", tree).fit(X, y)}
        told_: dict[str, Any] = {"seed": seed, "fold": fold, "size": size}
        told_["true"] = table.y[test] == table.positive
        for name, one in both.items():
            place = one.classes_.tolist().index(table.positive)
            told_[name] = one.predict_proba(rest)[:, place]
            told_[f"{name}_said"] = one.predict(rest) == table.positive
        found.append(pd.DataFrame(told_))
    return found


def compared(name: str, answers: pd.DataFrame, setting: dict[str, Any]) -> list[Row]:
    """Tell what was measured on one table."""
    parts = [part for _, part in answers.groupby(["seed", "fold", "size"])]
    both = ("ours", "reference")

    def auc(column: str) -> float:
        return float(np.nanmean([area_under_roc(p["true"], p[column], True) for p in parts]))

    figures: dict[str, dict[str, float]] = {
        "AUC": {k: auc(k) for k in both},
        "answers alone": {k: auc(f"{k}_said") for k in both},
        "accuracy": {k: float((answers[f"{k}_said"] == answers["true"]).mean()) for k in both},
        "Brier": {k: brier_score(answers["true"], answers[k]) for k in both},
        "calibration gap": {k: _gap(answers["true"], answers[k]) for k in both},
    }
    return [
        {"what": what, "table": name, "setting": setting, "unit": ""} | own
        for what, own in figures.items()
    ]


def _gap(true: pd.Series, chance: pd.Series) -> float:
    table = reliability(true, chance)
    return float(((table["stated"] - table["share"]).abs() * table["weight"]).sum() / len(true))


def overall(rows: list[Row], names: list[str]) -> list[Row]:
    """Average over the tables, each counting the same."""
    found = []
    for what in names:
        own = [row for row in rows if row["what"] == what]
        means = {k: float(np.mean([row[k] for row in own])) for k in ("ours", "reference")}
        setting = own[0]["setting"] | {"tables": len(own)}
        found.append({"what": what, "table": "all", "setting": setting, "unit": ""} | means)
    return found


if __name__ == "__main__":
    run(measure, __doc__ or "")
