"""Rules as a DMN 1.3 decision table with FEEL cells; the first matching line decides."""

# In FEEL a test of null is null, which matches no line; other missing values are written out.

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import subtract_shift, write_sum
from rulekit.export.exchange.readings import MARK, Arithmetic, list_compared_numbers, read
from rulekit.export.exchange.xml import Element, element, labels_of, write_document
from rulekit.export.subject import column_kinds, describe_columns, rule_to_export
from rulekit.rules import Condition, Literal, PointsSplit, make_cases
from rulekit.rules.condition import ORDERED, WORDS
from rulekit.rules.sums import Factor, LinearSplit, PowerLawSplit
from rulekit.rules.writer import ConditionWriter

NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
CASES = {  # namespaces of test cases, as the test kit of DMN (TCK) has them
    "xmlns": "http://www.omg.org/spec/DMN/20160719/testcase",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xmlns:xsd": "http://www.w3.org/2001/XMLSchema",
}
TYPES = {"text": "string", "number": "number", "flag": "boolean", "unknown": "Any"}
PLAIN_NAME = re.compile(r"[^\W\d]\w*")
ANY = "-"
# words of the language and its functions
RESERVED = {
    "abs", "after", "all", "and", "any", "append", "before", "between", "ceiling", "coincides",
    "concatenate", "contains", "context", "count", "date", "day", "days", "decimal", "distinct",
    "duration", "during", "else", "even", "every", "exp", "external", "false", "finished",
    "flatten", "floor", "for", "from", "function", "get", "if", "in", "includes", "index",
    "insert", "instance", "item", "list", "log", "lower", "mean", "median", "meets", "min", "max",
    "mode", "modulo", "month", "not", "null", "number", "odd", "of", "or", "overlaps", "position",
    "product", "range", "remove", "replace", "return", "reverse", "round", "satisfies", "some",
    "sort", "split", "sqrt", "started", "starts", "stddev", "string", "sublist", "substring",
    "sum", "then", "time", "today", "true", "union", "upper", "value", "week", "weeks", "year",
    "years",
}  # fmt: skip
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def to_dmn(model: Any) -> str:
    r"""Write a rule as a DMN 1.3 document with one decision table.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    str
        Valid by the schema of DMN 1.3. Each column is an input of its own; a sum of columns, points
        and the clauses of a CNF are computed inputs. A column whose name FEEL could misread is
        called "column_1", by its position, and its label has the name. The last line holds for all
        other rows.

    Raises
    ------
    ExportError
        If DMN cannot express the rule: a column compared with text and with numbers, infinities,
        control characters, answers of several types.

    Notes
    -----
    An engine that computes in doubles predicts as `predict` does on every row. One that computes in
    decimals (FEEL allows both) may differ if a sum equals its cut in all of its fifteen digits;
    comparisons of one column are the same in both.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> text = to_dmn(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"))
    >>> "<text>&gt; 50</text>" in text, '<text>"ill"</text>' in text
    (True, True)
    """
    rule = rule_to_export(model)
    _, kind = labels_of(rule, "DMN")
    kinds = column_kinds(rule)
    names = variables(rule.features)
    # all clauses of a CNF: one line
    clauses = [rule.clauses] if rule.form == "cnf" else [(clause,) for clause in rule.clauses]
    lines = [*zip(clauses, rule.labels, strict=False), ((), rule.default)]
    table = _write_table(FeelWriter(names, kinds), lines, TYPES[kind])
    given, needed = [], []
    for k, (feature, name) in enumerate(names.items(), start=1):
        variable = element("variable", name=name, typeRef=TYPES[kinds[feature]])
        given.append(element("inputData", variable, id=f"data_{k}", name=name, label=feature))
        required = element("requiredInput", href=f"#data_{k}")
        needed.append(element("informationRequirement", required, id=f"use_{k}"))
    parts = [element("variable", name="answer", typeRef=TYPES[kind]), *needed]
    decision = element("decision", *parts, table, id="decision", name="answer")
    head = {"id": "rule", "name": "rule", "namespace": "urn:rulekit", "xmlns": NAMESPACE}
    columns = describe_columns(rule)
    described = [element("description", text="\n".join(columns))] * bool(columns)
    return write_document(element("definitions", *described, *given, decision, **head))


def to_dmn_cases(model: Any) -> str:
    """Write the test cases of a rule (`make_cases`) for its DMN table, as the DMN TCK reads them.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    str
        A document of the test kit of DMN for the model "rule.dmn": the inputs of each case by the
        names of `to_dmn`, and the answer expected of its decision.
    """
    rule = rule_to_export(model)
    to_dmn(rule)  # raises what the table cannot hold
    names = variables(rule.features)
    parts = [element("modelName", text="rule.dmn")]
    for number, case in enumerate(make_cases(rule), start=1):
        row = [element("inputNode", _case_value(v), name=names[f]) for f, v in case.row.items()]
        expected = element("expected", _case_value(case.answer))
        row.append(element("resultNode", expected, name="answer", type="decision"))
        shows = element("description", text=case.shows)
        parts.append(element("testCase", shows, *row, id=str(number)))
    return write_document(element("testCases", *parts, **CASES))


def _case_value(value: Any) -> Element:
    if value is None:
        return element("value", **{"xsi:nil": "true"})
    kinds = ((str, "string"), (bool, "boolean"), (object, "decimal"))
    kind = next(name for one, name in kinds if isinstance(value, one))
    text = value if isinstance(value, str) else feel(value)
    return element("value", text=text, **{"xsi:type": f"xsd:{kind}"})


def variables(features: tuple[str, ...]) -> dict[str, str]:
    """Return a FEEL variable name for each column: its name if that is plain."""
    plain = {f for f in features if PLAIN_NAME.fullmatch(f) and f.lower() not in RESERVED}
    names = {}
    for number, feature in enumerate(features, start=1):
        name = feature if feature in plain else f"column_{number}"
        while name != feature and name in plain:
            name += "_"
        names[feature] = name
    return names


@dataclass(frozen=True)
class FeelTest:
    """A condition in FEEL."""

    subject: str
    kind: str
    test: Callable[[str], str]
    cell: str


def _write_table(writer: "FeelWriter", lines: Sequence[Any], answer: str) -> Element:
    """Write a decision table of one input per tested quantity, its predictions of a given type."""
    inputs: dict[str, str] = {}  # expression: type
    written = []
    for clauses, label in lines:  # a line matches if all of its clauses match
        cells: dict[str, str] = {}
        for clause in clauses:
            tests = [writer.write(c) for c in clause.conditions]
            if clause.op == "or":
                whole = " or ".join(f"({a.test(f'({a.subject})')})" for a in tests) or "false"
                tests = [FeelTest(whole, "boolean", "{} = true".format, "true")]
            for subject in dict.fromkeys(a.subject for a in tests):
                same = [a for a in tests if a.subject == subject]
                inputs.setdefault(subject, same[0].kind)
                cells[subject] = same[0].cell
                if len(same) > 1:
                    cells[subject] = " and ".join(f"({a.test('?')})" for a in same)
        written.append((cells, label))
    names = {name: column for column, name in writer.names.items()}
    parts = []
    for k, (e, kind) in enumerate(inputs.items(), start=1):
        expression = _entry("inputExpression", e, f"ask_{k}", typeRef=kind)
        parts.append(element("input", expression, id=f"input_{k}", label=names.get(e, e)))
    parts.append(element("output", id="output", name="answer", typeRef=answer))
    for k, (cells, label) in enumerate(written, start=1):
        texts = enumerate((cells.get(e, ANY) for e in inputs), start=1)
        entries = [_entry("inputEntry", text, f"in_{k}_{j}") for j, text in texts]
        entries.append(_entry("outputEntry", feel(label), f"out_{k}"))
        parts.append(element("rule", *entries, id=f"line_{k}"))
    return element("decisionTable", *parts, id="table", hitPolicy="FIRST")


def _entry(tag: str, text: str, number: str, **more: str) -> Element:
    return element(tag, element("text", text=text), id=number, **more)


def feel(value: Any) -> str:
    """Write a constant in FEEL: numbers without an exponent, which FEEL does not know."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value.translate(ESCAPES)}"'
    if not math.isfinite(value):
        raise ExportError(
            "The rule compares with an infinity, which FEEL cannot express. Use a finite number."
        )
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class FeelWriter(ConditionWriter[FeelTest]):
    """Writes conditions in FEEL."""

    names: Mapping[str, str]
    kinds: Mapping[str, str]

    def literal(self, literal: Literal) -> FeelTest:
        """Write a test of one column: `> 50`, or `null, "red", "blue"`."""
        literal = literal.as_set()
        subject, kind = self.names[literal.feature], TYPES[self.kinds[literal.feature]]
        if literal.op == "missing":
            return FeelTest(subject, kind, "{} = null".format, "null")
        if literal.op == "not-missing":
            return FeelTest(subject, kind, "{} != null".format, "? != null")
        if literal.op in WORDS:
            apart = f'replace(lower case({subject}), {feel(MARK)}, " ")'
            word = feel(f" {literal.value} ")
            test = self._null_if_missing(literal, f'contains(" " + {apart} + " ", {word})')
            held = "true" if literal.op == "contains" else "false"
            return _with_gap(literal, test, "boolean", [f"= {held}"], "or")
        if literal.part is not None:
            text = subject  # of whose digits numbers are made

            def cut(start: int, digits: int) -> str:
                number = f"number(substring({text}, {start}, {digits}))"
                if start < 12:  # the day is always present
                    return number
                return f"(if string length({text}) < {start} then 0 else {number})"

            def apply(sign: str, *parts: str) -> str:
                return f"floor({parts[0]})" if sign == "floor" else f"({f' {sign} '.join(parts)})"

            part = read(literal.part, Arithmetic(feel, cut, apply))
            subject = self._null_if_missing(literal, part)
            kind, values = "number", [feel(v) for v in list_compared_numbers(literal)]
        else:
            values = [feel(float(v) if kind == "number" else v) for v in literal.values]
        if literal.op in ORDERED:
            return _with_gap(literal, subject, kind, [f"{literal.op} {values[0]}"], "or")
        if literal.op in ("!=", "not-in"):
            return _with_gap(literal, subject, kind, [f"!= {v}" for v in values], "and")
        return _with_gap(literal, subject, kind, [f"= {v}" for v in values], "or")

    def linear(self, split: LinearSplit) -> FeelTest:
        """Write a weighted sum, null if a value is null."""
        total = split.sum_text(self.names.__getitem__, feel)
        return _with_gap(split, self._null_if_missing(split, total), "number", [_sign(split)], "or")

    def power_law(self, split: PowerLawSplit) -> FeelTest:
        """Write a sum of power laws, null if a value is null."""
        total = self._null_if_missing(split, write_sum(split, self._factor, feel))
        tests = [f"{'<=' if split.inside else '>'} {feel(split.high)}"]
        if split.low is not None:
            tests.append(f"{'>=' if split.inside else '<'} {feel(split.low)}")
        return _with_gap(split, total, "number", tests, "and" if split.inside else "or")

    def points(self, split: PointsSplit) -> FeelTest:
        """Return the sum of points."""
        given = ((self.literal(c), p) for c, p in split.given)
        total = " + ".join(f"(if {a.test(f'({a.subject})')} then {p} else 0)" for a, p in given)
        cell = _sign(split)
        return FeelTest(total, "number", lambda subject: f"{subject} {cell}", cell)

    def _null_if_missing(self, condition: Condition, total: str) -> str:
        gaps = " or ".join(f"{self.names[f]} = null" for f in condition.features)
        return f"if {gaps} then null else {total}"

    def _factor(self, factor: Factor) -> str:
        text = self.names[factor.feature]
        if factor.floor is not None:
            text = f"max({text}, {feel(factor.floor)})"
        return subtract_shift(text, factor, feel)


def _sign(split: LinearSplit | PointsSplit) -> str:
    sign, value = split.comparison
    return f"{sign} {feel(value)}"


def _with_gap(condition: Condition, subject: str, kind: str, tests: list[str], op: str) -> FeelTest:
    """Join tests such as "> 5" by "and" or "or", with the result for null."""

    def whole(about: str) -> str:
        joined = f" {op} ".join(f"{about} {test}" for test in tests)
        joined = f"({joined})" if len(tests) > 1 else joined
        return f"{about} {'= null or' if condition.missing else '!= null and'} {joined}"

    if op == "and" and (len(tests) > 1 or tests[0].startswith("!=")):
        return FeelTest(subject, kind, whole, whole("?"))
    cells = ["null"] * condition.missing + [test.removeprefix("= ") for test in tests]
    return FeelTest(subject, kind, whole, ", ".join(cells))
