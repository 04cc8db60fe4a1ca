"""A part of a Parquet file that is too large to be read whole."""

import dataclasses
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rulekit.data.options import Limits
from rulekit.data.reading.loading import read_table
from rulekit.data.schema import Table
from rulekit.exceptions import DataError

PARTS = 32  # row groups that are looked into, spread evenly over the file
BATCH = 65_536


def count_rows(path: str | Path) -> int:
    """Read from a Parquet file's footer how many rows it has.

    Raises
    ------
    DataError
        If it is no Parquet file.
    """
    return int(_opened(path).metadata.num_rows)


def sample_parquet(
    path: str | Path, n_rows: int, *, name: str | None = None, limits: Limits | None = None
) -> Table:
    """Read some rows of a Parquet file of any size.

    Parameters
    ----------
    path : str or Path
        The file.
    n_rows : int
        About how many rows; all, where the file has no more. Fewer where the limits ask for it.
    name : str, default=None
        What to call the table; None takes the file's name.
    limits : Limits, default=Limits()
        For the rows that are read.

    Returns
    -------
    Table
        The same rows each time, in the file's order: drawn at random from up to 32 row groups that
        are spread evenly over the file. A note says so.

    Raises
    ------
    DataError
        If it is no Parquet file, or the rows cannot be read.
    """
    if n_rows < 1:
        raise ValueError(f"`n_rows` must be at least 1, got {n_rows!r}.")
    limits = limits or Limits()
    file = _opened(path)
    total, n_columns = file.metadata.num_rows, max(file.metadata.num_columns, 1)
    wanted = min(n_rows, limits.max_rows, max(1, limits.max_cells // n_columns))
    buffer = io.BytesIO()
    try:
        rows = pa.Table.from_batches(_drawn(file, wanted), file.schema_arrow)
        pq.write_table(rows, buffer, compression="none")
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"The file {Path(path).name!r} is damaged; write it anew.") from error
    # drawn row by row, so a few more than wanted may have come
    size = {"max_bytes": buffer.tell(), "max_rows": rows.num_rows, "max_cells": rows.num_rows}
    size["max_cells"] *= n_columns
    room = dataclasses.replace(
        limits, **{field: max(getattr(limits, field), n, 1) for field, n in size.items()}
    )
    table = read_table(buffer.getvalue(), name=name or Path(path).name, limits=room)
    if rows.num_rows == total:
        return table
    note = f"These are {rows.num_rows:,} of the file's {total:,} rows, drawn at random."
    return dataclasses.replace(table, notes=(note, *table.notes))


def _opened(path: str | Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{Path(path).name!r} is no Parquet file that can be read; give another one."
        ) from error


def _drawn(file: pq.ParquetFile, wanted: int) -> list[pa.RecordBatch]:
    """Draw rows from row groups, a batch in memory at a time."""
    total = file.metadata.num_rows
    rng = np.random.default_rng(0)
    n_groups = file.num_row_groups
    groups = np.unique(np.linspace(0, n_groups - 1, min(PARTS, n_groups)).astype(int)).tolist()
    if total <= wanted:
        groups = list(range(n_groups))
    inside = sum(file.metadata.row_group(g).num_rows for g in groups)
    share = min(1.0, wanted / max(inside, 1))
    found = []
    for batch in file.iter_batches(BATCH, row_groups=groups):
        kept = np.flatnonzero(rng.random(batch.num_rows) < share)
        found.append(batch if share == 1.0 else batch.take(pa.array(kept)))
    return found
