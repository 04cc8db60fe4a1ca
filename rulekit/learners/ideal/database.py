"""DuckDB, asked for counts: one query at a time, watched, and stopped when the caller says so."""

import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType, TracebackType
from typing import Any, Self

from rulekit.exceptions import DataError, StoppedError

POLL_SECONDS = 0.1
GLOB = "*?["


@dataclass(frozen=True)
class ParquetSettings:
    """What a database may use, and who watches; see `IdealDNFClassifier.fit_parquet`."""

    memory_limit: str = "500MB"
    threads: int = 1
    on_progress: Callable[[float, str], None] | None = None
    should_stop: Callable[[], bool] | None = None


@dataclass
class _Asked:
    """One query on its way."""

    answer: Any = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)


class Database:
    """A database in memory that reads files; what does not fit goes to a folder that is removed.

    Parameters
    ----------
    settings : ParquetSettings
        Limits and watchers.

    Raises
    ------
    DataError
        If DuckDB is not installed.
    ValueError
        If a limit is not one that DuckDB reads.
    """

    def __init__(self, settings: ParquetSettings) -> None:
        module = duckdb_module()
        if module is None:
            raise DataError(
                "Learning from a Parquet file without loading it needs the package duckdb, which "
                "is not installed; install the extra 'app', or load the rows and use `fit`."
            )
        self._duckdb, self._settings = module, settings
        self._share = 0.0
        self._folder = tempfile.TemporaryDirectory(prefix="rulekit-")
        self._connection = module.connect(":memory:")
        try:
            self._configure(settings)
        except module.Error as error:
            self.close()
            raise ValueError(
                "`memory_limit` must be a size such as '500MB' and `threads` a whole number from "
                f"1; got {settings.memory_limit!r} and {settings.threads!r}."
            ) from error

    def _configure(self, settings: ParquetSettings) -> None:
        for name, value in {
            "memory_limit": text(str(settings.memory_limit)),
            "threads": str(int(settings.threads)),
            "temp_directory": text(self._folder.name),
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_progress_bar": "true",
            "enable_progress_bar_print": "false",
        }.items():
            self._connection.execute(f"SET {name} = {value}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back."""
        self._connection.close()
        self._folder.cleanup()

    def table(self, sql: str, what: str, span: tuple[float, float]) -> Any:
        """Ask a query; give its answer as an Arrow table.

        Parameters
        ----------
        sql : str
            The query.
        what : str
            What it does, in words, for who watches.
        span : pair of float
            Which part of all the work it is, from 0 to 1.

        Raises
        ------
        StoppedError
            If the caller said so.
        DataError
            If the query fails.
        """
        asked = _Asked()
        worker = threading.Thread(target=self._ask, args=(sql, asked), daemon=True)
        self._tell(span[0], what)
        worker.start()
        try:
            while not asked.done.wait(POLL_SECONDS):
                self._look(span, what)
        except BaseException:
            self._connection.interrupt()
            asked.done.wait()
            raise
        if asked.error is not None:
            raise self._as_data_error(asked.error) from asked.error
        self._tell(span[1], what)
        return asked.answer

    def rows(self, sql: str, what: str, span: tuple[float, float]) -> list[tuple[Any, ...]]:
        """Ask a query; give its answer as tuples."""
        columns = self.table(sql, what, span).columns
        return list(zip(*(column.to_pylist() for column in columns), strict=True))

    def _ask(self, sql: str, asked: _Asked) -> None:
        try:
            asked.answer = self._connection.sql(sql).to_arrow_table()
        except BaseException as error:
            asked.error = error
        finally:
            asked.done.set()

    def _look(self, span: tuple[float, float], what: str) -> None:
        """Look whether to stop, and how far the query is."""
        if self._settings.should_stop is not None and self._settings.should_stop():
            raise StoppedError("The work was stopped before the rule was learned.")
        if self._settings.on_progress is not None:
            share = min(max(self._connection.query_progress(), 0.0), 100.0) / 100
            self._tell(span[0] + share * (span[1] - span[0]), what)

    def _tell(self, share: float, what: str) -> None:
        self._share = max(self._share, share)
        if self._settings.on_progress is not None:
            self._settings.on_progress(self._share, what)

    def _as_data_error(self, error: BaseException) -> Exception:
        if isinstance(error, self._duckdb.OutOfMemoryException):
            return DataError(
                f"Counting needs more memory than `memory_limit={self._settings.memory_limit!r}` "
                "allows; raise it, or learn from fewer columns with `features`."
            )
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        return DataError(
            f"The Parquet file cannot be read ({first}). Write it anew, or leave the column out."
        )


@cache
def duckdb_module() -> ModuleType | None:
    """Return DuckDB, or None where it is not installed."""
    try:
        # Optional: the extra "app" of this distribution.
        import duckdb
    except ImportError:
        return None
    return duckdb


def text(value: str) -> str:
    """Write text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def number(value: float) -> str:
    """Write a number as SQL, to the last bit: decimals would be another type."""
    return f"CAST('{value!r}' AS DOUBLE)"


def file_name(path: str) -> str:
    """Write a file's name as SQL, so that no letter of it stands for others."""
    return text("".join(f"[{letter}]" if letter in GLOB else letter for letter in path))
