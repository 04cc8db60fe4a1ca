"""Exports are loaded only when a notebook shows a rule."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from rulekit.rules import RuleSet
rule = RuleSet((), (), "dnf", "no")
assert "rulekit.export" not in sys.modules
print(rule._repr_html_())
assert "rulekit.export" in sys.modules
"""


@pytest.mark.slow
def test_rule_loads_the_exports_when_it_is_shown():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no" in done.stdout
