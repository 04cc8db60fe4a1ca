"""JavaScript code: a rule as a function without dependencies, for Node and for web pages."""

import json
import re
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import FunctionWriter
from rulekit.export.subject import rule_to_export, write_comments
from rulekit.rules import Condition, Literal, RuleSet
from rulekit.rules.condition import DAYS_SINCE, GAPS, ORDERED, SEPARATORS, WORDS, foldings

EXACT = 2**53  # whole numbers beyond are not exact in JavaScript

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
        If the rule has labels that JavaScript cannot express: whole numbers beyond 2^53.

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
    comments = write_comments(rule, "//")
    cases = JavaScriptWriter.write_cases(rule)
    names = ["predict", "predictRow", *(["testCases"] if cases else [])]
    tail = CASES.format(cases=cases) * bool(cases) + EXPORTS.format(", ".join(names))
    return HEAD + f"//\n{comments}" * bool(comments) + write_functions(rule) + tail


def write_functions(rule: RuleSet) -> str:
    """Write `predictRow`, `predict` and what they need."""
    tests, sums = rule.tests, any(not c.tests for c in rule.conditions)
    marks = "".join(f"\\u{ord(letter):04x}" for letter in SEPARATORS)
    used = {
        CELL: bool(rule.features),
        NUMBER: sums or any(t.op in ORDERED and t.part is None for t in tests),
        ONE_OF: any(t.as_set().op in ("==", "!=", "in", "not-in") for t in tests),
        SECONDS: any(t.part for t in tests),
        HAS_WORD.replace("{marks}", marks): any(t.op in WORDS for t in tests),
    }
    body = f"\nfunction predictRow(row) {{\n{JavaScriptWriter.write_body(rule)}\n}}\n"
    return "".join(text for text, is_used in used.items() if is_used) + body + PREDICT


class JavaScriptWriter(FunctionWriter):
    """Writes conditions as JavaScript expressions over one variable per column."""

    language, indent, words = "JavaScript", 2, {"and": "&&", "or": "||", "not": "!"}
    read, answer = "  const {} = cell(row, {});", "  return {};"
    branch = "  if (\n    {}\n  ) {{\n    return {};\n  }}"
    case = "  [{{ {} }}, {}, {}],\n"
    negation, larger, term = "!({})", "Math.max({}, {})", "({test} ? {points} : 0)"
    total = "(\n      {}\n    )", "\n      + "

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
            return self.with_gap(literal, f"{number} {op} {self._values(literal)[0]}")
        else:
            test = f"isOneOf({self._read(literal)}, [{', '.join(self._values(literal))}])"
        return self.with_gap(literal, f"!{test}" if op.startswith(("!", "not")) else test)

    def _read(self, literal: Literal) -> str:
        """Write the compared value: a column's value, or a part of its date."""
        x, part = self.variables[literal.feature], literal.part
        if part is not None and part.startswith(DAYS_SINCE):
            return f"(seconds({x}) - seconds({js_source(part.removeprefix(DAYS_SINCE))})) / 86400.0"
        return PARTS.get(part or "", "{}").format(x)

    def _values(self, literal: Literal) -> list[str]:
        written = "seconds({})" if literal.part == "date" else "{}"
        return [written.format(js_source(v)) for v in literal.values]

    def read_number(self, feature: str) -> str:
        """Write a column as a number."""
        return f"number({self.variables[feature]})"

    def source(self, value: Any) -> str:
        """Write a constant."""
        return js_source(value)

    def key(self, name: str) -> str:
        """Write the key of an object; the one that would set its prototype in brackets."""
        return f"[{js_source(name)}]" if name == "__proto__" else js_source(name)

    def label(self, label: Any) -> str:
        """Write a label."""
        if isinstance(label, int) and abs(label) > EXACT:
            raise ExportError(
                f"JavaScript cannot express the label {label}, a whole number beyond 2^53. Rename "
                "it."
            )
        return super().label(label)

    def with_gap(self, condition: Condition, test: str) -> str:
        """Write a test together with its result for missing values."""
        absent = [f"missing({self.variables[f]})" for f in condition.features]
        if condition.missing:
            return f"({' || '.join(absent)} || {test})"
        return f"({' && '.join('!' + gap for gap in absent)} && {test})"


def js_source(value: Any) -> str:
    """Write a value as source that cannot end the script element of a page."""
    return re.sub("<(?=[!/a-zA-Z])", r"\\u003c", json.dumps(value))
