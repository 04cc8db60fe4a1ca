"""Costs of the selected rule at 2, 5 and 20 to 1, beside a CART tuned to the same costs.

A missed row of the described class costs 2, 5 or 20, a false alarm 1. Stratified shuffled folds
outside; on each training part `RuleClassifier` chooses by `Costs` on five folds inside, with at
most 4 conditions, and predicts the rest. The reference is CART whose rows weigh as the costs say,
its number of leaves (4 splits at most) chosen on the same inner folds by the same `suggest`.
``cost a 100 cases`` is the mean over folds and seeds, with the mean number of conditions;
``difference`` is paired fold by fold, with its standard error (folds of different seeds share rows,
so that it is rather too small). ``constant``: the class that costs least in training; ``without
costs``: the rule selected by errors, and ``more than without`` what ours costs more than it.

Seed 0 was looked at while the choice was written, on some tables.
"""

import argparse
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import Costs, RuleClassifier, sweep
from rulekit.data import make_folds
from rulekit.evaluation import ReferenceModel
from rulekit.evaluation.metrics import cost_per_100
from rulekit.evaluation.sweeps.baselines import CheapestAnswer
from rulekit.evaluation.sweeps.result import fit_setting

TABLES = (
    *("banknote", "pima", "heart_cleveland", "breast_cancer_wisconsin", "wdbc"),
    *("ionosphere", "sonar", "congressional_voting", "german_credit"),
)
RATIOS = (2.0, 5.0, 20.0)
MOST, FOLDS, INNER_FOLDS = 4, 3, 5
MEASURE = "test_cost_per_100"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each table, then the mean over tables at each ratio."""
    n_seeds = arguments.seeds or 1
    n_folds = 2 if arguments.quick else FOLDS
    ratios = RATIOS[1:2] if arguments.quick else RATIOS
    rows: list[Row] = []
    measured: dict[float, list[pd.DataFrame]] = {ratio: [] for ratio in ratios}
    for table in tables(arguments, TABLES):
        tasks = list(product(ratios, range(n_seeds), range(n_folds)))
        folds = pd.DataFrame(
            Parallel(n_jobs=arguments.jobs)(
                delayed(one_fold)(table, ratio, seed, fold, n_folds, arguments.quick)
                for ratio, seed, fold in tasks
            )
        )
        for ratio, of_ratio in folds.groupby("ratio"):
            measured[ratio].append(of_ratio)
            rows += [report(row) for row in compared(table.name, of_ratio, n_seeds)]
    for parts in measured.values():
        if len(parts) > 1:
            rows += [report(row) for row in compared("all", pd.concat(parts), n_seeds)]
    return rows


def one_fold(
    table: BenchTable,
    ratio: float,
    seed: int,
    fold: int,
    n_folds: int = FOLDS,
    quick: bool = False,
) -> dict[str, Any]:
    """Choose on the training part of one outer fold; return the costs of the rest."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    rest, truth = table.X.iloc[test], table.y[test]
    inner = 3 if quick else INNER_FOLDS
    costs = Costs(ratio, 1.0, positive=table.positive).to_matrix(np.unique(table.y))
    ours = RuleClassifier(MOST, cv=inner, costs=costs, random_state=seed).fit(X, y)
    tree = ReferenceModel(DecisionTreeClassifier(random_state=seed))
    leaves = {"learner__max_leaf_nodes": list(range(2, MOST + 2))}
    result = sweep(tree, X, y, grid=leaves, cv=inner, random_state=seed, costs=costs)
    by_class = costs.class_weight(np.unique(y))
    weight = np.array([by_class[label] for label in y])
    grown = fit_setting(tree, result.setting(result.suggest(MEASURE)["default"]), X, y, weight)
    constant = CheapestAnswer(costs).fit(X, y, weight)
    plain = RuleClassifier(MOST, cv=inner, random_state=seed).fit(X, y)
    models = {"ours": ours, "reference": grown, "constant": constant, "plain": plain}
    costed = {name: cost_per_100(truth, m.predict(rest), costs) for name, m in models.items()}
    sizes = {"ours_conditions": ours.n_conditions_, "reference_conditions": grown.n_conditions_}
    return {"ratio": ratio, "seed": seed, "fold": fold} | costed | sizes


def compared(name: str, folds: pd.DataFrame, n_seeds: int) -> list[Row]:
    """Return the rows measured on one table."""
    difference = folds["ours"] - folds["reference"]
    extra = folds["ours"] - folds["plain"]
    setting = {"folds": int(folds["fold"].nunique()), "seeds": n_seeds}
    setting |= {"costs": f"{folds['ratio'].iloc[0]:g} : 1"}
    sizes = {k: round(float(folds[f"{k}_conditions"].mean()), 2) for k in ("ours", "reference")}
    shared = {"table": name, "unit": "a 100 cases"}
    return [
        {
            "what": "cost a 100 cases",
            "ours": float(folds["ours"].mean()),
            "reference": float(folds["reference"].mean()),
            "setting": setting | {"conditions": sizes},
        }
        | shared,
        {
            "what": "difference",
            "ours": float(difference.mean()),
            "setting": setting | {"se": round(float(difference.sem()), 2)},
        }
        | shared,
        {"what": "constant", "ours": float(folds["constant"].mean()), "setting": setting} | shared,
        {"what": "without costs", "ours": float(folds["plain"].mean()), "setting": setting}
        | shared,
        {
            "what": "more than without",
            "ours": float(extra.mean()),
            "setting": setting | {"se": round(float(extra.sem()), 2)},
        }
        | shared,
    ]


if __name__ == "__main__":
    run(measure, __doc__ or "")
