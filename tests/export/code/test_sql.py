"""SQL: what it selects, and what it refuses to express."""

import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import given

from rulekit import ExportError, from_text, to_python, to_sql, verify_export
from rulekit.export.code.dialects import DIALECTS
from rulekit.export.engines import run_in_duckdb, run_in_sqlite
from rulekit.export.formats import FORMATS
from rulekit.rules import Clause, ColumnSchema, Literal, PointsSplit, RuleSet, Schema
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from tests.explain.tables import PLAIN, cases, dnf, patients
from tests.export.test_golden import rules
from tests.strategies.rules import worded_cases
from tests.test_kinds import READ, rule_of

ENGINES = [("sqlite", run_in_sqlite), ("sql", run_in_sqlite), ("duckdb", run_in_duckdb)]


def loaded(columns):
    """A table t in sqlite3 with a row number."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t (n, {', '.join(columns)})")
    for i in range(len(next(iter(columns.values())))):
        cells = [c[i] for c in columns.values()]
        cells = [None if v is None or v != v else v for v in cells]
        connection.execute(f"INSERT INTO t VALUES (?{', ?' * len(cells)})", [i, *cells])
    return connection


@given(cases(PLAIN))
def test_where_selects_the_rows_of_a_rule_and_of_its_negation(case):
    rule, columns = case
    condition = to_sql(rule, dialect="sqlite", part="where")
    queries = [(f"SELECT n FROM t WHERE {condition}", rule.mask(columns))]
    queries += [(f"SELECT n FROM t WHERE NOT ({condition})", ~rule.mask(columns))]
    queries += [(to_sql(rule, dialect="sqlite", part="where", table="t"), rule.mask(columns))]
    connection = loaded(columns)
    for query, mask in queries:
        records = connection.execute(f"{query} ORDER BY n").fetchall()
        assert [row[0] for row in records] == np.flatnonzero(mask).tolist()
    connection.close()


def test_selects_add_answers_and_totals():
    rule, _ = patients()
    text = to_sql(rule, dialect="duckdb", table='my "t"')
    connection = duckdb.connect()
    connection.execute('CREATE TABLE "my ""t""" (glucose DOUBLE, age INTEGER, colour VARCHAR)')
    connection.execute("""INSERT INTO "my ""t""\" VALUES (141, 57, 'blue'), ('nan', 57, 'blue')""")
    assert connection.execute(text).fetchall()[0] == (141.0, 57, "blue", "ill")
    assert connection.execute(text).fetchall()[1][-1] == "well"
    connection.close()
    tests = Literal("glucose", ">", 126.5), Literal("colour", "==", "red"), Literal("age", ">", 50)
    card = dnf(PointsSplit(tests, (3, -1, 2), 2))
    connection = loaded({k: v.tolist() for k, v in patients()[1].items()})
    total = to_sql(card, dialect="sqlite", part="clause")
    records = connection.execute(f"SELECT 2 * {total} FROM t ORDER BY n").fetchall()
    assert [row[0] for row in records] == [10, -2, 8, 4]
    scored = connection.execute(to_sql(card, dialect="sqlite", part="score", table="t"))
    assert [name for name, *_ in scored.description][-2:] == ["prediction", "total_points"]
    assert [row[-1] for row in scored] == [5, -1, 4, 2]
    connection.close()


def test_columns_keep_their_type_and_absent_ones_are_errors():
    ratio = PowerLaw(1.0, (Factor("mass"), Factor("height", -2, floor=0.1)))
    rule = dnf(PowerLawSplit((ratio,), 49.5))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people (mass INTEGER, height INTEGER)")
    connection.execute("INSERT INTO people VALUES (199, 2), (100, 2)")
    assert [row[-1] for row in connection.execute(to_sql(rule, table="people"))] == ["well", "ill"]
    connection.close()
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE t ("other" REAL)')
    connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.age"):
        connection.execute(to_sql(dnf(Literal("age", ">", 50)), dialect="sqlite", table="t"))
    connection.close()
    with pytest.raises(ExportError, match="constant or too long to have test cases"):
        to_sql(RuleSet((), (), "dnf", "a"), part="test")


def test_missing_test_alone_works_on_a_column_of_any_type():
    text = to_sql(dnf(Literal("x", "missing")), dialect="duckdb")
    connection = duckdb.connect()
    for kind, value in (("DOUBLE", "'nan'"), ("VARCHAR", "NULL"), ("DATE", "NULL")):
        connection.execute(f"CREATE OR REPLACE TABLE t (x {kind})")
        connection.execute(f"INSERT INTO t VALUES ({value})")
        assert connection.execute(f"SELECT {text} FROM t").fetchone() == ("ill",)
    connection.execute("CREATE OR REPLACE TABLE t AS SELECT 'nan' AS x")
    assert connection.execute(f"SELECT {text} FROM t").fetchone() == ("well",)
    connection.close()


def test_column_named_true_is_not_taken_for_the_truth_value():
    """sqlite3 resolves a bare TRUE to a column of that name, so every answer was wrong."""
    rule = dnf(Literal("true", "missing"), Literal("flag", "==", True), label=True, default=False)
    columns = {
        "true": np.array([np.nan, 5.0, np.nan]),
        "flag": np.array([True, True, False], dtype=object),
    }
    for form in ("sqlite", "duckdb", "sql"):
        assert verify_export(rule, columns, form).ok
    connection = loaded({"true": [0, 0], "flag": [1, 0]})  # a column that the rule does not read
    text = to_sql(dnf(Literal("flag", "==", True), label=1, default=0))
    assert [row[0] for row in connection.execute(f"SELECT {text} FROM t ORDER BY n")] == [1, 0]
    connection.close()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (dnf(Literal("Age", ">", 1), Literal("age", ">", 1)), "'Age' and 'age' differ in upper"),
        (dnf(Literal("x", "==", "a"), Literal("x", ">", 1)), "'x' is compared with text and with"),
        (dnf(Literal("x", "in", ("a", 1))), "'x' is compared with text and with numbers"),
        (dnf(Literal("x", "==", "a"), LinearSplit((("x", 1.0),), ">", 0)), "with text and with nu"),
        (dnf(Literal("x", ">", 1), label="ill", default=0), "predicts text and numbers"),
        (dnf(Literal("a\0", ">", 1)), r"cannot hold the name or value 'a\\x00'"),
        (dnf(Literal("a", "==", "\ud800")), "a lone surrogate"),
        (dnf(Literal("", ">", 1)), "without a name"),
        (dnf(Literal("x", "==", np.inf)), "infinity, which standard SQL cannot express"),
    ],
)
def test_conditions_beyond_sql_are_refused(rule, message):
    with pytest.raises(ExportError, match=message):
        to_sql(rule)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "db2"}, "`dialect` must be one of .* got 'db2'"),
        ({"part": "when"}, "`part` must be one of .* got 'when'"),
        ({"part": "score"}, "`table` must be the name of a table, got None"),
        ({"part": "test", "table": "t"}, "brings its own rows"),
        ({"boolean": ["x"]}, r"`boolean` is read for \('postgresql', .*got `dialect='ansi'`"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        to_sql(patients()[0], **options)


@pytest.mark.parametrize(("format", "engine"), [*ENGINES, ("sql", run_in_duckdb)])
@given(worded_cases())
def test_words_are_the_same_in_every_engine(format, engine, case):
    rule, columns = case
    text = FORMATS[format].write(rule)
    result = engine(f"SELECT {text} FROM t", "t", columns, len(columns["note"]))
    assert result == rule.predict(columns).tolist()


@pytest.mark.parametrize(("format", "engine"), ENGINES)
def test_rule_of_many_words_runs_in_every_engine(format, engine):
    words = ["zwölf", "boxkämpfer", "jagen", "viktor", "quer", "über", "den", "großen", "sylter"]
    tests = tuple(Literal("note", "contains", word) for word in [*words, "συσσίτιος", "i̇i̇i̇"])
    rule = RuleSet((Clause(tests, "or"), Clause(tests[::-1], "or")), ("yes", "yes"), "cnf", "no")
    columns = {"note": np.array([f"({w.upper()})" for w in words] + [None, ""], dtype=object)}
    for model in (rule, dnf(PointsSplit(tests, tuple(range(1, 12)), 5), label="yes", default="no")):
        assert verify_export(model, columns, format).ok


@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - {"ansi"}))  # has no codes
def test_the_query_of_a_word_has_printable_characters_only(dialect):
    query = to_sql(dnf(Literal("note", "contains", "late")), dialect=dialect)
    assert query.replace("\n", "").isprintable()


@pytest.mark.parametrize("test", ["<= 2024-03-01", "> 2024-03-01", "= 2024-03-01", "< 2024-03-02"])
def test_fractions_of_a_second_and_offsets_are_read_as_by_the_rule(test):
    rule = from_text(f"1. IF d {test} THEN yes\nOTHERWISE no")
    cells = ["2024-03-01 00:00:00.9996", "2024-03-01T00:00:01.5", "2024-03-01 01:00:00.25+01:00"]
    cells += ["2024-02-29T23:59:59.999Z", "2024-03-01", None]
    expected = rule.predict({"d": cells}).tolist()
    rows = {"d": np.array(cells, dtype=object)}
    assert FORMATS["sqlite"].run(to_sql(rule, dialect="sqlite"), rows, len(cells)) == expected
    local = {"d": rows["d"][[0, 1, 3, 4, 5]]}  # DuckDB does not look at offsets of texts
    answers = FORMATS["duckdb"].run(to_sql(rule, dialect="duckdb"), local, 5)
    assert answers == [*expected[:2], *expected[3:]]
    module = {}
    exec(to_python(rule), module)
    assert module["predict"]([{"d": cell} for cell in cells]) == expected


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("rule", [*rules().values(), *map(rule_of, READ)])
def test_cases_in_sql_return_what_a_faulty_export_answers_otherwise(rule, dialect):
    rule = replace(rule, schema=None)
    text = to_sql(rule, dialect=dialect, part="test")
    with sqlite3.connect(":memory:") as one, duckdb.connect() as other:
        run = {"sqlite": one, "duckdb": other}[dialect].execute
        assert run(text).fetchall() == []
        faulty = text.replace(f"ELSE '{rule.default}'", "ELSE 'other'")
        assert {row[-1] for row in run(faulty).fetchall()} == {"other"}
    one.close()


def test_a_learned_rule_describes_its_columns_above_the_sql():
    column = ColumnSchema("age\n*/ '", "whole number", low=18.0, high=75.0, gaps=False)
    clause = Clause((Literal(column.name, ">", 50),))
    rule = RuleSet((clause,), ("ill",), "dnf", "well", Schema((column,)))
    sql = to_sql(rule, dialect="sqlite")
    assert sql.startswith('-- "age\\n*/ \'": whole number, 18 to 75; never missing\nCASE')
    assert FORMATS["sqlite"].run(sql, {column.name: np.array([60.0, 40.0])}, 2) == ["ill", "well"]
    module = {}
    exec(to_python(rule), module)
    assert module["predict"]([{column.name: 60.0}]) == ["ill"]
