"""Rules as SQL in the dialect of a database.

SQL for SQLite, DuckDB and PostgreSQL is written by `SqlWriter` and its subclasses below, and run by
the tests of this library. For the other databases the PostgreSQL text, with their own forms of NaN,
text and numbers, is translated by sqlglot (names, strings, types); it is not run here.

If a database has NaN, NaN counts as missing: PostgreSQL, Spark, Snowflake and Oracle treat it as
larger than any number, so that ``x > 5`` is true there, and false in the rule. Numbers are compared
as doubles, as in the rule, whatever type the column has: 0.1 in a ``real`` column is 0.10000000149,
as in a data frame, and 0.1 in a ``numeric`` one is 0.1. A boolean column in a sum is cast to a
whole number first: PostgreSQL cannot cast it to a double.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.sql import SqlWriter
from rulekit.export.subject import exported_rule
from rulekit.rules import Literal
from rulekit.rules.scales import DAYS_SINCE

PARTS = ("case", "where", "clause", "score")
OWN = ("ansi", "sqlite", "duckdb")


@dataclass(frozen=True)
class Dialect:
    """Differences of a database from standard SQL."""

    name: str
    grammar: str = ""
    double: str = "CAST({} AS DOUBLE PRECISION)"
    nan: str | None = "{} = CAST('NaN' AS DOUBLE PRECISION)"
    infinity: str | None = "CAST('{}Infinity' AS DOUBLE PRECISION)"
    text: str = "{}"
    written: str = "CAST({} AS TEXT)"
    moment: str = "TIMESTAMP {}"
    letters: str = ""
    truth: tuple[str, str] = ("TRUE", "FALSE")
    longest: int = 255
    no_empty_text: bool = False


#: The databases besides SQLite and DuckDB, by their names for `to_sql`.
DATABASES = {
    "postgresql": Dialect("PostgreSQL", text='CAST({} AS TEXT) COLLATE "C"', longest=63),
    "spark": Dialect("Spark SQL", "spark"),
    "bigquery": Dialect("BigQuery", "bigquery", nan="IS_NAN({})", longest=300),
    "snowflake": Dialect("Snowflake", "snowflake", infinity="CAST('{}inf' AS DOUBLE PRECISION)"),
    "sqlserver": Dialect(
        "SQL Server",
        "tsql",
        nan=None,
        infinity=None,
        text="{} COLLATE Latin1_General_100_BIN2",
        letters="N",
        truth=("1", "0"),
        longest=128,
    ),
    "mysql": Dialect(
        "MySQL",
        "mysql",
        nan=None,
        infinity=None,
        text="{} COLLATE utf8mb4_0900_bin",
        longest=64,
    ),
    "oracle": Dialect(
        "Oracle",
        "oracle",
        double="TO_BINARY_DOUBLE({})",
        nan="{} = TO_BINARY_DOUBLE('NaN')",
        infinity="TO_BINARY_DOUBLE('{}Infinity')",
        written="CAST({} AS VARCHAR(4000))",
        moment="TO_TIMESTAMP({}, 'YYYY-MM-DD HH24:MI:SS')",
        truth=("1", "0"),
        longest=128,
        no_empty_text=True,
    ),
}
DIALECTS = (*OWN, *DATABASES)


def to_sql(
    model: Any,
    *,
    dialect: str = "ansi",
    part: str = "case",
    table: str | None = None,
    clause: int | None = None,
    boolean: Sequence[str] | None = None,
) -> str:
    r"""Write a rule as SQL.

    Parameters
    ----------
    model : RuleSet or fitted model
        The rule to write.
    dialect : str, default="ansi"
        The database that runs it: "ansi", "sqlite", "duckdb", "postgresql", "spark", "bigquery",
        "snowflake", "sqlserver", "mysql" or "oracle". The last six need the package sqlglot.
    part : {"case", "where", "clause", "score"}, default="case"
        An expression with the prediction of each row; a condition that is true if the rule holds
        (if it does not fall to its default); an expression with the number of the deciding clause,
        from 1, and 0 if none decides (in a CNF the first that fails); or a whole SELECT with both
        as last columns "prediction" and "clause".
    table : str, optional
        With a table the expression becomes a whole SELECT, with the prediction as a last column
        "prediction" (for ``part="clause"``, the number as "clause"). Needed for ``part="score"``.
    clause : int, optional
        With ``part="where"``: the condition of this clause alone, counted from 0.
    boolean : sequence of str, optional
        With the last seven dialects: the columns that are boolean in the database, counted as 1 and
        0 in sums. By default those with truth values when a model was learned. Columns that the
        rule compares with true or false are always included.

    Returns
    -------
    str
        Without a semicolon. Identifiers are quoted, numbers are the shortest decimals of the same
        double.

    Raises
    ------
    ExportError
        If SQL cannot express the rule: a column compared with text and with numbers, names that
        differ in case only, a NUL character; an infinity, a name too long or an empty text if the
        database does not support it; or sqlglot is needed and not installed.
    ValueError
        If `dialect`, `part` or `clause` is not listed above, or an option is set that has no effect
        with the others.

    Notes
    -----
    sqlite3 reads a quoted name that is no column as text. With `table` every column is written with
    its table, so that a missing one is an error; a bare expression cannot guard against this.

    PostgreSQL raises an error if a sum or product leaves the range of doubles; the rule continues
    with infinities. SQL Server ignores blanks at the end of a text.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> print(to_sql(rule))
    CASE
      WHEN ("age" > 50.0 AND "age" IS NOT NULL)
      THEN 'ill'
      ELSE 'well'
    END
    """
    _check_option("dialect", dialect, DIALECTS)
    _check_option("part", part, PARTS)
    if part == "score" and table is None:
        raise ValueError('`part="score"` reads a table: give `table`.')
    if clause is not None and part != "where":
        raise ValueError(f'`clause` is read with `part="where"` only, got `part={part!r}`.')
    if boolean is not None and dialect in OWN:
        raise ValueError(f"`boolean` is read for {tuple(DATABASES)}, got `dialect={dialect!r}`.")
    rule = exported_rule(model)
    if dialect in OWN:
        return _written(SqlWriter(rule, dialect, table), part, clause)
    chosen = DATABASES[dialect]
    flags = frozenset(_learned_flags(model) if boolean is None else boolean)
    text = _written(DatabaseWriter(rule, dialect, table, chosen, flags), part, clause)
    return _translated(text, chosen) if chosen.grammar else text


def _learned_flags(model: Any) -> list[str]:
    """List the columns that had truth values when a model was learned."""
    kinds = getattr(model, "_kinds", {})
    return [name for name, kind in kinds.items() if kind == "boolean"]


def _check_option(name: str, given: Any, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ValueError(f"`{name}` must be one of {allowed}, got {given!r}.")


def _written(writer: SqlWriter, part: str, clause: int | None) -> str:
    table = writer.table
    source = "" if table is None else f"\nFROM {writer.name(table)}"
    if part == "where":
        start = "" if table is None else f"SELECT *{source}\nWHERE "
        return start + writer.condition(clause)
    columns = []
    if part != "clause":
        columns.append((writer.case(), "prediction"))
    if part != "case":
        columns.append((writer.deciding(), "clause"))
    if table is None:
        return columns[0][0]
    return ",\n".join(["SELECT *", *(f'{text} AS "{name}"' for text, name in columns)]) + source


@dataclass
class DatabaseWriter(SqlWriter):
    """Writes one rule for a database with known column types."""

    database: Dialect
    flags: frozenset[str] = frozenset()

    def literal(self, literal: Literal) -> str:
        """Write a test; truth values beside numbers become 1 and 0."""
        values = literal.values
        if self._kind(literal.feature) == "flag" and not all(isinstance(v, bool) for v in values):
            numbers = tuple(float(v) for v in values)
            several = isinstance(literal.value, tuple)
            literal = replace(literal, value=numbers if several else numbers[0])
        return super().literal(literal)

    def name(self, name: str) -> str:
        """Write an identifier, in double quotes if needed."""
        size = len(name.encode("utf-8", "replace"))
        if size > self.database.longest:
            raise ExportError(
                f"A name in {self.database.name} has {self.database.longest} bytes at most; "
                f"{name[:40]!r}... has {size}. Rename it."
            )
        return super().name(name)

    def value(self, value: Any) -> str:
        """Write a constant."""
        if value == "" and self.database.no_empty_text:
            raise ExportError(
                f"{self.database.name} treats empty text as missing, but the rule distinguishes "
                "them. Replace empty text by a name, or write for another database."
            )
        text = super().value(value)
        return self.database.letters + text if isinstance(value, str) else text

    def _read(self, literal: Literal) -> str:
        column, kind = self.column(literal.feature), self._kind(literal.feature)
        if literal.part is not None:
            return self._read_date(literal, column)
        if kind == "text":
            return self.database.text.format(column)
        plain = all(isinstance(v, bool) for v in literal.values)
        return column if kind == "unknown" or plain else self._double(literal.feature)

    def _read_date(self, literal: Literal, column: str) -> str:
        """Write the part of dates that is read; parts without common grammar are rejected."""
        part = str(literal.part)
        if part == "weekday" or part.startswith(DAYS_SINCE):
            if self.database.grammar:
                raise ExportError(
                    f"The rule reads the {part} of column {literal.feature!r}, which cannot be "
                    f"written for {self.database.name}. Make a column of it there, or take another "
                    "format."
                )
            if part != "weekday":
                since = self._moment(part.removeprefix(DAYS_SINCE))
                gap = f"EXTRACT(EPOCH FROM (CAST({column} AS TIMESTAMP) - {since}))"
                return f"(CAST({gap} AS DOUBLE PRECISION) / 86400)"
        return super()._read(literal)

    def _moment(self, text: Any) -> str:
        return self.database.moment.format(super()._moment(text).removeprefix("TIMESTAMP "))

    def _has_word(self, literal: Literal) -> str:
        column = self.column(literal.feature)
        return super()._has_word(literal).replace(column, self.database.text.format(column), 1)

    def _mark(self, mark: str) -> str:
        return f"CHR({ord(mark)})"

    def _kind(self, feature: str) -> str:
        """Return whether a column holds text, numbers, truth values, or is unknown."""
        types: set[type] = set()
        for condition in (c for clause in self.rule.clauses for c in clause.conditions):
            types |= condition.types.get(feature, frozenset())
        given = feature in self.flags and self.kinds[feature] != "text"
        return "flag" if given or bool in types else self.kinds[feature]

    def _cast(self, feature: str) -> str:
        return self._double(feature)

    def _double(self, feature: str) -> str:
        column = self.column(feature)
        if self._kind(feature) == "flag":
            column = f"CAST({column} AS INTEGER)"
        return self.database.double.format(column)

    def _missingness(self, feature: str) -> tuple[str, str]:
        column, kind = self.column(feature), self._kind(feature)
        if self.database.nan is None or kind in ("text", "flag"):
            return f"{column} IS NULL", f"{column} IS NOT NULL"
        nan = self.database.nan.format(self._double(feature))
        if kind == "unknown":  # of any type: NaN as text is spelled the same everywhere
            nan = f"UPPER({self.database.written.format(column)}) = 'NAN'"
            if not self.database.grammar:
                numbers = "('real'::regtype, 'double precision'::regtype, 'numeric'::regtype)"
                nan = f"(pg_typeof({column}) IN {numbers} AND {nan})"
        return f"{column} IS NULL OR {nan}", f"{column} IS NOT NULL AND NOT {nan}"

    def _truth(self, value: bool) -> str:
        return self.database.truth[not value]

    def _number(self, number: float) -> str:
        text = super()._number(number)
        # without an exponent it would be a decimal, with few digits in some databases
        return text if not text[-1].isdigit() or "e" in text else f"{text}e0"

    def _infinity(self, number: float) -> str:
        if self.database.infinity is None:
            raise ExportError(
                f"The rule compares with an infinity, which {self.database.name} cannot express. "
                "Use a finite number."
            )
        return self.database.infinity.format("-" if number < 0 else "")


def _translated(text: str, database: Dialect) -> str:
    """Translate PostgreSQL text to another database's grammar."""
    try:
        import sqlglot  # an extra: most people never need it
    except ImportError:
        raise ExportError(
            f"Writing for {database.name} needs the package sqlglot. Install it "
            "(pip install \"rulekit-dashboard[sql]\"), or take 'ansi'."
        ) from None
    unsupported = sqlglot.ErrorLevel.RAISE
    try:
        (translated,) = sqlglot.transpile(
            text,
            read="postgres",
            write=database.grammar,
            unsupported_level=unsupported,
            pretty=True,
        )
    except sqlglot.errors.SqlglotError as error:
        reason = str(error).splitlines()[0]
        raise ExportError(
            f"The rule cannot be written for {database.name}: {reason}. Take another database."
        ) from error
    return str(translated)
