"""What the README promises a newcomer is run."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")


def example() -> str:
    return re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)


def test_the_library_example_runs_and_prints_a_rule_and_a_reason(capsys):
    exec(compile(example(), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "THEN malignant" in printed
    assert "OTHERWISE benign" in printed
    assert "The answer is" in printed


def test_the_examples_run_one_after_the_other(capsys):
    names = {}
    for text in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(text, "README.md", "exec"), names)
    assert "The plane answers" in capsys.readouterr().out


def test_the_library_example_has_five_lines_of_use():
    lines = [line for line in example().splitlines() if line and not line.startswith("from")]
    assert len(lines) <= 5


@pytest.mark.parametrize("command", re.findall(r"make (\w+)", README))
def test_every_make_target_the_readme_names_exists(command):
    assert re.search(rf"^{command}:", MAKEFILE, re.MULTILINE)


def test_the_picture_is_there():
    picture = re.search(r"!\[[^\]]+\]\(([^)]+)\)", README).group(1)
    assert (Path(__file__).parents[1] / picture).stat().st_size > 10_000
