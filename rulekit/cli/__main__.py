"""`python -m rulekit.cli`: the command without an entry point."""

from rulekit.cli import run

run()
