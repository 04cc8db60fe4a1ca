"""Heavy libraries are imported only when they are used."""

import subprocess
import sys

import pytest

from rulekit import Clause, Literal, RuleSet, to_json

HEAVY = ("sklearn", "scipy", "numba", "plotly", "streamlit")
PROBE = """
import sys
sys.argv = ["rulekit", *sys.argv[1:]]
if len(sys.argv) == 1:
    import rulekit
else:
    from rulekit.cli import run
    try:
        run()
    except SystemExit as end:
        assert not end.code, end.code
print("LOADED", *(name for name in %r if name in sys.modules))
"""


def loaded(names, *arguments):
    """Return which modules a command has imported, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE % (names,), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.fixture(scope="module")
def rule(tmp_path_factory):
    clause = Clause((Literal("worst radius", ">", 17.0),))
    path = tmp_path_factory.mktemp("rule") / "rule.json"
    path.write_text(to_json(RuleSet((clause,), ("malignant",), "dnf", "benign")))
    return path


def test_import_loads_nothing_heavy():
    assert loaded((*HEAVY, "numpy", "pandas")) == []


def test_help_loads_nothing_heavy():
    assert loaded((*HEAVY, "numpy", "pandas"), "--help") == []


def test_showing_a_rule_loads_nothing_heavy(rule):
    assert loaded((*HEAVY, "pandas", "pyarrow"), "show", rule) == []


@pytest.mark.slow
@pytest.mark.parametrize("verb", [["explain", "--row", "3"], ["score"]], ids=["explain", "score"])
def test_applying_a_rule_loads_nothing_heavy(rule, verb):
    name, *options = verb
    assert loaded(HEAVY, name, rule, "sample:breast_cancer", *options) == []
