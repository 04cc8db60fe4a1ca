"""Power-law splits as one line of text, with names and numbers written as the caller wants them.

mean radius^2 / worst area - 0.031 * texture <= 4.2
0.98 <= x1 + x2 <= 1.02 (or missing)
2 / max(height, 0.1)^2 + (mass - 4.5) > 3
"""

from collections.abc import Callable

from rulekit.rules.power_law_split import Factor, PowerLaw, PowerLawSplit
from rulekit.rules.reading import number_text

Write = Callable[[str], str]
WriteNumber = Callable[[float], str]


def _as_it_is(name: str) -> str:
    return name


def factor_text(factor: Factor, name: Write = _as_it_is, number: WriteNumber = number_text) -> str:
    """Write a column with its floor, shift and the size of its exponent.

    Examples
    --------
    >>> factor_text(Factor("height", -2, shift=0.5, floor=1.0))
    '(max(height, 1) - 0.5)^2'
    """
    text = name(factor.feature)
    if factor.floor is not None:
        text = f"max({text}, {number(factor.floor)})"
    if factor.shift:
        sign = "-" if factor.shift > 0 else "+"
        text = f"({text} {sign} {number(abs(factor.shift))})"
    power = abs(factor.exponent)
    return text if power == 1 else f"{text}^{power}"


def law_text(law: PowerLaw, name: Write = _as_it_is, number: WriteNumber = number_text) -> str:
    """Write a power law without its weight: "a^2 * b / c".

    Examples
    --------
    >>> law_text(PowerLaw(3.0, (Factor("b", -1, floor=1.0),)))
    '1 / max(b, 1)'
    """
    up = " * ".join(factor_text(f, name, number) for f in law.numerators) or "1"
    down = "".join(f" / {factor_text(f, name, number)}" for f in law.denominators)
    return up + down


def sum_text(
    split: PowerLawSplit, name: Write = _as_it_is, number: WriteNumber = number_text
) -> str:
    """Write the weighted sum of a split.

    Examples
    --------
    >>> a, b = Factor("a"), Factor("b", -1, floor=1.0)
    >>> sum_text(PowerLawSplit((PowerLaw(1.0, (a,)), PowerLaw(-0.5, (b,))), 3.0))
    'a - 0.5 / max(b, 1)'
    """
    text = ""
    for place, law in enumerate(split.terms):
        size = abs(law.weight)
        body = law_text(law, name, number)
        if size != 1.0:
            body = number(size) + (body[1:] if not law.numerators else f" * {body}")
        sign = "-" if law.weight < 0 else "+"
        text += f" {sign} {body}" if place else f"{'-' if sign == '-' else ''}{body}"
    return text


def split_text(
    split: PowerLawSplit, name: Write = _as_it_is, number: WriteNumber = number_text
) -> str:
    """Write a split in one line."""
    body = sum_text(split, name, number)
    if split.low is None:
        text = f"{body} {'<=' if split.inside else '>'} {number(split.high)}"
    else:
        text = f"{number(split.low)} <= {body} <= {number(split.high)}"
        text = text if split.inside else f"not ({text})"
    return f"{text} (or missing)" if split.missing else text
