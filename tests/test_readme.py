"""What the README promises a newcomer is run."""

import re
from pathlib import Path

import numpy as np
import pytest

from rulekit import RuleClassifier, from_text, load_sample, to_text

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_examples_run_one_after_the_other(capsys):
    names = {}
    for text in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(text, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    for words in (
        "THEN malignant",
        "OTHERWISE benign",
        "Predicted malignant",
        "The plane predicts",
    ):
        assert words in printed


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
