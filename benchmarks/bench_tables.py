"""Rules learned from tables that are never loaded: what is found, in what time and memory.

``python -m benchmarks.bench_tables --scratch DIR [--rows N ...]`` writes each file of ten numbers
and a class with a planted rule of two clauses and five conditions, of which one row in ten is
given the other class (about 4 GB for 10**8 rows), learns from it by `RuleClassifier.fit_table` in
a process of its own, DuckDB on one core, and removes it. ``fit`` is CPU seconds, beside those the
shortest file would need in proportion; ``peak`` the process's largest resident set; ``cuts`` the
farthest that a planted cut was missed by, 1 where a planted condition was not found or another
was; ``error`` how many points more than the planted rule are wrong, on all rows.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._cli import Row
from benchmarks._files import Found, LargeFiles, timed
from rulekit import RuleClassifier, rule_statistics
from rulekit.rules import Clause, Literal, RuleSet

COLUMNS, NOISE = 10, 0.1
PLANTED = (
    (("x0", ">", 0.3372), ("x1", "<=", 0.7124), ("x4", ">", 0.2068)),
    (("x2", ">", 0.6113), ("x3", ">", 0.4581)),
)


def planted() -> RuleSet:
    """Return the rule that generated the classes."""
    clauses = tuple(Clause(tuple(Literal(*test) for test in clause)) for clause in PLANTED)
    return RuleSet(clauses, (1, 1), "dnf", 0)


def columns(rng: np.random.Generator, m: int) -> dict[str, Any]:
    """Make rows of the planted rule."""
    numbers = rng.random((COLUMNS, m), dtype=np.float32)
    values_of = {f"x{j}": values for j, values in enumerate(numbers)}
    holds = planted().mask({name: values.astype(float) for name, values in values_of.items()})
    y = (holds ^ (rng.random(m, dtype=np.float32) < NOISE)).astype(np.int8)
    return values_of | {"y": y}


def fit(path: Path) -> Found:
    """Learn, and say what was found, how long it took and how much memory."""
    import ibis

    link = ibis.duckdb.connect(threads=1, memory_limit="600MB")
    table = link.read_parquet(str(path))
    start = time.perf_counter()

    def watch(share: float, message: str) -> None:
        print(f"{time.perf_counter() - start:7.1f} s  {message}", file=sys.stderr, flush=True)

    figures: Found = {}
    with timed(figures):
        model = RuleClassifier(max_conditions=8).fit_table(
            table, "y", test_share=0.1, on_progress=watch
        )
    counted = model.table_certificate_
    ours = (counted.training.errors + counted.test.errors) / counted.n_rows
    print(model, counted, counted.steps.to_string(), sep="\n", file=sys.stderr)
    points = 100 * (ours - rule_statistics(planted(), table, "y").error)
    return figures | {"cuts": farthest(model.rule_set_), "points": points}


def cut_distance(_path: Path, _n: int, figures: Found) -> list[Row]:
    """Measure the distance between the rule found and the planted one."""
    return [
        {"what": "cuts", "ours": figures["cuts"], "reference": 0.001},
        {"what": "error", "ours": figures["points"], "reference": 0.1, "unit": "points"},
    ]


def farthest(rule: RuleSet) -> float:
    """Return the largest error of a planted cut; 1 if the conditions differ."""
    cuts = {(c.feature, c.op): c.value for clause in rule.clauses for c in clause.literals}
    wanted = {(feature, op): cut for clause in PLANTED for feature, op, cut in clause}
    if set(cuts) != set(wanted) or rule.n_conditions != len(wanted):
        return 1.0
    return max(abs(cuts[key] - cut) for key, cut in wanted.items())


FILES = LargeFiles(
    module="benchmarks.bench_tables",
    table="planted",
    quick_sizes=(30_000,),
    columns=columns,
    fit=fit,
    peak=1500.0,
    more=cut_distance,
)
measure = FILES.measure

if __name__ == "__main__":
    FILES.main(__doc__)
