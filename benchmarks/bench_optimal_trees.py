"""Our choice beside optimal decision trees, STreeD's and GOSDT's, on the folds of `bench_choice`.

Each grows, of all trees over some 0/1 columns, one that is wrong for the fewest training rows:
STreeD (``pystreed``) among those of depth 4 with a given number of splits, GOSDT (``gosdt``) among
those of depth 4 with a price on each leaf. The number (at most 10) or price is chosen on the same
inner folds by the same `suggest` as CART's leaves and our settings. Columns are prepared as CART's,
numbers cut where boosted stumps cut them on the training rows: GOSDT's own remedy against many
columns, and its boosting's answers are the guess it is begun with. A search may take a second by
the clock; what it has by then is taken.

For each of the two: ``accuracy`` and ``balanced accuracy`` (%, ours and the tree's, with mean
numbers of conditions), ``difference`` (points, paired fold by fold, with its standard error),
``one fit`` (CPU s, choosing included). ``greatest`` is the most splits that a tree taken had. A
package that is not installed is left out, and said so:
``pip install gosdt pystreed``.
"""

import argparse
import contextlib
import hashlib
import importlib.metadata
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, report, run, tables
from benchmarks.bench_choice import FOLDS, INNER_FOLDS, KEPT, MOST_SPLITS, TABLES, outer_folds
from rulekit import sweep
from rulekit.data import make_folds
from rulekit.evaluation import ReferenceModel, SweepStore
from rulekit.evaluation.sweeps.result import fit_setting
from rulekit.evaluation.sweeps.store import code_version, data_digest

DEPTH = 4
SECONDS = 1  # by the clock, a search
LEAF_PRICES = (0.05, 0.02, 0.01, 0.005)  # in shares of the training rows
#: Stumps that guess the cuts: as many as GOSDT's makers use; STreeD is quick on more columns.
STUMPS = {"STreeD": 100, "GOSDT": 40}
GRIDS = {
    "STreeD": {"size": [1, 2, 3, 4, 5, 7, MOST_SPLITS]},
    "GOSDT": {"size": list(LEAF_PRICES)},
}
PACKAGES = {"STreeD": "pystreed", "GOSDT": "gosdt"}


class OptimalTree(ClassifierMixin, BaseEstimator):
    """A tree of `peer`: at most `size` splits (STreeD), or `size` as price of a leaf (GOSDT)."""

    def __init__(self, peer: str, size: float = 1) -> None:
        self.peer = peer
        self.size = size

    def fit(self, X: pd.DataFrame, y: np.ndarray, sample_weight: None = None) -> "OptimalTree":
        """Guess cuts and grow one tree."""
        cuts = Cuts(X, y, STUMPS[self.peer])
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.cuts_ = cuts
        grow = {"STreeD": streed, "GOSDT": gosdt}[self.peer]
        self.answer_, self.n_conditions_ = grow(cuts, codes, self.size)
        self.n_rules_ = self.n_conditions_ + 1
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Predict each row."""
        return self.classes_[np.asarray(self.answer_(self.cuts_.columns(X)), dtype=int)]


class Cuts:
    """0/1 columns of a table: it is prepared as CART's, then cut where boosted stumps cut it."""

    def __init__(self, X: pd.DataFrame, y: np.ndarray, n_stumps: int) -> None:
        self.preparation = ReferenceModel(DecisionTreeClassifier(max_depth=1)).fit(X, y)
        numbers = self.preparation._encode(X)
        boosted = GradientBoostingClassifier(n_estimators=n_stumps, max_depth=1, random_state=0)
        codes = np.unique(y, return_inverse=True)[1]
        stumps = [one.tree_ for one in boosted.fit(numbers, codes).estimators_[:, 0]]
        self.at = sorted({(int(s.feature[0]), float(s.threshold[0])) for s in stumps})
        self.train = self._cut(numbers)
        self.guess = boosted.predict(numbers)

    def columns(self, X: pd.DataFrame) -> np.ndarray:
        """Cut rows: 0 and 1, shape (n, number of cuts)."""
        return self._cut(self.preparation._encode(X))

    def _cut(self, numbers: np.ndarray) -> np.ndarray:
        return np.column_stack([numbers[:, j] <= cut for j, cut in self.at]).astype(np.int32)


Grown = tuple[Callable[[np.ndarray], Any], int]


def streed(cuts: Cuts, codes: np.ndarray, size: float) -> Grown:
    """Grow STreeD's tree; tell how it answers, and its number of splits."""
    from pystreed import STreeDClassifier

    tree = STreeDClassifier(
        "accuracy", max_depth=DEPTH, max_num_nodes=int(size), time_limit=SECONDS
    ).fit(cuts.train, codes)
    return tree.predict, tree.get_n_leaves() - 1


def gosdt(cuts: Cuts, codes: np.ndarray, size: float) -> Grown:
    """Grow GOSDT's tree; tell how it answers, and its number of splits."""
    from gosdt import GOSDTClassifier

    guess = cuts.guess if len(set(cuts.guess)) == len(set(codes)) else None
    tree = GOSDTClassifier(regularization=size, depth_budget=DEPTH, time_limit=SECONDS)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints that it ran out of time
        tree.fit(cuts.train, codes, y_ref=guess)
    # its own `predict` asks for an argument that scikit-learn has dropped
    return tree.trees_[0].predict, splits(tree.trees_[0].tree)


def splits(node: Any) -> int:
    """Count the splits of GOSDT's tree."""
    if not hasattr(node, "left_child"):
        return 0
    return 1 + splits(node.left_child) + splits(node.right_child)


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then over all."""
    versions = {peer: version_of(package) for peer, package in PACKAGES.items()}
    for peer in [p for p, version in versions.items() if version is None]:
        print(f"{peer} is not installed: no comparison with it.", flush=True)
    peers = {peer: version for peer, version in versions.items() if version is not None}
    if not peers:
        return []
    seeds = range(arguments.seeds or 1)
    rows: list[Row] = []
    KEPT.parent.mkdir(exist_ok=True)
    with SweepStore(KEPT) as store:
        for table in tables(arguments, TABLES):
            ours = outer_folds(table, seeds, arguments, store)
            for peer, version in peers.items():
                theirs = peer_folds(table, peer, version, ours, arguments.quick, store)
                rows += [report(row) for row in compared(table.name, peer, ours, theirs)]
    if len({row["table"] for row in rows}) > 1:
        rows += [report(row) for peer in peers for row in overall(rows, peer)]
    return rows


def version_of(package: str) -> str | None:
    """Return the installed version; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def peer_folds(
    table: BenchTable, peer: str, version: str, ours: pd.DataFrame, quick: bool, store: SweepStore
) -> pd.DataFrame:
    """Run, or find, a peer on the outer folds that ours were measured on."""
    source = Path(__file__).read_bytes()
    parts = repr((code_version(), data_digest(table.X, table.y), peer, version, quick)).encode()
    n_folds = 2 if quick else FOLDS
    rows = []
    for seed, fold in ours[["seed", "fold"]].itertuples(index=False):
        key = hashlib.sha256(repr((seed, fold, n_folds)).encode() + parts + source).hexdigest()
        stored = store.get([key])
        if not stored:
            stored = {key: one_fold(table, peer, int(seed), int(fold), n_folds, quick)}
            store.put(key, stored[key])
        rows.append(stored[key])
    return pd.DataFrame(rows)


def one_fold(
    table: BenchTable, peer: str, seed: int, fold: int, n_folds: int = FOLDS, quick: bool = False
) -> dict[str, Any]:
    """Choose a peer's size on the training part of one outer fold, and judge it on the rest."""
    train, test = make_folds(table.y, n_folds, random_state=seed)[fold]
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    start = time.process_time()
    tree = OptimalTree(peer)
    inner = 3 if quick else INNER_FOLDS
    result = sweep(tree, X, y, grid=GRIDS[peer], cv=inner, random_state=seed)
    grown = fit_setting(tree, result.setting(result.suggest()["default"]), X, y)
    seconds = time.process_time() - start
    predicted = grown.predict(table.X.iloc[test])
    return {
        "seed": seed,
        "fold": fold,
        "accuracy": float((predicted == table.y[test]).mean()),
        "balanced": float(balanced_accuracy_score(table.y[test], predicted)),
        "conditions": float(grown.n_conditions_),
        "seconds": seconds,
    }


def compared(name: str, peer: str, ours: pd.DataFrame, theirs: pd.DataFrame) -> list[Row]:
    """Return the rows measured for one peer on one table."""
    difference = 100 * (ours["ours_accuracy"] - theirs["accuracy"])
    setting: dict[str, Any] = {"folds": len(theirs), "greatest": int(theirs["conditions"].max())}
    sizes = {
        "ours": round(float(ours["ours_conditions"].mean()), 2),
        "reference": round(float(theirs["conditions"].mean()), 2),
    }
    figures = {
        f"accuracy, {peer}": (100 * ours["ours_accuracy"], 100 * theirs["accuracy"], "%"),
        f"balanced accuracy, {peer}": (100 * ours["ours_balanced"], 100 * theirs["balanced"], "%"),
        f"one fit, {peer}": (ours["seconds"], theirs["seconds"], "CPU s"),
    }
    rows: list[Row] = [
        {"what": quantity, "ours": float(a.mean()), "reference": float(b.mean()), "unit": unit}
        for quantity, (a, b, unit) in figures.items()
    ]
    apart = {"what": f"difference, {peer}", "ours": float(difference.mean()), "unit": "points"}
    rows.append(apart | {"setting": {"se": round(float(difference.sem()), 2)}})
    return [{"table": name, "setting": setting | {"conditions": sizes}} | row for row in rows]


def overall(rows: list[Row], peer: str) -> list[Row]:
    """Average over the tables, each counting the same."""
    averages = []
    for quantity in ("accuracy", "balanced accuracy", "one fit"):
        of = [row for row in rows if row["what"] == f"{quantity}, {peer}"]
        sizes = pd.DataFrame([row["setting"]["conditions"] for row in of]).mean().round(2)
        figures = {k: float(np.mean([row[k] for row in of])) for k in ("ours", "reference")}
        setting = {"tables": len(of), "conditions": sizes.to_dict()}
        row = {"what": f"{quantity}, {peer}", "table": "all", "setting": setting}
        averages.append(row | figures | {"unit": of[0]["unit"]})
    apart = [row for row in rows if row["what"] == f"difference, {peer}"]
    error = float(np.sqrt(np.square([r["setting"]["se"] for r in apart]).sum()) / len(apart))
    setting = {"tables": len(apart), "se": round(error, 2)}
    row = {"what": f"difference, {peer}", "table": "all", "setting": setting, "unit": "points"}
    return [*averages, row | {"ours": float(np.mean([r["ours"] for r in apart]))}]


if __name__ == "__main__":
    run(measure, __doc__ or "")
