"""Tables that the commands read, and the outcomes in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from rulekit.cli.output import note
from rulekit.data import ParseOptions, Table, load_sample
from rulekit.data.column import role_notes, whole
from rulekit.data.columns.report import Report
from rulekit.data.headers import few, quote
from rulekit.data.matching import (
    find_names,
    match_names,
    match_outcomes,
    match_units,
    reading_options,
    rename_options,
    strip_flags,
)
from rulekit.data.options import UNUSED, has_kind
from rulekit.data.reading.loading import read_with_layout
from rulekit.data.schema import cut_of_outcomes
from rulekit.rules import RuleSet
from rulekit.rules.schema import NUMERIC, Schema

SAMPLE = "sample:"
OTHERS = "not {}"  # label of all other classes if there are more than two
Verb = TypeVar("Verb", bound=Callable[..., Any])


@dataclass(frozen=True)
class ReadSettings:
    """Settings for reading tables; None means automatic."""

    options: ParseOptions
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()

    def table(self, source: str) -> tuple[Table, ParseOptions]:
        """Read a table to learn from, with notes on it; return the options used, too."""
        table, excluded, used = self._read(source, self.options)
        for sentence in (*table.notes, *excluded):
            note(f"Note: {sentence}")
        return table, used

    def check(self, source: str, target: str) -> None:
        """Check that a table can be read and has the target."""
        match_names(self._read(source, self.options)[0], [target]).column(target)

    def cases(self, source: str, *rules: RuleSet, target: str | None = None) -> Table:
        """Read a table as the tables that rules were learned from, with notes on it."""
        options, schemas = self.options, [rule.schema or Schema() for rule in rules]
        for rule, schema in zip(rules, schemas, strict=True):
            outcome = None if target is None else (target, rule.classes)
            options = reading_options(schema, options, outcome)
        names = [name for rule in rules for name in rule.features]
        names += [] if target is None else [target]
        table, _, used = self._read(source, options)
        if renamed := find_names(table, names):
            table, _, used = self._read(source, rename_options(options, renamed))
            table = match_names(table, names)
        columns = [column for schema in schemas for column in schema.columns]
        table = strip_flags(table, [c.name for c in columns if c.kind in NUMERIC])
        units: dict[str, tuple[str | None, bool]] = {}
        for column in columns:
            unit = column.unit, column.percent
            if column.unit and units.setdefault(column.name, unit) != unit:
                raise click.ClickException(
                    f"The rules read column {quote(column.name)} in different units. Learn them "
                    "from tables in one unit."
                )
        for schema in schemas:
            table = match_units(table, schema, used.percent or "points")
        for sentence in table.notes:
            note(f"Note: {sentence}")
        for rule, schema in zip(rules, schemas, strict=True):
            is_known = schema.columns and all(c.gaps is not None for c in schema.columns)
            if rule.features and not is_known:
                note(
                    "Not checked: types, levels and ranges, since the rule does not store what its "
                    "columns held when it was learned."
                )
        return table

    def _read(self, source: str, options: ParseOptions) -> tuple[Table, list[str], ParseOptions]:
        """Read a table, and separate its notes on columns that are not learned from."""
        if source.startswith(SAMPLE):
            if replace(self.options, day_first=None) != ParseOptions():
                raise click.UsageError(
                    f"Options of how a file is read have no effect on {source!r}. Remove them."
                )
            table = load_sample(source.removeprefix(SAMPLE))
        else:
            table, options, _ = read_with_layout(source, options=options)
        table = replace(table, notes=tuple(n for n in table.notes if not has_kind(n, UNUSED)))
        for name in self.numbers:
            table = table.as_numeric(name)
        for name in self.categories:
            table = table.as_category(name)
        for name in self.dates:
            table = table.as_date(name, day_first=self.options.day_first)
            table = table.with_roles({name: "feature"})
        return table, role_notes(table.columns), options


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
    click.option("--date", "dates", multiple=True, help="Read this column as dates, and use it."),
    click.option(
        "--day-first/--month-first",
        default=None,
        help="Whether 03/04/2024 is the 3rd of April, where a column leaves it open.",
    ),
    click.option(
        "--missing",
        metavar="WORDS",
        help='Words that mean missing, as in "NA,None"; all others are levels. COLUMN=WORD is for '
        "one column, and leaves the other words as they are.",
    ),
    click.option(
        "--percent",
        type=click.Choice(["points", "share"]),
        help="Read 26 % as 26 (points, the default) or as 0.26.",
    ),
    click.option("--text", "texts", multiple=True, help="Keep the cells of this column as text."),
    click.option(
        "--merge-levels",
        "merged",
        multiple=True,
        metavar="COLUMN",
        help='Levels of this column that differ in case or spaces are one: "Yes" and "yes".',
    ),
)
_TEXT = ("delimiter", "encoding", "decimal", "header", "sheet", "day_first", "percent")
_PARTS = (*_TEXT, "header_row", "skip_last")


def reads_tables(verb: Verb) -> Verb:
    """Add the reading options to a command, as one argument `reading`."""

    @wraps(verb)
    def run_verb(**given: Any) -> Any:
        columns = {k: given.pop(k) for k in ("numbers", "categories", "dates")}
        parts = {k: given.pop(k) for k in _PARTS}
        parts |= {k: given.pop(k) or None for k in ("texts", "merged", "skip_rows")}
        parts |= missing_words(given.pop("missing"))
        if parts["delimiter"] == "\\t":
            parts["delimiter"] = "\t"
        return verb(reading=ReadSettings(ParseOptions(**parts), **columns), **given)

    for option in reversed(_READING):
        run_verb = option(run_verb)
    return run_verb  # type: ignore[return-value]


def missing_words(text: str | None) -> dict[str, Any]:
    """Parse the option of missing words: words of the file, and COLUMN=WORD."""
    if text is None:
        return {}
    words = [word.strip() for word in text.split(",")]
    by_column: dict[str, tuple[str, ...]] = {}
    for column, mark, word in (word.rpartition("=") for word in words):
        if mark:
            by_column[column.strip()] = (*by_column.get(column.strip(), ()), word.strip())
    everywhere = tuple(word for word in words if "=" not in word)
    return {"missing": everywhere or None, "missing_in": by_column or None}


def outcome_names(_: Any, __: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Parse repeated ``VALUE=NAME`` options."""
    pairs = [[part.strip() for part in pair.partition("=")[::2]] for pair in given]
    if wrong := [pair for pair, parts in zip(given, pairs, strict=True) if not all(parts)]:
        raise click.BadParameter(f"must be VALUE=NAME, as in 1=died; got {wrong[0]!r}.")
    return dict(pairs)


outcome_option = click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    callback=outcome_names,
    metavar="VALUE=NAME",
    help="What a value of the target is called, as in 1=died. May be repeated.",
)


def note_cells(report: Report, positions: Sequence[int] | None = None) -> None:
    """Print cells that count as missing, and what no training row had, by row of the table."""
    rows = None if positions is None else np.asarray(positions)
    for misfit in report.misfits:
        note(f"Note: {misfit.sentence(rows)}")
    for unseen in report.unseen:
        first = unseen.first if rows is None else int(rows[unseen.first])
        note(f"Never in training: {replace(unseen, first=first).sentence}")


def read_outcomes(
    table: Table, target: str, rule: RuleSet, outcomes: Mapping[str, str]
) -> NDArray[Any]:
    """Return the known outcomes of a table in the rule's labels; None where unknown."""
    # A label in another spelling is the same. Values without a label become the rule's "not" label,
    # with a note, else they are refused; of a rule with one label they are wrong predictions.
    if table.column(target).is_number:
        cut = cut_of_outcomes(target, [*rule.classes, *outcomes])
        table = table if cut is None else table.with_cut(target, cut)
    values = table.frame[target]
    is_known = values.notna().to_numpy()
    present = whole(values[is_known])
    rest = rest_of(rule)
    called = match_outcomes(present.unique().tolist(), rule.classes, outcomes)
    strange = {value: int((present == value).sum()) for value, c in called.items() if c is None}
    lone = len(rule.classes) == 1 and len(strange) < len(called)
    if strange and rest is None and not lone:
        first = next(iter(strange))
        raise click.ClickException(
            f"The rule answers {' or '.join(quote(str(v)) for v in rule.classes)}, and column "
            f"{quote(target)} holds {quote(outcomes.get(str(first), str(first)))}. Name the right "
            "--target, or say what its values are called by --outcome VALUE=NAME."
        )
    respelled = [
        f"{quote(str(v))} as {quote(str(c))}"
        for v, c in called.items()
        if c is not None and str(v) not in outcomes and str(v) != str(c)
    ]
    if respelled:
        note(f"Note: in column {quote(target)}, {few(respelled)} is read.")
    if strange and rest is not None:
        listed = few([f"{quote(str(v))} ({n:,} row{'s' * (n != 1)})" for v, n in strange.items()])
        note(
            f"Note: in column {quote(target)}, {listed} count as {quote(str(rest))}, as would a "
            "class never seen in training."
        )
    for value in strange:
        called[value] = rest if rest is not None else outcomes.get(str(value), str(value))
    actual = np.empty(len(values), dtype=object)
    actual[is_known] = [called[v] for v in present.tolist()]
    return actual


def rest_of(rule: RuleSet) -> Any:
    """Return the label for all other classes, if the rule has one; else None."""
    names = {OTHERS.format(label) for label in rule.classes}
    return next((label for label in rule.classes if str(label) in names), None)
