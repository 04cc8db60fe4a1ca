"""The command `check`: a rule verified over every possible row, and its test cases."""

from typing import Any

import click

from rulekit.cli.inputs import ReadSettings, reads_tables
from rulekit.cli.output import echo, note, print_json
from rulekit.cli.show import RULE, as_json, read_rule, write_file
from rulekit.export import to_cases, to_json
from rulekit.rules import simplify, verify_rule

FAULTY = 1
SHORTER = "Write the rule without what can go, as JSON, and list it."


@click.command()
@RULE
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--new", metavar="TABLE", help="New rows, of which those in gaps are counted.")
@click.option("--cases", metavar="FILE", help="Write test cases with their answers, as CSV.")
@click.option("-o", "--output", metavar="FILE", help=SHORTER)
@as_json
@reads_tables
@click.pass_context
def check(
    context: click.Context, /, rule: str, as_json: bool, reading: ReadSettings, **options: Any
) -> None:
    """Check RULE over every possible row; exit with 1 if it has a fault.

    A clause that never decides, parts that can go, and outcomes that no row gets are faults. With
    the TABLE it was learned from, rows are counted, and combinations of values without a row and
    limits within rounding of values are listed.
    """
    rule_set = read_rule(rule)
    table, new, cases, output = (options[name] for name in ("table", "new", "cases", "output"))
    frame = None if table is None else reading.cases(table, rule_set).frame
    if new is not None and frame is None:
        raise click.UsageError("--new is compared with the training rows. Add their TABLE.")
    later = None if new is None else reading.cases(new, rule_set).frame
    checked = verify_rule(rule_set, frame, new=later)
    if as_json:
        findings = [
            {
                "kind": finding.kind,
                "fault": finding.is_fault,
                "sentence": finding.sentence,
                "clause": None if finding.clause is None else finding.clause + 1,
                "example": finding.example,
                "rows": [row + 1 for row in finding.rows],
                "share": finding.share,
                "new_rows": [row + 1 for row in finding.new_rows],
            }
            for finding in checked.findings
        ]
        print_json({"findings": findings, "not_checked": checked.not_checked})
    else:
        for finding in checked.findings:
            kind = "Fault" if finding.is_fault else "Note"
            echo(f"{kind}: {finding.sentence}{finding.evidence()}")
        for text in checked.not_checked:
            echo(f"Not checked: {text}.")
        if checked.verdict:
            echo(checked.verdict)
    if cases is not None:
        write_file(cases, to_cases(rule_set).encode())
    if output is not None:
        simpler, removed = simplify(rule_set, return_removed=True)
        write_file(output, to_json(simpler).encode())
        for sentence in removed:
            note(f"Shorter: {sentence}")
    if checked.faults:
        context.exit(FAULTY)
