"""Execution of exports on given rows: Python, SQL, and text that is parsed."""

import math
import sqlite3
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.exceptions import ExportError
from rulekit.explain.subject import value_at
from rulekit.rules import RuleSet

Rows = dict[str, NDArray[Any]]
Run = Callable[[str, Rows, int], list[Any]]


def read_back(read: Callable[[str], RuleSet]) -> Run:
    """Return a runner from a function that reads a text as a rule."""

    def run(text: str, rows: Rows, n: int) -> list[Any]:
        answers: list[Any] = read(text).predict(rows or {"": np.zeros(n)}).tolist()
        return answers

    return run


def run_python(text: str, rows: Rows, n: int) -> list[Any]:
    """Execute a module and call its `predict`."""
    module: dict[str, Any] = {}
    exec(compile(text, "exported rule", "exec"), module)
    given = [{f: _given(column, i) for f, column in rows.items()} for i in range(n)]
    answers: list[Any] = module["predict"](given)
    return answers


def _given(column: NDArray[Any], row: int) -> Any:
    """Return a cell; a missing one as None and as NaN in turn."""
    value = value_at(column, row)
    return (math.nan if row % 2 else None) if value is None else value


CASES = "cases"  # the table of rows in scoring SQL


def run_sqlite(text: str, rows: Rows, n: int) -> list[Any]:
    """Run an expression in sqlite3."""
    return _in_sqlite(f"SELECT {text} FROM t", "t", rows, n)


def run_scoring(text: str, rows: Rows, n: int) -> list[Any]:
    """Run a SELECT over the table of cases and return the predictions, see `run_ansi`."""
    if "AS TIMESTAMP)" in text:
        return _in_duckdb(f'SELECT "prediction" FROM ({text})', CASES, rows, n, nan=False)
    return _in_sqlite(f'SELECT "prediction" FROM ({text})', CASES, rows, n)


def _in_sqlite(query: str, table: str, rows: Rows, n: int) -> list[Any]:
    names, order = [_quoted(f) for f in rows], _quoted(_free(rows))
    types = ["TEXT" if _is_text(c) else "REAL" for c in rows.values()]
    with sqlite3.connect(":memory:") as connection:
        declared = [f"{a} {b}" for a, b in zip(names, types, strict=True)]
        connection.execute(f"CREATE TABLE {table} ({', '.join([f'{order} INTEGER', *declared])})")
        marks = ", ".join("?" * (len(rows) + 1))
        values = ((i, *(value_at(c, i) for c in rows.values())) for i in range(n))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
        rows_read = connection.execute(f"{query} ORDER BY {order}").fetchall()
    connection.close()
    return [row[0] for row in rows_read]


def run_ansi(text: str, rows: Rows, n: int) -> list[Any]:
    """Run an expression of standard SQL in sqlite3, or in DuckDB for dates.

    sqlite3 has no dates; DuckDB gets no NaN, which standard SQL does not have.
    """
    if "AS TIMESTAMP)" not in text:
        return run_sqlite(text, rows, n)
    return _in_duckdb(f"SELECT {text} FROM t", "t", rows, n, nan=False)


def run_duckdb(text: str, rows: Rows, n: int) -> list[Any]:
    """Run an expression in DuckDB; ExportError if it is not installed."""
    return _in_duckdb(f"SELECT {text} FROM t", "t", rows, n, nan=True)


def _in_duckdb(query: str, table: str, rows: Rows, n: int, *, nan: bool) -> list[Any]:
    try:
        import duckdb  # an extra: most people never need it
    except ImportError:
        raise ExportError(
            "Checking SQL for DuckDB, or SQL that reads dates, needs the package duckdb. Install "
            "it, or take 'sqlite'."
        ) from None
    arrays = [_arrow(column, n, nan) for column in rows.values()]
    cases = pa.table([pa.array(range(n), pa.int64()), *arrays], names=[_free(rows), *rows])
    with duckdb.connect() as connection:
        connection.register(table, cases)
        ordered = f"{query} ORDER BY {_quoted(_free(rows))}"
        return [row[0] for row in connection.execute(ordered).fetchall()]


def _arrow(column: NDArray[Any], n: int, nan: bool) -> pa.Array:
    """Build an Arrow column with NULL and, if `nan`, NaN in turn for missing numbers."""
    values = [value_at(column, i) for i in range(n)]
    if _is_text(column):
        return pa.array(values, pa.string())
    if column.dtype == object:
        return pa.array(values, pa.bool_())
    if nan:
        values = [_given(column, i) for i in range(n)]
    return pa.array(values, pa.float64(), from_pandas=False)


def _is_text(column: NDArray[Any]) -> bool:
    return column.dtype == object and not any(isinstance(v, (bool, np.bool_)) for v in column)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _free(rows: Rows) -> str:
    """Return an unused column name, ignoring case."""
    name = "row_number"
    while name in {f.lower() for f in rows}:
        name += "_"
    return name
