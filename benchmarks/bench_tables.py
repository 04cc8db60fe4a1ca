"""Rules learned from tables that are never loaded: what is found, in what time and memory.

``python -m benchmarks.bench_tables --scratch DIR [--rows N ...]`` writes each file of ten numbers
and a class with a planted rule of two clauses and five conditions, of which one row in ten is
given the other class (about 4 GB for 10**8 rows), learns from it by `RuleClassifier.fit_table` in
a process of its own, DuckDB on one core, and removes it. ``fit`` is CPU seconds, beside those the
shortest file would need in proportion; ``peak`` the process's largest resident set; ``cuts`` the
farthest that a planted cut was missed by, 1 where a planted condition was not found or another
was; ``error`` how many points more than the planted rule are wrong, on all rows.
"""

import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._cli import Row
from benchmarks._large_files import LargeFiles
from rulekit import RuleClassifier, rule_statistics
from rulekit.rules import Clause, Literal, RuleSet

QUICK_SIZES = (30_000,)
COLUMNS, NOISE = 10, 0.1
PLANTED = (
    (("x0", ">", 0.3372), ("x1", "<=", 0.7124), ("x4", ">", 0.2068)),
    (("x2", ">", 0.6113), ("x3", ">", 0.4581)),
)


def planted() -> RuleSet:
    """Give the rule that the classes were made by."""
    clauses = tuple(Clause(tuple(Literal(*test) for test in clause)) for clause in PLANTED)
    return RuleSet(clauses, (1, 1), "dnf", 0)


def told_rows(path: Path, n: int, found: dict[str, Any], proportional: float) -> list[Row]:
    """Tell one file's figures."""
    shared = {"table": "planted", "setting": {"rows": n, "MB": path.stat().st_size // 10**6}}
    cpu = found["cpu"]
    return [
        {"what": "fit", "ours": cpu, "reference": proportional, "ratio": cpu / proportional,
         "unit": "s of one core", **shared},
        {"what": "wall", "ours": found["wall"], "unit": "s", **shared},
        {"what": "peak", "ours": found["peak"], "reference": 1500.0, "unit": "MB", **shared},
        {"what": "cuts", "ours": found["cuts"], "reference": 0.001, **shared},
        {"what": "error", "ours": found["points"], "reference": 0.1, "unit": "points", **shared},
    ]  # fmt: skip


def columns(rng: np.random.Generator, m: int) -> dict[str, np.ndarray]:
    """Make m rows."""
    numbers = rng.random((COLUMNS, m), dtype=np.float32)
    found = {f"x{j}": values for j, values in enumerate(numbers)}
    holds = planted().mask({name: values.astype(float) for name, values in found.items()})
    return {**found, "y": (holds ^ (rng.random(m, dtype=np.float32) < NOISE)).astype(np.int8)}


def fit(path: Path) -> dict[str, Any]:
    """Learn, and say what was found, how long it took and how much memory."""
    import ibis

    link = ibis.duckdb.connect(threads=1, memory_limit="600MB")
    table = link.read_parquet(str(path))
    cpu, wall = time.process_time(), time.perf_counter()

    def watch(share: float, what: str) -> None:
        print(f"{time.perf_counter() - wall:7.1f} s  {what}", file=sys.stderr, flush=True)

    model = RuleClassifier(max_conditions=8).fit_table(
        table, "y", test_share=0.1, on_progress=watch
    )
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # kilobytes
    counted = model.table_certificate_
    ours = (counted.training.errors + counted.test.errors) / counted.n_rows
    print(model, counted, counted.steps.to_string(), sep="\n", file=sys.stderr)
    return {
        "cpu": cpu,
        "wall": wall,
        "peak": peak,
        "cuts": farthest(model.rule_set_),
        "points": 100 * (ours - rule_statistics(planted(), table, "y").error),
    }


def farthest(rule: RuleSet) -> float:
    """Say by how much a planted cut was missed at most; 1 where conditions differ."""
    found = {(c.feature, c.op): c.value for clause in rule.clauses for c in clause.literals}
    wanted = {(feature, op): cut for clause in PLANTED for feature, op, cut in clause}
    if set(found) != set(wanted) or rule.n_conditions != len(wanted):
        return 1.0
    return max(abs(found[key] - cut) for key, cut in wanted.items())


FILES = LargeFiles("benchmarks.bench_tables", QUICK_SIZES, columns, fit, told_rows)
measure = FILES.measure

if __name__ == "__main__":
    FILES.main(__doc__)
