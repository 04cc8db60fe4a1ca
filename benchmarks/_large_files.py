"""Files of many rows: each is written, learned from in a process of its own, and removed."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._cli import Row, told, written

CHUNK = 1_000_000
SIZES = (10**6, 10**7, 10**8)


@dataclass(frozen=True)
class LargeFiles:
    """A benchmark on files of several sizes.

    Parameters
    ----------
    module : str
        The benchmark, to be run again for each file.
    quick : tuple of int
        Sizes of a quick run.
    columns : callable
        Makes some rows: from a generator and their number.
    fit : callable
        Learns from a file, and says what it took as numbers and text; ``"cpu"`` is seconds.
    rows : callable
        Tells one file's figures: from the file, its number of rows, what `fit` said, and the
        seconds that the shortest file would need in proportion (for that file they are its own).
    """

    module: str
    quick: tuple[int, ...]
    columns: Callable[[np.random.Generator, int], Mapping[str, np.ndarray]]
    fit: Callable[[Path], dict[str, Any]]
    rows: Callable[[Path, int, dict[str, Any], float], list[Row]]

    def write(self, path: Path, n: int, seed: int = 0) -> None:
        """Write a file of n rows, a million at a time."""
        rng = np.random.default_rng(seed)
        writer = None
        for start in range(0, n, CHUNK):
            table = pa.table(dict(self.columns(rng, min(CHUNK, n - start))))
            if writer is None:
                writer = pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
        if writer is not None:
            writer.close()

    def measure(self, arguments: argparse.Namespace) -> list[Row]:
        """Measure each size; nothing without a folder to write to."""
        scratch = getattr(arguments, "scratch", None)
        if scratch is None:
            print("left out: needs a folder to write large files to, see --scratch of", self.module)
            return []
        rows: list[Row] = []
        first: float | None = None
        for n in sorted(arguments.rows or (self.quick if arguments.quick else SIZES)):
            path = scratch / f"{self.module.split('.')[-1]}_{n}.parquet"
            try:
                self.write(path, n)
                found = self._in_own_process(path)
                proportional = found["cpu"] if first is None else first * n
                first = first or found["cpu"] / n
                rows += [told(row) for row in self.rows(path, n, found, proportional)]
            finally:
                path.unlink(missing_ok=True)
        return rows

    def _in_own_process(self, path: Path) -> dict[str, Any]:
        """Learn in a fresh process, so that its peak is that of learning."""
        command = [sys.executable, "-m", self.module, "--fit", str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

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
