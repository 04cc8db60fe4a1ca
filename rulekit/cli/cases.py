"""The commands for cases: `explain` some rows of a table, `score` all of them."""

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from rulekit.cli.inputs import ReadSettings, note_cells, outcome_option, read_outcomes, reads_tables
from rulekit.cli.output import echo, note, print_json, working
from rulekit.cli.show import RULE, TABLE, as_json, read_rule, write_file
from rulekit.data.columns.report import Report
from rulekit.explain import Scored
from rulekit.explain import explain as explained
from rulekit.explain import score as scored
from rulekit.explain.subject import columns_for
from rulekit.export.sheets.frame import CASE_FILES, cases_frame

ROW = "Which row, the first below the header being 1. May be repeated."
REFERENCE = "A table from before: what differs and, with --target, whether the rule still holds."


@click.command()
@RULE
@TABLE
@click.option("--row", "rows", type=click.IntRange(1), multiple=True, required=True, help=ROW)
@as_json
@reads_tables
def explain(
    rule: str, table: str, rows: tuple[int, ...], as_json: bool, reading: ReadSettings
) -> None:
    """Explain the predictions of RULE for rows of TABLE.

    Each explanation names the deciding clause and what would change the prediction.
    """
    rule_set = read_rule(rule)
    given = reading.cases(table, rule_set)
    if max(rows) > given.n_rows:
        raise click.ClickException(f"There is no row {max(rows)}: the table has {given.n_rows}.")
    read = columns_for(rule_set, given.frame.iloc[[row - 1 for row in rows]])
    note_cells(read.report, [row - 1 for row in rows])
    cases = explained(rule_set, read)
    if as_json:
        plain = [{**c.to_dict(), "row": row} for c, row in zip(cases, rows, strict=True)]
        print_json({"cases": plain})
        return
    for case, row in zip(cases, rows, strict=True):
        echo(f"Row {row}: {case.sentence}")
        if case.near_misses and not case.fired:
            echo(f"  {case.near_misses[0].sentence}")
        for reason in case.reasons:
            echo(f"  {reason.text}")
        if case.counterfactual.sentence != case.sentence:
            echo(f"  {case.counterfactual.sentence}")


@click.command()
@RULE
@TABLE
@click.option("-o", "--output", metavar="FILE", help="A .csv, .xlsx or .parquet file.")
@click.option("--target", help="The column that holds what the cases turned out to be.")
@outcome_option
@click.option("--reference", metavar="TABLE", help=REFERENCE)
@click.option("--changes", is_flag=True, help="Add each case's smallest change (1 ms a case).")
@as_json
@reads_tables
def score(rule: str, table: str, reading: ReadSettings, as_json: bool, **options: Any) -> None:
    """Predict every row of TABLE with RULE.

    Without -o the cases go to standard output as CSV, with --json into the object that is printed.
    """
    output, target = options["output"], options["target"]
    suffix = "csv" if output is None else Path(output).suffix.removeprefix(".").lower()
    if suffix not in CASE_FILES:
        suffixes = ", ".join(f".{name}" for name in CASE_FILES)
        raise click.UsageError(f"-o must end in one of {suffixes}; got {output!r}.")
    if options["outcomes"] and target is None:
        raise click.UsageError("--outcome names values of the target. Give --target.")
    rule_set = read_rule(rule)
    given = reading.cases(table, rule_set, target=target)
    actual = None if target is None else read_outcomes(given, target, rule_set, options["outcomes"])
    earlier: dict[str, Any] = {}
    if options["reference"] is not None:
        old = reading.cases(options["reference"], rule_set, target=target)
        earlier = {"reference": old}
        if target is not None:
            past = read_outcomes(old, target, rule_set, options["outcomes"])
            has_outcome = np.array([v is not None for v in past])
            earlier |= {"outcomes": actual, "before": (old.frame[has_outcome], past[has_outcome])}
    result = scored(rule_set, given, **earlier)
    differing = {drift.column for drift in result.drift}  # their sentences say the same
    note_cells(Report(unseen=result.report.drop(differing).unseen))  # misfits are warned of
    with working(f"Smallest changes of {len(result):,} cases") as work:
        changes = options["changes"]
        frame = cases_frame(result, changes=changes, progress=work.report, cells=given.cells)
    if output is not None:
        with working(f"Writing {len(result):,} cases"):
            write_file(output, CASE_FILES[suffix].write(frame))
    _report(result, actual, None if output is not None else frame, as_json)


def _report(result: Scored, actual: Any, frame: pd.DataFrame | None, as_json: bool) -> None:
    """Print the cases unless they were written to a file, and the summary."""
    counts = pd.Series(result.answers).map(str).value_counts().to_dict()
    report: dict[str, Any] = {"rows": len(result), "answers": counts}
    words = [f"{len(result):,} rows: {', '.join(f'{name} {n:,}' for name, n in counts.items())}."]
    if actual is not None:
        has_outcome = np.array([v is not None for v in actual])
        wrong = int((result.answers[has_outcome] != actual[has_outcome]).sum())
        report |= {"known": int(has_outcome.sum()), "wrong": wrong}
        words.append(f"Wrong on {wrong:,} of the {has_outcome.sum():,} whose outcome is known.")
    if result.figures:
        report["holds"] = not any(f.worse for f in result.figures)
        words.append(result.sentence)
    report["differs"] = [drift.sentence for drift in result.drift]
    report["unseen"] = [each.to_dict() for each in result.report.unseen]
    if as_json:
        print_json(report if frame is None else {**report, "cases": frame.to_dict("records")})
        return
    if frame is not None:
        click.echo(CASE_FILES["csv"].write(frame), nl=False)
    for sentence in (*(f"Differs: {s}" for s in report["differs"]), *words):
        (echo if frame is None else note)(sentence)
