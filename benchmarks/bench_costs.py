"""What do the errors of the rule cost that is taken? Costs of 5 : 1, chosen inside, against CART.

A row of the class described that is answered otherwise costs 5, a false alarm 1 (german_credit
comes with these costs). Stratified shuffled folds outside; on each training part `RuleClassifier`
chooses by `Costs` on five folds inside, with at most 8 conditions, and its rule answers the rest.
The reference is CART whose rows weigh as the costs say, its number of leaves (8 splits at most)
chosen on the same inner folds by the same `suggest`. ``cost a 100 cases`` is the mean over folds
and seeds, with the mean number of conditions; ``difference`` is paired fold by fold, with its
standard error (folds of different seeds share rows, so that it is rather too small). ``constant``:
the answer that costs least in training, given to every row.

Seeds are counted from 1; nothing was settled by these tables with seeds other than 0.
"""

import argparse
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import Costs, RuleClassifier, sweep
from rulekit.data import make_folds
from rulekit.evaluation import Baseline
from rulekit.evaluation.metrics import cost_per_100
from rulekit.evaluation.sweeps.baselines import CheapestAnswer
from rulekit.evaluation.sweeps.result import fit_setting

TABLES = ("german_credit", "bank_marketing")
MISS, FALSE_ALARM = 5.0, 1.0
MOST, FOLDS, INNER_FOLDS, FIRST_SEED = 8, 10, 5, 1
MEASURE = "test_cost_per_100"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each table."""
    n_seeds = arguments.seeds or 1
    n_folds = 2 if arguments.quick else FOLDS
    rows: list[Row] = []
    for table in tables(arguments, TABLES):
        seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
        tasks = [(seed, fold) for seed in seeds for fold in range(n_folds)]
        folds = Parallel(n_jobs=arguments.jobs)(
            delayed(one_fold)(table, seed, fold, n_folds, arguments.quick) for seed, fold in tasks
        )
        rows += [report(row) for row in compared(table.name, pd.DataFrame(folds), n_seeds)]
    return rows


def one_fold(
    table: BenchTable, seed: int, fold: int, n_folds: int = FOLDS, quick: bool = False
) -> dict[str, Any]:
    """Choose on the training part of one outer fold; what the answers to the rest cost."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    rest, truth = table.X.iloc[test], table.y[test]
    inner = 3 if quick else INNER_FOLDS
    costs = Costs(MISS, FALSE_ALARM, positive=table.positive).settled(np.unique(table.y))
    ours = RuleClassifier(MOST, cv=inner, costs=costs, random_state=seed).fit(X, y)
    tree = Baseline("CART", DecisionTreeClassifier(random_state=seed))
    leaves = {"learner__max_leaf_nodes": list(range(2, MOST + 2))}
    result = sweep(tree, X, y, grid=leaves, cv=inner, random_state=seed, costs=costs)
    by_class = costs.class_weight(np.unique(y))
    weight = np.array([by_class[label] for label in y])
    grown = fit_setting(tree, result.setting(result.suggest(MEASURE)["default"]), X, y, weight)
    constant = CheapestAnswer(costs).fit(X, y, weight)
    models = {"ours": ours, "reference": grown, "constant": constant}
    costed = {name: cost_per_100(truth, m.predict(rest), costs) for name, m in models.items()}
    sizes = {"ours_conditions": ours.n_conditions_, "reference_conditions": grown.n_conditions_}
    return {"seed": seed, "fold": fold} | costed | sizes


def compared(name: str, folds: pd.DataFrame, n_seeds: int) -> list[Row]:
    """Return the rows measured on one table."""
    difference = folds["ours"] - folds["reference"]
    setting = {"folds": int(folds["fold"].nunique()), "seeds": n_seeds, "costs": "5 : 1"}
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
    ]


if __name__ == "__main__":
    run(measure, __doc__ or "")
