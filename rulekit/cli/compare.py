"""The command `compare`: two rules, clause by clause and on the rows of a table."""

from typing import Any

import click

from rulekit.cli.inputs import ReadSettings, outcome_option, read_outcomes, reads_tables
from rulekit.cli.output import echo, print_json
from rulekit.cli.show import as_json, read_rule
from rulekit.explain.subject import columns_for
from rulekit.export.documents.text import clause_text
from rulekit.rules import RuleComparison, compare_rules
from rulekit.style.phrases import cap_list

NUMBERED = 10  # rows listed where predictions differ


@click.command()
@click.argument("before", metavar="RULE")
@click.argument("after", metavar="RULE")
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--target", help="The column of TABLE that holds what the cases turned out to be.")
@outcome_option
@as_json
@reads_tables
def compare(before: str, after: str, reading: ReadSettings, as_json: bool, **options: Any) -> None:
    """Compare an earlier RULE with a later one.

    With a TABLE, the rows with another prediction are listed.
    """
    table, target, outcomes = (options[name] for name in ("table", "target", "outcomes"))
    if outcomes and target is None:
        raise click.UsageError("--outcome names values of the target. Give --target.")
    first, second = read_rule(before), read_rule(after)
    if table is None:
        if target is not None:
            raise click.UsageError("--target is a column of TABLE. Give a TABLE.")
        _report(compare_rules(first, second), {}, as_json)
        return
    given = reading.cases(table, first, second)
    columns = {**columns_for(second, given.frame), **columns_for(first, given.frame)}
    comparison = compare_rules(first, second, columns)
    wrong = {}
    if target is not None:
        for name, rule in (("before", first), ("after", second)):
            actual = read_outcomes(given, target, rule, outcomes)
            has_outcome = [v is not None for v in actual]
            missed = rule.predict(columns)[has_outcome] != actual[has_outcome]
            wrong[name] = {"rows": int(sum(has_outcome)), "wrong": int(missed.sum())}
    _report(comparison, wrong, as_json)


def _report(comparison: RuleComparison, wrong: dict[str, Any], as_json: bool) -> None:
    lists = {"kept": comparison.kept, "removed": comparison.removed, "added": comparison.added}
    changed = [(clause_text(c.before), clause_text(c.after)) for c in comparison.changed]
    rows: list[int] = [] if comparison.rows is None else (comparison.rows + 1).tolist()
    if as_json:
        answers = ([] if a is None else a.tolist() for a in (comparison.before, comparison.after))
        others = zip(rows, *answers, strict=True)
        report = {
            "same": comparison.is_same,
            "default_changed": comparison.default_changed,
            "reordered": comparison.reordered,
            **{name: [clause_text(c) for c in clauses] for name, clauses in lists.items()},
            "changed": [{"before": a, "after": b} for a, b in changed],
            "rows": None if comparison.rows is None else comparison.n_rows,
            "other_answers": [{"row": r, "before": a, "after": b} for r, a, b in others],
            "wrong": wrong,
        }
        print_json(report)
        return
    echo(str(comparison))
    for name, clauses in lists.items():
        for clause in clauses:
            echo(f"{name}: {clause_text(clause)}")
    for old, new in changed:
        echo(f"changed: {old}\n     to: {new}")
    if comparison.default_changed:
        echo("Rows that no clause decides get another answer.")
    if rows:
        echo(f"Other answers for rows {cap_list(list(map(str, rows)), NUMBERED)}.")
    for name, counts in wrong.items():
        echo(f"Wrong {name}: {counts['wrong']:,} of {counts['rows']:,} rows.")
