"""Rules as Markdown: the lines of the text form, with table content in code spans."""

import re
from collections.abc import Sequence
from typing import Any

from rulekit.export.documents.blocks import Cell, Code, Lines, TableBlock, Text, describe
from rulekit.export.documents.text import write_lines
from rulekit.export.subject import ClauseNumbers


def to_markdown(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> str:
    """Write a rule as a Markdown list.

    Parameters
    ----------
    model : RuleSet or fitted model
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown below each clause.

    Returns
    -------
    str
        Names, values and labels are in code spans, where Markdown and HTML have no effect.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> print(to_markdown(rule).splitlines()[2])
    1. **IF** `age > 50` **THEN** `ill`
    """
    written = []
    for block in describe(model, numbers):
        lines = [""]
        match block:
            case Text(text, style):
                lines = [{"note": "*{}*", "heading": "## {}"}[style].format(_inline(text))]
            case list():
                lines = [f"- {_inline(item)}" for item in block]
            case TableBlock(heads, rows):
                for row in (heads, ("---",) * len(heads), *rows):
                    cells = (_inline(cell).replace("|", "\\|") for cell in row)  # a bar ends a cell
                    lines.append(f"| {' | '.join(cells)} |")
            case Lines(rule, remarks):
                for index, line in write_lines(rule, "**{}**".format, code):
                    if index is None:
                        lines += [""] * bool(lines[-1]) + [line, ""]
                    else:
                        lines.append(line)
                        lines += [f"   <br>*{text}*" for text in remarks[index : index + 1]]
        written.append("\n".join(lines).strip())
    return "\n\n".join(written) + "\n"


def _inline(cell: Cell) -> str:
    match cell:
        case Code():
            return code(cell)
        case tuple():
            return "".join(map(_inline, cell))
        case list():
            return "<br>".join(map(_inline, cell))
    return str(cell)


def code(text: str) -> str:
    """Return text as a code span with enough backticks."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
