"""The command `show`; rules that the commands read, and files they write. Imports no pandas."""

import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from rulekit.cli.output import echo, note, print_json
from rulekit.data.headers import quote
from rulekit.exceptions import RulekitError
from rulekit.export import from_json, from_text, to_text
from rulekit.rules import RuleSet
from rulekit.rules.codec import rule_to_dict

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
TEXT_BEGINS = (b"IF ", b"1. ", b"ALL OF", b"#")  # of a rule as text
RULE = click.argument("rule", metavar="RULE")
TABLE = click.argument("table", metavar="TABLE")


@click.command()
@RULE
@as_json
def show(rule: str, as_json: bool) -> None:
    """Print RULE as numbered lines, and the columns it reads."""
    rule_set = read_rule(rule)
    if as_json:
        report: dict[str, Any] = {"columns": rule_set.features, "answers": rule_set.classes}
        report |= {"clauses": rule_set.n_clauses, "conditions": rule_set.n_conditions}
        print_json(report | {"text": to_text(rule_set), "rule": rule_to_dict(rule_set)})
        return
    echo(to_text(rule_set).rstrip())
    echo(f"Reads {', '.join(rule_set.features)}." if rule_set.features else "Reads no column.")


def read_rule(source: str) -> RuleSet:
    """Read a rule from its JSON, its text, or a saved analysis of the dashboard."""
    name = "standard input" if source == "-" else source
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise click.ClickException(
            f"The rule {quote(name, 200)} was not read: {reason}. Give the path of a JSON file."
        ) from error
    try:
        if content.lstrip().startswith(TEXT_BEGINS):
            return from_text(content.decode("utf-8-sig"))
        return from_json(_rule_in(content))
    except RulekitError as error:
        raise click.ClickException(f"The rule {quote(name, 200)} was not read. {error}") from error


def _rule_in(content: bytes) -> bytes | str:
    """Return the rule's own text from a file that holds more."""
    try:
        held = json.loads(content)
    except (ValueError, RecursionError):
        return content  # `from_json` raises the error
    match held:
        case {"rule_json": str(text)}:
            return text
        case {"rule_json": _}:
            raise click.ClickException("The saved analysis holds no rule yet. Pick one on Models.")
        case {"record": _}:
            raise click.ClickException(
                "This is a run record, which does not contain the rule. Give the rule's JSON, from "
                "the same page."
            )
    return content


def write_file(path: str, content: bytes) -> None:
    """Write a file completely or not at all; follow links, and write devices directly."""
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if Path(path).exists() and not Path(path).is_file():
            Path(path).write_bytes(content)
        else:
            mask = os.umask(0)
            os.umask(mask)
            # the permissions that a new file would have
            rights = target.stat().st_mode if target.exists() else 0o666 & ~mask
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(temporary, stat.S_IMODE(rights))
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
    except OSError as error:
        reason = error.strerror or "the place cannot be written to"
        raise click.ClickException(
            f"{quote(path, 200)} was not written: {reason}. Give another path."
        ) from error
    note(f"Written: {path}")
