"""A rule's requirements on a table, as a Python file with a pandera schema.

The schema takes what the rule can answer: each column that is read, of its kind, with gaps. A kind
is a check of cells and not a type of pandas, since numbers and text come in many types.
"""

from typing import Any

from rulekit.export.documents.text import to_text
from rulekit.export.subject import column_kinds, exported_rule
from rulekit.rules import WORDS, Literal, RuleSet
from rulekit.rules.scales import ISO

HEAD = '''"""What a rule expects of a table, for pandera.

`schema.validate(table)` returns the table if it has every column that the rule reads, each of its
kind, and ends with an error that names what is wrong otherwise. Empty cells are allowed, since the
rule says what a missing value does; so are levels that the rule does not know, and more columns.
"""

{modules}import pandera.pandas as pa
'''
IMPORTS = {
    "numbers": ("from decimal import Decimal", "import numpy as np"),
    "truth_values": ("import numpy as np",),
    "dates": ("import re", "from datetime import date, datetime"),
}
CHECKS = {
    "numbers": '''
def numbers(cells):
    """Say whether cells are numbers, or all of them truth values, which count as 1 and 0."""
    if cells.dtype.name == "category":
        return False
    kinds = (int, float, np.integer, np.floating, Decimal)
    truth = cells.astype(object).map(lambda v: isinstance(v, (bool, np.bool_))).astype(bool)
    return truth.all() or ~truth & cells.map(lambda v: isinstance(v, kinds)).astype(bool)
''',
    "truth_values": '''
def truth_values(cells):
    """Say whether cells are truth values, or all of them the numbers 1 and 0."""
    if cells.dtype.name == "category":
        return False
    kinds = (int, float, np.integer, np.floating)
    truth = cells.astype(object).map(lambda v: isinstance(v, (bool, np.bool_))).astype(bool)
    number = cells.map(lambda v: isinstance(v, kinds) and v in (0, 1)).astype(bool)
    return truth.all() or ~truth & number
''',
    "text": '''
def text(cells):
    """Say whether cells are text, or levels."""
    if cells.dtype.name == "category":
        return True
    return cells.astype(object).map(lambda v: isinstance(v, str)).astype(bool)
''',
    "words": '''
def words(cells):
    """Say whether cells are text; a column of numbers is none, be all its cells empty."""
    if cells.dtype.name == "category":
        return True
    if cells.dtype.kind in "fiu":
        return False
    return cells.astype(object).map(lambda v: isinstance(v, str)).astype(bool)
''',
    "dates": '''
def dates(cells):
    """Say whether cells are dates, or their text: "2024-03-01", "2024-03-01 12:30:00"."""
    return cells.astype(object).map(is_date).astype(bool)


def is_date(cell):
    """Say whether a cell is a date, of a day that there is."""
    if not isinstance(cell, (str, date)) or not re.fullmatch(ISO, str(cell)):
        return False
    try:
        return bool(datetime.fromisoformat(str(cell)[:19]))
    except ValueError:
        return False
''',
}
KINDS = {"number": "numbers", "flag": "truth_values", "text": "text", "unknown": ""}
SAID = {
    "numbers": "a number",
    "truth_values": "true or false",
    "text": "text",
    "words": "text, read for its words",
    "dates": "a date, or its text such as 2024-03-01 12:30:00",
    "": "anything: the rule only asks whether a value is there",
}


def to_pandera(model: Any) -> str:
    r"""Write the requirements of a rule on a table as a Python file with a pandera schema.

    Parameters
    ----------
    model : RuleSet or fitted model
        What is written.

    Returns
    -------
    str
        Source that needs pandera (0.24 or later) and pandas, and defines ``schema``, a
        ``DataFrameSchema`` with a column for each that the rule reads. Names and values stand in it
        as quoted texts only, so no column name can become code. The schema's description is the
        rule. Column names of the table must differ.

    Raises
    ------
    ExportError
        If there is no rule, it has labels of other types than text, numbers and truth values, or
        compares a column with text and with numbers.

    Notes
    -----
    What passes, the rule answers without an error; what it does not know of a text (a level, a
    word) is no error, but stands in the column's description. Truth values pass as numbers, and 1
    and 0 as truth values, as in the rule. Text is never made a number.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> text = to_pandera(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"))
    >>> "'age': pa.Column(" in text, "nullable=True" in text
    (True, True)
    """
    rule = exported_rule(model)
    kinds, read = column_kinds(rule), _tests(rule)
    checks = {f: _check(kinds[f], read[f]) for f in rule.features}
    used = [name for name in CHECKS if name in checks.values()]
    modules = dict.fromkeys(line for name in used for line in IMPORTS.get(name, ()))
    parts = [HEAD.format(modules=_sorted(list(modules)))]
    if "dates" in used:
        parts[0] += f"\nISO = {ISO.pattern!r}\n"
    parts += [f"\n{CHECKS[name]}".rstrip("\n") + "\n" for name in used]
    columns = [_column(f, checks[f], _said(checks[f], read[f])) for f in rule.features]
    told = "\n".join(f"        {line!r}" for line in to_text(rule).splitlines(keepends=True))
    schema = [
        "\nschema = pa.DataFrameSchema(" if used else "schema = pa.DataFrameSchema(",
        f"    {{\n{''.join(columns)}    }}," if columns else "    {},",
        "    unique_column_names=True,",
        f"    description=(\n{told}\n    ),",
        ")",
    ]
    return "".join(parts) + "\n" + "\n".join(schema) + "\n"


def _sorted(lines: list[str]) -> str:
    """Write imports as editors sort them: Python's own first, `import` before `from`."""
    own = sorted((x for x in lines if "numpy" not in x), key=lambda x: (x.split()[0] == "from", x))
    others = [x for x in lines if "numpy" in x]
    return (
        "".join(f"{x}\n" for x in own) + ("\n" if own else "") + "".join(f"{x}\n" for x in others)
    )


def _tests(rule: RuleSet) -> dict[str, list[Literal]]:
    """List the tests of each column; sums of columns have none."""
    found: dict[str, list[Literal]] = {f: [] for f in rule.features}
    for test in (t for clause in rule.clauses for c in clause.conditions for t in c.tests):
        found[test.feature].append(test)
    return found


def _check(kind: str, tests: list[Literal]) -> str:
    if any(t.part is not None for t in tests):
        return "dates"
    return "words" if any(t.op in WORDS for t in tests) else KINDS[kind]


def _said(check: str, tests: list[Literal]) -> str:
    """Return the content of a column, and the levels of a text that the rule knows."""
    said = SAID[check]
    if check not in ("text", "words"):
        return said
    levels = sorted({str(v) for t in tests if t.is_plain and t.op not in WORDS for v in t.values})
    if levels:
        said += f"; the rule knows {', '.join(map(repr, levels))}"
    for order in dict.fromkeys(t.order for t in tests if t.order is not None):
        listed = ", ".join(map(repr, order))
        said += f"; in this order, any other counts as missing: {listed}"
    return said


def _column(name: str, check: str, said: str) -> str:
    checked = f"            checks=pa.Check({check}, error={SAID[check]!r}),\n" if check else ""
    return (
        f"        {name!r}: pa.Column(\n{checked}            nullable=True,\n"
        f"            description={said!r},\n        ),\n"
    )
