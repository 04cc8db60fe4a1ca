"""SQL for each database: run in PostgreSQL's own server, read back from the others' grammar."""

import sqlite3
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.data import columns_of
from rulekit.exceptions import ExportError
from rulekit.explain import score
from rulekit.export import FORMATS, from_text, to_sql, verify_export
from rulekit.export.code.dialects import DIALECTS, TYPED
from rulekit.rules import Literal, PointsSplit, scorecard_of
from rulekit.rules.schema import ColumnSchema, Schema
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from tests.databases import connected, runner, served
from tests.explain.tables import PLAIN, cases, dnf, patients
from tests.strategies.power_laws import rows, split_rules
from tests.strategies.rules import columns, rule_sets, worded_cases
from tests.test_kinds import EXAMPLES, FRAME, READ, rule_of

TRANSLATED = [name for name in TYPED if DIALECTS[name].grammar]
in_postgres = pytest.mark.slow


@pytest.fixture(scope="module")
def link():
    with served() as place, connected(place) as result:
        yield result


@pytest.fixture
def verified(link, monkeypatch):
    """Check an export for PostgreSQL as any other is checked: every row, and around every cut."""

    def check(rule, columns, types=None):
        form = replace(FORMATS["postgresql"], run=runner(link, types))
        monkeypatch.setitem(FORMATS, "postgresql", form)
        verification = verify_export(rule, columns, "postgresql")
        assert verification.ok, (verification.sentence, verification.text)
        return verification

    return check


@in_postgres
@pytest.mark.parametrize(
    "drawn",
    [cases(), st.tuples(rule_sets(), columns()), st.tuples(split_rules(), rows()), worded_cases()],
    ids=["literals", "dates, orders and words", "power laws", "words"],
)
def test_postgresql_predicts_every_row_and_limit_like_the_rule(verified, drawn):
    @given(drawn)
    def check(case):
        # a column without any value would be text in the test's table, whatever the rule reads
        assume(any(value is not None for value in case[1].get("smoker", [0])))
        try:
            verified(*case)
        except ExportError as error:
            assume("compared with" not in str(error))
            raise

    check()


@in_postgres
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("kind", EXAMPLES | READ)
def test_postgresql_answers_every_kind_of_condition(verified, kind, form, missing):
    assert verified(rule_of(kind, form, missing), columns_of(FRAME)).n_probes > 2


STEPS = (np.float64(0.1), np.nextafter(0.1, 1), np.nextafter(0.1, 0), np.float64(np.float32(0.1)))


@in_postgres
@pytest.mark.parametrize("op", ["<=", "<", ">", ">=", "==", "!="])
@pytest.mark.parametrize("kind", ["double precision", "real", "numeric"])
def test_column_of_any_type_is_compared_as_a_double(link, kind, op):
    cells = {"double precision": STEPS, "real": np.float32(STEPS), "numeric": STEPS}[kind]
    written = [repr(float(v)) if kind != "real" else str(v) for v in cells]
    if kind == "numeric":
        written += ["0.1", "0.10000000000000000001", "0.0999999999999999999999"]
    link.execute("DROP TABLE IF EXISTS n")
    link.execute(f"CREATE TEMP TABLE n (i integer, x {kind})")
    for i, cell in enumerate([*written, "NaN"]):
        link.execute(f"INSERT INTO n VALUES ({i}, '{cell}')")
    read = [row[0] for row in link.execute("SELECT x FROM n ORDER BY i").fetchall()]
    if kind == "real":
        read = np.array(read, dtype=np.float32)
    column = np.array([float(v) for v in read])
    for missing in (False, True):
        rule = dnf(Literal("x", op, 0.1, missing))
        text = to_sql(rule, dialect="postgresql")
        results = [r[0] for r in link.execute(f"SELECT {text} FROM n ORDER BY i").fetchall()]
        assert results == rule.predict({"x": column}).tolist()


@in_postgres
@pytest.mark.parametrize("kind", ["double precision", "real", "numeric", "text", "date"])
def test_missing_and_present_values_differ_for_every_type(link, kind):
    cells = {"text": ["NaN", "a"], "date": ["2026-01-31"]}.get(kind, ["1", "NaN"])
    link.execute("DROP TABLE IF EXISTS g")
    link.execute(f"CREATE TEMP TABLE g (i integer, x {kind})")
    for i, cell in enumerate([*cells, None]):
        link.execute("INSERT INTO g VALUES (%s, %s)", [i, cell])
    text = to_sql(dnf(Literal("x", "missing"), label=1, default=0), dialect="postgresql")
    results = [r[0] for r in link.execute(f"SELECT {text} FROM g ORDER BY i").fetchall()]
    assert results == [int(kind not in ("text", "date") and c == "NaN") for c in cells] + [1]


# a truth value in a sum, a product, points and beside numbers
COUNTED = {
    "sum": LinearSplit((("flag", 2.0), ("age", 0.5)), ">", 21.0),
    "power law": PowerLawSplit(
        (PowerLaw(10.0, (Factor("flag"),)), PowerLaw(1.0, (Factor("age"),))), 45.0, 20.0
    ),
    "product": PowerLawSplit((PowerLaw(1.0, (Factor("age"), Factor("flag", -2, -1.0, 0.5))),), 30),
    "number": Literal("flag", ">=", 0.5),
    "truth and number": Literal("flag", "in", (True, 2.0)),
    "points": PointsSplit((Literal("flag", ">", 0.5), Literal("age", ">", 40)), (2, -1), 1),
    "points of truth": PointsSplit(
        (Literal("flag", "==", True), Literal("age", ">", 40)), (2, 1), 2
    ),
}
FLAGGED = {
    "flag": np.array([True, False, None] * 4, dtype=object),
    "age": np.array([20.0, 40.0, 41.0, 60.0, np.nan, 38.0] * 2),
}


@in_postgres
@pytest.mark.parametrize("beside", [(), (Literal("flag", "!=", False),)])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", COUNTED)
def test_postgresql_counts_a_boolean_column_as_one_and_nought(link, kind, missing, beside):
    rule = dnf(COUNTED[kind].negate() if missing else COUNTED[kind], *beside)
    options = {} if beside else {"boolean": ["flag", "not in the rule"]}
    for part in ("case", "clause"):
        text = to_sql(rule, dialect="postgresql", part=part, **options)
        expected = rule.predict(FLAGGED)
        if part == "clause":
            cards = scorecard_of(rule)  # of which the total is written
            expected = (
                cards[0].compute_values(FLAGGED) if cards else (expected == "ill").astype(int)
            )
        assert runner(link)(text, FLAGGED, 12) == expected.tolist()


@in_postgres
@pytest.mark.parametrize("kind", ["smallint", "integer", "double precision", "numeric"])
def test_ones_and_zeros_of_any_type_count_as_booleans(link, kind):
    columns = FLAGGED | {"flag": np.array([1.0, 0.0, 1.0] * 4)}
    written = columns | {"flag": np.array(["1", "0", "1"] * 4, dtype=object)}
    for name in ("sum", "power law", "product", "number", "points"):
        rule = dnf(COUNTED[name])
        text = to_sql(rule, dialect="postgresql", boolean=["flag"])
        assert runner(link, {"flag": kind})(text, written, 12) == rule.predict(columns).tolist()


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_boolean_columns_are_summed_as_whole_numbers(dialect):
    for condition in COUNTED.values():
        text = to_sql(dnf(condition), dialect=dialect, boolean=["flag"])
        tree = sqlglot.parse_one(text, read=DIALECTS[dialect].grammar)
        assert {n.name for n in tree.find_all(sqlglot.exp.Column)} == set(condition.features)


@in_postgres
def test_capitals_and_collations_do_not_matter_to_what_is_equal(link):
    fold = "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    link.execute(f"CREATE COLLATION fold {fold}")
    link.execute("CREATE TEMP TABLE f (x text COLLATE fold)")
    link.execute("INSERT INTO f VALUES ('Bonn')")
    assert link.execute("SELECT x = 'bonn' FROM f").fetchone() == (True,)
    text = to_sql(dnf(Literal("x", "==", "bonn")), dialect="postgresql")
    assert link.execute(f"SELECT {text} FROM f").fetchone() == ("well",)


def rows_of(connection, text):
    return connection.execute(text).fetchall()


ZONED = ["2024-03-05T01:30:00+05:30", "2024-03-04 18:59:59.5Z", "2024-03-05 03:00 +0800", None]
ZONED += ["2024-03-05", "2024-03-04T20:00:00"]  # without an offset: in UTC


@pytest.fixture(params=["duckdb", pytest.param("postgresql", marks=in_postgres)])
def in_new_york(request):
    """A function that runs SQL of a dialect in a session whose time zone is not UTC."""
    if request.param == "duckdb":
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'America/New_York'")
            yield request.param, lambda text: connection.execute(text).fetchall()
        return
    link = request.getfixturevalue("link")
    link.execute("SET LOCAL TIME ZONE 'America/New_York'")
    yield request.param, lambda text: link.execute(text).fetchall()


@pytest.mark.parametrize("stored", ["TEXT", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP", "DATE"])
@pytest.mark.parametrize("part", ["date", "hour", "weekday", "days since 2024-03-01"])
def test_dates_of_a_zone_are_compared_in_utc_by_every_session(in_new_york, part, stored):
    dialect, run = in_new_york
    has_zone = [t for t in ZONED[:2] if "ZONE" in stored]
    texts = ZONED if stored == "TEXT" else has_zone or [None, *ZONED[4:]]
    value = {"date": "2024-03-04 19:00:00", "hour": 19.0, "weekday": 2.0}.get(part, 3.8)
    schema = Schema((ColumnSchema("seen", "date", zone="UTC"),))
    rule = replace(dnf(Literal("seen", ">=", value, part=part)), schema=schema)
    case = to_sql(rule, dialect=dialect)
    cells = [f"CAST({'NULL' if t is None else repr(t)} AS {stored})" for t in texts]
    answers = [run(f'SELECT {case} FROM (SELECT {cell} AS "seen") t')[0][0] for cell in cells]
    if stored == "DATE":
        texts = [t and t[:10] for t in texts]
    assert answers == rule.predict(pd.DataFrame({"seen": pd.Series(texts, dtype=object)})).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@given(case=cases(PLAIN))
def test_scoring_sql_gives_the_answer_and_the_clause_that_decides(dialect, case):
    rule, columns = case
    scores = score(rule, columns_as_frame(columns))
    frame = columns_as_frame(columns).assign(_n=range(8))
    text = to_sql(rule, dialect=dialect, part="score", table="t")
    with duckdb.connect() as connection:
        connection.register("t", frame)
        if dialect == "sqlite":
            connection = sqlite3.connect(":memory:")
            frame.to_sql("t", connection, index=False)
        scored = connection.execute(f"SELECT prediction, clause FROM ({text}) ORDER BY _n")
        result = scored.fetchall()
    assert [a for a, _ in result] == scores.answers.tolist()
    assert [k for _, k in result] == scores.clauses.tolist()


def columns_as_frame(columns):
    return pd.DataFrame({name: pd.Series(list(values)) for name, values in columns.items()})


@in_postgres
def test_scoring_sql_runs_in_postgresql(link):
    rule, frame = patients()
    link.execute('CREATE TEMP TABLE "my cases" (glucose real, age integer, colour text, n integer)')
    for n, row in enumerate(frame[["glucose", "age", "colour"]].itertuples(index=False)):
        cells = [None if v is None or v != v else v for v in row]
        link.execute('INSERT INTO "my cases" VALUES (%s, %s, %s, %s)', [*cells, n])
    text = to_sql(rule, dialect="postgresql", part="score", table="my cases")
    result = rows_of(link, f"SELECT prediction, clause FROM ({text}) s ORDER BY n")
    scores = score(rule, frame)
    assert result == list(zip(scores.answers.tolist(), scores.clauses.tolist(), strict=True))
    alone = to_sql(rule, dialect="postgresql", part="clause")
    result = rows_of(link, f'SELECT {alone} FROM "my cases" ORDER BY n')
    assert [k for (k,) in result] == scores.clauses.tolist()


def constants(text, grammar):
    """Parse a statement with a database's own grammar; return its names and texts."""
    tree = sqlglot.parse_one(text, read=grammar)
    names = {n.this for n in tree.find_all(sqlglot.exp.Identifier)}
    texts = {n.this for n in tree.find_all(sqlglot.exp.Literal) if n.is_string}
    return names, texts | {n.this for n in tree.find_all(sqlglot.exp.National)}


@pytest.mark.parametrize("dialect", TRANSLATED)
@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12), st.text(max_size=12))
def test_hostile_names_and_texts_arrive_whole_in_every_grammar(dialect, name, level, label):
    assume("\0" not in name + level + label and label)
    assume(not any("\ud800" <= c <= "\udfff" for c in name + level + label))
    rule = dnf(Literal(name, "==", level), label=label, default="other")
    text = to_sql(rule, dialect=dialect, part="score", table="t")
    names, texts = constants(text, DIALECTS[dialect].grammar)
    assert {name, "t", "prediction", "clause"} <= names
    assert {level, label, "other"} <= texts
    extra = {"Latin1_General_100_BIN2", "utf8mb4_0900_bin"}
    assert names <= {name, "t", "prediction", "clause"} | extra


@pytest.mark.slow
@pytest.mark.parametrize("dialect", TRANSLATED)
@given(case=cases(PLAIN))
def test_exports_that_can_be_run_mean_the_same(dialect, case):
    """Translated once more, to DuckDB's grammar, and run there: no server of theirs is at hand."""
    rule, columns = case
    database = DIALECTS[dialect]
    assume(not (database.infinity is None and "inf" in repr(rule)))
    try:
        text = to_sql(rule, dialect=dialect)
    except ExportError as error:
        assume("empty text" not in str(error))
        raise
    (back,) = sqlglot.transpile(f"SELECT {text} FROM t", read=database.grammar, write="duckdb")
    back = back.replace("IS_NAN(", "ISNAN(").replace(" COLLATE Latin1_General_100_BIN2", "")
    if dialect == "sqlserver":
        back = back.replace(" AS REAL)", " AS DOUBLE)")  # of FLOAT, which has 53 bits there
    back = back.replace(" COLLATE utf8mb4_0900_bin", "").replace("TO_BINARY_DOUBLE(", "DOUBLE(")
    frame = columns_as_frame(columns)
    with duckdb.connect() as connection:
        connection.execute("CREATE OR REPLACE MACRO double(x) AS CAST(x AS DOUBLE)")
        connection.register("t", frame)
        results = [row[0] for row in connection.execute(back).fetchall()]
    assert results == rule.predict(columns).tolist()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_written_in_every_part(dialect):
    rule, _ = patients()
    for part in ("case", "where", "clause"):
        assert "glucose" in to_sql(rule, dialect=dialect, part=part)
    assert "prediction" in to_sql(rule, dialect=dialect, part="score", table="t")


@pytest.mark.parametrize(
    ("rule", "dialect", "message"),
    [
        (dnf(Literal("x", "==", np.inf)), "mysql", "an infinity, which MySQL cannot express"),
        (dnf(Literal("x", "==", np.inf)), "sqlserver", "which SQL Server cannot express"),
        (dnf(Literal("x", "==", "")), "oracle", "Oracle treats empty text as missing"),
        (dnf(Literal("x" * 64, ">", 1)), "postgresql", "has 63 bytes at most; .* has 64"),
        (dnf(Literal("ü" * 40, ">", 1)), "mysql", "has 64 bytes at most; .* has 80"),
    ],
)
def test_conditions_beyond_a_database_are_refused(rule, dialect, message):
    with pytest.raises(ExportError, match=message):
        to_sql(rule, dialect=dialect)


def test_without_sqlglot_the_others_are_refused_and_ours_are_written(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    for dialect in ("ansi", "sqlite", "duckdb", "postgresql"):
        assert "age" in to_sql(rule, dialect=dialect)
    with pytest.raises(ExportError, match="Writing for Snowflake needs the package sqlglot"):
        to_sql(rule, dialect="snowflake")
