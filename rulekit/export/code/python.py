"""Python code: a rule as a module without dependencies, and a script that learns it again."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import FunctionWriter
from rulekit.export.exchange.json import to_json
from rulekit.export.subject import rule_to_export, write_comments
from rulekit.rules import Condition, Literal
from rulekit.rules.condition import DAYS_SINCE, GAPS, SEPARATORS, WORDS

HEAD = '''"""A rule as a function. It needs no library.

`predict_row` takes one row, a dict from column name to value, and returns its label; `predict` does
so for many rows. None and NaN count as missing; a column that is not there is a KeyError.
"""


def missing(value):
    """Return whether a value is missing."""
    return value is None or value != value

'''
MOMENT = '''
def moment(value):
    """Read a date or its text to whole seconds, in UTC if it has an offset."""
    from datetime import datetime, timezone

    text = str(value).replace("Z", "+00:00")
    date = datetime.fromisoformat(text[:19] + text[19:].lstrip(" .0123456789"))
    return date if date.tzinfo is None else date.astimezone(timezone.utc).replace(tzinfo=None)

'''
FOLDED = '''
def words(value):
    """Fold a text to its words in lower case, a blank before, between and after them."""
    return " " + value.translate({{ord(c): " " for c in {marks}}}).lower() + " "

'''
ROW = '''
def predict_row(row):
    """Return the label of one row."""
'''
TAIL = '''

def predict(rows):
    """Return the label of each row."""
    return [predict_row(row) for row in rows]
'''
CASES = '''

# Rows with their answers, and what they show: any small change of the rule turns one of them.
CASES = [
{cases}]


def test_cases():
    """Check the answers of all cases."""
    for row, answer, shows in CASES:
        assert predict_row(row) == answer, (row, answer, shows)
'''
# what a test compares: a column's value, or a part of its date; else a property of the date
READ = {None: "{}", "date": "moment({})", "weekday": "moment({}).isoweekday()"}


def to_python(model: Any) -> str:
    r"""Write a rule as a Python module with `predict_row(row)` and `predict(rows)`.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    str
        Source that runs on any Python 3 without imports, with test cases that pytest finds. Names
        and values are quoted texts only, so no column name can become code.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> module = {}
    >>> exec(to_python(rule), module)
    >>> module["predict"]([{"age": 60}, {"age": 40}, {"age": None}])
    ['ill', 'well', 'well']
    """
    rule = rule_to_export(model)
    head = HEAD + (MOMENT if any(t.part for t in rule.tests) else "")
    head += FOLDED.format(marks=repr(SEPARATORS)) * any(t.op in WORDS for t in rule.tests)
    comments = write_comments(rule, "#")
    cases = PythonWriter.write_cases(rule)
    head += f"\n{comments}" * bool(comments)
    tail = TAIL + (CASES.format(cases=cases) if cases else "")
    return head + ROW + PythonWriter.write_body(rule) + "\n" + tail


class PythonWriter(FunctionWriter):
    """Writes conditions as Python expressions over one variable per column."""

    language, indent, words = "Python", 4, {"true": "True", "false": "False"}
    read, answer = "    {} = row[{}]", "    return {}"
    branch = "    if (\n        {}\n    ):\n        return {}"
    case = "    ({{{}}}, {}, {}),\n"
    total = "(\n            {}\n        )", "\n            + "

    def literal(self, literal: Literal) -> str:
        """Write a test: `(not missing(x1) and x1 > 50.0)`."""
        literal = literal.as_set()
        x = self.variables[literal.feature]
        if literal.op in GAPS:
            return f"{'not ' if literal.op == 'not-missing' else ''}missing({x})"
        if literal.op in WORDS:
            test = f"{value_source(f' {literal.value} ')} in words({x})"
            return self.with_gap(literal, test if literal.op == "contains" else f"not {test}")
        op, values = {"not-in": "not in"}.get(literal.op, literal.op), value_source(literal.value)
        if literal.part == "date":
            moments = [f"moment({value_source(v)})" for v in literal.values]
            values = f"({', '.join(moments)},)" if isinstance(literal.value, tuple) else moments[0]
        read, part = READ.get(literal.part, f"moment({{}}).{literal.part}"), literal.part or ""
        if part.startswith(DAYS_SINCE):
            since = value_source(part.removeprefix(DAYS_SINCE))
            read = f"(moment({{}}) - moment({since})).total_seconds() / 86400.0"
        return self.with_gap(literal, f"{read.format(x)} {op} {values}")

    def read_number(self, feature: str) -> str:
        """Write a column."""
        return self.variables[feature]

    def source(self, value: Any) -> str:
        """Write a constant."""
        return value_source(value)

    def with_gap(self, condition: Condition, test: str) -> str:
        """Write a test together with its result for missing values."""
        absent = [f"missing({self.variables[f]})" for f in condition.features]
        if condition.missing:
            return f"({' or '.join(absent)} or {test})"
        any_absent = absent[0] if len(absent) == 1 else f"({' or '.join(absent)})"
        return f"(not {any_absent} and {test})"


def value_source(value: Any) -> str:
    """Write a value as Python source, infinities included."""
    if isinstance(value, tuple):
        return f"({', '.join(value_source(v) for v in value)},)"
    if isinstance(value, float) and math.isinf(value):
        return f"float({str(value)!r})"
    return repr(value)


CLASSES = ("Binarizer", "Constraints", "Costs", "LPSVM", "Literal")


@dataclass(frozen=True)
class Preparation:
    """Changes made to a table between its file and the learner.

    Attributes
    ----------
    options : mapping of str to object
        How the file is read, as in `rulekit.data.ParseOptions`; None is detected.
    numeric : tuple of str
        Text columns that are read as numbers.
    weight : str or None
        The column with weights of rows.
    others : str or None
        The label of all other classes, if there were three or more.
    categories : tuple of str
        Number columns that are read as codes.
    outcomes : mapping of str to str
        Display names of the target's values, by their text; other values keep their names. The
        rows of a value named None are left out.
    dates : mapping of str to bool or None
        Text columns that are read as dates, and whether the day comes first.
    durations : tuple of str
        Text columns that are read as durations, in days.
    orders : mapping of str to sequence of str
        The ordered levels of columns that have an order, the lowest first.
    cuts : mapping of str to float
        Number columns that became two classes, and the number that separates them.
    units : mapping of str to str
        Units of the file's columns. The script prints those of the rule's columns, and ends with
        an error if the file has other units.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    weight: str | None = None
    others: str | None = None
    categories: tuple[str, ...] = ()
    outcomes: Mapping[str, str | None] = field(default_factory=dict)
    dates: Mapping[str, bool | None] = field(default_factory=dict)
    durations: tuple[str, ...] = ()
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cuts: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)


def to_script(
    model: Any,
    *,
    source: str,
    target: str,
    features: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    digest: str | None = None,
    preparation: Preparation | None = None,
) -> str:
    """Write a script that learns a model's rule again.

    Parameters
    ----------
    model : fitted rule model of this library
        Its settings are written if they differ from the defaults.
    source : str
        Where the script finds the table: a path on the reader's machine.
    target : str
    features : sequence of str, optional
        The columns that were used; all features if None.
    rows : sequence of int, optional
        Positions of the training rows; all rows if None.
    digest : str, optional
        The table's digest; with it the script stops if the table has changed.
    preparation : Preparation, optional
        How the file is read and what was changed in the table; by default nothing.

    Returns
    -------
    str
        Source that needs this library. It ends with an error if the rule differs from the exported
        one, and prints the rule otherwise.

    Raises
    ------
    ExportError
        If the model is not one of this library's estimators, is not fitted, or has a setting that
        cannot be written as source; the setting is named.
    """
    if not isinstance(model, BaseEstimator) or not type(model).__module__.startswith("rulekit."):
        raise ExportError(
            f"A script can be written for this library's fitted models, not {type(model).__name__}."
        )
    rule = rule_to_export(model)
    expected = to_json(dataclasses.replace(rule, schema=None), indent=None)
    learner = _call(model)
    used = {c for c in CLASSES if f"{c}(" in learner} | {type(model).__name__}
    names = sorted(used | {"from_json", "read_table", "to_text"})
    listed = "" if features is None else f", {[str(f) for f in features]!r}"
    done = preparation or Preparation()
    lines = ['"""Learns a rule again and checks that it is the same."""', ""]
    lines += [f"from rulekit import {', '.join(names)}", *_reading(source, done)]
    if digest is not None:
        lines += _stop_if(f"table.digest != {digest!r}", "The table has changed.")
    if done.units:
        differ = f"dict(table.units) != {dict(done.units)!r}"
        lines += _stop_if(differ, "The units of columns have changed.")
    lines.append(f"X, y = table.xy({target!r}{listed})")
    if done.outcomes:
        given = _source(dict(done.outcomes), "outcomes")
        lines += [f"names = {given}", "y = y.map(lambda v: names.get(str(v), str(v)))"]
        if None in done.outcomes.values():
            lines.append("X, y = X[y.notna()], y.dropna()")
    if done.others is not None:
        label = _source(model.positive_label_, "positive_label")
        lines += ["y = y.astype(object)", f"y = y.mask(y != {label}, {done.others!r})"]
    if rows is not None:
        lines += [f"rows = {[int(i) for i in rows]!r}", "X, y = X.iloc[rows], y.iloc[rows]"]
    weight = "" if done.weight is None else ", sample_weight=weight"
    if weight:
        lines.append(f"weight = table.frame.loc[X.index, {done.weight!r}].to_numpy(dtype=float)")
    lines += [f"model = {learner}", f"model.fit(X, y{weight})"]
    message = "The rule differs: settings or versions are not the same."
    lines += _stop_if(f"model.rule_set_ != from_json({expected!r})", message)
    if units := [f"{f} in {done.units[f]}" for f in rule.features if f in done.units]:
        text = f"# Units: {', '.join(units)}."
        lines.append(f"print({' '.join(text.split())!r})")
    lines.append("print(to_text(model))")
    return "\n".join(lines) + "\n"


def _reading(source: str, done: Preparation) -> list[str]:
    """Write how the file becomes the table."""
    given = {name: value for name, value in done.options.items() if value is not None}
    steps = [f"table = table.as_numeric({name!r})" for name in done.numeric]
    steps += [f"table = table.as_category({name!r})" for name in done.categories]
    for name, day_first in done.dates.items():
        argument = "" if day_first is None else f", day_first={bool(day_first)}"
        steps.append(f"table = table.as_date({name!r}{argument})")
    steps += [f"table = table.as_duration({name!r})" for name in done.durations]
    steps += [f"table = table.with_order({name!r}, {[*of]!r})" for name, of in done.orders.items()]
    steps += [f"table = table.with_cut({name!r}, {cut!r})" for name, cut in done.cuts.items()]
    if not given:
        return ["", f"table = read_table({source!r})", *steps]
    parts = ", ".join(f"{name}={_source(value, name)}" for name, value in given.items())
    lines = ["from rulekit.data import ParseOptions", "", f"options = ParseOptions({parts})"]
    return [*lines, f"table = read_table({source!r}, options=options)", *steps]


def _stop_if(test: str, message: str) -> list[str]:
    return [f"if {test}:", f"    raise SystemExit({message!r})"]


def _call(instance: Any) -> str:
    """Write an estimator or a dataclass as a constructor call, without defaults."""
    if isinstance(instance, BaseEstimator):
        given = instance.get_params(deep=False)
        usual = type(instance)().get_params(deep=False)
    else:
        given = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance)}
        usual = {f.name: f.default for f in dataclasses.fields(instance)}
    parts = []
    for name, value in given.items():
        if type(value) is not type(usual[name]) or not np.all(value == usual[name]):
            parts.append(f"{name}={_source(value, name)}")
    return f"{type(instance).__name__}({', '.join(parts)})"


def _source(value: Any, setting: str) -> str:
    """Write a setting's value as source."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value_source(value)
    if type(value).__name__ in CLASSES:
        return _call(value)
    if isinstance(value, Mapping):
        pairs = (f"{_source(k, setting)}: {_source(v, setting)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple):
        return f"({''.join(f'{_source(v, setting)}, ' for v in value)})"
    if isinstance(value, (list, np.ndarray)):
        return f"[{', '.join(_source(v, setting) for v in value)}]"
    raise ExportError(
        f"The setting `{setting}` holds {type(value).__name__}, which cannot be written as source; "
        "give it as numbers, text or one of this library's objects."
    )
