"""Several classes: how good the ordered list is that is taken, against CART.

As `bench_choice`, with its folds and choices, on tables of three to ten classes. A list
may have four conditions for each class but one (8 for three classes, 36 for ten), and CART, whose
number of leaves is chosen on the same inner folds by the same `suggest`, as many splits.

iris, wine and digits are scikit-learn's; `quantiles` (three classes, shells of a Gaussian cloud)
and `clusters` (four) are made by it. student_dropout and gas_drift come with ``--data``, and, as
digits, in a seeded sample of 1000 rows that keeps the shares of the classes.

``start objective`` is the training objective of the list beside that of one class after the other
by the same search, as a sum over folds at the price that was chosen, cuts not refined; the list is
never to cost more, and ``worse`` says on how many folds it did.
"""

import argparse
import hashlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, facts_of, report, run
from benchmarks.bench_choice import FOLDS, INNER_FOLDS
from rulekit import BoxSearchClassifier, RuleClassifier, sweep
from rulekit.data import make_folds
from rulekit.evaluation import ReferenceModel, SweepStore
from rulekit.evaluation.sweeps.result import fit_setting
from rulekit.evaluation.sweeps.store import code_version, data_digest
from rulekit.learners.literal.box_search import search_lists
from rulekit.learners.literal.several import SeveralClasses

CONDITIONS_A_CLASS = 4
MOST_ROWS = 1000
FIRST_SEED = 1  # figures of seed 0 were seen while the search was written
KEPT = Path("results") / "lists.sqlite"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then over all."""
    n_seeds = arguments.seeds or (1 if arguments.quick else 3)
    seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
    KEPT.parent.mkdir(exist_ok=True)
    rows: list[Row] = []
    folds_of = {}
    with SweepStore(KEPT) as store:
        for table in tables(arguments):
            folds = folds_of[table.name] = _outer(table, seeds, arguments, store)
            rows += [report(row) for row in compared(table.name, folds)]
    if len(folds_of) > 1:
        rows += [report(row) for row in overall(folds_of)]
    return rows


def tables(arguments: argparse.Namespace) -> Iterator[BenchTable]:
    """Read or make the tables asked for, all by default."""
    read: dict[str, Callable[[], BenchTable]] = {
        name: lambda name=name: shipped(name)
        for name in ("iris", "wine", "digits", "quantiles", "clusters")
    }
    if arguments.data:
        for name in ("student_dropout", "gas_drift"):
            read[name] = lambda name=name: _of_folder(arguments.data, name)
    for name in arguments.only or read:
        if name not in read:
            raise SystemExit(f"There is no table {name!r}; there are {', '.join(read)}.")
        yield read[name]()


def shipped(name: str) -> BenchTable:
    """Read or make one of the tables that need no folder."""
    if name == "quantiles":
        X, y = datasets.make_gaussian_quantiles(
            n_samples=600, n_features=4, n_classes=3, random_state=0
        )
    elif name == "clusters":
        X, y = datasets.make_classification(
            600, 10, n_informative=5, n_classes=4, flip_y=0.05, random_state=0
        )
    else:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return _sampled(name, frame, y.astype(str).astype(object))


def _of_folder(folder: Path, name: str) -> BenchTable:
    facts = facts_of(folder)[name]
    frame = pd.read_csv(folder / facts["file"])
    y = frame[facts["target"]].astype(str).to_numpy(dtype=object)
    return _sampled(name, frame.drop(columns=[facts["target"]]), y)


def _sampled(name: str, X: pd.DataFrame, y: np.ndarray) -> BenchTable:
    if len(y) > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=0)
    return BenchTable(name, X.reset_index(drop=True), y, "")


def _outer(
    table: BenchTable, seeds: range, arguments: argparse.Namespace, store: SweepStore
) -> pd.DataFrame:
    """Run, or find, the outer folds of one table."""
    n_folds = 2 if arguments.quick else FOLDS
    tasks = {
        _key(table, seed, fold, n_folds): (seed, fold) for seed in seeds for fold in range(n_folds)
    }
    stored = store.get(tasks)
    todo = [key for key in tasks if key not in stored]
    parallel = Parallel(n_jobs=arguments.jobs, return_as="generator")
    done = parallel(delayed(one_fold)(table, *tasks[key], n_folds) for key in todo)
    for key, row in zip(todo, done, strict=True):
        store.put(key, row)
        stored[key] = row
    return pd.DataFrame([stored[key] for key in tasks])


def _key(table: BenchTable, seed: int, fold: int, n_folds: int) -> str:
    parts = (code_version(), data_digest(table.X, table.y), seed, fold, n_folds)
    return hashlib.sha256(repr(parts).encode() + Path(__file__).read_bytes()).hexdigest()


def one_fold(table: BenchTable, seed: int, fold: int, n_folds: int = FOLDS) -> dict[str, Any]:
    """Choose on the training part of one outer fold, and judge on the rest."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    inner, rest = (3 if n_folds == 2 else INNER_FOLDS), table.X.iloc[test]
    most = CONDITIONS_A_CLASS * (len(np.unique(table.y)) - 1)

    def accuracy(predicted: Any) -> float:
        return float((predicted == table.y[test]).mean())

    model = RuleClassifier(most, cv=inner, random_state=seed).fit(X, y)
    setting = model.choice_.setting
    plain = BoxSearchClassifier(
        max_conditions=most, n_perturbations=0, random_state=seed, **setting
    )
    plain.fit(X, y)
    ours = {
        "plain_accuracy": accuracy(plain.predict(rest)),
        "ours_accuracy": accuracy(model.predict(rest)),
        "ours_conditions": float(model.n_conditions_),
        "objective": plain.objective_,
        "start_objective": _one_after_the_other(plain, X, y),
    }
    tree = ReferenceModel(DecisionTreeClassifier(random_state=seed))
    leaves = {"learner__max_leaf_nodes": list(range(2, most + 2))}
    result = sweep(tree, X, y, grid=leaves, cv=inner, random_state=seed)
    number = result.suggest()["default"]
    grown = fit_setting(tree, result.setting(number), X, y)
    reference = {
        "reference_accuracy": accuracy(grown.predict(rest)),
        "reference_conditions": float(grown.n_conditions_),
    }
    return {"seed": seed, "fold": fold} | ours | reference


def _one_after_the_other(fitted: BoxSearchClassifier, X: pd.DataFrame, y: np.ndarray) -> float:
    """Learn class after class by the same search and price; return the training objective."""
    table = fitted._read(X, y, None)
    several, path = SeveralClasses(fitted, table), fitted._path(table)
    limits = float(fitted.theta), fitted.n_clauses, fitted.max_conditions
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = table.generator(fitted.random_state).spawn(2)
        search_lists(fitted, several, first, fitted.n_clauses)  # rows count as for the list
        rule = several.one_against_rest(second, path.clauses_within(*limits))
    return several.objective(rule, float(fitted.theta))


def compared(name: str, folds: pd.DataFrame) -> list[Row]:
    """Return the rows measured on one table; differences are paired by fold, in points."""
    apart = 100 * (folds["ours_accuracy"] - folds["reference_accuracy"])
    means = folds.mean(numeric_only=True)
    sizes = {k: round(float(means[f"{k}_conditions"]), 2) for k in ("ours", "reference")}
    worse = int((folds["objective"] > folds["start_objective"] + 1e-9).sum())
    setting = {"folds": int(folds["fold"].nunique()), "seeds": int(folds["seed"].nunique())}
    accuracy = {k: 100 * float(means[f"{k}_accuracy"]) for k in ("plain", "ours", "reference")}
    parts: list[tuple[str, float, float | None, str, dict[str, Any]]] = [
        ("chosen accuracy", accuracy["ours"], accuracy["reference"], "%", {"conditions": sizes}),
        ("difference", float(apart.mean()), None, "points", {"se": round(float(apart.sem()), 2)}),
        ("cuts of the bins", accuracy["plain"], accuracy["ours"], "%", {}),
    ]
    sums = [float(folds[k].sum()) for k in ("objective", "start_objective")]
    parts.append(("start objective", sums[0], sums[1], "rows", {"worse": worse}))
    return [
        {"table": name, "what": quantity, "ours": ours, "unit": unit, "setting": setting | more}
        | ({} if reference is None else {"reference": reference})
        for quantity, ours, reference, unit, more in parts
    ]


def overall(folds_of: dict[str, pd.DataFrame]) -> list[Row]:
    """Average over the tables, each counting the same."""
    each = [{row["what"]: row for row in compared(name, folds)} for name, folds in folds_of.items()]
    rows: list[Row] = []
    for quantity in ("chosen accuracy", "difference"):
        row = dict(each[0][quantity], table="all", setting={"tables": len(each)})
        for k in {"ours", "reference"} & set(row):
            row[k] = float(np.mean([one[quantity][k] for one in each]))
        rows.append(row)
    errors = [one["difference"]["setting"]["se"] for one in each]
    rows[1]["setting"]["se"] = round(float(np.sqrt(np.sum(np.square(errors))) / len(each)), 2)
    return rows


if __name__ == "__main__":
    run(measure, __doc__ or "")
