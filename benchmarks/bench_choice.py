"""How good is the rule that is taken? Everything chosen inside the training rows, against CART.

Stratified shuffled 10-fold cross-validation outside. On each training part `RuleClassifier`
compares the settings of `search_grid`, with at most 10 conditions, by five folds inside and by the
forest that judges, and refines cuts where cross-validation inside says so; the fold that was left
out judges what was taken.

The reference is CART, its number of leaves chosen on the same inner folds by the same `suggest`;
its conditions are its splits (`evaluation.sweeps.baselines`), at most 10. ``chosen accuracy`` and
``balanced accuracy`` in percent, with the mean number of conditions; ``difference`` in points,
paired fold by fold, with its standard error over folds and seeds (folds of different seeds share
rows, so that it is rather too small). ``inner error`` is the mean of the inner folds for the
setting taken, beside the error outside: how much it flattered. ``one fit`` in CPU seconds.

What was settled with which folds: ``docs/decisions/0011``. Finished outer folds are
kept in ``results/choice.sqlite`` and not computed again by the same code.
"""

import argparse
import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import RuleClassifier, sweep
from rulekit.data import make_folds
from rulekit.evaluation import ReferenceModel, SweepStore
from rulekit.evaluation.sweeps.result import fit_setting
from rulekit.evaluation.sweeps.store import code_version, data_digest

TABLES = (
    *("banknote", "pima", "heart_cleveland", "breast_cancer_wisconsin", "wdbc"),
    *("ionosphere", "sonar", "congressional_voting", "german_credit"),
    *("bank_marketing", "student_dropout"),  # of the last one, "Dropout" against the rest
)
MOST = 10  # conditions of a rule
MOST_SPLITS = 10
FOLDS, INNER_FOLDS = 10, 5
KEPT = Path("results") / "choice.sqlite"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then over all."""
    n_seeds = arguments.seeds or (1 if arguments.quick else 3)
    seeds = range(n_seeds)
    KEPT.parent.mkdir(exist_ok=True)
    rows: list[Row] = []
    differences = {}
    with SweepStore(KEPT) as store:
        for table in tables(arguments, TABLES):
            folds = outer_folds(table, seeds, arguments, store)
            table_rows, differences[table.name] = compared(table.name, folds, len(seeds))
            rows += [report(row) for row in table_rows]
    if len(differences) > 1:
        rows += [report(row) for row in overall(rows, differences, len(seeds))]
    return rows


def outer_folds(
    table: BenchTable, seeds: range, arguments: argparse.Namespace, store: SweepStore
) -> pd.DataFrame:
    """Run, or find, the outer folds of one table."""
    n_folds = 2 if arguments.quick else FOLDS
    tasks = {
        _key(table, seed, fold, n_folds, arguments.quick): (seed, fold)
        for seed in seeds
        for fold in range(n_folds)
    }
    stored = store.get(tasks)
    todo = [key for key in tasks if key not in stored]
    parallel = Parallel(n_jobs=arguments.jobs, return_as="generator")
    done = parallel(delayed(one_fold)(table, *tasks[k], n_folds, arguments.quick) for k in todo)
    for key, row in zip(todo, done, strict=True):
        store.put(key, row)
        stored[key] = row
    return pd.DataFrame([stored[key] for key in tasks])


def _key(table: BenchTable, seed: int, fold: int, n_folds: int, quick: bool) -> str:
    source = Path(__file__).read_bytes()
    parts = (code_version(), data_digest(table.X, table.y), seed, fold, n_folds, quick)
    return hashlib.sha256(repr(parts).encode() + source).hexdigest()


def one_fold(
    table: BenchTable, seed: int, fold: int, n_folds: int = FOLDS, quick: bool = False
) -> dict[str, Any]:
    """Choose on the training part of one outer fold, and judge on the rest."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    inner = 3 if quick else INNER_FOLDS

    start = time.process_time()
    model = RuleClassifier(MOST, cv=inner, random_state=seed).fit(X, y)
    seconds = time.process_time() - start
    tree = ReferenceModel(DecisionTreeClassifier(random_state=seed))
    leaves = {"learner__max_leaf_nodes": list(range(2, MOST_SPLITS + 2))}
    result = sweep(tree, X, y, grid=leaves, cv=inner, random_state=seed)
    number = result.suggest()["default"]
    grown = fit_setting(tree, result.setting(number), X, y)
    errors = result.summary.set_index("setting")["test_error"]
    inside = {"ours": model.choice_.error, "reference": float(errors[number])}
    figures: dict[str, Any] = {"seed": seed, "fold": fold, "seconds": seconds}
    for name, one in (("ours", model), ("reference", grown)):
        predicted = one.predict(table.X.iloc[test])
        figures[f"{name}_accuracy"] = float((predicted == table.y[test]).mean())
        figures[f"{name}_balanced"] = float(balanced_accuracy_score(table.y[test], predicted))
        figures[f"{name}_conditions"] = float(one.n_conditions_)
        figures[f"{name}_inside"] = inside[name]
    return figures | {"ours_setting": repr(model.choice_.setting)}


def compared(name: str, folds: pd.DataFrame, n_seeds: int) -> tuple[list[Row], pd.Series]:
    """Return the rows measured on one table, and the paired differences in points."""
    difference = 100 * (folds["ours_accuracy"] - folds["reference_accuracy"])
    shared = {"table": name}
    setting = {"folds": int(folds["fold"].nunique()), "seeds": n_seeds}
    means = folds.mean(numeric_only=True)
    both = ("ours", "reference")
    sizes = {k: round(float(means[f"{k}_conditions"]), 2) for k in both}
    rows: list[Row] = []
    for quantity, column in (("chosen accuracy", "accuracy"), ("balanced accuracy", "balanced")):
        figures = {k: 100 * float(means[f"{k}_{column}"]) for k in both}
        rows.append({"what": quantity, **figures, "unit": "%", "setting": setting})
    rows[0]["setting"] = setting | {"conditions": sizes}
    apart = {"what": "difference", "ours": float(difference.mean()), "unit": "points"}
    rows.append(apart | {"setting": setting | {"se": round(float(difference.sem()), 2)}})
    for k, quantity in (("ours", "inner error"), ("reference", "inner error, CART")):
        outside = 100 * (1 - float(means[f"{k}_accuracy"]))
        row = {"what": quantity, "ours": 100 * float(means[f"{k}_inside"]), "reference": outside}
        rows.append(row | {"unit": "%", "setting": setting | {"reference": "error outside"}})
    most = {"greatest": round(float(folds["seconds"].max()), 2)}
    spent = {"what": "one fit", "ours": float(means["seconds"]), "unit": "CPU s"}
    rows.append(spent | {"setting": setting | most})
    return [row | shared for row in rows], difference.groupby(folds["seed"]).mean()


def overall(rows: list[Row], differences: dict[str, pd.Series], n_seeds: int) -> list[Row]:
    """Average over the tables, each counting the same."""
    of = {w: [r for r in rows if r["what"] == w] for w in ("chosen accuracy", "balanced accuracy")}
    averages = []
    for quantity, of_quantity in of.items():
        setting: dict[str, Any] = {"tables": len(of_quantity), "seeds": n_seeds}
        figures = {k: float(np.mean([r[k] for r in of_quantity])) for k in ("ours", "reference")}
        if quantity == "chosen accuracy":
            sizes = pd.DataFrame([r["setting"]["conditions"] for r in of_quantity]).mean()
            setting["conditions"] = sizes.round(2).to_dict()
        averages.append(
            {"what": quantity, "table": "all", **figures, "unit": "%", "setting": setting}
        )
    by_seed = pd.DataFrame(differences).mean(axis=1)
    apart = [r["setting"]["se"] for r in rows if r["what"] == "difference"]
    error = float(np.sqrt(np.square(apart).sum()) / len(apart))
    setting = {"tables": len(apart), "seeds": n_seeds, "se": round(error, 2)}
    setting["by_seed"] = [round(float(d), 2) for d in by_seed]
    row = {"what": "difference", "table": "all", "ours": float(by_seed.mean())}
    return [*averages, row | {"unit": "points", "setting": setting}]


if __name__ == "__main__":
    run(measure, __doc__ or "")
