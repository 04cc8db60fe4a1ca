"""The command `export`: a rule in another format, verified on a table if one is given."""

import sys
from typing import Any

import click

from rulekit.cli.inputs import ReadSettings, outcome_option, read_outcomes, reads_tables, rest_of
from rulekit.cli.output import note, working
from rulekit.cli.show import RULE, read_rule, write_file
from rulekit.data import Table
from rulekit.data.headers import few, quote
from rulekit.data.matching import missing_words
from rulekit.explain.subject import columns_for
from rulekit.export import FORMATS, verify_export
from rulekit.rules import RuleSet
from rulekit.style.palette import outcome_colours
from rulekit.style.phrases import Wording

COUNTED = ("report", "app")  # show how often the rule is wrong
WRITABLE = [name for name, form in FORMATS.items() if not form.learned]


@click.command()
@RULE
@click.option("--format", "form", type=click.Choice(WRITABLE), required=True)
@click.option("-o", "--output", metavar="FILE", help="Where it goes; to standard output without.")
@click.option("--table", metavar="TABLE", help="Run the export on every row of it, and compare.")
@click.option("--select", metavar="NAME", help="SQL only: a SELECT from the table of this name.")
@click.option("--target", help="The column with the outcomes that errors are counted by.")
@outcome_option
@reads_tables
def export(rule: str, form: str, table: str | None, reading: ReadSettings, **options: Any) -> None:
    """Write RULE in another format.

    With --table the export is run, or read back, on every row, and nothing is written unless all
    answers are the same. A report needs --table and --target, and contains the rule's figures; a
    page that answers counts its errors with them.
    With --select, SQL is a whole statement that adds each row's prediction and the deciding
    clause (of a scorecard the total).
    """
    rule_set = read_rule(rule)
    target = options["target"]
    given: dict[str, Any] = {}
    if form == "report" and (table is None or target is None):
        raise click.UsageError("A report contains the rule's figures. Add --table and --target.")
    if form in COUNTED and target is not None:
        if table is None:
            raise click.UsageError("--target names a column of a table. Add --table.")
        rows = reading.cases(table, rule_set)
        actual = read_outcomes(rows, target, rule_set, options["outcomes"])
        has_outcome = [v is not None for v in actual]
        classes = [v for v in rule_set.classes if v != rest_of(rule_set)]
        words = Wording(clause="line", colours=outcome_colours(rule_set.classes, classes))
        given = {"training": (rows.frame[has_outcome], actual[has_outcome]), "wording": words}
    elif target is not None or options["outcomes"]:
        raise click.UsageError(
            f"--target and --outcome only apply to {' and '.join(COUNTED)}, not to {form}. Remove "
            "them."
        )
    elif table is not None:
        _check(rule_set, reading.cases(table, rule_set), form)
    if (name := options["select"]) is not None:
        if FORMATS[form].language != "sql":
            raise click.UsageError(f"--select is read for SQL only, not {form}.")
        given = {"part": "score", "table": name}
    text = FORMATS[form].write(rule_set, **given)
    content = text if isinstance(text, bytes) else text.encode()
    if options["output"] is not None:
        write_file(options["output"], content)
    elif isinstance(text, bytes) and sys.stdout.isatty():
        raise click.UsageError(f"A file of format {form} is not shown in a terminal. Add -o FILE.")
    else:
        click.echo(content, nl=not content.endswith(b"\n"))


def _check(rule: RuleSet, table: Table, form: str) -> None:
    """Run the export on a table; an error if a prediction differs."""
    columns_for(rule, table.frame)  # the error names the missing column
    if why := FORMATS[form].why_unchecked:
        note(why)
    else:
        with working(f"Comparing {table.n_rows:,} rows"):
            checked = verify_export(rule, table.frame, form)
        if not checked.ok:
            message = f"{checked.sentence} Nothing was written; please report this."
            raise click.ClickException(message)
        note(checked.sentence)
    tested = {test.feature for test in rule.tests if "missing" in test.op or test.missing}
    for name, words in sorted(missing_words(table, tested).items()):
        listed = few([f"{quote(word)} ({n:,} cells)" for word, n in words.items()])
        note(
            f"Note: column {quote(name)} has {listed}, read as missing. The export tests for "
            "empty cells (NULL): empty these first."
        )
