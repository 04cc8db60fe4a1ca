"""The command in this process, and the files that its tests begin with."""

import json

import pytest
from click.testing import CliRunner

from rulekit.cli.command import rulekit
from rulekit.export import from_text, to_json

RULE = """1. IF age > 50 AND sex = "f" THEN ill
2. IF bmi > 30 THEN ill
OTHERWISE well
"""
TABLE = """age,sex,bmi,state
60,f,20,ill
60,m,20,well
40,m,31,ill
50,f,,well
51,f,30,well
"""
ANSWERS = ["ill", "well", "ill", "well", "ill"]
CLAUSES = [1, 0, 2, 0, 1]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder of its own; the exit code is checked, a traceback never is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rule.json").write_text(to_json(from_text(RULE)))
    (tmp_path / "table.csv").write_text(TABLE)

    def command(*words, code=0, given=None):
        result = CliRunner().invoke(rulekit, [str(word) for word in words], input=given)
        assert result.exit_code == code, (result.output, result.exception)
        assert "Traceback" not in result.output
        return result

    return command


@pytest.fixture
def refused(run):
    """Run the command on what it cannot use; the sentence that says so."""

    def command(*words, code=1, given=None):
        result = run(*words, code=code, given=given)
        assert result.stdout == ""
        return result.stderr

    return command


def printed(result):
    return json.loads(result.stdout)
