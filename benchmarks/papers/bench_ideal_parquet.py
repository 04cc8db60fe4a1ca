"""The ideal DNF on files larger than memory: time, and memory, of 10**6, 10**7, 10**8 rows.

``python -m benchmarks.papers.bench_ideal_parquet --scratch DIR [--rows N ...]`` writes each file of
twelve numbers, four small whole numbers and a class with a planted rule (about 5 GB for 10**8
rows), learns from it in a process of its own with one thread and 500 MB for the database, and
removes it. ``ours`` is CPU seconds; ``reference`` those that the shortest file would need in
proportion; ``peak`` is the process's largest resident set. ``same`` compares with the rows learned
in memory, for the shortest.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._cli import Row, told, written
from rulekit import IdealDNFClassifier
from rulekit.data.tables import open_table

SIZES = (10**6, 10**7, 10**8)
QUICK_SIZES = (20_000, 60_000)
CHUNK = 1_000_000
NUMBERS, CODES = 12, 4
MODULE = "benchmarks.papers.bench_ideal_parquet"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each size; nothing without a folder to write to."""
    scratch = getattr(arguments, "scratch", None)
    if scratch is None:
        print("left out: needs a folder to write large files to, see --scratch of", MODULE)
        return []
    sizes = arguments.rows or (QUICK_SIZES if arguments.quick else SIZES)
    rows: list[Row] = []
    first: float | None = None
    for n in sorted(sizes):
        path = scratch / f"ideal_{n}.parquet"
        try:
            write(path, n)
            found = in_own_process(path)
            first = first or found["cpu"] / n
            rows += [told(row) for row in told_rows(n, found, first * n, path)]
            if n == min(sizes):
                rows.append(told(same_in_memory(path, n, found["rule"])))
        finally:
            path.unlink(missing_ok=True)
    return rows


def told_rows(n: int, found: dict[str, Any], proportional: float, path: Path) -> list[Row]:
    """Tell one file's figures."""
    shared = {"table": "generated", "setting": {"rows": n, "MB": path.stat().st_size // 10**6}}
    cpu, peak = found["cpu"], found["peak"]
    return [
        {
            "what": "fit", "ours": cpu, "reference": proportional, "ratio": cpu / proportional,
            "unit": "s of one core", **shared,
        },
        {"what": "wall", "ours": found["wall"], "unit": "s", **shared},
        {"what": "peak", "ours": peak, "reference": 1000.0, "unit": "MB", **shared},
    ]  # fmt: skip


def write(path: Path, n: int, seed: int = 0) -> None:
    """Write a file of n rows, a million at a time."""
    rng = np.random.default_rng(seed)
    writer = None
    for start in range(0, n, CHUNK):
        m = min(CHUNK, n - start)
        numbers = rng.standard_normal((NUMBERS, m), dtype=np.float32)
        codes = rng.integers(0, 6, (CODES, m), dtype=np.int8)
        holds = (numbers[0] > 0.1) & (codes[0] > 2) | (numbers[1] > 0.5) & (numbers[2] < 0)
        y = (holds ^ (rng.random(m, dtype=np.float32) < 0.2)).astype(np.int8)
        names = [f"x{j}" for j in range(NUMBERS)] + [f"c{j}" for j in range(CODES)] + ["y"]
        table = pa.table([*map(pa.array, numbers), *map(pa.array, codes), pa.array(y)], names)
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()


def in_own_process(path: Path) -> dict[str, Any]:
    """Learn in a fresh process, so that its peak is that of learning."""
    command = [sys.executable, "-m", MODULE, "--fit", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


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


def main() -> None:
    """Read the arguments and measure, or learn from one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="folder for large files")
    parser.add_argument("--rows", type=int, nargs="+", metavar="N", help="sizes to measure")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the rows")
    parser.add_argument("--quick", action="store_true", help="small files only")
    parser.add_argument("--fit", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit is not None:
        print(json.dumps(fit(arguments.fit)))
        return
    if arguments.scratch is None or not arguments.scratch.is_dir():
        parser.error("--scratch must be a folder that large files can be written to.")
    written(measure(arguments), arguments)


if __name__ == "__main__":
    main()
