"""Screening and column generation, with Tables 1, 2 and 3 of the paper beside ours.

``columns``, ``screened simple``, ``screened duality``, ``screened total``: counts, ours and the
paper's (reference). ``screened by reduced costs``: share of the columns that the optimum of the
linear program removes. ``full LP``, ``screening``, ``reduced LP``, ``column generation``, ``proved
optimum``: CPU seconds of one core; the paper's seconds, of a machine of its own, stand under
``reference`` where it prints them. ``full LP over screened LP``, ``full LP over column generation``
and ``screened LP over column generation`` are ratios of our own seconds in one run; beside the
first stands the paper's ratio. The linear programs are solved by SciPy's HiGHS on the sparse
matrix, the full one only up to `MAX_FULL` truth values. ``peak memory`` is that of a fresh process
that reads the table and proves the optimum. Every removal is checked (``certificates refused``: 0),
and so is that the optimum over the columns kept is the proved one.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, described, report, run, samples, tables
from benchmarks.papers.printed_screening import (
    PRINTED,
    PRINTED_SECONDS,
    THRESHOLDS,
    covered_rows,
    paper_columns,
    paper_problem,
)
from rulekit.search.columns.priced_columns import PricedColumns
from rulekit.search.screening.proved_cover import ProvedClause, best_columns, relax
from rulekit.search.screening.screen import BASIC, ENHANCED, Screening, list_unproved, screen

VARIANTS = {"basic": BASIC, "enhanced": ENHANCED}
PARTS = ("screened simple", "screened duality", "screened total")
MAX_FULL = 20_000_000  # truth values of the full program: gas at 20 thresholds
MAX_CHECKED = 30_000_000  # truth values read by the plain checker


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each table at each number of thresholds."""
    rows = []
    with threadpool_limits(1):
        relax(paper_problem(_warm_up(), None, 3))  # HiGHS is loaded before anything is timed
        for table in tables(arguments, ["banknote", "ionosphere", "gas_drift", "breast_cancer"]):
            for n_thresholds in THRESHOLDS[:2] if arguments.quick else THRESHOLDS:
                rows += compare(table, arguments.data, n_thresholds, quick=arguments.quick)
    return rows


def compare(
    table: BenchTable, folder: Path | None, n_thresholds: int, *, quick: bool = False
) -> list[Row]:
    """Measure one table at one number of thresholds."""
    setting: dict[str, Any] = {"thresholds": n_thresholds}
    shared = {"table": table.name}
    printed = PRINTED.get(table.name, {}).get(n_thresholds)
    problem = paper_problem(table, folder, n_thresholds)
    screened = {name: _timed(partial(screen, problem, v)) for name, v in VARIANTS.items()}
    rows = [
        {"what": "columns", "setting": setting, "ours": problem.P.shape[1]}
        | _beside(problem.P.shape[1], printed and printed[0])
    ]
    for k, (variant, (screening, _)) in enumerate(screened.items()):
        for quantity, count, part in zip(PARTS, _counts(screening), range(3), strict=True):
            row = {"what": quantity, "setting": setting | {"variant": variant}, "ours": count}
            rows.append(row | _beside(count, printed and printed[1 + k][part]))
    rows += _speed(table, problem, screened, setting, full=not quick)
    rows += _proof(table, folder, problem, screened, setting)
    return [report({**shared, **row}) for row in rows]


def _counts(screening: Screening) -> tuple[int, int, int]:
    simple, pairs, duality = (outcome.removed for outcome in screening.outcomes)
    return int((simple | pairs).sum()), int(duality.sum()), int(screening.removed.sum())


def _beside(ours: float, reference: float | None) -> Row:
    if reference is None:
        return {"unit": "columns"}
    return {"reference": reference, "ratio": ours / reference, "unit": "columns"}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    answer = work()
    return answer, time.process_time() - start


def _speed(
    table: BenchTable,
    problem: PricedColumns,
    screened: dict[str, tuple[Screening, float]],
    setting: dict[str, Any],
    *,
    full: bool,
) -> list[Row]:
    """Time the full program, the screened ones and column generation."""
    rows: list[Row] = []
    seconds = PRINTED_SECONDS.get(setting["thresholds"]) if table.name == "gas_drift" else None
    generated, by_generation = _timed(partial(relax, problem))
    g, d = problem.P.shape
    whole = None
    if full and g * d <= MAX_FULL:
        value, whole = _timed(partial(linear_program, problem))
        _same(value, generated.lower, f"{table.name}: full LP and column generation")
        rows.append(_seconds("full LP", whole, setting, seconds and seconds[0]))
    rows.append(_seconds("column generation", by_generation, setting))
    if whole is not None:
        rows.append(_ratio("full LP over column generation", whole, by_generation, setting))
    for k, (variant, (screening, spent)) in enumerate(screened.items()):
        one = setting | {"variant": variant}
        printed = seconds and seconds[1 + k]
        small = screening.problem.take_columns(screening.kept)
        rows.append(_seconds("screening", spent, one, printed and printed[0]))
        if not full or small.P.shape[1] * g > MAX_FULL:
            continue
        _, reduced = _timed(partial(linear_program, small))
        rows.append(_seconds("reduced LP", reduced, one, printed and printed[1]))
        total = spent + reduced
        rows.append(_ratio("screened LP over column generation", total, by_generation, one))
        if whole is not None:
            row = _ratio("full LP over screened LP", whole, total, one)
            rows.append(row | ({"reference": seconds[0] / printed[2]} if printed else {}))
    return rows


def linear_program(problem: PricedColumns) -> float:
    """Solve the relaxation as it is printed (4), on the sparse matrix; return its value."""
    A = sparse.csc_array(problem.P.values.astype(np.float64))
    g = len(problem.m)
    answer = linprog(
        np.concatenate([problem.price, problem.m]),
        A_ub=-sparse.hstack([A, sparse.eye_array(g)], format="csc"),
        b_ub=-np.ones(g),
        bounds=(0, None),
        method="highs",
    )
    if answer.status != 0:
        raise RuntimeError(f"linprog ended with {answer.message}")
    return float(answer.fun)


def _proof(
    table: BenchTable,
    folder: Path | None,
    problem: PricedColumns,
    screened: dict[str, tuple[Screening, float]],
    setting: dict[str, Any],
) -> list[Row]:
    """Prove the optimum, with all columns and with those kept; check every certificate."""
    proved, spent = _timed(partial(best_columns, problem))
    share = float(proved.screening.outcomes[-1].removed.mean())
    rows: list[Row] = [
        {"what": "screened by reduced costs", "setting": setting, "ours": share, "unit": "share"},
        _seconds("proved optimum", spent, setting),
        {"what": "optimum and its bound", "setting": setting, "ours": proved.cost}
        | {"reference": proved.bound, "unit": "rows"},
    ]
    for variant, (screening, _) in screened.items():
        small: ProvedClause = best_columns(screening.problem.take_columns(screening.kept))
        _same(small.cost, proved.cost, f"{table.name}: optimum with and without {variant} tests")
    n, d = len(table.X), problem.P.shape[1]
    if n * d <= MAX_CHECKED:
        columns = paper_columns(table.X, setting["thresholds"])
        y = covered_rows(table, folder)
        all_of = [screening for screening, _ in screened.values()] + [proved.screening]
        refused = [
            list_unproved(s, lambda j: columns.values_of(np.array([j]))[:, 0], y, problem.theta)
            for s in all_of
        ]
        checked = {"checked": int(sum(s.removed.sum() for s in all_of))}
        rows.append(
            {"what": "certificates refused", "setting": setting | checked}
            | {"ours": sum(map(len, refused)), "unit": "certificates"}
        )
    if setting["thresholds"] < max(THRESHOLDS):
        return rows
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        peak = pool.submit(_peak_memory, table.name, folder, setting["thresholds"]).result()
    rows.append({"what": "peak memory", "setting": setting, "ours": peak, "unit": "GB"})
    return rows


def _peak_memory(name: str, folder: Path | None, n_thresholds: int) -> float:
    """Read a table and prove its optimum; return the most memory that this process ever held."""
    table = (described(folder) if folder else samples())[name]()
    best_columns(paper_problem(table, folder, n_thresholds))
    status = Path("/proc/self/status")
    if status.is_file():  # the other way counts what the parent held when it started this process
        line = next(v for v in status.read_text().splitlines() if v.startswith("VmHWM"))
        return int(line.split()[1]) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _same(a: float, b: float, quantity: str) -> None:
    if abs(a - b) > 1e-6 * max(1.0, abs(b)):
        raise RuntimeError(f"{quantity} differ: {a!r} and {b!r}")


def _seconds(
    quantity: str, ours: float, setting: dict[str, Any], reference: float | None = None
) -> Row:
    row: Row = {"what": quantity, "setting": setting, "ours": ours, "unit": "s of one core"}
    return row if reference is None else row | {"reference": reference}


def _ratio(quantity: str, slower: float, faster: float, setting: dict[str, Any]) -> Row:
    ratio = slower / max(faster, 1e-9)
    return {"what": quantity, "setting": setting, "ours": ratio, "ratio": ratio, "unit": "times"}


def _warm_up() -> BenchTable:
    return samples()["iris"]()


if __name__ == "__main__":
    run(measure, __doc__ or "")
