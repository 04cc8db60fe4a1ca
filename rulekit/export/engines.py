"""What runs an export on rows: our readers, Python, Node and databases."""

import json
import math
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.exceptions import ExportError
from rulekit.explain.subject import value_at
from rulekit.export.exchange.xml import free_name
from rulekit.rules import RuleSet

MOST_SECONDS = 300  # of a program that runs an export
#: Answers of JavaScript; JSON has no infinities, and a key of its own may be called __proto__.
ANSWER = """
process.stdout.write(((names, rows) => JSON.stringify(
  predict(rows.map((row) => Object.fromEntries(row.map((v, k) => [names[k], v])))),
  (k, v) => (v === Infinity || v === -Infinity ? {{ number: String(v) }} : v),
))({}, {}));
"""

Rows = dict[str, NDArray[Any]]
Run = Callable[[str, Rows, int], list[Any]]


def read_back(read: Callable[[str], RuleSet]) -> Run:
    """Return a runner from a function that reads a text as a rule."""

    def run(text: str, rows: Rows, n: int) -> list[Any]:
        return list(read(text).predict(rows or {"": np.zeros(n)}).tolist())

    return run


def run_python(text: str, rows: Rows, n: int) -> list[Any]:
    """Execute a module and call its `predict`."""
    module: dict[str, Any] = {}
    exec(compile(text, "exported rule", "exec"), module)
    given = [{f: _read_cell(column, i) for f, column in rows.items()} for i in range(n)]
    return list(module["predict"](given))


def run_javascript(text: str, rows: Rows, n: int) -> list[Any]:
    """Run JavaScript in Node and call its `predict`; ExportError without Node."""
    node = shutil.which("node")
    if node is None:
        raise ExportError("Checking JavaScript needs Node (nodejs.org). Install it.")
    names, cells = list(rows), [[_read_cell(c, i) for c in rows.values()] for i in range(n)]
    done = subprocess.run(
        [node, "-"],
        input=f"{text}\n{ANSWER.format(json.dumps(names), json.dumps(cells))}",
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=MOST_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return list(json.loads(done.stdout, object_hook=lambda n: float(n["number"])))


def _read_cell(column: NDArray[Any], row: int) -> Any:
    """Return a cell; a missing one as None and as NaN in turn."""
    value = value_at(column, row)
    return (math.nan if row % 2 else None) if value is None else value


def run_in_sqlite(query: str, table: str, rows: Rows, n: int) -> list[Any]:
    """Run a query in SQLite."""
    order = free_name("row_number", tuple(rows))
    quoted = ((f.replace('"', '""'), "TEXT" if _is_text(c) else "REAL") for f, c in rows.items())
    columns = [f'"{name}" {kind}' for name, kind in quoted]
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE {table} ({', '.join([f'{order} INTEGER', *columns])})")
        marks = ", ".join("?" * (len(rows) + 1))
        values = ((i, *(value_at(c, i) for c in rows.values())) for i in range(n))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
        rows_read = connection.execute(f"{query} ORDER BY {order}").fetchall()
    connection.close()
    return [row[0] for row in rows_read]


def run_standard_sql(query: str, table: str, rows: Rows, n: int) -> list[Any]:
    """Run standard SQL in sqlite3, or in DuckDB (without NaN) for dates."""
    if "AS TIMESTAMP)" in query:
        return run_in_duckdb(query, table, rows, n, nan=False)
    return run_in_sqlite(query, table, rows, n)


def run_in_duckdb(query: str, table: str, rows: Rows, n: int, nan: bool = True) -> list[Any]:
    """Run a query in DuckDB; ExportError if it is not installed."""
    try:
        import duckdb  # an extra: most people never need it
    except ImportError:
        raise ExportError(
            "Checking SQL for DuckDB, or SQL that reads dates, needs the package duckdb. Install "
            "it, or take 'sqlite'."
        ) from None
    arrays = []
    for column in rows.values():  # missing numbers are NULL and, if `nan`, NaN in turn
        values, kind = [value_at(column, i) for i in range(n)], pa.float64()
        if column.dtype == object:
            kind = pa.string() if _is_text(column) else pa.bool_()
        elif nan:
            values = [_read_cell(column, i) for i in range(n)]
        arrays.append(pa.array(values, kind, from_pandas=False))
    order = free_name("row_number", tuple(rows))
    cases = pa.table([pa.array(range(n), pa.int64()), *arrays], names=[order, *rows])
    with duckdb.connect() as connection:
        connection.register(table, cases)
        return [row[0] for row in connection.execute(f"{query} ORDER BY {order}").fetchall()]


def _is_text(column: NDArray[Any]) -> bool:
    return column.dtype == object and not any(isinstance(v, (bool, np.bool_)) for v in column)
