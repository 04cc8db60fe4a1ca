"""The databases that rules can be written for, and what differs between their SQL."""

from dataclasses import dataclass, replace
from typing import Any

IS_NAN = "UPPER(CAST({} AS TEXT)) = 'NAN'"  # of any type: NaN as text is the same everywhere


@dataclass(frozen=True)
class Dialect:
    """Differences of a database from PostgreSQL; texts are templates, None where impossible."""

    name: str
    grammar: str = ""  # of sqlglot
    typed: bool = True  # column types are known
    double: str = "CAST({} AS DOUBLE PRECISION)"
    summed: str | None = None  # a column in a weighted sum; like `double` if None
    nan: str | None = "{} = CAST('NaN' AS DOUBLE PRECISION)"
    unknown_nan: str = IS_NAN  # for columns of unknown type
    infinity: str | None = "CAST('{}Infinity' AS DOUBLE PRECISION)"
    exponent: bool = True  # without one, a number is a decimal whose last digit may differ
    text: str = "{}"
    letters: str = ""
    mark: str = "CHR({code})"
    nests: bool = True  # calls may be nested deeply
    translates: bool = True  # it has TRANSLATE
    truth: tuple[str, str] = ("TRUE", "FALSE")
    moment: str = "TIMESTAMP {}"
    date: str = "CAST({column} AS TIMESTAMP)"
    zoned: str | None = None  # of a column with a time zone, in UTC; like `date` if None
    date_part: str = "EXTRACT({part} FROM {date})"
    weekday: str | None = None
    since: str | None = None
    longest: int | None = 255  # bytes of a name
    no_empty_text: bool = False
    no_empty_name: bool = True
    qualified: bool = False  # columns are written with their table


# of an instant, a moment, or text with or without an offset, whatever the session's time zone
ZONED = (
    "(CAST(regexp_replace({text} || CASE WHEN {text} NOT LIKE '%:%' THEN ' 00:00+00' "
    r"WHEN {text} ~ '.*(Z|[+-][0-9:]+)$' THEN '' ELSE '+00' END, ' ([+-])', '\1') "
    "AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'UTC')"
).replace("{text}", "CAST({column} AS TEXT)")
# the first day of year 1 was a Monday
WEEKDAY = "(MOD(EXTRACT(DAY FROM ({date} - TIMESTAMP '0001-01-01 00:00:00')), 7) + 1)"
GAP = "({date} - {since})"
SECONDS = (
    f"EXTRACT(DAY FROM {GAP}) * 86400 + EXTRACT(HOUR FROM {GAP}) * 3600"
    f" + EXTRACT(MINUTE FROM {GAP}) * 60 + EXTRACT(SECOND FROM {GAP})"
)
ANSI = Dialect(
    "standard SQL",
    typed=False,
    summed="{}",
    nan=None,
    infinity=None,
    exponent=False,
    mark="'{character}'",
    nests=False,
    translates=False,
    truth=("(1 = 1)", "(1 = 0)"),  # some databases read TRUE as a column of that name, if any
    weekday=WEEKDAY,
    since=f"(FLOOR({SECONDS}) / 86400.0)",
    longest=None,
)
FINITE: Any = {"nan": None, "infinity": None}
#: The databases, by their names for `to_sql`.
DIALECTS = {
    "ansi": ANSI,
    "sqlite": replace(
        ANSI,
        name="SQLite",
        double="CAST({} AS REAL)",
        infinity="{}9e999",
        mark="char({code})",
        truth=("1", "0"),  # TRUE is read as a column of that name, if any
        moment="{}",
        # without the fraction, which SQLite rounds; an offset is applied
        date="datetime(substr({column}, 1, 19) || ltrim(substr({column}, 20), '.0123456789'))",
        date_part="CAST(strftime('{sign}', {date}) AS INTEGER)",
        weekday="((CAST(strftime('%w', {date}) AS INTEGER) + 6) % 7 + 1)",
        since="((strftime('%s', {date}) - strftime('%s', '{day}')) / 86400.0)",
        no_empty_name=False,
        qualified=True,
    ),
    "duckdb": Dialect(
        "DuckDB",
        typed=False,
        double="CAST({} AS DOUBLE)",
        nan="isnan({})",
        unknown_nan="(typeof({0}) IN ('DOUBLE', 'FLOAT') AND CAST({0} AS VARCHAR) = 'nan')",
        infinity="CAST('{}inf' AS DOUBLE)",
        mark="chr({code})",
        zoned=ZONED,
        weekday=WEEKDAY,
        since="(date_diff('second', {since}, {date}) / 86400e0)",
        longest=None,
    ),
    "postgresql": Dialect(
        "PostgreSQL",
        unknown_nan="(pg_typeof({0}) IN ('real'::regtype, 'double precision'::regtype, "
        "'numeric'::regtype) AND " + IS_NAN.replace("{}", "{0}") + ")",
        text='CAST({} AS TEXT) COLLATE "C"',
        zoned=ZONED,
        weekday=WEEKDAY,
        since=f"(FLOOR(CAST(EXTRACT(EPOCH FROM {GAP}) AS DOUBLE PRECISION)) / 86400)",
        longest=63,
    ),
    "spark": Dialect("Spark SQL", "spark"),
    "bigquery": Dialect("BigQuery", "bigquery", nan="IS_NAN({})", longest=300),
    "snowflake": Dialect("Snowflake", "snowflake", infinity="CAST('{}inf' AS DOUBLE PRECISION)"),
    "sqlserver": Dialect(
        "SQL Server",
        "tsql",
        **FINITE,
        text="{} COLLATE Latin1_General_100_BIN2",
        letters="N",
        truth=("1", "0"),
        longest=128,
    ),
    "mysql": Dialect(
        "MySQL", "mysql", **FINITE, text="{} COLLATE utf8mb4_0900_bin", translates=False, longest=64
    ),
    "oracle": Dialect(
        "Oracle",
        "oracle",
        double="TO_BINARY_DOUBLE({})",
        nan="{} = TO_BINARY_DOUBLE('NaN')",
        unknown_nan="UPPER(CAST({} AS VARCHAR(4000))) = 'NAN'",
        infinity="TO_BINARY_DOUBLE('{}Infinity')",
        truth=("1", "0"),
        moment="TO_TIMESTAMP({}, 'YYYY-MM-DD HH24:MI:SS')",
        longest=128,
        no_empty_text=True,
    ),
}
TYPED = tuple(name for name, dialect in DIALECTS.items() if dialect.typed)
