"""A rule as a document: blocks of text and tables, which each format writes in its own way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rulekit.export.documents.text import TextWriter, label_text, size_text
from rulekit.export.subject import ClauseNumbers, describe_columns, describe_names, rule_to_export
from rulekit.rules import RuleSet, scorecard_of
from rulekit.style.scorecard import (
    Scale,
    bands_of_totals,
    clause_names,
    count_per_hundred,
    reading_notes,
    scale_note,
    scales_of,
)
from rulekit.style.wording import capital


class Code(str):
    """Text that is written unchanged: a condition, a value or a label."""


class Strong(str):
    """Emphasised text."""


class Raw(str):
    """Markup in the format that is written."""


#: A text, a whole number, parts in one line (tuple) or several lines (list).
Cell = str | int | tuple[Any, ...] | list[Any]


@dataclass(frozen=True)
class Text:
    """A paragraph, a "note" on the block above, or a "heading"."""

    text: Cell
    style: str = ""


@dataclass(frozen=True)
class Lines:
    """The lines of a rule, each clause with a remark if there are any."""

    rule: RuleSet
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableBlock:
    """A table; the first cells of rows are headings if `is_headed`."""

    heads: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_headed: bool = False


#: A list is a list of items.
Block = Text | Lines | TableBlock | Raw | list[Cell]


def describe_rule(
    model: Any, numbers: Sequence[ClauseNumbers] | None = None, rule: RuleSet | None = None
) -> list[Block]:
    """Return the blocks of a rule (`rule`, else the model's): lines or points, with counts."""
    rule = rule_to_export(model) if rule is None else rule
    remarks = tuple(each.sentence for each in numbers or ())
    size = Text(size_text(rule), "note")
    splits = scorecard_of(rule)
    if not splits:
        return [size, Lines(rule, remarks)]
    scales = scales_of(splits[0], TextWriter())
    blocks: list[Block] = [size, points_table(scales, Code)]
    blocks += [Text(note, "note") for note in (reading_notes(scales), scale_note(model)) if note]
    blocks.append(totals_table(model, lambda label: Code(label_text(label))))
    if remarks:
        names = map(capital, clause_names(rule)[:-1])
        blocks.append([f"{name}: {text}" for name, text in zip(names, remarks, strict=True)])
    return blocks


def describe(model: Any, numbers: Sequence[ClauseNumbers] | None = None) -> list[Block]:
    """Return the blocks of a rule, of its names of conditions, and of the columns at training."""
    rule = rule_to_export(model)
    names: list[Cell] = [Code(line) for line in describe_names(rule)]
    return [*describe_rule(model, numbers), *([names] if names else []), *describe_training(rule)]


def describe_training(rule: RuleSet) -> list[Block]:
    """Return the blocks of the columns that a rule was learned from; none if it has no schema."""
    lines: list[Cell] = [Code(line) for line in describe_columns(rule)]
    return [Text("Columns of the training rows", "heading"), lines] if lines else []


def points_table(scales: Sequence[Scale], write: Callable[[str], str] = str) -> TableBlock:
    """Return the points of a scorecard, a row for each column or condition."""
    rows: list[tuple[Cell, ...]] = []
    for scale in scales:
        lines: list[Cell] = [(write(text), f": {p}") if text else p for text, p in scale.lines]
        rows.append((write(scale.name), lines if len(lines) > 1 else lines[0]))
    return TableBlock(("If this holds", "points"), tuple(rows))


def totals_table(model: Any, write: Callable[[Any], str] = str) -> TableBlock:
    """Return what the totals of a scorecard mean: prediction, and probability if it is known."""
    bands = bands_of_totals(model)
    heads: tuple[Cell, ...] = ("total", "prediction")
    rows: list[tuple[Cell, ...]] = [(band.total, write(band.label)) for band in bands]
    if bands[0].chance is not None:
        heads = (*heads, ("of 100 such cases, ", write(bands[0].label)))
        rows = [(*row, count_per_hundred(band)) for row, band in zip(rows, bands, strict=True)]
    return TableBlock(heads, tuple(rows))
