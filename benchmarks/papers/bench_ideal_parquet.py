"""The ideal DNF on files larger than memory: time, and memory, of 10**6, 10**7, 10**8 rows.

``python -m benchmarks.papers.bench_ideal_parquet --scratch DIR [--rows N ...]`` writes each file of
twelve numbers, four small whole numbers and a class with a planted rule (about 5 GB for 10**8
rows), learns from it in a process of its own with one thread and 500 MB for the database, and
removes it. ``ours`` is CPU seconds; ``reference`` those that the shortest file would need in
proportion; ``peak`` is the process's largest resident set. ``error`` is the share of wrong rows
beside that of a formula learned from all rows in memory, of files up to 10**6 rows.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import Row
from benchmarks._files import Found, LargeFiles, timed
from rulekit import IdealDNFClassifier
from rulekit.data.tables import open_table

NUMBERS, CODES = 12, 4
IN_MEMORY = 10**6  # rows of the largest file that is also loaded


def columns(rng: np.random.Generator, m: int) -> dict[str, Any]:
    """Make rows with a planted rule, one in five of the other class."""
    numbers = rng.standard_normal((NUMBERS, m), dtype=np.float32)
    codes = rng.integers(0, 6, (CODES, m), dtype=np.int8)
    holds = (numbers[0] > 0.1) & (codes[0] > 2) | (numbers[1] > 0.5) & (numbers[2] < 0)
    y = (holds ^ (rng.random(m, dtype=np.float32) < 0.2)).astype(np.int8)
    values_of = {f"x{j}": values for j, values in enumerate(numbers)}
    return values_of | {f"c{j}": values for j, values in enumerate(codes)} | {"y": y}


def fit(path: Path) -> Found:
    """Learn, and say how long it took and how much memory."""
    figures: Found = {}
    with timed(figures):
        model = IdealDNFClassifier(selection="ranking", random_state=0).fit_table(
            open_table(path), "y"
        )
    return figures | {"rule": str(model), "error": model.training_error_}


def error_in_memory(path: Path, n: int, figures: Found) -> list[Row]:
    """Learn from the rows in memory."""
    if n > IN_MEMORY:
        return []
    frame = pd.read_parquet(path)
    start = time.process_time()
    model = IdealDNFClassifier(selection="ranking", random_state=0).fit(
        frame.drop(columns="y"), frame["y"]
    )
    setting = {"rows": n, "seconds in memory": round(time.process_time() - start, 3)}
    errors = {"ours": figures["error"], "reference": model.training_error_}
    return [{"what": "error", "setting": setting, **errors}]


FILES = LargeFiles(
    module="benchmarks.papers.bench_ideal_parquet",
    table="generated",
    quick_sizes=(20_000, 60_000),
    columns=columns,
    fit=fit,
    peak=1000.0,
    more=error_in_memory,
)
measure = FILES.measure

if __name__ == "__main__":
    FILES.main(__doc__)
