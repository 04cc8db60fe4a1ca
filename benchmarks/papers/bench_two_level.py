"""Speed of the two-level pipeline against `linprog`, and accuracy beside the paper's.

``pipeline speed``: set covering, block coordinate descent and alternating minimisation on one
training fold, one core, for several prices and numbers of clauses; ours against SciPy's `linprog`
on the compact program, without any memory, in the same run; medians of five pairs. Two small tables
are parts of wdbc (195 rows, 22 columns) and pima (345, 6), as large as the paper's parkinsons and
liver. ``least test error``: the protocol of
the paper, mean over seeds, with the paper's figure (one split) as reference.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from benchmarks.papers import protocol
from benchmarks.papers.reference_cover import CompactSolver
from rulekit.binning import Binarizer
from rulekit.binning.binned_table import Bools
from rulekit.data import columns_of, make_folds
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.learners.training import LearningProblem, learning_problem
from rulekit.rules.constraints import Constraints
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.one_level.problem import ClauseSolver, LearnedClause
from rulekit.search.two_level.hamming import alternating, block_coordinate, set_cover

SPEED_THETAS = THETA_GRID[1::3]  # 0.0002, 0.002, ... 20
SPEED_CLAUSES = (1, 2, 3)
PARTS = {"wdbc": (195, 22), "pima": (345, 6)}
RUNS = 5
ACCURACY_CLAUSES = {"pima": (1, 2)}
RESULTS = Path("results")


@dataclass(frozen=True)
class Run:
    """One run of the pipeline."""

    seconds: float
    selections: list[ClauseSelection]
    solver: ClauseSolver


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure speed, then accuracy, on each table; with ``--quick`` only speed."""
    rows = []
    with threadpool_limits(1):
        for table in tables(arguments, [*PARTS, "breast_cancer"]):
            rows += speed(part(table, *PARTS[table.name]) if table.name in PARTS else table)
    for table in [] if arguments.quick else tables(arguments, ["pima", "sonar"]):
        rows += accuracy(table, arguments)
    return rows


def part(table: BenchTable, n: int, p: int) -> BenchTable:
    """Take some rows, with the same share of each class, and the first columns."""
    X, _, y, _ = train_test_split(
        table.X.iloc[:, :p], table.y, train_size=n, stratify=table.y, random_state=0
    )
    return BenchTable(f"{table.name}, {n} x {p}", X.reset_index(drop=True), y, table.positive)


def speed(
    table: BenchTable,
    thetas: tuple[float, ...] = SPEED_THETAS,
    clauses: tuple[int, ...] = SPEED_CLAUSES,
) -> list[Row]:
    """Time the whole pipeline on the first training fold, both ways."""
    problem = fold_problem(table)
    pipeline(problem, ClauseSolver, (max(thetas),), (1,))  # imports and first calls
    runs = [
        (
            pipeline(problem, ClauseSolver, thetas, clauses),
            pipeline(problem, CompactSolver, thetas, clauses),
        )
        for _ in range(RUNS)
    ]
    fast = statistics.median(pair[0].seconds for pair in runs)
    slow = statistics.median(pair[1].seconds for pair in runs)
    ours, plain = runs[0]
    pairs = list(zip(ours.selections, plain.selections, strict=True))
    same = sum(bool((a.chosen == b.chosen).all()) for a, b in pairs)
    setting = {"thetas": list(thetas), "R": list(clauses), "fold": 0, "seed": 0}
    setting |= {"programs_asked": ours.solver.n_calls}
    setting |= {"programs_solved": ours.solver.n_solved}
    setting |= {"linprog_solved": plain.solver.n_solved}
    return [
        report(
            {
                "what": "pipeline speed",
                "table": table.name,
                "setting": setting,
                "ours": fast,
                "reference": slow,
                "ratio": slow / fast,
                "unit": "s of one core",
            }
        ),
        report(
            {
                "what": "equal rules",
                "table": table.name,
                "setting": {"thetas": list(thetas), "R": list(clauses)},
                "ours": same,
                "reference": len(pairs),
                "unit": "rules",
            }
        ),
    ]


def fold_problem(table: BenchTable, seed: int = 0) -> LearningProblem:
    """Binarize the first training fold for a DNF of the positive class."""
    train, _ = make_folds(table.y, 10, random_state=seed)[0]
    X, y = table.X.iloc[train], table.y[train]
    bins = Binarizer().fit(X, y).transform(X).with_labels(y == table.positive, np.ones(len(X)))
    return learning_problem(bins, columns_of(X), form="dnf", constraints=Constraints())


def pipeline(
    problem: LearningProblem,
    kind: Callable[..., ClauseSolver],
    thetas: tuple[float, ...],
    clauses: tuple[int, ...],
) -> Run:
    """Learn with all three methods for every price and number of clauses."""
    start = time.process_time()
    solver = kind(problem.table, problem.solver.perturbation)
    methods = (set_cover, block_coordinate, alternating)
    selections = [
        method(problem.table, learn_by(solver, theta), theta, n_clauses)
        for theta in thetas
        for n_clauses in clauses
        for method in methods
    ]
    return Run(time.process_time() - start, selections, solver)


def learn_by(solver: ClauseSolver, theta: float) -> Callable[[Bools], LearnedClause]:
    """Return what learns a clause from the rows kept."""
    return lambda kept: solver.learn(np.where(kept, solver.table.weight, 0.0), theta)


def accuracy(table: BenchTable, arguments: argparse.Namespace) -> list[Row]:
    """Run the paper's protocol; finished folds are kept and not run again."""
    RESULTS.mkdir(exist_ok=True)
    methods = [m for m in protocol.METHODS if m not in ("TLP", "AM refined")] + ["AM refined"]
    clauses = (2,) if arguments.quick else ACCURACY_CLAUSES.get(table.name, protocol.CLAUSES)
    thetas = protocol.QUICK_THETAS if arguments.quick else THETA_GRID
    seeds = range(arguments.seeds or (1 if arguments.quick else 3))
    least = protocol.over_seeds(
        [
            protocol.least_errors(
                protocol.protocol_sweep(
                    table, methods, clauses, seed, thetas=thetas, n_jobs=arguments.jobs,
                    store=RESULTS / "protocol.sqlite",
                )
            )
            for seed in seeds
        ]
    )  # fmt: skip
    return [row for line in least.to_dict("records") for row in _accuracy_rows(table, line, seeds)]


def _accuracy_rows(table: BenchTable, line: dict[str, Any], seeds: range) -> list[Row]:
    setting = {"method": line["method"], "R": line["R"], "seeds": len(seeds)}
    paper = protocol.published(table.name, line["method"], line["R"])
    error = {"what": "least test error", "table": table.name, "setting": setting}
    error |= {"ours": line["error"], "reference": paper, "unit": "%"}
    size = {"what": "literals there", "table": table.name, "setting": setting}
    return [report(error), report(size | {"ours": line["literals"], "unit": "literals"})]


if __name__ == "__main__":
    run(measure, __doc__ or "")
