"""Rules as Markdown: the lines of the text form, with table content in code spans."""

import re
from collections.abc import Sequence
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.documents.text import clause_parts, label_text, size_text
from rulekit.export.numbers import ClauseNumbers
from rulekit.export.subject import exported_rule
from rulekit.rules import RuleSet


def to_markdown(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> str:
    """Write a rule as a Markdown list.

    Parameters
    ----------
    model : RuleSet or fitted model
        What is written.
    numbers : sequence of ClauseNumbers, optional
        Counts that stand below each clause.

    Returns
    -------
    str
        Names, values and labels stand in code spans, where Markdown and HTML mean nothing.

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


def from_markdown(markdown: str) -> str:
    """Turn the Markdown form of a rule back into the text form."""
    lines = []
    for line in markdown.split("\n"):
        if re.match(r"\d+\. |\*\*", line):
            lines.append(_plain(line))
    return "\n".join(lines)


def _plain(line: str) -> str:
    """Remove emphasis and fences of one line outside code spans."""
    found, at = [], 0
    while at < len(line):
        fence = re.compile("`+").match(line, at)
        if fence is None:
            stop = line.find("`", at)
            stop = len(line) if stop < 0 else stop
            found.append(line[at:stop].replace("**", ""))
            at = stop
            continue
        close = re.compile(f"(?<!`){fence[0]}(?!`)").search(line, fence.end())
        if close is None:
            raise ExportError(f"A code span is not closed in the line {line[:60]!r}.")
        inner = line[fence.end() : close.start()]
        padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip(" ")
        found.append(inner[1:-1] if padded else inner)
        at = close.end()
    return "".join(found)
