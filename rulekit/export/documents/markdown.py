"""Rules as Markdown: the lines of the text form, with table content in code spans."""

import re
from collections.abc import Sequence
from typing import Any

from rulekit.export.documents.text import exact_scales, label_text, size_text, write_lines
from rulekit.export.subject import ClauseNumbers, describe_columns, rule_to_export
from rulekit.rules import PointsSplit, RuleSet, scorecard_of
from rulekit.style.scorecard import (
    Band,
    bands_of_totals,
    clause_names,
    count_per_hundred,
    reading_notes,
)
from rulekit.style.wording import capital


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
    rule = rule_to_export(model)
    if splits := scorecard_of(rule):
        lines = [f"*{size_text(rule)}*", "", *_card_lines(splits[0], bands_of_totals(model))]
        if numbers is not None:
            lines += ["", *_count_lines(rule, numbers)]
        return "\n".join([*lines, *_column_lines(rule)]) + "\n"
    lines = [f"*{size_text(rule)}*", ""]
    for index, line in write_lines(rule, "**{}**".format, code):
        if index is None:
            lines += [""] * bool(lines[-1]) + [line, ""]
        else:
            lines.append(line)
            lines += [f"   <br>*{numbers[index].sentence}*"] if numbers is not None else []
    lines.pop()
    return "\n".join([*lines, *_column_lines(rule)]) + "\n"


def _column_lines(rule: RuleSet) -> list[str]:
    """List what the columns were when the rule was learned."""
    lines = [f"- {code(line)}" for line in describe_columns(rule)]
    return ["", "*Columns of the training rows*", "", *lines] if lines else []


def _card_lines(split: PointsSplit, bands: Sequence[Band]) -> list[str]:
    """Write a scorecard as two tables: points of columns, predictions of totals."""
    scales = exact_scales(split)
    lines = ["| If this holds | Points |", "| --- | --- |"]
    for scale in scales:
        lines.append(f"| {_cell(scale.name)} | {'<br>'.join(map(_points, scale.lines))} |")
    lines += ["", reading_notes(scales), ""]
    with_chance = bands[0].chance is not None
    described = _cell(label_text(bands[0].label))
    lines += [f"| Total | Prediction |{f' Of 100 such cases, {described} |' * with_chance}"]
    lines += [f"| --- | --- |{' --- |' * with_chance}"]
    for band in bands:
        chance = f" {count_per_hundred(band)} |" if with_chance else ""
        lines.append(f"| {band.total} | {_cell(label_text(band.label))} |{chance}")
    return lines


def _count_lines(rule: RuleSet, numbers: Sequence[ClauseNumbers]) -> list[str]:
    names = clause_names(rule)[:-1]
    return [f"- {capital(s)}: {n.sentence}" for s, n in zip(names, numbers, strict=True)]


def _points(line: tuple[str, int]) -> str:
    text, points = line
    return f"{_cell(text)}: {points}" if text else f"{points}"


def _cell(text: str) -> str:
    """Return text as a code span in a cell of a table, where a bar would end the cell."""
    return code(text.replace("|", "\\|"))


def code(text: str) -> str:
    """Return text as a code span with enough backticks."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
