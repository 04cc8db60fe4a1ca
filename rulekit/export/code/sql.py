"""Parts of a rule as SQL: its CASE expression and its conditions; see `dialects`.

NULL is spelled out in every condition, so each one is either true or false, never unknown, and can
be negated by NOT. DuckDB also has NaN, which counts as missing here and in no other dialect: store
it as NULL there, as sqlite3 does by itself, or write for the database (`dialects`).
"""

import math
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import computed, shifted
from rulekit.export.subject import checked_label, column_kinds
from rulekit.rules import (
    Clause,
    Condition,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
)
from rulekit.rules.scales import DAYS_SINCE, GAPS, SEPARATORS, WORDS, moment
from rulekit.rules.writer import ConditionWriter

SPOKEN = {"==": "=", "!=": "<>", "in": "IN", "not-in": "NOT IN"}
JOINED = {"dnf": "OR", "cnf": "AND"}


@dataclass
class SqlWriter(ConditionWriter[str]):
    """Writes one rule in one dialect."""

    rule: RuleSet
    dialect: str
    table: str | None

    def __post_init__(self) -> None:
        self.kinds = column_kinds(self.rule)
        _refuse_twins(self.rule.features)
        labels = [checked_label(v, "SQL") for v in (*self.rule.labels, self.rule.default)]
        if len({isinstance(v, str) for v in labels}) > 1:
            raise ExportError(
                "A CASE expression has one type, but the rule predicts text and numbers; "
                "rename the classes."
            )

    def case(self) -> str:
        """Write the expression of the prediction."""
        rule = self.rule
        if rule.form == "cnf":
            whens = [self._when([self._clause(c) for c in rule.clauses], rule.labels[0])]
        else:
            pairs = zip(rule.clauses, rule.labels, strict=True)
            whens = [self._when(self._conditions(c), label) for c, label in pairs]
        if not whens:
            return self.value(rule.default)
        return "\n".join(["CASE", *whens, f"  ELSE {self.value(rule.default)}", "END"])

    def condition(self, clause: int | None) -> str:
        """Write the condition that the rule, or one of its clauses, matches."""
        rule = self.rule
        if clause is None:
            parts = [self._clause(c) for c in rule.clauses]
            empty = "1 = 0" if rule.form == "dnf" else "1 = 1"
            return f"\n   {JOINED[rule.form]} ".join(parts) or empty
        if not 0 <= clause < rule.n_clauses:
            raise ValueError(
                f"`clause` must be from 0 to {rule.n_clauses - 1}, one of the rule's; got {clause}."
            )
        return self._clause(rule.clauses[clause])

    def deciding(self) -> str:
        """Write the number of the deciding clause, from 1; 0 if none decides."""
        clauses = [self._clause(c) for c in self.rule.clauses]
        tests = clauses if self.rule.form == "dnf" else [f"NOT {c}" for c in clauses]
        whens = [f"  WHEN {text}\n  THEN {k}" for k, text in enumerate(tests, start=1)]
        return "\n".join(["CASE", *whens, "  ELSE 0", "END"]) if whens else "0"

    def _when(self, parts: list[str], label: Any) -> str:
        joined = "\n   AND ".join(parts) or "1 = 1"
        return f"  WHEN {joined}\n  THEN {self.value(label)}"

    def _clause(self, clause: Clause) -> str:
        empty = "1 = 1" if clause.op == "and" else "1 = 0"
        return f"({f' {clause.op.upper()} '.join(self._conditions(clause)) or empty})"

    def _conditions(self, clause: Clause) -> list[str]:
        return [self.write(c) for c in clause.conditions]

    def literal(self, literal: Literal) -> str:
        """Write a test: `("age" > 50.0 AND "age" IS NOT NULL)`."""
        literal = literal.as_set()
        if literal.op in GAPS:
            return f"({self._missingness(literal.feature)[literal.op == 'not-missing']})"
        if literal.op in WORDS:
            return self._with_gap(literal, self._has_word(literal))
        dated = literal.part == "date"
        value = ", ".join(self._moment(v) if dated else self.value(v) for v in literal.values)
        if literal.op in ("in", "not-in"):
            value = f"({value})"
        op = SPOKEN.get(literal.op, literal.op)
        return self._with_gap(literal, f"{self._read(literal)} {op} {value}")

    def _read(self, literal: Literal) -> str:
        """Write the compared value: a column, or a part of its dates."""
        column, part = self.column(literal.feature), literal.part
        if part is None:
            return column
        if self.dialect == "sqlite":
            return _read_sqlite(column, part)
        expression = f"CAST({column} AS TIMESTAMP)"
        if part == "date":
            return expression
        if part == "weekday":
            days = f"EXTRACT(DAY FROM ({expression} - TIMESTAMP '0001-01-01 00:00:00'))"
            return f"(MOD({days}, 7) + 1)"  # the first day of year 1 was a Monday
        if not part.startswith(DAYS_SINCE):
            return f"EXTRACT({part.upper()} FROM {expression})"
        since = self._moment(part.removeprefix(DAYS_SINCE))
        if self.dialect == "duckdb":
            return f"(date_diff('second', {since}, {expression}) / 86400e0)"
        gap = f"({expression} - {since})"
        seconds = "EXTRACT(DAY FROM {0}) * 86400 + EXTRACT(HOUR FROM {0}) * 3600"
        seconds += " + EXTRACT(MINUTE FROM {0}) * 60 + EXTRACT(SECOND FROM {0})"
        return f"(({seconds.format(gap)}) / 86400.0)"

    def _moment(self, text: Any) -> str:
        """Write a date to compare with, including its time of day."""
        date = moment(str(text))
        assert date is not None
        quoted = f"'{date.isoformat(sep=' ')}'"
        return quoted if self.dialect == "sqlite" else f"TIMESTAMP {quoted}"

    def _has_word(self, literal: Literal) -> str:
        """Write the test of a word: every separator becomes a blank."""
        word = str(literal.value)
        folded = self.column(literal.feature)
        for mark in SEPARATORS[1:]:
            text = "'" + mark.replace("'", "''") + "'" if mark.isprintable() else self._mark(mark)
            folded = f"REPLACE({folded}, {text}, ' ')"
        if self.dialect != "duckdb":  # sqlite3 and some collations fold A to Z alone
            for large, small in upper_forms(word):
                folded = f"REPLACE({folded}, {self.value(large)}, {self.value(small)})"
        wanted = word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        sign = "LIKE" if literal.op == "contains" else "NOT LIKE"
        return f"' ' || LOWER({folded}) || ' ' {sign} {self.value(f'% {wanted} %')} ESCAPE '!'"

    def _mark(self, mark: str) -> str:
        """Write an unprintable character by its number."""
        return {"sqlite": "char({})", "duckdb": "chr({})"}.get(self.dialect, "'{}'").format(
            mark if self.dialect == "ansi" else ord(mark)
        )

    def linear(self, split: LinearSplit) -> str:
        """Return the weighted sum, added in the order of `total`."""
        total = split.sum_text(self._double, self._number)
        return self._with_gap(split, f"{total} {split.op} {self._number(split.value)}")

    def power_law(self, split: PowerLawSplit) -> str:
        """Return the sum of power laws, multiplied in the order of `PowerLaw.value`."""
        return self._with_gap(split, computed(split, self._factor, self._number, str.upper))

    def points(self, split: PointsSplit) -> str:
        """Write points, one CASE per condition; each is true or false, never unknown."""
        cases = [f"CASE WHEN {self.literal(c)} THEN {p} ELSE 0 END" for c, p in split.given]
        score = "\n      + ".join(cases)
        sign, total = split.comparison
        return f"({score} {sign} {total})"

    def _factor(self, factor: Factor) -> str:
        text = self._cast(factor.feature)
        if factor.floor is not None:
            floor = self._number(factor.floor)
            text = f"CASE WHEN {text} < {floor} THEN {floor} ELSE {text} END"
        return shifted(text, factor, self._number)

    def _with_gap(self, condition: Condition, test: str) -> str:
        missingness = [self._missingness(f) for f in condition.features]
        if condition.missing:
            return f"({test} OR {' OR '.join(absent for absent, _ in missingness)})"
        return f"({test} AND {' AND '.join(present for _, present in missingness)})"

    def _cast(self, feature: str) -> str:
        """Write a column as a double, so that whole numbers are not divided as integers."""
        kind = {"ansi": "DOUBLE PRECISION", "sqlite": "REAL", "duckdb": "DOUBLE"}[self.dialect]
        return f"CAST({self.column(feature)} AS {kind})"

    def _double(self, feature: str) -> str:
        """Write a column as a double, also if it is stored as a whole number or truth value."""
        column = self.column(feature)
        return f"CAST({column} AS DOUBLE)" if self.dialect == "duckdb" else column

    def _missingness(self, feature: str) -> tuple[str, str]:
        """Write "is missing" and "is not missing" for a column."""
        column = self.column(feature)
        kind = self.kinds[feature]
        if self.dialect != "duckdb" or kind == "text":
            return f"{column} IS NULL", f"{column} IS NOT NULL"
        nan = f"isnan(CAST({column} AS DOUBLE))"
        if kind == "unknown":
            nan = f"(typeof({column}) IN ('DOUBLE', 'FLOAT') AND CAST({column} AS VARCHAR) = 'nan')"
        return f"{column} IS NULL OR {nan}", f"{column} IS NOT NULL AND NOT {nan}"

    def column(self, feature: str) -> str:
        """Write a column's name, with its table if a bare one could be misread."""
        if self.dialect == "sqlite" and self.table is not None:
            return f"{self.name(self.table)}.{self.name(feature)}"
        return self.name(feature)

    def name(self, name: str) -> str:
        """Write an identifier in double quotes."""
        if not name and self.dialect != "sqlite":
            raise ExportError("A column without a name cannot be written in SQL. Name it.")
        return '"' + _text(name).replace('"', '""') + '"'

    def value(self, value: Any) -> str:
        """Write a constant."""
        if isinstance(value, bool):
            return self._truth(value)
        if isinstance(value, str):
            return "'" + _text(value).replace("'", "''") + "'"
        return str(value) if isinstance(value, int) else self._number(value)

    def _truth(self, value: bool) -> str:
        """Write a truth value; sqlite3 reads the word TRUE as a column of that name, if any."""
        if self.dialect == "sqlite":
            return "1" if value else "0"
        named = next((f for f in self.rule.features if f.lower() in ("true", "false")), None)
        if self.dialect == "ansi" and named is not None:
            raise ExportError(
                f"Some databases take TRUE and FALSE for the column {named!r}. Rename it, or write "
                "for 'sqlite' or 'duckdb'."
            )
        return "TRUE" if value else "FALSE"

    def _number(self, number: float) -> str:
        if math.isinf(number):
            return self._infinity(number)
        text = repr(number)
        # without an exponent DuckDB reads a DECIMAL, whose last digit may differ from the double
        return text if self.dialect != "duckdb" or "e" in text else f"{text}e0"

    def _infinity(self, number: float) -> str:
        if self.dialect == "ansi":
            raise ExportError(
                "The rule compares with an infinity, which standard SQL cannot express. Export it "
                "for 'sqlite' or 'duckdb', or use a finite number."
            )
        sign = "-" if number < 0 else ""
        return f"{sign}9e999" if self.dialect == "sqlite" else f"CAST('{sign}inf' AS DOUBLE)"


def _read_sqlite(column: str, part: str) -> str:
    """Write a part of ISO text with the functions of sqlite3."""
    if part == "date":
        return f"datetime({column})"
    if part == "weekday":
        return f"((CAST(strftime('%w', {column}) AS INTEGER) + 6) % 7 + 1)"
    if part.startswith(DAYS_SINCE):
        since = part.removeprefix(DAYS_SINCE)
        return f"((strftime('%s', {column}) - strftime('%s', '{since}')) / 86400.0)"
    sign = {"year": "%Y", "month": "%m", "hour": "%H"}[part]
    return f"CAST(strftime('{sign}', {column}) AS INTEGER)"


def upper_forms(word: str) -> list[tuple[str, str]]:
    """List the letters beyond A to Z that can spell a word, and their lower case.

    A database may fold the letters A to Z alone.
    """
    forms = [(c.upper(), c) for c in dict.fromkeys(word) if not c.isascii()]
    forms += [("\u212a", "k")] if "k" in word else []  # the sign of kelvin
    return [(a, b) for a, b in forms if a != b and a.lower() == b]


def _refuse_twins(features: tuple[str, ...]) -> None:
    """Reject columns that databases cannot distinguish: they fold the letters A to Z."""
    by_lower: dict[str, str] = {}
    for feature in features:
        folded = "".join(c.lower() if c.isascii() else c for c in feature)
        if folded in by_lower:
            raise ExportError(
                f"Columns {by_lower[folded]!r} and {feature!r} differ in upper and lower case "
                "only, which SQL does not distinguish. Rename one."
            )
        by_lower[folded] = feature


def _text(text: str) -> str:
    """Reject text that SQL cannot contain."""
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ExportError(
            f"SQL cannot hold the name or value {text!r}: it contains a NUL character or a lone "
            "surrogate. Rename it."
        )
    return text
