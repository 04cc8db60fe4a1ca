"""A Parquet file as the ideal DNF sees it: its columns, its classes, and no row of it.

Columns are named by their place (c0, c1, ...), so no name from the file is ever part of a query.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rulekit.exceptions import DataError
from rulekit.learners.ideal.database import Database, ParquetSettings, file_name, text
from rulekit.learners.ideal.parquet_counts import Column, ParquetCounts, held_out_sql
from rulekit.learners.ideal.parquet_medians import Split

__all__ = ["ParquetFile", "ParquetSettings"]

MAX_ROWS = 2**32  # row numbers are hashed as 32-bit words
FLOATS = ("FLOAT", "DOUBLE")
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


class ParquetFile:
    """A Parquet file, looked at once.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str
        The column of the class.
    features : sequence of str or None
        The columns to learn from; None for all others.
    settings : ParquetSettings
        Limits and watchers.

    Attributes
    ----------
    features : tuple of str
        The columns, in the order given, or else of the file.
    kinds : dict of str to str
        As in `TrainingTable.kinds`.
    classes : ndarray of shape (2,)
        The classes, sorted.
    class_sizes : pair of int
        Rows of each.
    n_rows : int
        Rows of the file.

    Raises
    ------
    DataError
        If the file, a column or the classes cannot be used.
    """

    def __init__(
        self,
        path: str | Path,
        target: str,
        features: Sequence[str] | None,
        settings: ParquetSettings,
    ) -> None:
        self.path = str(path)
        names, self.n_rows = _footer(self.path)
        wanted = [n for n in names if n != target] if features is None else list(features)
        absent = [n for n in (target, *wanted) if n not in names]
        if absent:
            raise DataError(f"The file has no column {absent[0]!r}; it has {_some(names)}.")
        if target in wanted:
            raise DataError(f"The class {target!r} cannot be learned from itself; leave it out.")
        if not wanted:
            raise DataError("The file has no column but the class; give a column to learn from.")
        self.features = tuple(wanted)
        self._database = Database(settings)
        try:
            self._describe(names, target)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    def _describe(self, names: Sequence[str], target: str) -> None:
        """Read the types of the columns, and the classes."""
        source = file_name(self.path)
        described = self._database.rows(
            f"DESCRIBE SELECT * FROM read_parquet({source})", "Reading the file's head", (0, 0)
        )
        types = [row[1] for row in described]
        places = {name: place for place, name in enumerate(names)}
        columns = ", ".join(f"c{place}" for place in range(len(names)))
        self.rows_sql = f"read_parquet({source}, file_row_number = true) AS t({columns}, rn)"
        self.columns = tuple(_column(n, places[n], types[places[n]]) for n in self.features)
        self.kinds = {column.name: column.kind for column in self.columns}
        self.target = _column(target, places[target], types[places[target]])
        self._read_classes(whole=types[places[target]] not in FLOATS)

    def _read_classes(self, *, whole: bool) -> None:
        """Count the classes; `whole` says that numbers are stored as whole ones."""
        value = self.target.value
        found = self._database.rows(
            f"SELECT {value} AS class, count(*) FROM {self.rows_sql} GROUP BY ALL LIMIT 20",
            "Counting the classes",
            (0.0, 0.05),
        )
        gaps = [n for label, n in found if label is None]
        if gaps:
            raise DataError(
                f"The class {self.target.name!r} must be there in every row; it is missing in "
                f"{gaps[0]:,} of {self.n_rows:,} rows. Drop these rows."
            )
        if len(found) != 2:
            shown = ", ".join(repr(label) for label, _ in sorted(found, key=str)[:5])
            more = "20 classes or more" if len(found) == 20 else f"{len(found)} classes"
            raise DataError(
                f"The class {self.target.name!r} must take two values; it takes {more} ({shown}). "
                "Write a column that says one class against the rest."
            )
        (first, n_first), (second, n_second) = sorted(found, key=lambda pair: pair[0])
        if self.target.kind == "number" and not (first.is_integer() and second.is_integer()):
            raise DataError(
                f"The class {self.target.name!r} must hold whole numbers, text or truth values; it "
                f"holds {first!r} and {second!r}. Write the classes as text."
            )
        self.classes = np.array([first, second], dtype=_class_type(self.target.kind, whole))
        self.class_sizes = (int(n_first), int(n_second))

    def counts(
        self, positive: int, fraction: float, seed: int, forbidden: Sequence[str] = ()
    ) -> "ParquetCounts":
        """Make the source of counts.

        Parameters
        ----------
        positive : int
            Number of the class that the rule describes.
        fraction, seed : float, int
            See `rulekit.solvers.truth_tables.row_split.held_out`.
        forbidden : sequence of str
            Columns that are not asked.

        Returns
        -------
        ParquetCounts
        """
        label = self.classes[positive]
        same = text(label) if self.target.kind == "text" else str(label)
        split = Split(
            self.rows_sql,
            f"({self.target.value} = {same})",
            held_out_sql("rn", fraction, seed),
            self.n_rows,
        )
        asked = [column for column in self.columns if column.name not in forbidden]
        return ParquetCounts(self._database, asked, split)


def _footer(path: str) -> tuple[list[str], int]:
    """Read the names of a file's columns, and count its rows."""
    if not Path(path).is_file():
        raise DataError(f"There is no file {path!r}; give the path of a Parquet file.")
    try:
        footer = pq.ParquetFile(path)
        names, n_rows = list(footer.schema_arrow.names), footer.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{Path(path).name!r} is no Parquet file, or damaged.") from error
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise DataError(f"Column names must differ; {twice[:60]!r} occurs twice. Rename one.")
    if "file_row_number" in names:
        raise DataError("No column may be called 'file_row_number'; rename it.")
    if not 0 < n_rows <= MAX_ROWS:
        raise DataError(
            f"The file must hold from 1 to {MAX_ROWS:,} rows; it holds {n_rows:,}. Split it."
        )
    return names, n_rows


def _class_type(kind: str, whole: bool) -> Any:
    """Choose the type of the classes that the rows in memory would have."""
    if kind == "number":
        return np.int64 if whole else np.float64
    return bool if kind == "boolean" else object


def _column(name: str, place: int, kind: str) -> Column:
    """Say how a column is read, by its type."""
    raw = f"c{place}"
    if kind == "BOOLEAN":
        return Column(name, "boolean", raw)
    if kind == "VARCHAR" or kind.startswith("ENUM"):
        return Column(name, "text", f"CAST({raw} AS VARCHAR)")
    if kind == "DATE" or (kind.startswith("TIMESTAMP") and "TIME ZONE" not in kind):
        return Column(name, "text", f"strftime({raw}, '%Y-%m-%d %H:%M:%S')")
    if kind in FLOATS:
        value = f"CAST({raw} AS DOUBLE)"
        return Column(name, "number", f"(CASE WHEN isnan({raw}) THEN NULL ELSE {value} END)")
    if kind.removeprefix("U").split("(")[0] in NUMBERS:
        return Column(name, "number", f"CAST({raw} AS DOUBLE)")
    raise DataError(
        f"Column {name[:60]!r} must hold numbers, text or truth values; it holds {kind}. Leave it "
        "out with `features`."
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(n[:60]) for n in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
