"""Power-law splits in the words of each format, computed in the same order everywhere.

The order is that of `PowerLaw.value`: numerators from left to right, the product of denominators
likewise, the quotient, and last the weight. So every format gives the same double as `predict`.
"""

from collections.abc import Callable
from dataclasses import replace

from rulekit.export.plain import label_free_name, number_text
from rulekit.rules import Factor, PowerLaw, PowerLawSplit
from rulekit.rules.formula import split_text

Write = Callable[[str], str]
WriteNumber = Callable[[float], str]


def formula_text(split: PowerLawSplit) -> str:
    """Write a split as the text form has it: in square brackets, so that nothing is misread.

    Examples
    --------
    >>> formula_text(PowerLawSplit((PowerLaw(1.0, (Factor("a", 2),)),), 4.0, missing=True))
    '[a^2 <= 4] (or missing)'
    """
    outside = split.is_band and not split.inside
    plain = replace(split, missing=False, inside=split.inside or outside)
    body = f"{'NOT ' if outside else ''}[{split_text(plain, label_free_name, number_text)}]"
    return f"{body} (or missing)" if split.missing else body


def formula_python(split: PowerLawSplit, variable: Write, number: WriteNumber) -> str:
    """Write the test of a split, gaps apart, as a Python expression."""

    def base(factor: Factor) -> str:
        text = variable(factor.feature)
        if factor.floor is not None:
            text = f"max({text}, {number(factor.floor)})"
        return _shifted(text, factor, number)

    return _within(split, base, number, "not ")


def formula_sql(split: PowerLawSplit, column: Write, number: WriteNumber) -> str:
    """Write the test of a split, gaps apart, as an SQL condition; `column` gives a double."""

    def base(factor: Factor) -> str:
        text = column(factor.feature)
        if factor.floor is not None:
            floor = number(factor.floor)
            text = f"CASE WHEN {text} < {floor} THEN {floor} ELSE {text} END"
        return _shifted(text, factor, number)

    return _within(split, base, number, "NOT ", " AND ")


def formula_latex(split: PowerLawSplit, name: Write, number: WriteNumber) -> str:
    """Write a split as a formula between dollar signs; `name` escapes for text in LaTeX."""

    def base(factor: Factor) -> str:
        text = rf"\mbox{{{name(factor.feature)}}}"
        if factor.floor is not None:
            text = rf"\max({text}, {number(factor.floor)})"
        if factor.shift:
            sign = "-" if factor.shift > 0 else "+"
            text = f"({text} {sign} {number(abs(factor.shift))})"
        power = abs(factor.exponent)
        return text if power == 1 else f"{text}^{{{power}}}"

    def law(term: PowerLaw) -> str:
        up = r" \cdot ".join(base(f) for f in term.numerators)
        if not term.denominators:
            return up
        down = r" \cdot ".join(base(f) for f in term.denominators)
        return rf"\frac{{{up or 1}}}{{{down}}}"

    parts = []
    for place, term in enumerate(split.terms):
        sign = "-" if term.weight < 0 else "+" if place else ""
        size = abs(term.weight)
        weight = "" if size == 1.0 else rf"{number(size)} \cdot "
        parts.append(f"{sign} {weight}{law(term)}".strip())
    total = " ".join(parts)
    if split.low is None:
        sign = r"\le" if split.inside else ">"
        text = f"{total} {sign} {number(split.high)}"
    else:
        text = rf"{number(split.low)} \le {total} \le {number(split.high)}"
        text = text if split.inside else rf"\neg\,({text})"
    return f"${text}$ (or missing)" if split.missing else f"${text}$"


def _within(
    split: PowerLawSplit,
    base: Callable[[Factor], str],
    number: WriteNumber,
    negation: str,
    both: str = " and ",
) -> str:
    """Write the test with a writer of factors."""
    total = ""
    for place, term in enumerate(split.terms):
        law = _law(term, base)
        if place:
            sign = "-" if term.weight < 0 else "+"
            total += f" {sign} {number(abs(term.weight))} * {law}"
        else:
            total = f"{number(term.weight)} * {law}"
    test = f"{total} <= {number(split.high)}"
    if split.low is not None:
        test = f"({test}){both}({total} >= {number(split.low)})"
    return test if split.inside else f"{negation}({test})"


def _law(term: PowerLaw, base: Callable[[Factor], str]) -> str:
    up, down = (
        " * ".join(base(f) for f in factors for _ in range(abs(f.exponent)))
        for factors in (term.numerators, term.denominators)
    )
    if not down:
        return f"({up})"
    return f"(({up or '1.0'}) / ({down}))"


def _shifted(text: str, factor: Factor, number: WriteNumber) -> str:
    """Subtract the shift; x - (-3) is written x + 3, which is the same double."""
    if not factor.shift:
        return text if factor.floor is None else f"({text})"
    sign = "-" if factor.shift > 0 else "+"
    inner = text if factor.floor is None else f"({text})"
    return f"({inner} {sign} {number(abs(factor.shift))})"
