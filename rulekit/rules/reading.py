"""Short names of conditions, as lists of features and axis labels need them.

This is no export format: it is what a condition is called where one line is all there is.
"""

from rulekit.rules.literal import Literal, Scalar


def number_text(number: float) -> str:
    """Write a number so that reading it gives the same number, whole ones without a point.

    Examples
    --------
    >>> number_text(40.0), number_text(0.1), number_text(1e22)
    ('40', '0.1', '1e+22')
    """
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


def value_text(value: Scalar) -> str:
    """Write a value: numbers by `number_text`, truth values as true and false, text as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else value


def literal_name(literal: Literal) -> str:
    """Name a literal in one line.

    Parameters
    ----------
    literal : Literal

    Returns
    -------
    str
        Not escaped: names and values stand as they are.

    Examples
    --------
    >>> literal_name(Literal("age", "<=", 40, missing=True))
    'age <= 40 or missing'
    >>> literal_name(Literal("colour", "in", ("red", "blue")))
    'colour in {blue, red}'
    >>> literal_name(Literal("age", "not-missing"))
    'age is present'
    """
    if literal.op in ("missing", "not-missing"):
        return f"{literal.feature} is {'missing' if literal.op == 'missing' else 'present'}"
    values = literal.value if isinstance(literal.value, tuple) else (literal.value,)
    text = ", ".join(value_text(v) for v in values if v is not None)
    if literal.op in ("in", "not-in"):
        text = f"{{{text}}}"
    tail = " or missing" if literal.missing else ""
    return f"{literal.feature} {literal.op.replace('-', ' ')} {text}{tail}"
