"""The time the app's sweeps take, and how soon their first point is there.

``default sweep``: the box search, which the app opens with, and alternating minimisation; the
paper's 18 prices, 1 to 5 clauses, 10 folds, in threads as in the app (one for the search, which
holds the interpreter's lock; two for the other unless ``--jobs`` says more); wall-clock seconds
until the front is complete, and until ``first point``. ``sweep speed``: alternating minimisation
with a third of the prices on the first fold, on one core, against SciPy's `linprog` on the compact
program without any memory, in the same run.
"""

import argparse
import time

import joblib
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from benchmarks.papers import protocol
from benchmarks.papers.bench_two_level import Run, fold_problem, learn_by
from benchmarks.papers.reference_cover import CompactSolver
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.learners.training import LearningProblem
from rulekit.search.one_level.problem import ClauseSolver
from rulekit.search.two_level.hamming import alternating


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table."""
    rows = []
    thetas = protocol.QUICK_THETAS if arguments.quick else THETA_GRID
    for table in tables(arguments, ["breast_cancer", "wdbc"]):
        rows += whole(table, "search", thetas, 1)
        rows += whole(table, "AM", thetas, max(arguments.jobs, 2))
        with threadpool_limits(1):
            rows.append(one_fold(table, thetas[1::3]))
    return rows


def whole(table: BenchTable, method: str, thetas: tuple[float, ...], n_jobs: int) -> list[Row]:
    """Time the sweep as a person at the screen sees it, in threads as the app runs it."""
    start, landed = time.perf_counter(), []
    with joblib.parallel_config("threading", n_jobs=n_jobs):
        protocol.protocol_sweep(
            table, [method], protocol.CLAUSES, 0, thetas=thetas, n_jobs=None,
            on_progress=lambda progress: landed.append(time.perf_counter() - start),
        )  # fmt: skip
    setting = {
        "method": method,
        "prices": len(thetas),
        "R": list(protocol.CLAUSES),
        "folds": 10,
        "workers": n_jobs,
    }
    shared = {"table": table.name, "setting": setting, "unit": "s"}
    return [
        report({"what": "first point", "ours": landed[0], **shared}),
        report({"what": "default sweep", "ours": landed[-1], **shared}),
    ]


def one_fold(table: BenchTable, thetas: tuple[float, ...]) -> Row:
    """Time the programs and roundings of one fold both ways."""
    problem = fold_problem(table)
    ours = _learned(problem, problem.solver, thetas)
    plain = CompactSolver(problem.table, problem.solver.perturbation)
    reference = _learned(problem, plain, thetas)
    pairs = list(zip(ours.selections, reference.selections, strict=True))
    same = sum(bool((a.chosen == b.chosen).all()) for a, b in pairs)
    return report(
        {
            "what": "sweep speed",
            "table": table.name,
            "setting": {
                "prices": len(thetas),
                "R": list(protocol.CLAUSES),
                "fold": 0,
                "equal_rules": f"{same} of {len(pairs)}",
            },
            "ours": ours.seconds,
            "reference": reference.seconds,
            "ratio": reference.seconds / ours.seconds,
            "unit": "s of one core",
        }
    )


def _learned(problem: LearningProblem, solver: ClauseSolver, thetas: tuple[float, ...]) -> Run:
    start = time.process_time()
    results = [
        alternating(problem.table, learn_by(solver, theta), theta, n_clauses)
        for theta in thetas
        for n_clauses in protocol.CLAUSES
    ]
    return Run(time.process_time() - start, results, solver)


if __name__ == "__main__":
    run(measure, __doc__ or "")
