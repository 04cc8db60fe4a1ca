"""Tables that the commands read, and the outcomes in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_string_dtype

from rulekit.cli.output import note
from rulekit.data import ParseOptions, Table, load_sample, read_table
from rulekit.data.column import role_notes, whole
from rulekit.data.headers import shown
from rulekit.data.schema import cut_of_outcomes
from rulekit.rules import RuleSet

SAMPLE = "sample:"
OTHERS = "not {}"  # label of all other classes if there are more than two
Verb = TypeVar("Verb", bound=Callable[..., Any])
TABLE = click.argument("table", metavar="TABLE")


@dataclass(frozen=True)
class Reading:
    """Settings for reading tables; None means automatic."""

    options: ParseOptions
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def table(self, source: str) -> Table:
        """Read a table to learn from, with notes on what was repaired or excluded."""
        table, excluded = self._read(source)
        for sentence in (*table.notes, *excluded):
            note(f"Note: {sentence}")
        return table

    def cases(self, source: str, *rules: RuleSet) -> Table:
        """Read a table as rules compare its columns, with notes on what was repaired."""
        table, _ = self._read(source)
        for sentence in table.notes:
            note(f"Note: {sentence}")
        for rule in rules:
            table = as_rule_reads(table, rule)
        return table

    def _read(self, source: str) -> tuple[Table, list[str]]:
        """Read a table, and separate its notes on columns that are not learned from."""
        if source.startswith(SAMPLE):
            table = load_sample(source.removeprefix(SAMPLE))
        else:
            table = read_table(source, options=self.options)
        excluded = role_notes(table.columns)
        table = replace(table, notes=tuple(n for n in table.notes if n not in excluded))
        for name in self.numbers:
            table = table.as_numeric(name)
        for name in self.categories:
            table = table.as_category(name)
        return table, role_notes(table.columns)


_READING = (
    click.option("--delimiter", help="The character between cells of a text file."),
    click.option("--encoding", help="The encoding of a text file."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Its decimal mark."),
    click.option("--header/--no-header", default=None, help="Whether its first row holds names."),
    click.option("--header-row", type=click.IntRange(1), help="The row of the names, from 1."),
    click.option(
        "--skip-row",
        "skip_rows",
        type=click.IntRange(1),
        multiple=True,
        help="Do not read this row (title, units). May be repeated.",
    ),
    click.option("--skip-last", type=click.IntRange(0), help="Rows at the end not to read."),
    click.option("--sheet", help="The sheet of a spreadsheet."),
    click.option("--number", "numbers", multiple=True, help="Read this column as numbers."),
    click.option("--category", "categories", multiple=True, help="Read this column as codes."),
)


#: The options that are settings of `ParseOptions`, by name
_OPTIONS = (
    *("delimiter", "encoding", "decimal", "header", "sheet"),
    *("header_row", "skip_rows", "skip_last"),
)


def reads_tables(verb: Verb) -> Verb:
    """Add the reading options to a command, as one argument `reading`."""

    @wraps(verb)
    def wrapped(**given: Any) -> Any:
        numbers, categories = given.pop("numbers"), given.pop("categories")
        parts = {name: given.pop(name) for name in _OPTIONS}
        parts["skip_rows"] = parts["skip_rows"] or None
        if parts["delimiter"] == "\\t":
            parts["delimiter"] = "\t"
        return verb(reading=Reading(ParseOptions(**parts), numbers, categories), **given)

    for option in reversed(_READING):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


def outcome_names(_: Any, __: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Parse repeated ``VALUE=NAME`` options."""
    for pair in given:
        if not all(part.strip() for part in pair.partition("=")[::2]):
            raise click.BadParameter(f"must be VALUE=NAME, as in 1=died; got {pair!r}.")
    return {pair.partition("=")[0].strip(): pair.partition("=")[2].strip() for pair in given}


def outcome_option(verb: Verb) -> Verb:
    """Add the option for names of outcomes, as `outcomes`."""
    return click.option(
        "--outcome",
        "outcomes",
        multiple=True,
        callback=outcome_names,
        metavar="VALUE=NAME",
        help="What a value of the target is called, as in 1=died. May be repeated.",
    )(verb)


def as_rule_reads(table: Table, rule: RuleSet) -> Table:
    """Read columns as the rule compares them, with a note where the file reads differently."""
    dates = {test.feature for test in rule.tests if test.part is not None}
    for feature, compared in rule.types.items():
        if feature not in table.frame.columns:
            continue
        if feature in dates:
            if is_string_dtype(table.frame[feature]):
                table = table.as_date(feature)
                note(f"Note: {table.notes[-1]} The rule compares it with dates.")
            continue
        column = table.column(feature)
        if compared == {str} and column.is_number:
            table = table.as_category(feature)
            note(f"Note: column {shown(feature)} is read as codes: the rule compares it with text.")
        elif compared == {float} and column.n_distinct and is_string_dtype(table.frame[feature]):
            table = table.as_numeric(feature)
            note(f"Note: {table.notes[-1]} The rule compares it with numbers.")
    return table


def known_outcomes(
    table: Table, target: str, rule: RuleSet, outcomes: Mapping[str, str]
) -> NDArray[Any]:
    """Return the known outcomes of a table in the rule's labels; None where unknown.

    Values without a label become the rule's "not" label, else they are wrong predictions.
    """
    if table.column(target).is_number:
        cut = cut_of_outcomes(target, [*rule.classes, *outcomes])
        table = table if cut is None else table.with_cut(target, cut)
    values = table.frame[target]
    is_known = values.notna().to_numpy()
    present = whole(values[is_known]).tolist()
    by_text = {str(label): label for label in rule.classes}
    rest = rest_of(rule)
    names = {value: outcomes.get(str(value), str(value)) for value in present}
    lone = len(by_text) == 1 and not by_text.keys().isdisjoint(names.values())
    called = {}
    for value, name in names.items():
        if name not in by_text and rest is None and not lone:
            raise click.ClickException(
                f"The rule answers {' or '.join(map(shown, by_text))}, and column {shown(target)} "
                f"holds {shown(name)}. Name the right --target, or say what its values are called "
                "by --outcome VALUE=NAME."
            )
        called[value] = by_text.get(name, name if lone else rest)
    actual = np.empty(len(values), dtype=object)
    actual[is_known] = [called[v] for v in present]
    return actual


def rest_of(rule: RuleSet) -> Any:
    """Return the label for all other classes, if the rule has one; else None."""
    names = {OTHERS.format(label) for label in rule.classes}
    return next((label for label in rule.classes if str(label) in names), None)
