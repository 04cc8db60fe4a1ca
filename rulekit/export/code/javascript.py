"""JavaScript code: a rule as a function without dependencies, for Node and for web pages."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import subtract_shift, write_decisions, write_sum, write_test
from rulekit.export.subject import check_label, describe_columns, rule_to_export
from rulekit.rules import (
    Condition,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
    make_cases,
)
from rulekit.rules.condition import DAYS_SINCE, GAPS, ORDERED, SEPARATORS, WORDS, foldings
from rulekit.rules.writer import ConditionWriter

EXACT = 2**53  # whole numbers beyond are not exact in JavaScript
SIGNS = {"and": "&&", "or": "||", "not": "!"}

HEAD = """\
// A rule as a function. It needs no library.
//
// `predictRow` takes one row, an object from column name to value, and returns its label; `predict`
// does so for many rows. null, undefined and NaN count as missing. A column that is not there is an
// error, and so is a text where a number is compared. A date is a text: "2024-03-01 12:30:00".
"""
CELL = """
function cell(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) {
    throw new Error("The row has no column " + JSON.stringify(name) + ".");
  }
  return row[name];
}

function missing(value) {
  return value === null || value === undefined || value !== value;
}
"""
NUMBER = """
function number(value) {
  if (!["number", "boolean", "bigint"].includes(typeof value)) {
    throw new TypeError("A number is needed, not " + JSON.stringify(value) + ".");
  }
  return Number(value);
}
"""
ONE_OF = """
// Return whether a value is one of some values; true equals 1, and false 0.
function isOneOf(value, values) {
  const plain = (v) => (["boolean", "bigint"].includes(typeof v) ? Number(v) : v);
  return values.some((v) => plain(v) === plain(value));
}
"""
SECONDS = r"""
// Read the text of a date as whole seconds since 1970, in UTC if it has an offset.
function seconds(text) {
  const [time, zone] = [/(\d\d:\d\d)(?:(:\d\d)(?:\.\d+)?)?/, / ?(?:Z|([+-])(\d\d):?(\d\d))/];
  const form = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)(?:[T ]${time.source}(?:${zone.source})?)?$`);
  const parts = typeof text === "string" && form.exec(text);
  const [, day, minute = "00:00", second = ":00", sign = "+", hours = 0, minutes = 0] = parts || [];
  const written = `${day}T${minute}${second}.000Z`;
  const local = new Date(written);
  const [first, last] = [-62135596800, 253402300799]; // the years 1 to 9999
  const result = local / 1000 - Number(sign + 1) * (3600 * hours + 60 * minutes);
  const valid = !isNaN(local) && local.toISOString() === written && local / 1000 >= first;
  if (!valid || result < first || result > last) {
    throw new TypeError("A date is needed, not " + JSON.stringify(text) + ".");
  }
  return result;
}
"""
HAS_WORD = r"""
// Return whether a text has a word, after some letters and texts are replaced, in this order.
function hasWord(value, word, replaced) {
  if (typeof value !== "string") return false;
  let text = " " + value.replace(/[{marks}]/g, " ") + " ";
  for (const [large, small] of replaced) text = text.split(large).join(small);
  return text.includes(" " + word + " ");
}
"""
PREDICT = """
function predict(rows) {
  return rows.map(predictRow);
}
"""
CASES = """
// Rows with their answers, and what they show: any small change of the rule turns one of them.
const CASES = [
{cases}];

function testCases() {{
  for (const [row, answer, shows] of CASES) {{
    if (predictRow(row) !== answer) throw new Error(JSON.stringify([row, answer, shows]));
  }}
}}
"""
EXPORTS = '\nif (typeof module !== "undefined") module.exports = {{ {} }};\n'
PARTS = {
    "date": "seconds({})",
    "year": "new Date(1000 * seconds({})).getUTCFullYear()",
    "month": "(new Date(1000 * seconds({})).getUTCMonth() + 1)",
    "weekday": "(new Date(1000 * seconds({})).getUTCDay() || 7)",
    "hour": "new Date(1000 * seconds({})).getUTCHours()",
}


def to_javascript(model: Any) -> str:
    r"""Write a rule as JavaScript with `predictRow(row)`, `predict(rows)` and `testCases()`.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    str
        Source without dependencies for Node (CommonJS) and for browsers, whose test cases
        `testCases` checks. Numbers are added and multiplied in the order of `predict`, so with the
        same doubles. Names and values are quoted texts only, so no column name can become code.

    Raises
    ------
    ExportError
        If there is no rule, or it has labels that JavaScript cannot express, such as whole numbers
        beyond 2^53.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> lines = to_javascript(rule).splitlines()
    >>> start = lines.index("function predictRow(row) {")
    >>> print(*lines[start : start + 8], sep="\n")
    function predictRow(row) {
      const x1 = cell(row, "age");
      if (
        (!missing(x1) && number(x1) > 50.0)
      ) {
        return "ill";
      }
      return "well";
    """
    rule = rule_to_export(model)
    columns = "".join(f"// {line}\n" for line in describe_columns(rule))
    if columns:
        columns = f"//\n// What the columns were when the rule was learned:\n{columns}"
    names, cases = ["predict", "predictRow"], _write_cases(rule)
    if cases:
        names.append("testCases")
    return HEAD + columns + write_functions(rule) + cases + EXPORTS.format(", ".join(names))


def write_functions(rule: RuleSet) -> str:
    """Write `predictRow`, `predict` and what they need."""
    tests, sums = rule.tests, any(not c.tests for c in rule.conditions)
    used = {
        CELL: bool(rule.features),
        NUMBER: sums or any(t.op in ORDERED and t.part is None for t in tests),
        ONE_OF: any(t.as_set().op in ("==", "!=", "in", "not-in") for t in tests),
        SECONDS: any(t.part for t in tests),
        HAS_WORD.replace("{marks}", _escape(SEPARATORS)): any(t.op in WORDS for t in tests),
    }
    variables = {f: f"x{i}" for i, f in enumerate(rule.features, start=1)}
    lines = [f"  const {x} = cell(row, {js_source(f)});" for f, x in variables.items()]
    lines += _decisions(rule, JavaScriptWriter(variables))
    lines.append(f"  return {_label(rule.default)};")
    body = "\n".join(["\nfunction predictRow(row) {", *lines, "}\n"])
    return "".join(text for text, is_used in used.items() if is_used) + body + PREDICT


def _write_cases(rule: RuleSet) -> str:
    lines = []
    for case in make_cases(rule):
        cells = ", ".join(f"{_key(name)}: {js_source(v)}" for name, v in case.row.items())
        lines.append(f"  [{{ {cells} }}, {_label(case.answer)}, {js_source(case.shows)}],\n")
    return CASES.format(cases="".join(lines)) if lines else ""


def _key(name: str) -> str:
    """Write the key of an object; the one that would set its prototype in brackets."""
    return f"[{js_source(name)}]" if name == "__proto__" else js_source(name)


def _decisions(rule: RuleSet, writer: "JavaScriptWriter") -> list[str]:
    lines = []
    for test, label in write_decisions(rule, writer.write, lambda w: SIGNS.get(w, w), 2):
        lines += ["  if (", f"    {test}", "  ) {", f"    return {_label(label)};", "  }"]
    return lines


def _label(label: Any) -> str:
    label = check_label(label, "JavaScript")
    if isinstance(label, int) and abs(label) > EXACT:
        raise ExportError(
            f"JavaScript cannot express the label {label}, a whole number beyond 2^53. Rename it."
        )
    return js_source(label)


@dataclass(frozen=True)
class JavaScriptWriter(ConditionWriter[str]):
    """Writes conditions as JavaScript expressions over one variable per column."""

    variables: Mapping[str, str]

    def literal(self, literal: Literal) -> str:
        """Write a test: `(!missing(x1) && number(x1) > 50.0)`."""
        literal = literal.as_set()
        x, op = self.variables[literal.feature], literal.op
        if op in GAPS:
            return f"{'!' if op == 'not-missing' else ''}missing({x})"
        if op in WORDS:
            letters, texts = foldings(str(literal.value))
            pairs = [pair for pair in [*letters.items(), *texts] if pair[1] != " "]
            test = f"hasWord({x}, {js_source(literal.value)}, {js_source(pairs)})"
        elif op in ORDERED:
            number = self._read(literal) if literal.part else f"number({x})"
            return self._with_gap(literal, f"{number} {op} {self._values(literal)[0]}")
        else:
            test = f"isOneOf({self._read(literal)}, [{', '.join(self._values(literal))}])"
        return self._with_gap(literal, f"!{test}" if op.startswith(("!", "not")) else test)

    def _read(self, literal: Literal) -> str:
        """Write the compared value: a column's value, or a part of its date."""
        x, part = self.variables[literal.feature], literal.part
        if part is not None and part.startswith(DAYS_SINCE):
            since = js_source(part.removeprefix(DAYS_SINCE))
            return f"(seconds({x}) - seconds({since})) / 86400.0"
        return PARTS.get(part or "", "{}").format(x)

    def _values(self, literal: Literal) -> list[str]:
        written = "seconds({})" if literal.part == "date" else "{}"
        return [written.format(js_source(v)) for v in literal.values]

    def linear(self, split: LinearSplit) -> str:
        """Write the test of a weighted sum."""
        test = f"{self.linear_sum(split)} <= {js_source(split.value)}"
        return self._with_gap(split, test if split.op == "<=" else f"!({test})")

    def linear_sum(self, split: LinearSplit) -> str:
        """Write a weighted sum, added in the order of `total`."""
        return split.sum_text(lambda f: f"number({self.variables[f]})", js_source)

    def power_law(self, split: PowerLawSplit) -> str:
        """Write the test of a sum of power laws."""
        test = write_test(split, self._factor, js_source, SIGNS.__getitem__)
        return self._with_gap(split, test)

    def power_law_sum(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws, multiplied in the order of `PowerLaw.value`."""
        return write_sum(split, self._factor, js_source)

    def points(self, split: PointsSplit) -> str:
        """Write the test of points."""
        sign, total = split.comparison
        return f"{self.score(split)} {sign} {total}"

    def score(self, split: PointsSplit) -> str:
        """Write the sum of points, one line per condition."""
        given = (f"({self.literal(c)} ? {p} : 0)" for c, p in split.given)
        return "(\n      {}\n    )".format("\n      + ".join(given))

    def _factor(self, factor: Factor) -> str:
        text = f"number({self.variables[factor.feature]})"
        if factor.floor is not None:
            text = f"Math.max({text}, {js_source(factor.floor)})"
        return subtract_shift(text, factor, js_source)

    def _with_gap(self, condition: Condition, test: str) -> str:
        absent = [f"missing({self.variables[f]})" for f in condition.features]
        if condition.missing:
            return f"({' || '.join(absent)} || {test})"
        return f"({' && '.join('!' + gap for gap in absent)} && {test})"


def js_source(value: Any) -> str:
    """Write a value as source that cannot end the script element of a page."""
    return re.sub("<(?=[!/a-zA-Z])", r"\\u003c", json.dumps(value))


def _escape(letters: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in letters)
