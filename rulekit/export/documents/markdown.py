"""Rules as Markdown: the lines of the text form, with table content in code spans."""

import re
from collections.abc import Sequence
from typing import Any

from rulekit.export.documents.text import clause_parts, label_text, size_text
from rulekit.export.numbers import ClauseNumbers
from rulekit.export.subject import exported_rule
from rulekit.rules import RuleSet


def to_markdown(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> str:
    """Write a rule as a Markdown list.

    Parameters
    ----------
    model : RuleSet or fitted model
        The rule to write.
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown below each clause.

    Returns
    -------
    str
        Names, values and labels are in code spans, where Markdown and HTML have no effect.

    Raises
    ------
    ExportError
        If there is no rule, or it has conditions or labels that text cannot express.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> print(to_markdown(rule).splitlines()[2])
    1. **IF** `age > 50` **THEN** `ill`
    """
    rule = exported_rule(model)
    lines = [f"*{size_text(rule)}*", ""]
    if rule.form == "cnf":
        lines += ["**ALL OF**", ""]
    lines += _clause_lines(rule, numbers)
    if rule.clauses:
        lines.append("")
    if rule.form == "cnf":
        lines += [f"**THEN** {code(label_text(rule.labels[0]))}", ""]
    lines.append(f"**OTHERWISE** {code(label_text(rule.default))}")
    return "\n".join(lines) + "\n"


def _clause_lines(rule: RuleSet, numbers: Sequence[ClauseNumbers] | None) -> list[str]:
    lines = []
    for index, clause in enumerate(rule.clauses):
        body = f" **{clause.op.upper()}** ".join(code(part) for part in clause_parts(clause))
        if rule.form == "dnf":
            body = f"**IF** {body} **THEN** {code(label_text(rule.labels[index]))}"
        lines.append(f"{index + 1}. {body}")
        if numbers is not None:
            lines.append(f"   <br>*{numbers[index].sentence}*")
    return lines


def code(text: str) -> str:
    """Return text as a code span with enough backticks."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
