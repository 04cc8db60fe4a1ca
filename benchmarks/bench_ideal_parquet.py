"""The ideal DNF on files larger than memory: time, and memory, of 10**6, 10**7, 10**8 rows.

``python -m benchmarks.bench_ideal_parquet --scratch DIR [--rows N ...]`` writes each file of
twelve numbers, four small whole numbers and a class with a planted rule (about 5 GB for 10**8
rows), learns from it in a process of its own with one thread and 500 MB for the database, and
removes it. ``ours`` is CPU seconds; ``reference`` those that the shortest file would need in
proportion; ``peak`` is the process's largest resident set. ``same`` compares with the rows learned
in memory, for the shortest.
"""

import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import Row
from benchmarks._large_files import LargeFiles
from rulekit import IdealDNFClassifier
from rulekit.data.tables import open_table

QUICK_SIZES = (20_000, 60_000)
NUMBERS, CODES = 12, 4


def told_rows(path: Path, n: int, found: dict[str, Any], proportional: float) -> list[Row]:
    """Tell one file's figures."""
    shared = {"table": "generated", "setting": {"rows": n, "MB": path.stat().st_size // 10**6}}
    cpu, peak = found["cpu"], found["peak"]
    shortest = cpu == proportional
    return [
        {
            "what": "fit", "ours": cpu, "reference": proportional, "ratio": cpu / proportional,
            "unit": "s of one core", **shared,
        },
        {"what": "wall", "ours": found["wall"], "unit": "s", **shared},
        {"what": "peak", "ours": peak, "reference": 1000.0, "unit": "MB", **shared},
        *([same_in_memory(path, n, found["rule"])] if shortest else []),
    ]  # fmt: skip


def columns(rng: np.random.Generator, m: int) -> dict[str, np.ndarray]:
    """Make m rows."""
    numbers = rng.standard_normal((NUMBERS, m), dtype=np.float32)
    codes = rng.integers(0, 6, (CODES, m), dtype=np.int8)
    holds = (numbers[0] > 0.1) & (codes[0] > 2) | (numbers[1] > 0.5) & (numbers[2] < 0)
    y = (holds ^ (rng.random(m, dtype=np.float32) < 0.2)).astype(np.int8)
    found = {f"x{j}": values for j, values in enumerate(numbers)}
    return {**found, **{f"c{j}": values for j, values in enumerate(codes)}, "y": y}


def fit(path: Path) -> dict[str, Any]:
    """Learn, and say how long it took and how much memory."""
    cpu, wall = time.process_time(), time.perf_counter()
    rows = open_table(path, row_number="row")
    model = IdealDNFClassifier(random_state=0).fit_table(rows, "y", key="row")
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # kilobytes
    return {"cpu": cpu, "wall": wall, "peak": peak, "rule": str(model)}


def same_in_memory(path: Path, n: int, rule: str) -> Row:
    """Learn from the rows in memory; 1 where the rule is the same."""
    frame = pd.read_parquet(path)
    start = time.process_time()
    model = IdealDNFClassifier(random_state=0).fit(frame.drop(columns="y"), frame["y"])
    setting = {"rows": n, "seconds in memory": round(time.process_time() - start, 3)}
    same = float(str(model) == rule)
    return {"what": "same", "table": "generated", "setting": setting, "ours": same, "reference": 1}


FILES = LargeFiles("benchmarks.bench_ideal_parquet", QUICK_SIZES, columns, fit, told_rows)
measure = FILES.measure

if __name__ == "__main__":
    FILES.main(__doc__)
