"""Escaping: what a column's name may not do to a page."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import ParseOptions
from rulekit.style.palette import plain
from ui.escape import file_name, md, page_words

ROOT = Path(__file__).parents[2]
MARKS = r"\`*_{}[]()#+-.!|<>~$:^=&@/"


def test_messages_for_callers_are_shown_without_their_parameters(caplog):
    advice = "Raise `max_conditions`, or remove a required condition."
    assert (
        page_words(f"No card has so few conditions. {advice}") == "No card has so few conditions."
    )
    assert page_words("The time has passed; raise `time_limit`.") == "The time has passed."
    assert page_words("`y` and `X` differ.\n1: a") == "Y and X differ.\n1: a"
    message = "`max_gap` limits a rate. Set `positive_label`."
    assert page_words(message) == "Max gap limits a rate."
    assert page_words("Choose a cut (a cut, `--above`).") == "Choose a cut."
    assert "Choose a cut" not in caplog.text  # a page shows it on every run
    with pytest.raises(ValueError, match="Lines not read") as caught:  # typed on Data
        ParseOptions(skip_rows=(0,))
    assert page_words(caught.value).endswith("counted from 1, those at the end from 0.")
    for message in ("Column 'a`b' is empty. Fill it.", "No rule.\n`x` is shown as it is"):
        assert page_words(message) == message


@given(st.text(max_size=200))
def test_displayed_text_is_one_escaped_line_with_its_values(text):
    assert not re.search(r"(?<!\\)[`*_{}\[\]()#+\-.!|<>~$:^=&@/]", md(text).replace("\\\\", ""))


@given(st.text(alphabet=MARKS + "abc w", max_size=100))
def test_displayed_values_equal_the_given_ones(text):
    shown = re.sub(r"\\(.)", r"\1", md(text)).replace("\u2060", "")
    assert shown == text


@given(st.text(max_size=400))
def test_the_answer_is_one_line(text):
    assert not set(md(text)) & set("\r\n\t")


def test_long_texts_links_and_markup_are_shown_as_text():
    assert md("a" * 10_000) == "a" * 119 + "…"
    assert md("yes ") == "yes \u2060"  # bold text that ends in a space would show its marks
    shown = md("https://a.site www.a.site :material/home: <= >= -> <-")
    for risky in ("www", "://", ":material", "<\\=", "\\-\\>"):
        assert risky not in shown
    assert (
        plain('<a href="http://a.site">x</a>')
        == "&lt;a href=&#34;http://a.site&#34;&gt;x&lt;/a&gt;"
    )


def test_a_download_s_name_has_no_path_and_no_mark():
    assert file_name("../../etc/passwd", "csv") == "etc-passwd.csv"
    assert file_name("💥", "txt") == "rulekit.txt"
    assert file_name("rule", "sql", "Clinic visits 2.csv") == "clinic-visits-2-rule.sql"
    full = f"{'x' * 30}-{'y' * 30}-run-record.json"
    assert file_name(f"{'y' * 30} run record", "json", "x" * 80) == full


def test_options_of_lists_are_not_escaped():
    lists = {"selectbox", "multiselect"}  # their options are plain text
    calls = [
        (path.name, call)
        for path in [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", None) in lists
    ]
    options = [
        (name, part)
        for name, call in calls
        for part in [*call.args[1:], *(k.value for k in call.keywords if k.arg == "format_func")]
    ]
    assert not [name for name, part in options if "md(" in ast.unparse(part)]
