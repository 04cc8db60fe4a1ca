"""How the file was read: lines as they are shown, and what is typed."""

from types import SimpleNamespace

import pytest

from ui.data.reading import NO_WORD, first_lines, format_lines, numbers_of, words_of
from ui.workspace import AUTOMATIC


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("", None), ("3", (3,)), ("1, 4-6", (1, 4, 5, 6)), ("8–9", (8, 9)), ("all", None)],
)
def test_line_numbers_are_read_from_a_text(text, numbers):
    assert numbers_of(text) == numbers


def test_words_and_lines_of_a_file_are_shown_as_text():
    assert words_of(" ?, none ,,n/a") == ("?", "none", "n/a")
    assert words_of(" , ") is None
    assert words_of(NO_WORD) == ()  # which the field shows after "Keep these words"
    shown = format_lines([(1, "a,b", "names"), (2, "1,2", ""), (9, "total", "not read")])
    assert [line.split()[0] for line in shown.splitlines()] == ["names", "2", "...", "not"]
    upload = SimpleNamespace(content="größe;b\n1;2\n".encode(), options=AUTOMATIC)
    assert [line for _, line, _ in first_lines(upload)] == ["größe;b", "1;2"]
