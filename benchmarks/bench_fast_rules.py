"""The box search against alternating minimisation and block coordinate descent, in one run.

Stratified shuffled 5-fold cross-validation, 12 prices of a literal, 1 to 5 clauses, a DNF of the
positive class. ``objective``: training errors plus price times literals of the rules as shown,
summed over prices, clauses and folds (ours over reference; below 1 is better). ``cells worse``:
share of these cells where the search is worse. ``Hamming objective``: the same for (3.12), which
the search minimises with the prices (1, 1, 0). ``chosen test error``: price and number of clauses
of each fold chosen by the mean test error of the other folds, mean over folds and seeds; "pool"
also chooses the robustness. ``whole sweep``: CPU seconds of all folds, search against set covering,
BCD and AM together, which share their work (reference over ours; above 1 is faster). Kernels are
compiled before the clock starts.

Tables of more than 20 000 rows are only timed: 36 fits of the search without perturbations, against
one decision tree on the same one-hot table (ours over reference; the bar is 100).
"""

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import Binarizer, BoxSearchClassifier, Constraints, TwoLevelRuleClassifier
from rulekit.data import columns_of, make_folds
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.learners.training import learning_problem
from rulekit.search.box_search.search import SearchPlan, search
from rulekit.search.machine_code import warm_up
from tests.strategies.boxes import HAMMING

THETAS = (0.02, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
CLAUSES = (1, 2, 3, 4, 5)
ROBUSTNESS = (0.0, 0.1, 0.3)
REFERENCES = {"SCN": "set_cover", "BCD": "block_coordinate", "AM": "alternating"}
HAMMING_PERTURBATIONS = 5
LARGE = 20_000  # rows from which a table is only timed
LARGE_CLAUSES = (1, 2, 3)


@dataclass(frozen=True)
class Grid:
    """The settings tried, and in how many folds."""

    thetas: Sequence[float] = THETAS
    clauses: Sequence[int] = CLAUSES
    n_perturbations: int = 3
    folds: int = 5

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Each price with each number of clauses."""
        return [{"theta": t, "n_clauses": r} for t in self.thetas for r in self.clauses]


@dataclass
class Measured:
    """One learner's figures: a row a fold, a column a cell."""

    errors: list[list[float]] = field(default_factory=list)  # share of wrong test rows
    sizes: list[list[float]] = field(default_factory=list)
    objectives: list[list[float]] = field(default_factory=list)
    hamming: list[list[float]] = field(default_factory=list)

    def add(self, models: Sequence[Any], table: BenchTable, train: Any, test: Any) -> None:
        """Store the models of one fold, one a cell."""
        X, y = table.X.iloc[test], table.y[test]
        self.errors.append([float((m.predict(X) != y).mean()) for m in models])
        self.sizes.append([float(m.n_conditions_) for m in models])
        wrong = [m.training_error_ * len(train) for m in models]
        pairs = zip(wrong, models, strict=True)
        self.objectives.append([w + m.theta * m.n_conditions_ for w, m in pairs])
        self.hamming.append([float(m.objective_) for m in models])


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table."""
    grid = Grid(THETAS[1::4], (1, 2), n_perturbations=0, folds=2) if arguments.quick else Grid()
    seeds = range(arguments.seeds or (1 if arguments.quick else 3))
    rows = []
    warm_up()
    with threadpool_limits(1):
        for table in tables(arguments, ["pima", "wdbc", "sonar", "breast_cancer", "adult"]):
            large = len(table.y) > LARGE
            rows += time_large(table, grid.thetas) if large else compare(table, grid, seeds)
    return rows


def time_large(table: BenchTable, thetas: Sequence[float]) -> list[Row]:
    """Time the search without perturbations and one decision tree, on the same one-hot table."""
    words = table.X.select_dtypes(exclude="number").columns
    X = pd.get_dummies(table.X, columns=list(words), dtype=float)
    X.columns = [f"x{j}" for j in range(X.shape[1])]
    start = time.process_time()
    DecisionTreeClassifier(random_state=0).fit(X, table.y)
    tree = time.process_time() - start
    scale = len(X) / 500  # prices are in rows
    cells = [{"theta": scale * t, "n_clauses": r} for t in thetas for r in LARGE_CLAUSES]
    learner = BoxSearchClassifier(n_perturbations=0, positive_label=table.positive)
    start = time.process_time()
    models = list(fit_settings(learner, X, table.y, cells))
    ours = time.process_time() - start
    setting = {"rows": len(X), "columns": X.shape[1], "fits": len(models), "n_perturbations": 0}
    shared = {"table": table.name, "setting": setting}
    error = {"what": "least training error", "unit": "%", **shared}
    error["ours"] = 100 * min(m.training_error_ for m in models)
    timed = _compared("fits, one tree", [ours], [tree], shared | {"unit": "s of one core"})
    return [report(timed), report(error)]


def compare(table: BenchTable, grid: Grid, seeds: Iterable[int]) -> list[Row]:
    """Measure one table, all learners on the same folds."""
    parts = [_one_seed(table, grid, seed) for seed in seeds]
    setting = {
        "prices": len(grid.thetas),
        "R": list(grid.clauses),
        "n_perturbations": grid.n_perturbations,
    }
    setting |= {"folds": grid.folds, "seeds": len(parts)}
    shared = {"table": table.name, "setting": setting}
    rows: list[Row] = []
    for name in ("AM", "BCD"):
        ours = [np.sum(p.by_name["search"].objectives) for p in parts]
        theirs = [np.sum(p.by_name[name].objectives) for p in parts]
        rows.append(_compared(f"objective, {name}", ours, theirs, shared))
        worse = [_share_worse(p.by_name["search"], p.by_name[name]) for p in parts]
        rows.append({"what": f"cells worse, {name}", "ours": float(np.mean(worse)), **shared})
        theirs = [np.sum(p.by_name[name].hamming) for p in parts]
        rows.append(_compared(f"Hamming, {name}", [p.hamming for p in parts], theirs, shared))
    rows += _chosen_rows(parts, shared)
    ours = [p.seconds["search"] for p in parts]
    theirs = [p.seconds["programs"] for p in parts]
    sweep = _compared("whole sweep", ours, theirs, shared | {"unit": "s of one core"})
    rows.append(sweep | {"ratio": sweep["reference"] / sweep["ours"]})
    return [report(row) for row in rows]


@dataclass
class _Seed:
    by_name: dict[str, Measured]
    seconds: dict[str, float]
    hamming: float


def _one_seed(table: BenchTable, grid: Grid, seed: int) -> _Seed:
    names = ["search", *(f"search {r:g}" for r in ROBUSTNESS[1:]), *REFERENCES]
    by_name = {name: Measured() for name in names}
    seconds = {"search": 0.0, "programs": 0.0}
    hamming = 0.0
    for train, test in make_folds(table.y, grid.folds, random_state=seed):
        X, y = table.X.iloc[train], table.y[train]
        learner = BoxSearchClassifier(
            n_perturbations=grid.n_perturbations, positive_label=table.positive, random_state=seed
        )
        for name, robustness in zip(names, ROBUSTNESS, strict=False):
            start = time.process_time()
            learner.set_params(robustness=robustness)
            models = list(fit_settings(learner, X, y, grid.cells))
            if name == "search":
                seconds["search"] += time.process_time() - start
            by_name[name].add(models, table, train, test)
        start = time.process_time()
        cells = [cell | {"method": m} for m in REFERENCES.values() for cell in grid.cells]
        programs = TwoLevelRuleClassifier(positive_label=table.positive, random_state=seed)
        models = list(fit_settings(programs, X, y, cells))
        seconds["programs"] += time.process_time() - start
        for k, name in enumerate(REFERENCES):
            n = len(grid.cells)
            by_name[name].add(models[k * n : (k + 1) * n], table, train, test)
        hamming += _hamming(X, y == table.positive, grid, seed)
    return _Seed(by_name, seconds, hamming)


def _hamming(X: Any, described: np.ndarray, grid: Grid, seed: int) -> float:
    """Sum over the cells what the search finds for objective (3.12)."""
    bins = Binarizer().fit(X, described).transform(X).with_labels(described, np.ones(len(X)))
    problem = learning_problem(bins, columns_of(X), form="dnf", constraints=Constraints())
    n_perturbations = HAMMING_PERTURBATIONS if grid.n_perturbations else 0
    plan = SearchPlan(grid.thetas, max(grid.clauses), n_perturbations)
    rng = np.random.default_rng(seed)
    archive = search(problem.table, plan, rng, prices=HAMMING)
    answers = [(archive.answer(c["n_clauses"], c["theta"]), c["theta"]) for c in grid.cells]
    return sum(entry.objective(theta) for entry, theta in answers)


def _compared(
    quantity: str, ours: Sequence[float], theirs: Sequence[float], shared: dict[str, Any]
) -> Row:
    a, b = float(np.mean(ours)), float(np.mean(theirs))
    return {"what": quantity, "ours": a, "reference": b, "ratio": a / b, **shared}


def _share_worse(ours: Measured, theirs: Measured) -> float:
    return float((np.array(ours.objectives) > np.array(theirs.objectives) + 1e-6).mean())


def _chosen_rows(parts: Sequence[_Seed], shared: dict[str, Any]) -> list[Row]:
    """Compare what each learner, and the pool of all robustness levels, would be picked for."""
    searches = [name for name in parts[0].by_name if name.startswith("search")]
    pools = {name: [name] for name in parts[0].by_name} | {"search pool": searches}
    reference = float(np.mean([chosen_error([p.by_name["AM"]]) for p in parts]))
    rows = []
    for name, members in pools.items():
        errors = [chosen_error([p.by_name[m] for m in members]) for p in parts]
        row = {"what": f"chosen error, {name}", "ours": 100 * float(np.mean(errors))}
        rows.append(row | {"reference": 100 * reference, "unit": "%", **shared})
    return rows


def chosen_error(members: Sequence[Measured]) -> float:
    """Return the mean error of each fold's cell, chosen by the others; ties: fewer literals."""
    errors = np.hstack([np.array(m.errors) for m in members])
    sizes = np.hstack([np.array(m.sizes) for m in members])
    chosen_errors = []
    for k in range(len(errors)):
        others = np.arange(len(errors)) != k
        means = errors[others].mean(axis=0).round(12)
        chosen_errors.append(errors[k, np.lexsort((sizes[others].mean(axis=0), means))[0]])
    return float(np.mean(chosen_errors))


if __name__ == "__main__":
    run(measure, __doc__ or "")
