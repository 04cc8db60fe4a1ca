"""Tables in engines, for tests: DuckDB in memory, Debian's PostgreSQL, Spark in this process."""

import importlib.util
import os
import shutil
from contextlib import contextmanager
from itertools import count

import ibis
import numpy as np
import pyarrow as pa
import pytest

from rulekit._engine import quiet
from rulekit.rules import clause_statistics, rule_statistics
from tests.databases import USER, quoted, served

NAMES = count()
HIDDEN = "the class; --"


def as_arrow(columns, **more):
    """Columns as rules read them as an Arrow table; NaN stays what it is, None is a gap."""
    made = {}
    for name, values in (columns | more).items():
        values = np.asarray(values)
        made[name] = pa.array(values.tolist() if values.dtype == object else values)
        if pa.types.is_null(made[name].type):
            made[name] = made[name].cast(pa.string())
    return pa.table(made)


def type_of(kind):
    """The type that PostgreSQL gives a column of Arrow."""
    text = str(kind).split("[")[0]
    text = text.removeprefix("large_")
    known = {"double": "double precision", "float": "real", "bool": "boolean", "string": "text"}
    known |= {"int64": "bigint", "int8": "smallint", "date32": "date", "timestamp": "timestamp"}
    return known.get(text, text.replace("decimal128", "numeric"))


@contextmanager
def duckdb_tables():
    link = ibis.duckdb.connect()

    def put(table):
        name = f"t{next(NAMES)}"
        link.con.register(name, table)
        quiet()
        return link.table(name)

    try:
        yield put
    finally:
        link.disconnect()


@contextmanager
def postgresql_tables():
    with served() as place:
        link = ibis.postgres.connect(host=str(place), user=USER, database="postgres")

        def put(table):
            name, names = f"t{next(NAMES)}", [*map(quoted, table.column_names)]
            cells = zip(names, map(type_of, table.schema.types), strict=True)
            with link.con.cursor() as cursor:  # ibis cannot insert where a name has a bracket
                cursor.execute(f"CREATE TABLE {name} ({', '.join(map(' '.join, cells))})")
                with cursor.copy(f"COPY {name} ({', '.join(names)}) FROM STDIN") as copy:
                    for row in zip(*(c.to_pylist() for c in table.columns), strict=True):
                        copy.write_row(row)
            link.con.commit()
            quiet()
            return link.table(name)

        try:
            yield put
        finally:
            link.disconnect()


@contextmanager
def spark_tables():
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        if os.environ.get("RULEKIT_REQUIRE_ENGINES"):
            pytest.fail("RULEKIT_REQUIRE_ENGINES is set, and there is no pyspark, or no Java.")
        pytest.skip("needs pyspark and Java (make engines)")
    quiet()
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    # A test runs each query once: optimising its machine code takes longer than running it.
    settings |= {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
    builder = SparkSession.builder.master("local[1]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    link = ibis.pyspark.connect(session)

    def put(table):
        name = f"t{next(NAMES)}"
        quiet()
        session.createDataFrame(table).createOrReplaceTempView(name)
        return link.table(name)

    try:
        yield put
    finally:
        session.stop()


ENGINES = {"duckdb": duckdb_tables, "postgresql": postgresql_tables, "spark": spark_tables}
everywhere = pytest.mark.parametrize(
    "put",
    [
        "duckdb",
        pytest.param("postgresql", marks=pytest.mark.slow),
        pytest.param("spark", marks=pytest.mark.slow),
    ],
    indirect=True,
    scope="session",
)
in_memory = pytest.mark.parametrize("put", ["duckdb"], indirect=True, scope="session")


def cycled(labels, n):
    return np.array([labels[i % len(labels)] for i in range(n)], dtype=object)


def assert_counted(rule, table, columns, y):
    """Compare with the counts in memory, to the row; equal counts give equal floats."""
    assert repr(clause_statistics(rule, table, HIDDEN)) == repr(clause_statistics(rule, columns, y))
    result, expected = rule_statistics(rule, table, HIDDEN), rule_statistics(rule, columns, y)
    assert repr(result) == repr(expected)


def placed(put, columns, labels=("yes", "no")):
    y = cycled(labels, len(next(iter(columns.values()))))
    return put(as_arrow(columns, **{HIDDEN: y})), columns, y
