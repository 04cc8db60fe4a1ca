"""What benchmarks on large files share: each file is written, learned from, and removed."""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._cli import Row, report, written

SIZES = (10**6, 10**7, 10**8)
CHUNK = 1_000_000
Found = dict[str, Any]


@dataclass(frozen=True)
class LargeFiles:
    """Files of one kind and what is learned from them."""

    module: str  # the benchmark, run in a process of its own
    table: str
    quick_sizes: Sequence[int]
    columns: Callable[[np.random.Generator, int], dict[str, Any]]
    fit: Callable[[Path], Found]
    peak: float  # memory aimed at, in MB
    more: Callable[[Path, int, Found], list[Row]]

    def measure(self, arguments: argparse.Namespace) -> list[Row]:
        """Measure each size; nothing without a folder to write to."""
        scratch = getattr(arguments, "scratch", None)
        if scratch is None:
            print("left out: needs a folder to write large files to, see --scratch of", self.module)
            return []
        rows: list[Row] = []
        first: float | None = None
        for n in sorted(arguments.rows or (self.quick_sizes if arguments.quick else SIZES)):
            path = scratch / f"{self.table}_{n}.parquet"
            try:
                self.write(path, n)
                figures = self._in_fresh_process(path)
                first = first or figures["cpu"] / n
                rows += [report(row) for row in self._rows(path, n, figures, first * n)]
            finally:
                path.unlink(missing_ok=True)
        return rows

    def write(self, path: Path, n: int, seed: int = 0) -> None:
        """Write a file of n rows, a million at a time."""
        rng = np.random.default_rng(seed)
        writer = None
        for start in range(0, n, CHUNK):
            table = pa.table(self.columns(rng, min(CHUNK, n - start)))
            if writer is None:
                writer = pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
        if writer is not None:
            writer.close()

    def main(self, description: str | None) -> None:
        """Read the arguments and measure, or learn from one file."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--scratch", type=Path, metavar="DIR", help="folder for large files")
        parser.add_argument("--rows", type=int, nargs="+", metavar="N", help="sizes to measure")
        parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the rows")
        parser.add_argument("--quick", action="store_true", help="small files only")
        parser.add_argument("--fit", type=Path, metavar="FILE", help=argparse.SUPPRESS)
        arguments = parser.parse_args()
        if arguments.fit is not None:
            print(json.dumps(self.fit(arguments.fit)))
            return
        if arguments.scratch is None or not arguments.scratch.is_dir():
            parser.error("--scratch must be a folder that large files can be written to.")
        written(self.measure(arguments), arguments)

    def _in_fresh_process(self, path: Path) -> Found:
        """Learn in a fresh process, so that its peak is that of learning."""
        command = [sys.executable, "-m", self.module, "--fit", str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        figures: Found = json.loads(done.stdout)
        return figures

    def _rows(self, path: Path, n: int, figures: Found, proportional: float) -> list[Row]:
        megabytes = path.stat().st_size // 10**6
        shared = {"table": self.table, "setting": {"rows": n, "MB": megabytes}}
        cpu = figures["cpu"]
        return [
            {"what": "fit", "ours": cpu, "reference": proportional, "ratio": cpu / proportional,
             "unit": "s of one core", **shared},
            {"what": "wall", "ours": figures["wall"], "unit": "s", **shared},
            {"what": "peak", "ours": figures["peak"], "reference": self.peak, "unit": "MB",
             **shared},
            *({**shared, **row} for row in self.more(path, n, figures)),
        ]  # fmt: skip


@contextmanager
def timed(figures: Found) -> Iterator[None]:
    """Record the CPU and wall seconds of a block, and this process's peak memory in MB."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    figures["cpu"], figures["wall"] = time.process_time() - cpu, time.perf_counter() - wall
    figures["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # kilobytes
