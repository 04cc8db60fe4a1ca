"""The wording check finds what it must and nothing else."""

import pytest

from scripts import wording


@pytest.mark.parametrize("line", ["the user was told", "_asked = 1", "rule in hand", "as_said()"])
def test_forbidden_words_are_found(line):
    assert [number for number, _ in wording.words(f"fine\n{line}\n", set())] == [2]


@pytest.mark.parametrize("line", ["tolder", "basket", "said"])
def test_similar_and_allowed_words_pass(line):
    assert not list(wording.words(line, {"said"}))


def test_docstring_openings_are_checked():
    source = 'def f():\n    """Say it."""\n\n\ndef g():\n    """Sayings are fine."""\n'
    assert [line for line, _ in wording.openings(source)] == [1]


def test_long_test_names_are_found():
    source = f"def test_{'a' * 66}(): ...\ndef test_short(): ...\n"
    assert [line for line, _ in wording.test_names(source)] == [1]
