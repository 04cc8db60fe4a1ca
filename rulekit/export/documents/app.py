"""One page that answers: a form, the answer with its reasons, and files scored in the browser."""

import base64
import hashlib
import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from rulekit.data.options import MISSING
from rulekit.export.code.javascript import JavaScriptWriter, js_source, write_functions
from rulekit.export.documents.blocks import Cell, Text, describe_rule
from rulekit.export.documents.html import draw_parts, name_parts, write_blocks
from rulekit.export.subject import PredictedRows, column_kinds, rule_to_export
from rulekit.rules import ColumnSchema, Condition, PointsSplit, RuleSet
from rulekit.rules.analysis.row_search import TooLongError, list_cells
from rulekit.rules.condition import unseen_text
from rulekit.rules.schema import NUMERIC, schema_of
from rulekit.rules.writer import ConditionWriter
from rulekit.style.phrases import Wording, condition_text, exact, whole_percent

LINES = Wording(clause="line")
TEMPLATE = Path(__file__).with_name("app.html")
GRID = 41  # values of a column in a sum that are tried as changes
MEANS = {
    "training": "The rule was learned from these rows, so expect more errors on new cases.",
    "test": "The rule was not learned from these rows: expect about this share of new cases.",
}


def to_app(
    model: Any,
    training: tuple[Any, Any] | None = None,
    test: tuple[Any, Any] | None = None,
    *,
    title: str = "A rule that answers",
    date: str = "",
    wording: Wording = LINES,
) -> str:
    """Write a rule as a web page that answers cases by itself, without a server.

    Parameters
    ----------
    model : RuleSet or fitted model
    training, test : pair of table and labels, optional
        Rows that are counted: how many each clause decides, how many are predicted wrongly. No row
        is in the page.
    title, date : str
        Name and date of the rule, as the page shows them.
    wording : Wording
        Display names and units of columns; clauses are called lines by default.

    Returns
    -------
    str
        A page with a form of the columns that the rule reads, the answer with its reasons, single
        changes that give another answer, and a place for a CSV file, which is scored in the
        browser. It asks for nothing outside, and its policy forbids that. The logic is
        `to_javascript`; a cell that is not of its column's kind leaves the row without an answer.

    Raises
    ------
    ExportError, DataError
        If there is no rule, JavaScript cannot express it, a column is compared with texts and with
        numbers, or rows do not fit it.
    """
    rule = rule_to_export(model)
    wording = wording.for_rule(rule)
    column_kinds(rule)  # raises where a column has no single type
    given = {"training": training, "test": test}
    given = {name: rows for name, rows in given.items() if rows is not None and len(rows[1])}
    counts = [PredictedRows.from_rows(rule, name, rows) for name, rows in given.items()]
    data = {
        "answers": rule.classes,
        "shown": [*map(str, rule.classes)],
        "names": name_parts(rule, wording),
        "columns": [_describe(rule, column, wording) for column in schema_of(rule).columns],
        "missing": MISSING,
        "parts": counts[0].parts if counts else [],
    }
    blocks = [Text("The rule", "heading"), *describe_rule(model)]
    if counts:  # without colours: the page has two themes
        blocks += draw_parts(rule, replace(wording, colours={}), counts[0].parts, counts[0].name)
    for count in counts:
        n, right = len(count.y), count.n_right
        wrong = Counter((a, b) for a, b in zip(count.y, count.answers, strict=True) if a != b)
        text = f"{right} of {n} are predicted correctly ({whole_percent(right, n)})."
        errors: list[Cell] = [f"actual {a}, predicted {b}: {k}" for (a, b), k in wrong.items()]
        heading = Text(f"Errors on the {count.name} rows", "heading")
        blocks += [heading, Text(f"{text} {MEANS[count.name]}"), errors]
    dnf = rule.as_dnf  # the conditions of each clause, by which the page gives reasons
    cells = JavaScriptWriter({f: f"cell(row, {js_source(f)})" for f in dnf.features})
    writer, lines = _CheckWriter(cells, wording), []
    for clause, label in zip(dnf.clauses, dnf.labels, strict=False):
        checks = ",\n    ".join(map(writer.write, clause.conditions))
        lines.append(f"  {{ answer: {js_source(label)}, checks: [\n    {checks}\n  ] }},\n")
    code = f"{write_functions(rule)}\nconst CLAUSES = [\n{''.join(lines)}];\n"
    code += f"\nconst APP = {js_source(data)};\n"
    parts = {"TITLE": escape(title), "DATE": escape(date), "RULE": write_blocks(blocks)}
    parts["CODE"] = code
    template = TEMPLATE.read_text(encoding="utf-8")
    page = re.sub("@@(?!POLICY)([A-Z]+)@@", lambda found: parts[found[1]], template)
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'"
    for tag in ("script", "style"):  # the one script and style are allowed by their hashes
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        policy += f"; {tag}-src 'sha256-{digest}'"
    return page.replace("@@POLICY@@", policy, 1)


def _describe(rule: RuleSet, column: ColumnSchema, wording: Wording) -> dict[str, Any]:
    """Return what the page has to know of a column."""
    tests = [test for test in rule.tests if test.feature == column.name]
    cells: list[Any] = []
    with suppress(TooLongError):
        cells = [v for v in list_cells(tests, column) if v not in (None, math.inf, -math.inf)]
    low, high = column.low, column.high
    in_sum = any(column.name in c.features for c in rule.conditions if not c.tests)
    if in_sum and isinstance(low, float) and isinstance(high, float):
        cells += np.linspace(low, high, GRID).tolist()
    levels: list[str] = []
    if column.kind in ("level", "grade"):
        levels = [*(column.levels or sorted({str(v) for t in tests for v in t.turning}))]
        levels.append(unseen_text(levels))
    ends = [v if v is None or isinstance(v, str) else exact(v) for v in (low, high)]
    seen = "" if None in ends else " to ".join(map(str, ends))
    return {
        **column.to_dict(),
        "label": wording.name(column.name),
        "hint": " ".join(filter(None, (seen, wording.units.get(column.name) or column.unit))),
        "options": ["true", "false"] if column.kind == "truth value" else levels,
        "type": {"date": "datetime-local" if column.time else "date"}.get(column.kind, "text"),
        "mode": "decimal" if column.kind in NUMERIC else "text",
        "candidates": cells,
    }


@dataclass(frozen=True)
class _CheckWriter(ConditionWriter[str]):
    """Writes a condition as an object: its text, its test and the value that is compared."""

    code: JavaScriptWriter
    wording: Wording

    def literal(self, literal: Any) -> str:
        return self._check(literal, self.code.variables[literal.feature])

    def linear(self, split: Any) -> str:
        return self._check(split, self.code.linear_sum(split))

    def power_law(self, split: Any) -> str:
        return self._check(split, self.code.power_law_sum(split))

    def points(self, split: PointsSplit) -> str:
        given = (f"[{p}, {self._text(c)}, (row) => {self.code.literal(c)}]" for c, p in split.given)
        text = f"{'at least' if split.reached else 'fewer than'} {split.total} points"
        return self._object(split, js_source(text), self.code.score(split), ", ".join(given))

    def _check(self, condition: Condition, value: str) -> str:
        absent = " || ".join(f"missing({self.code.variables[f]})" for f in condition.features)
        return self._object(condition, self._text(condition), f"{absent} ? null : {value}")

    def _text(self, condition: Condition) -> str:
        return js_source(condition_text(condition, self.wording))

    def _object(self, condition: Condition, text: str, value: str, parts: str = "") -> str:
        holds, value = f"(row) => {self.code.write(condition)}", f"(row) => {value}"
        return f"{{ text: {text}, holds: {holds}, value: {value}, parts: [{parts}] }}"
