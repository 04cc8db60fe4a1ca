"""Opening of files that stay on disk as ibis tables, by DuckDB (the extra "sql")."""

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rulekit._engine import quiet
from rulekit.data.headers import quote
from rulekit.exceptions import DataError

SUFFIXES = (".parquet", ".csv", ".csv.gz")


def open_table(
    path: str | Path | Sequence[Path], *, memory_limit: str = "500MB", threads: int = 1
) -> Any:
    """Open a file, or a folder of files of one kind, as an ibis table; no row is read yet."""
    try:
        import ibis
    except ImportError:
        raise DataError(
            "A table that is not loaded needs the package ibis, which is not installed. Install "
            "the extra 'sql', or load the rows with `read_table`."
        ) from None
    whole = not isinstance(path, (str, Path)) or Path(path).is_dir()
    files = _files(Path(path)) if isinstance(path, (str, Path)) else list(path)
    names = ["".join(f"[{c}]" if c in "*?[" else c for c in str(file)) for file in files]
    folder = tempfile.mkdtemp(prefix="rulekit-")
    quiet()
    try:
        link = ibis.duckdb.connect(
            threads=int(threads), memory_limit=str(memory_limit), temp_directory=folder
        )
    except Exception as error:
        shutil.rmtree(folder)
        raise ValueError(
            "`memory_limit` must be a size such as '500MB' and `threads` a whole number from "
            f"1; got {memory_limit!r} and {threads!r}."
        ) from error
    weakref.finalize(link, shutil.rmtree, folder, ignore_errors=True)
    link.raw_sql("SET preserve_insertion_order = false")
    if files[0].suffix != ".parquet":
        return _read(link.read_csv, names, files[0])
    try:
        columns = list(pq.ParquetFile(files[0]).schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{files[0].name!r} is not a Parquet file, or is damaged.") from error
    # DuckDB does not distinguish names such as "Age" and "age"
    if twins := [name for name, n in Counter(name.lower() for name in columns).items() if n > 1]:
        same = [quote(name) for name in columns if name.lower() == twins[0]]
        raise DataError(
            f"Column names must differ in more than upper and lower case; {' and '.join(same[:2])} "
            "do not. Rename one."
        )
    return _read(link.read_parquet, names, files[0], union_by_name=True, hive_partitioning=whole)


def _read(reader: Any, names: list[str], first: Path, **options: Any) -> Any:
    try:
        return reader(names, **options)
    except Exception as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{first.name!r} cannot be read ({why}). Write the file anew.") from error


def _files(path: Path) -> list[Path]:
    """List the files; those of a folder in the order of their names."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
        kinds = {file.name.partition(".")[2] for file in files}
        if len(kinds) == 1:
            return files
        raise DataError(
            f"The folder {path.name!r} must contain only Parquet files or only CSV files; it "
            f"contains {'none' if not files else ', '.join(sorted(kinds))}."
        )
    if not path.is_file():
        raise DataError(f"There is no file {str(path)!r}. Give the path of a Parquet or CSV file.")
    if not path.name.endswith(SUFFIXES):
        raise DataError(
            f"{path.name!r} must be a file that ends in {', '.join(SUFFIXES)}, or a folder."
        )
    return [path]
