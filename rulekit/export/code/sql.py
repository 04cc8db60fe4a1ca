"""Rules as SQL in the dialect of a database."""

# SQL for SQLite, DuckDB and PostgreSQL is run by the tests. For the others the PostgreSQL text,
# with their own forms of NaN, text and numbers, is translated by sqlglot; it is not run here.
#
# NULL is spelled out in every condition, so each is true or false and can be negated by NOT. NaN
# counts as missing: PostgreSQL, Spark, Snowflake and Oracle treat it as larger than any number. In
# standard SQL and sqlite3 NaN must be stored as NULL. Where column types are known, numbers are
# compared as doubles: 0.1 in a ``real`` column is 0.10000000149, in a ``numeric`` one 0.1. A
# boolean in a sum is cast to a whole number first, since PostgreSQL cannot cast it to a double.

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.dialects import DIALECTS, TYPED, Dialect
from rulekit.export.code.formulas import CodeWriter
from rulekit.export.exchange.xml import free_name
from rulekit.export.subject import check_label, column_kinds, rule_to_export, write_comments
from rulekit.rules import Clause, Condition, Literal, PointsSplit, RuleSet, make_cases, scorecard_of
from rulekit.rules.condition import DAYS_SINCE, GAPS, ORDERED, WORDS, foldings, moment
from rulekit.rules.schema import Schema
from rulekit.rules.sums import LinearSplit

SPOKEN = {"==": "=", "!=": "<>", "in": "IN", "not-in": "NOT IN"}
PARTS = ("case", "where", "clause", "score", "test")
GAPS_OF = {"text": "CAST(NULL AS TEXT)", "flag": "CAST(NULL AS BOOLEAN)"}  # by kind of column
STAGE = 6  # nested calls in a stage: the parser of SQLite has 100 levels
STRFTIME = {"year": "%Y", "month": "%m", "hour": "%H"}


@dataclass
class SqlWriter(CodeWriter):
    """Writes one rule in one dialect; `flags` are the columns that hold truth values."""

    words = {"and": "AND", "not": "NOT"}  # noqa: RUF012
    larger = "CASE WHEN {0} < {1} THEN {1} ELSE {0} END"
    term, total = "CASE WHEN {test} THEN {points} ELSE 0 END", ("{}", "\n      + ")
    rule: RuleSet
    dialect: Dialect
    table: str | None
    flags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.kinds = column_kinds(self.rule)
        if self.dialect.typed:
            flags = {f for f, types in self.rule.types.items() if bool in types}
            flags |= {f for f in self.flags & set(self.kinds) if self.kinds[f] != "text"}
            self.kinds |= dict.fromkeys(flags, "flag")
        by_lower: dict[str, str] = {}  # databases fold the letters A to Z
        for feature in self.rule.features:
            twin = by_lower.setdefault(re.sub("[A-Z]", lambda c: c[0].lower(), feature), feature)
            if twin != feature:
                raise ExportError(
                    f"Columns {twin!r} and {feature!r} differ in upper and lower case only, which "
                    "SQL does not distinguish. Rename one."
                )
        labels = [check_label(v, "SQL") for v in (*self.rule.labels, self.rule.default)]
        if len({isinstance(v, str) for v in labels}) > 1:
            raise ExportError(
                "A CASE expression has one type, but the rule predicts text and numbers; "
                "rename the classes."
            )

    def case(self) -> str:
        """Write the expression of the prediction."""
        rule, both = self.rule, "\n   AND "
        tests = [both.join(map(self.write, clause.conditions)) for clause in rule.clauses]
        if rule.form == "cnf":
            tests = [both.join(map(self._clause, rule.clauses))]
        return self._choose(tests, map(self.source, rule.labels), self.source(rule.default))

    def failing_cases(self) -> str:
        """Write a SELECT of the test cases that `case` answers otherwise than the rule."""
        names = (free_name(n, self.rule.features) for n in ("expected", "shows", "prediction"))
        expected, shows, prediction = map(self.name, names)
        cases, double = [], self.dialect.double.format("NULL")
        for case in make_cases(self.rule):
            # a missing cell has the type of its column
            gaps = {f: GAPS_OF.get(self.kinds[f]) or double for f in case.row}
            filled = {f: gaps[f] if v is None else self.source(v) for f, v in case.row.items()}
            cells = [f"{cell} AS {self.name(f)}" for f, cell in filled.items()]
            cells.append(f"{self.source(case.answer)} AS {expected}")
            cases.append(f"SELECT {', '.join(cells)}, {self.source(case.shows)} AS {shows}")
        if not cases:
            raise ExportError("This rule is constant or too long to have test cases. Shorten it.")
        listed = "\n  UNION ALL ".join(cases)
        answered = f'SELECT *, {self.case()} AS {prediction}\nFROM ({listed}) AS "cases"'
        return f'SELECT * FROM (\n{answered}\n) AS "answered"\nWHERE {prediction} <> {expected}'

    def condition(self) -> str:
        """Write the condition that the rule matches."""
        word, empty = ("OR", "1 = 0") if self.rule.form == "dnf" else ("AND", "1 = 1")
        return f"\n   {word} ".join([self._clause(c) for c in self.rule.clauses]) or empty

    def deciding(self) -> str:
        """Write the number of the deciding clause, from 1, 0 if none; a scorecard's total."""
        if splits := scorecard_of(self.rule):
            return f"({self.score(splits[0])})"
        sign = "" if self.rule.form == "dnf" else "NOT "
        tests = [f"{sign}{self._clause(clause)}" for clause in self.rule.clauses]
        return self._choose(tests, range(1, len(tests) + 1), "0")

    def _choose(self, tests: list[str], results: Iterable[Any], other: str) -> str:
        """Write the result of the first test that holds."""
        pairs = zip(tests, results, strict=False)
        whens = [f"  WHEN {test or '1 = 1'}\n  THEN {result}" for test, result in pairs]
        return "\n".join(["CASE", *whens, f"  ELSE {other}", "END"]) if whens else other

    def _clause(self, clause: Clause) -> str:
        empty = "1 = 1" if clause.op == "and" else "1 = 0"
        return f"({f' {clause.op.upper()} '.join(map(self.write, clause.conditions)) or empty})"

    def literal(self, literal: Literal) -> str:
        """Write a test: `("age" > 50.0 AND "age" IS NOT NULL)`."""
        literal, typed = literal.as_set(), self.dialect.typed
        values, kind = literal.values, self.kinds[literal.feature]
        if typed and kind == "flag" and not all(isinstance(v, bool) for v in values):
            ones = tuple(float(v) for v in values)  # truth values beside numbers are 1 and 0
            literal = replace(literal, value=ones if isinstance(literal.value, tuple) else ones[0])
        if literal.op in GAPS:
            return f"({self._missingness(literal.feature)[literal.op == 'not-missing']})"
        if literal.op in WORDS:
            return self.with_gap(literal, self._has_word(literal))
        if literal.part == "date":
            date = self._read(literal)  # in whole seconds: up to 12:30:00 is before 12:30:01
            if literal.op in ("<=", ">"):
                sign = "<" if literal.op == "<=" else ">="
                test = f"{date} {sign} {self._moment(literal.value, seconds=1)}"
            elif literal.op in ORDERED:
                test = f"{date} {literal.op} {self._moment(literal.value)}"
            else:
                pairs = ((self._moment(v), self._moment(v, seconds=1)) for v in literal.values)
                within = " OR ".join(f"({date} >= {a} AND {date} < {b})" for a, b in pairs)
                test = f"({within})" if literal.op in ("==", "in") else f"NOT ({within})"
            return self.with_gap(literal, test)
        value = ", ".join(self.source(v) for v in literal.values)
        if literal.op in ("in", "not-in"):
            value = f"({value})"
        op = SPOKEN.get(literal.op, literal.op)
        return self.with_gap(literal, f"{self._read(literal)} {op} {value}")

    def _read(self, literal: Literal) -> str:
        """Write the compared value: a column, or a part of its dates."""
        column, kind = self.column(literal.feature), self.kinds[literal.feature]
        if literal.part is not None:  # parts without common grammar are rejected
            part, dialect = literal.part, self.dialect
            column_schema = (self.rule.schema or Schema()).column(literal.feature)
            zoned = dialect.zoned if column_schema and column_schema.zone else None
            date, since, day = (zoned or dialect.date).format(column=column), "", ""
            template: str | None = dialect.date_part
            if part == "date":
                return date
            if part == "weekday":
                template = dialect.weekday
            elif part.startswith(DAYS_SINCE):
                template, day = dialect.since, part.removeprefix(DAYS_SINCE)
                since = self._moment(day)
            if template is None:
                raise ExportError(
                    f"The rule reads the {part} of column {literal.feature!r}, which cannot be "
                    f"written for {dialect.name}. Make a column of it there, or take another "
                    "format."
                )
            sign = STRFTIME.get(part, "")
            parts = {"part": part.upper(), "sign": sign, "since": since, "day": day}
            return template.format(column=column, date=date, **parts)
        if not self.dialect.typed:
            return column
        if kind == "text":
            return self.dialect.text.format(column)
        plain = all(isinstance(v, bool) for v in literal.values)
        return column if kind == "unknown" or plain else self.read_number(literal.feature)

    def _moment(self, text: Any, seconds: int = 0) -> str:
        """Write a date to compare with, or some seconds later, including its time of day."""
        date = moment(str(text))
        assert date is not None
        if seconds and date >= datetime.max.replace(microsecond=0):
            raise ExportError("SQL has no second after 9999-12-31 23:59:59. Use an earlier date.")
        date += timedelta(seconds=seconds)
        return self.dialect.moment.format(f"'{date.isoformat(sep=' ')}'")

    def _has_word(self, literal: Literal) -> str:
        """Write the test of a word: separators become blanks, its capitals small letters."""
        word = str(literal.value)
        text = f"' ' || {self.dialect.text.format(self.column(literal.feature))} || ' '"
        letters, texts = foldings(word)
        sign = "LIKE" if literal.op == "contains" else "NOT LIKE"
        test = f" {sign} {self.source('% ' + word.replace('_', '!_') + ' %')} ESCAPE '!'"
        if self.dialect.translates:
            old, new = "".join(letters), "".join(letters.values())
            text = f"TRANSLATE({text}, {self._letters(old)}, {self.source(new)})"
            return self._replace_pairs(text, texts) + test
        pairs = [*letters.items(), *texts]
        if self.dialect.nests:
            return self._replace_pairs(text, pairs) + test
        stages = [self._replace_pairs(text, pairs[:STAGE])]
        for start in range(STAGE, len(pairs), STAGE):
            replaced = self._replace_pairs("w", pairs[start : start + STAGE])
            stages.append(f"{replaced} FROM w{len(stages)}")
        named = ",\n".join(f"  w{k}(w) AS (SELECT {s})" for k, s in enumerate(stages, start=1))
        return f"(WITH\n{named}\n  SELECT w{test} FROM w{len(stages)})"

    def _replace_pairs(self, text: str, pairs: Iterable[tuple[str, str]]) -> str:
        for old, new in pairs:
            text = f"REPLACE({text}, {self._letters(old)}, {self.source(new)})"
        return text

    def _letters(self, text: str) -> str:
        """Write a text; characters that are not printed by their numbers."""
        parts: list[str] = []
        for printable, letters in groupby(text, str.isprintable):
            if printable:
                parts.append(self.source("".join(letters)))
            else:
                parts += [self.dialect.mark.format(character=c, code=ord(c)) for c in letters]
        return " || ".join(parts)

    def linear(self, split: LinearSplit) -> str:
        """Return the weighted sum, added in the order of `total`."""
        total = split.sum_text(partial(self.read_number, template=self.dialect.summed), self.source)
        return self.with_gap(split, f"{total} {split.op} {self.source(split.value)}")

    def points(self, split: PointsSplit) -> str:
        """Write points, one CASE per condition; each is true or false, never unknown."""
        return f"({super().points(split)})"

    def with_gap(self, condition: Condition, test: str) -> str:
        """Write a test together with its result for missing values."""
        missingness = [self._missingness(f) for f in condition.features]
        if condition.missing:
            return f"({test} OR {' OR '.join(absent for absent, _ in missingness)})"
        return f"({test} AND {' AND '.join(present for _, present in missingness)})"

    def read_number(self, feature: str, template: str | None = None) -> str:
        """Write a column as a double, so that whole numbers are not divided as integers."""
        column = self.column(feature)
        if self.dialect.typed and self.kinds[feature] == "flag":
            column = f"CAST({column} AS INTEGER)"
        return (template or self.dialect.double).format(column)

    def _missingness(self, feature: str) -> tuple[str, str]:
        """Write "is missing" and "is not missing" for a column."""
        column, kind, dialect = self.column(feature), self.kinds[feature], self.dialect
        if dialect.nan is None or kind == "text" or (kind == "flag" and dialect.typed):
            return f"{column} IS NULL", f"{column} IS NOT NULL"
        nan = dialect.nan.format(self.read_number(feature))
        if kind == "unknown":
            nan = dialect.unknown_nan.format(column)
        return f"{column} IS NULL OR {nan}", f"{column} IS NOT NULL AND NOT {nan}"

    def column(self, feature: str) -> str:
        """Write a column's name, with its table if a bare one could be misread."""
        if self.dialect.qualified and self.table is not None:
            return f"{self.name(self.table)}.{self.name(feature)}"
        return self.name(feature)

    def name(self, name: str) -> str:
        """Write an identifier in double quotes."""
        size, longest = len(name.encode("utf-8", "replace")), self.dialect.longest
        if longest is not None and size > longest:
            raise ExportError(
                f"A name in {self.dialect.name} has {longest} bytes at most; {name[:40]!r}... has "
                f"{size}. Rename it."
            )
        if not name and self.dialect.no_empty_name:
            raise ExportError("A column without a name cannot be written in SQL. Name it.")
        return '"' + _text(name).replace('"', '""') + '"'

    def source(self, value: Any) -> str:
        """Write a constant."""
        if value == "" and self.dialect.no_empty_text:
            raise ExportError(
                f"{self.dialect.name} treats empty text as missing, but the rule distinguishes "
                "them. Replace empty text by a name, or write for another database."
            )
        if isinstance(value, bool):
            return self.dialect.truth[not value]
        if isinstance(value, str):
            return self.dialect.letters + "'" + _text(value).replace("'", "''") + "'"
        text = repr(value)
        if isinstance(value, int):
            return text
        if not math.isinf(value):
            return f"{text}e0" if self.dialect.exponent and "e" not in text else text
        if self.dialect.infinity is None:
            raise ExportError(
                f"The rule compares with an infinity, which {self.dialect.name} cannot express. "
                "Use a finite number, or export it for 'sqlite' or 'duckdb'."
            )
        return self.dialect.infinity.format("-" if value < 0 else "")


def to_sql(
    model: Any,
    *,
    dialect: str = "ansi",
    part: str = "case",
    table: str | None = None,
    boolean: Sequence[str] | None = None,
) -> str:
    r"""Write a rule as SQL.

    Parameters
    ----------
    model : RuleSet or fitted model
    dialect : str, default="ansi"
        The database that runs it: "ansi", "sqlite", "duckdb", "postgresql", "spark", "bigquery",
        "snowflake", "sqlserver", "mysql" or "oracle". The last six need the package sqlglot.
    part : {"case", "where", "clause", "score", "test"}, default="case"
        An expression with the prediction of each row; a condition that is true if the rule holds
        (if it does not fall to its default); an expression with the number of the deciding clause,
        from 1, and 0 if none decides (in a CNF the first that fails), for a scorecard its total; or
        a whole SELECT with both as last columns "prediction" and "clause" (or "total_points"); or
        a SELECT of the test cases that the database answers otherwise, which is empty if all is
        well (see `rulekit.rules.make_cases`).
    table : str, optional
        With a table the expression becomes a whole SELECT, with the prediction as a last column
        "prediction" (for ``part="clause"``, as "clause" or "total_points"). Needed for
        ``part="score"``, not read for ``part="test"``.
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
        If `dialect` or `part` is not listed above, or an option is set that has no effect
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
    for name, option, allowed in (("dialect", dialect, tuple(DIALECTS)), ("part", part, PARTS)):
        if option not in allowed:
            raise ValueError(f"`{name}` must be one of {allowed}, got {option!r}.")
    if not (isinstance(table, str) and table) and (part == "score" or table is not None):
        raise ValueError(f"`table` must be the name of a table, got {table!r}.")
    if part == "test" and table is not None:
        raise ValueError('`part="test"` brings its own rows: leave `table` out.')
    if boolean is not None and dialect not in TYPED:
        raise ValueError(f"`boolean` is read for {TYPED}, got `dialect={dialect!r}`.")
    rule, chosen = rule_to_export(model), DIALECTS[dialect]
    if boolean is None:  # those with truth values when the rule was learned
        known = (rule.schema or Schema()).columns
        boolean = [column.name for column in known if column.kind == "truth value"]
    writer = SqlWriter(rule, chosen, "cases" if part == "test" else table, frozenset(boolean))
    text = _write_query(writer, part)
    if chosen.grammar:
        try:
            import sqlglot  # an extra: most people never need it
        except ImportError:
            raise ExportError(
                f"Writing for {chosen.name} needs the package sqlglot. Install it "
                "(pip install \"rulekit-dashboard[sql]\"), or take 'ansi'."
            ) from None
        given: Any = {"unsupported_level": sqlglot.ErrorLevel.RAISE, "pretty": True}
        try:
            (text,) = sqlglot.transpile(text, read="postgres", write=chosen.grammar, **given)
        except sqlglot.errors.SqlglotError as error:
            reason = str(error).splitlines()[0]
            raise ExportError(
                f"The rule cannot be written for {chosen.name}: {reason}. Take another database."
            ) from error
    return write_comments(rule, "--", titled=False) + text


def _write_query(writer: SqlWriter, part: str) -> str:
    table = writer.table
    if part == "test":
        return writer.failing_cases()
    source = "" if table is None else f"\nFROM {writer.name(table)}"
    if part == "where":
        return ("" if table is None else f"SELECT *{source}\nWHERE ") + writer.condition()
    columns = []
    if part != "clause":
        columns.append((writer.case(), "prediction"))
    if part != "case":
        columns.append(
            (writer.deciding(), "total_points" if scorecard_of(writer.rule) else "clause")
        )
    if table is None:
        return columns[0][0]
    return ",\n".join(["SELECT *", *(f'{text} AS "{name}"' for text, name in columns)]) + source


def _text(text: str) -> str:
    """Reject text that SQL cannot contain."""
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ExportError(
            f"SQL cannot hold the name or value {text!r}: it contains a NUL character or a lone "
            "surrogate. Rename it."
        )
    return text
