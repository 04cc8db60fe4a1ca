"""Scorecards beside FasterRisk, a tree of as many splits and weights that are not rounded.

``logistic loss``: on the whole table, in rows, at 3, 5 and 8 conditions with -5 to 5 points. The
reference is FasterRisk's least among all cards it gives; both choose among the same conditions, and
the line from total to odds is fitted anew for both. ``learning time`` is that of all sizes up to
the one asked for, chances included, beside FasterRisk's for this size, in seconds of CPU time.
FasterRisk is no dependency (0.1.10 wants a NumPy before 2.3); without it these figures stand alone.

``accuracy``, ``AUC`` and ``Brier score``: stratified shuffled 10-fold cross-validation, seeds 0, 1,
..., cuts from the training rows, at most 8 conditions. The references are CART with 8 splits, and a
logistic regression over the same conditions: of a grid of L1 penalties the least that keeps at most
8, then fitted to those without a penalty. ``AUC, unrounded``: the reference are the card's own
conditions with weights that are not rounded. ``share of the box search``: CPU time beside that of
`BoxSearchClassifier` on the same rows.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import Binarizer, BoxSearchClassifier, ScorecardClassifier
from rulekit.data import make_folds
from rulekit.evaluation import ReferenceModel
from rulekit.rules import PointsSplit
from rulekit.search.machine_code import warm_up

try:
    from fasterrisk.fasterrisk import RiskScoreOptimizer
except ImportError:
    RiskScoreOptimizer = None

TABLES = (
    *("pima", "heart_cleveland", "breast_cancer_wisconsin", "wdbc", "ionosphere", "sonar"),
    *("congressional_voting", "german_credit", "bank_marketing"),
)
SIZES, MOST, POINTS, FOLDS = (3, 5, 8), 8, 5, 10
PENALTIES = np.logspace(-3, 1, 25)
MEASURES = ("accuracy", "AUC", "Brier score")


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then over all."""
    if RiskScoreOptimizer is None:
        print("FasterRisk is not installed; its figures are left out.")
    warm_up()  # before any clock runs
    n_seeds = arguments.seeds or (1 if arguments.quick else 3)
    sizes = SIZES[:1] if arguments.quick else SIZES
    rows: list[Row] = []
    for table in tables(arguments, TABLES):
        rows += [report(row) for size in sizes for row in losses(table, size)]
        rows += [report(row) for row in accuracies(table, n_seeds, arguments)]
    return rows


def losses(table: BenchTable, size: int) -> list[Row]:
    """Compare the logistic loss of both on all rows."""
    y = table.y == table.positive
    start = time.process_time()
    card = _scorecard(table, size).fit(table.X, table.y)
    seconds = time.process_time() - start
    loss = loss_of(_totals(card, table.X), y)
    matrix = Binarizer().fit_transform(table.X)
    theirs = (None, None) if RiskScoreOptimizer is None else _fasterrisk(matrix, y, size)
    shared = {"table": table.name, "setting": {"conditions": size}}
    measures = [
        ("logistic loss", loss, theirs[0], "rows"),
        ("learning time", seconds, theirs[1], "s"),
    ]
    return [
        {"what": quantity, "ours": ours, "reference": other, "unit": unit}
        | {"ratio": ours / other if other else None}
        | shared
        for quantity, ours, other, unit in measures
    ]


def loss_of(totals: np.ndarray, y: np.ndarray) -> float:
    """Weigh totals by the logistic loss of the best line through them, in rows."""
    line = LogisticRegression(C=np.inf, tol=1e-8).fit(totals[:, None], y)
    return float(
        np.logaddexp(0.0, -np.where(y, 1, -1) * line.decision_function(totals[:, None])).sum()
    )


def _fasterrisk(matrix: Any, y: np.ndarray, size: int) -> tuple[float, float]:
    """Select conditions with FasterRisk, from one of each pair of equal conditions."""
    columns = _one_of_each_pair(matrix.complement)
    X = np.column_stack([np.ones(len(y)), matrix.values[:, columns]])
    start = time.process_time()
    search = RiskScoreOptimizer(X=X, y=np.where(y, 1.0, -1.0), k=size, lb=-POINTS, ub=POINTS)
    search.optimize()
    _, _, points = search.get_models()
    seconds = time.process_time() - start
    return min(loss_of(X @ given, y) for given in points), seconds


def _one_of_each_pair(complement: np.ndarray) -> np.ndarray:
    return np.flatnonzero((complement < 0) | (np.arange(len(complement)) < complement))


def accuracies(table: BenchTable, n_seeds: int, arguments: argparse.Namespace) -> list[Row]:
    """Cross-validate the card and its references."""
    n_folds = 2 if arguments.quick else FOLDS
    folds = [f for seed in range(n_seeds) for f in make_folds(table.y, n_folds, random_state=seed)]
    folds_measured = Parallel(n_jobs=arguments.jobs)(
        delayed(one_fold)(table, *fold) for fold in folds
    )
    mean = pd.DataFrame(folds_measured).mean()
    setting = {"seeds": n_seeds, "conditions": round(mean["conditions"], 2)}
    shared = {"table": table.name, "setting": setting}
    rows: list[Row] = [
        {"what": f"{measure}, {name}", "ours": mean[f"ours {measure}"]}
        | {"reference": mean[f"{name} {measure}"]}
        | shared
        for name in ("CART", "L1")
        for measure in MEASURES
    ]
    free = {"what": "AUC, unrounded", "ours": mean["ours AUC"], "reference": mean["free AUC"]}
    ratio = mean["ours seconds"] / mean["search seconds"]
    clock = {"ours": mean["ours seconds"], "reference": mean["search seconds"], "ratio": ratio}
    return [*rows, free | shared, {"what": "share of the box search", "unit": "s"} | clock | shared]


def one_fold(table: BenchTable, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Learn all from the same training rows, and judge them on the same others."""
    X, y, Z = table.X.iloc[train], table.y[train], table.X.iloc[test]
    described, truth = y == table.positive, table.y[test] == table.positive
    card, seconds = _timed(_scorecard(table, MOST), X, y)
    box = BoxSearchClassifier(positive_label=table.positive, random_state=0, max_conditions=MOST)
    tree = ReferenceModel(DecisionTreeClassifier(max_leaf_nodes=MOST + 1, random_state=0))
    tree.fit(X, described)
    cuts = Binarizer().fit(X)
    one = _one_of_each_pair(cuts.transform(X).complement)
    A, B = (cuts.transform(rows).values[:, one].astype(float) for rows in (X, Z))
    figures = {"ours seconds": seconds, "search seconds": _timed(box, X, y)[1]}
    chances = {
        "ours": card.predict_proba(Z)[:, list(card.classes_).index(table.positive)],
        "CART": tree.predict_proba(Z)[:, 1],
        "L1": _sparse(A, described, B),
        "free": _free(card, X, described, Z),
    }
    for name, chance in chances.items():
        figures[f"{name} accuracy"] = 100 * float(((chance > 0.5) == truth).mean())
        figures[f"{name} AUC"] = float(roc_auc_score(truth, chance))
        figures[f"{name} Brier score"] = float(brier_score_loss(truth, chance))
    return figures | {"conditions": card.n_conditions_}


def _scorecard(table: BenchTable, size: int) -> ScorecardClassifier:
    return ScorecardClassifier(size, POINTS, positive_label=table.positive)


def _timed(learner: Any, X: pd.DataFrame, y: np.ndarray) -> tuple[Any, float]:
    start = time.process_time()
    return learner.fit(X, y), time.process_time() - start


def _sparse(A: np.ndarray, y: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Select conditions by the least penalty that keeps few, then fit chances without it."""
    columns = np.zeros(0, dtype=int)
    for C in PENALTIES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn renames how an L1 penalty is asked for
            model = LogisticRegression(C=C, penalty="l1", solver="liblinear").fit(A, y)
        nonzero = np.flatnonzero(model.coef_)
        if len(nonzero) > MOST:
            break
        columns = nonzero
    return _chances(A[:, columns], y, B[:, columns])


def _chances(A: np.ndarray, y: np.ndarray, B: np.ndarray) -> np.ndarray:
    if A.shape[1] == 0:
        return np.full(len(B), y.mean())
    return LogisticRegression(C=1e4, max_iter=1000).fit(A, y).predict_proba(B)[:, 1]


def _free(card: Any, X: pd.DataFrame, y: np.ndarray, Z: pd.DataFrame) -> np.ndarray:
    """Fit weights that are not rounded for the conditions of a card."""
    conditions = () if card.rule_set_.is_constant else _split(card).conditions
    columns = card.read_columns(X), card.read_columns(Z)
    A, B = (
        np.array([c.mask(k) for c in conditions], dtype=float).reshape(-1, n).T
        for k, n in zip(columns, (len(X), len(Z)), strict=True)
    )
    return _chances(A, y, B)


def _split(card: Any) -> PointsSplit:
    return card.rule_set_.clauses[0].conditions[0]


def _totals(card: Any, X: pd.DataFrame) -> np.ndarray:
    if card.rule_set_.is_constant:
        return np.zeros(len(X))
    return _split(card).compute_values(card.read_columns(X))


if __name__ == "__main__":
    run(measure, __doc__ or "")
