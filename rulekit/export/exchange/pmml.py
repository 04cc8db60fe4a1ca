"""Rules as PMML 4.4: a RuleSetModel whose first matching rule decides."""

# PMML's predicates are unknown for missing values; here each tests for the value first.

import math
import re
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.exchange.readings import MARK, Arithmetic, list_compared_numbers, read
from rulekit.export.exchange.xml import Element, element, free_name, labels_of, write_document
from rulekit.export.subject import column_kinds, describe_columns, rule_to_export
from rulekit.rules import Clause, Condition, Literal, PointsSplit
from rulekit.rules.condition import GAPS, ORDERED, WORDS
from rulekit.rules.sums import Factor, LinearSplit, PowerLawSplit
from rulekit.rules.writer import ConditionWriter
from rulekit.style.scorecard import clause_names

NAMESPACE = "http://www.dmg.org/PMML-4_4"
OPERATORS = {
    "<=": "lessOrEqual",
    "<": "lessThan",
    ">=": "greaterOrEqual",
    ">": "greaterThan",
    "==": "equal",
    "!=": "notEqual",
    "missing": "isMissing",
    "not-missing": "isNotMissing",
}
DATA_TYPES = {"text": "string", "flag": "boolean", "number": "double", "unknown": "string"}


def to_pmml(model: Any) -> str:
    r"""Write a rule as a PMML document, version 4.4, with one RuleSetModel.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    str
        Valid by the schema of PMML 4.4. Numbers are doubles and computed as such; a column that is
        only tested for missing values is text. The prediction is the target field "answer", also an
        output; the rule's clauses are its rules "clause 1", "clause 2", ..., the bands of a
        scorecard "total from 4", ...

    Raises
    ------
    ExportError
        If PMML cannot express the rule: a column compared with text and with numbers, a column
        without a name, infinities, control characters, predictions of several types.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> text = to_pmml(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"))
    >>> '<SimplePredicate field="age" operator="greaterThan" value="50.0" />' in text
    True
    """
    rule = rule_to_export(model)
    if "" in rule.features:
        raise ExportError("A column without a name cannot be written in PMML. Name it.")
    labels, kind = labels_of(rule, "PMML")
    kinds, answer = column_kinds(rule), free_name("answer", rule.features)
    writer = PmmlWriter(kinds, rule.features)
    names, tests = clause_names(rule)[:-1], [writer.clause(c) for c in rule.clauses]
    if rule.form == "cnf":
        names, tests = ["all"], [_join_predicates("and", tests)]
    rules = [element("RuleSelectionMethod", criterion="firstHit")]
    for name, test, label in zip(names, tests, rule.labels, strict=False):
        rules.append(element("SimpleRule", test, id=name, score=_value(label)))
    whole = all(isinstance(v, int) for v in labels)
    data_type = "integer" if kind == "number" and whole else DATA_TYPES[kind]
    fields, mining = [], []
    for f, k in kinds.items():
        optype = "continuous" if k == "number" else "categorical"
        fields.append(element("DataField", name=f, optype=optype, dataType=DATA_TYPES[k]))
        usage = {"usageType": "active", "invalidValueTreatment": "asIs"}
        mining.append(element("MiningField", name=f, **usage))
    mining.append(element("MiningField", name=answer, usageType="target"))
    values = [element("Value", value=_value(v)) for v in dict.fromkeys(labels)]
    typed = {"optype": "categorical", "dataType": data_type}
    fields.append(element("DataField", *values, name=answer, **typed))
    output = {"name": writer.make_name("predicted"), **typed, "feature": "predictedValue"}
    # evaluators require the confidence; the schema's default is 1
    default: Any = {"defaultScore": _value(rule.default), "defaultConfidence": 1}
    model_parts = (
        element("MiningSchema", *mining),
        element("Output", element("OutputField", **output)),
        element("RuleSet", *rules, **default),
    )
    columns = [element("Annotation", text=line) for line in describe_columns(rule)]
    root = element(
        "PMML",
        element("Header", element("Application", name="rulekit"), *columns, description="A rule"),
        element("DataDictionary", *fields, numberOfFields=len(fields)),
        *([element("TransformationDictionary", *writer.derived)] if writer.derived else []),
        element("RuleSetModel", *model_parts, functionName="classification", modelName="rule"),
        xmlns=NAMESPACE,
        version="4.4",
    )
    return write_document(root)


def _value(value: Any) -> str:
    """Write a constant as PMML does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        raise ExportError(
            "The rule compares with an infinity, which PMML cannot express. Use a finite number."
        )
    return value if isinstance(value, str) else repr(value)


def _join_predicates(op: str, parts: list[Element]) -> Element:
    if not parts:
        return element("True" if op == "and" else "False")
    return parts[0] if len(parts) == 1 else element("CompoundPredicate", *parts, booleanOperator=op)


def _test(name: str, op: str, value: Any = None) -> Element:
    given = {} if value is None else {"value": _value(value)}
    return element("SimplePredicate", field=name, operator=OPERATORS[op], **given)


def _apply(function: str, *parts: Element, **given: str) -> Element:
    return element("Apply", *parts, function=function, **given)


def _constant(value: Any) -> Element:
    kinds = ((str, "string"), (bool, "boolean"), (int, "integer"), (float, "double"))
    kind = next(name for one, name in kinds if isinstance(value, one))
    return element("Constant", dataType=kind, text=_value(value))


def _ref(name: str) -> Element:
    return element("FieldRef", field=name)


def _chain(function: str, parts: list[Element]) -> Element:
    """Apply a binary function from left to right."""
    return reduce(partial(_apply, function), parts)


@dataclass
class PmmlWriter(ConditionWriter[Element]):
    """Writes conditions as predicates; computed values become derived fields."""

    kinds: dict[str, str]
    features: tuple[str, ...]
    derived: list[Element] = field(default_factory=list)

    def clause(self, clause: Clause) -> Element:
        """Write the conditions of a clause, joined."""
        return _join_predicates(clause.op, [self.write(c) for c in clause.conditions])

    def make_name(self, wanted: str) -> str:
        """Return a new name that no column has."""
        return free_name(wanted, (*self.features, "answer"))

    def literal(self, literal: Literal) -> Element:
        """Write a test of one field."""
        literal = literal.as_set()
        op = literal.op
        if op in GAPS:
            return _test(literal.feature, op)
        name, values = self._write_comparison(literal)
        if op in ("in", "not-in"):
            within = [_test(name, "==" if op == "in" else "!=", v) for v in values]
            return self._with_gap(literal, _join_predicates("or" if op == "in" else "and", within))
        return self._with_gap(literal, _test(name, "==" if op in WORDS else op, values[0]))

    def _write_comparison(self, literal: Literal) -> tuple[str, list[Any]]:
        """Return the compared field, and its values as stored: true is 1 among numbers."""
        name = literal.feature
        if literal.op in WORDS:
            around = f"(^|.*{MARK}){re.escape(str(literal.value))}({MARK}.*|$)"
            lower = _apply("lowercase", _ref(name), mapMissingTo=" ")
            matched = _apply("matches", lower, _constant(f"(?s){around}"))
            held = map(_constant, (1.0, 0.0) if literal.op == "contains" else (0.0, 1.0))
            return self._derive("word", _apply("if", matched, *held)), [1.0]
        if literal.part is not None:

            def cut(start: int, digits: int) -> Element:
                # midnight may be omitted; if all is missing, any date will do: the test checks for
                # it first
                given = {"mapMissingTo": "1970-01-01 00:00:00"}
                whole = _apply("concat", _ref(name), _constant(" 00:00:00"), **given)
                part = _apply("substring", whole, _constant(start), _constant(digits))
                return _ref(self._derive("digits", part))

            expression = read(literal.part, Arithmetic(_constant, cut, _apply))
            return self._derive(literal.part, expression), list_compared_numbers(literal)
        return name, [float(v) if self.kinds[name] == "number" else v for v in literal.values]

    def linear(self, split: LinearSplit) -> Element:
        """Write a weighted sum as a derived field, and its comparison."""
        terms = [_apply("*", _ref(f), _constant(weight)) for f, weight in split.terms]
        name = self._derive("sum", _chain("+", terms))
        return self._with_gap(split, _test(name, split.op, split.value))

    def power_law(self, split: PowerLawSplit) -> Element:
        """Write a sum of power laws as a derived field, and its bounds."""
        terms = []
        for law in split.terms:
            up, down = (
                [_base(f) for f in factors for _ in range(abs(f.exponent))]
                for factors in (law.numerators, law.denominators)
            )
            top = _chain("*", up) if up else _constant(1.0)
            value = _apply("/", top, _chain("*", down)) if down else top
            terms.append(_apply("*", _constant(law.weight), value))
        name = self._derive("power law", _chain("+", terms))
        high = _test(name, "<=" if split.inside else ">", split.high)
        if split.low is None:
            return self._with_gap(split, high)
        low = _test(name, ">=" if split.inside else "<", split.low)
        return self._with_gap(split, _join_predicates("and" if split.inside else "or", [low, high]))

    def points(self, split: PointsSplit) -> Element:
        """Write points as a derived field, and the required total."""
        given = []
        for test, points in ((c.as_set(), p) for c, p in split.given):
            some, none, cell = _constant(float(points)), _constant(0.0), _ref(test.feature)
            if test.op in GAPS:
                given.append(_apply("if", _apply(OPERATORS[test.op], cell), some, none))
                continue
            negative = test.op in ("!=", "not-in")
            op = OPERATORS[test.op] if test.op in ORDERED else "equal"
            compared, values = self._write_comparison(test)
            tests = [_apply(op, _ref(compared), _constant(v)) for v in values]
            held = _apply("if", _chain("or", tests), *((none, some) if negative else (some, none)))
            absent = _apply("isMissing", cell)  # a missing value is not compared
            given.append(_apply("if", absent, some if test.missing else none, held))
        sign, total = split.comparison
        return _test(self._derive("points", _chain("+", given)), sign, float(total))

    def _derive(self, prefix: str, expression: Element) -> str:
        name = self.make_name(f"{prefix} {len(self.derived) + 1}")
        typed = {"optype": "continuous", "dataType": "double"}
        self.derived.append(element("DerivedField", expression, name=name, **typed))
        return name

    def _with_gap(self, condition: Condition, test: Element) -> Element:
        op = "missing" if condition.missing else "not-missing"
        missingness = [_test(f, op) for f in condition.features]
        return _join_predicates("or" if condition.missing else "and", [*missingness, test])


def _base(factor: Factor) -> Element:
    base = _ref(factor.feature)
    if factor.floor is not None:
        base = _apply("max", base, _constant(factor.floor))
    return _apply("-", base, _constant(factor.shift)) if factor.shift else base
