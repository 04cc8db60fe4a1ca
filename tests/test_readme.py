"""What the README promises a newcomer is run."""

import re
from pathlib import Path

import numpy as np
import pytest

from rulekit import RuleClassifier, from_text, load_sample, to_text

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")


def example() -> str:
    return re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)


def test_the_library_example_runs_and_prints_a_rule_and_a_reason(capsys):
    exec(compile(example(), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "THEN malignant" in printed
    assert "OTHERWISE benign" in printed
    assert "Predicted malignant" in printed


@pytest.mark.slow
def test_the_examples_run_one_after_the_other(capsys):
    names = {}
    for text in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(text, "README.md", "exec"), names)
    assert "The plane predicts" in capsys.readouterr().out


def test_the_library_example_has_five_lines_of_use():
    lines = [line for line in example().splitlines() if line and not line.startswith("from")]
    assert len(lines) <= 5


@pytest.mark.parametrize("command", re.findall(r"make (\w+)", README))
def test_every_make_target_the_readme_names_exists(command):
    assert re.search(rf"^{command}:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("picture", re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README))
def test_a_picture_is_there(picture):
    assert (Path(__file__).parents[1] / picture).stat().st_size > 10_000


def test_rule_comes_before_its_description_without_logic_terms():
    assert re.match(r"# [^\n]+\n\n```\n1\. IF ", README)
    assert not re.findall(r"\b(?:DNF|CNF|theta|conjunctions?|disjunctions?|literals?)\b|θ", README)


@pytest.mark.slow
def test_shown_rule_is_learned_from_the_loans_with_its_error():
    shown, wrong = re.search(
        r"```\n(1\. IF .*?)```.*?wrong for (\d+) of 100", README, re.S
    ).groups()
    X, y = load_sample("credit").xy("risk")
    model = RuleClassifier(max_conditions=4, positive_label="high").fit(X, y)
    assert to_text(model).split("\n", 1)[1] == shown
    assert round(100 * np.mean(from_text(shown).predict(X) != y)) == int(wrong)


def test_the_other_package_of_the_name_is_reported():
    assert re.search(r"also installs a package called `rulekit`", README)
    assert "pip uninstall rulekit rulekit-dashboard" in README
