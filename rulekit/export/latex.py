"""Rules as a LaTeX table in the style of booktabs."""

from collections.abc import Sequence
from typing import Any

from rulekit.export.formulas import formula_latex
from rulekit.export.numbers import ClauseNumbers
from rulekit.export.plain import number_text
from rulekit.export.reading import Interval, Reading, readings
from rulekit.export.subject import check_expressible, checked_label, exported_rule
from rulekit.rules import Clause, LinearSplit, PowerLawSplit, RuleSet

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "{-}",
}
SIGNS = {"<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "==": "=", "!=": r"\ne"}
SETS = {"in": r"\in", "not-in": r"\notin"}
MIRRORED = {">": "<", ">=": "<="}


def to_latex(
    model: Any, *, numbers: Sequence[ClauseNumbers] | None = None, caption: str | None = None
) -> str:
    """Write a rule as a LaTeX table.

    Parameters
    ----------
    model : RuleSet or fitted model
        What is written.
    numbers : sequence of ClauseNumbers, optional
        Counts that stand in a last column.
    caption : str, optional
        Makes it a floating table with this caption.

    Returns
    -------
    str
        Needs the packages booktabs and textcomp. One row a clause; everything from the table is
        escaped, and control characters become blanks.

    Raises
    ------
    ExportError
        If there is no rule, or it has conditions or labels that the table cannot express.
    """
    rule = exported_rule(model)
    check_expressible(rule, "LaTeX")
    counts = numbers is not None
    head = [r"\toprule", rf" & Clause & Answer{' & Right of matched' if counts else ''} \\"]
    rows = []
    for index, clause in enumerate(rule.clauses):
        label = escaped_label(rule.labels[index]) if rule.form == "dnf" else ""
        cells = [str(index + 1), clause_latex(clause), label]
        if numbers is not None:
            cells.append(f"{numbers[index].n_right} of {numbers[index].n}")
        rows.append(" & ".join(cells) + r" \\")
    lines = [
        rf"\begin{{tabular}}{{rp{{0.6\linewidth}}l{'r' if counts else ''}}}",
        *head,
        r"\midrule",
        *rows,
    ]
    lines += [*_closing(rule, counts), r"\bottomrule", r"\end{tabular}"]
    if caption is None:
        return "\n".join(lines) + "\n"
    floating = [r"\begin{table}", r"\centering", rf"\caption{{{escaped(caption)}}}", *lines]
    return "\n".join([*floating, r"\end{table}"]) + "\n"


def _closing(rule: RuleSet, counts: bool) -> list[str]:
    """Write the rows below the clauses: what holds if all do (CNF), and what holds otherwise."""
    tail = " & " if counts else ""
    rows = [r"\midrule"] if rule.clauses else []
    if rule.form == "cnf":
        rows.append(rf" & if all hold & {escaped_label(rule.labels[0])}{tail} \\")
    return [*rows, rf" & otherwise & {escaped_label(rule.default)}{tail} \\"]


def clause_latex(clause: Clause) -> str:
    """Write a clause as one cell."""
    parts = [_condition(r) for r in readings(clause)]
    return f" {clause.op} ".join(parts) or ("always" if clause.op == "and" else "never")


def _condition(reading: Reading) -> str:
    if isinstance(reading, PowerLawSplit):
        return formula_latex(reading, escaped, latex_number)
    if isinstance(reading, LinearSplit):
        return _linear(reading)
    name = escaped(reading.feature)
    if isinstance(reading, Interval):
        low, high = reading.low, reading.high
        left = f"${latex_number(low.value)} {SIGNS[MIRRORED[low.op]]}$"
        text = f"{left} {name} ${SIGNS[high.op]} {latex_number(high.value)}$"
    elif reading.op in ("missing", "not-missing"):
        return f"{name} is {'missing' if reading.op == 'missing' else 'known'}"
    elif isinstance(reading.value, tuple):
        values = ", ".join(_cell(v) for v in reading.value)
        text = rf"{name} ${SETS[reading.op]}$ \{{{values}\}}"
    else:
        text = f"{name} ${SIGNS[reading.op]}$ {_cell(reading.value)}"
    return f"{text} (or missing)" if reading.missing else text


def _linear(split: LinearSplit) -> str:
    """Write a weighted sum, one short formula a term so that lines can break between them."""
    parts = []
    for place, (feature, weight) in enumerate(split.terms):
        sign = "" if not place else "- " if weight < 0 else "+ "
        size = latex_number(abs(weight) if place else weight)
        parts.append(rf"${sign}{size} \cdot {{}}$ {escaped(feature)}")
    text = f"{' '.join(parts)} ${SIGNS[split.op]} {latex_number(split.value)}$"
    return f"{text} (or missing)" if split.missing else text


def _cell(value: Any) -> str:
    return f"${latex_number(value)}$" if isinstance(value, float) else escaped_label(value)


def latex_number(value: Any) -> str:
    """Write a number for math mode: 1e-05 as a power of ten."""
    text = number_text(value)
    if "inf" in text:
        return text.replace("inf", r"\infty")
    digits, _, exponent = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


def escaped_label(label: Any) -> str:
    """Escape a label; truth values and numbers as plain words."""
    label = checked_label(label, "LaTeX")
    if isinstance(label, bool):
        return "true" if label else "false"
    return escaped(label if isinstance(label, str) else repr(label))


def escaped(text: str) -> str:
    """Escape text for LaTeX; whatever is not printable becomes a blank."""
    return "".join(SPECIAL.get(c, c) if c.isprintable() else " " for c in text)
