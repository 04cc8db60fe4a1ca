"""Results on one stream, all else on the other, and nothing that steers a terminal."""

import json

import numpy as np
import pandas as pd

from rulekit.cli import output
from rulekit.cli.output import Work, echo, escape_unprintable, note, print_json, working
from tests.waiting import until


def test_results_notes_and_control_characters_are_printed_safely(capsys):
    echo("result")
    note("note")
    assert capsys.readouterr() == ("result\n", "note\n")
    assert escape_unprintable("a\x1b]0;b\x07\rc\u202e") == r"a\x1b]0;b\x07\rc\u202e"
    assert escape_unprintable("Größe ≤ 3\n\tü") == "Größe ≤ 3\n\tü"


def test_json_round_trips_values_and_uses_standard_words_only(capsys):
    results = {"a": np.int64(3), "b": np.array([1.5, np.nan]), "c": (True, None, "ü"), "d": np.inf}
    print_json({**results, "e": pd.Timestamp("2026-01-31"), "f": pd.NaT, "g": pd.NA})
    text = capsys.readouterr().out
    assert text.isascii()
    result = json.loads(text, parse_constant=lambda word: 1 / 0)
    assert result == {
        "a": 3,
        "b": [1.5, None],
        "c": [True, None, "ü"],
        "d": None,
        "e": "2026-01-31 00:00:00",
        "f": None,
        "g": None,
    }


def test_slow_work_alone_is_reported_once_without_a_terminal(capsys, monkeypatch):
    with working("Learning"):
        pass
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(output, "FIRST_WORD", 0.0)
    message = []
    with working("Learning from 3 rows"):
        until(lambda: message.append(capsys.readouterr().err) or "".join(message))
    assert "".join(message) == "Learning from 3 rows ...\n"


def test_line_moves_in_a_terminal_and_is_gone_at_the_end(capsys, monkeypatch):
    monkeypatch.setattr(output, "FIRST_WORD", 0.0)
    monkeypatch.setattr(output, "PAUSE", 0.001)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    message = []
    with working("Comparing\x1b") as work:
        work.report(0.25)
        until(lambda: message.append(capsys.readouterr().err) or "25 %" in "".join(message))
    text = "".join([*message, capsys.readouterr().err])
    assert "\r\x1b[KComparing\\x1b: 25 %, 0 s" in text
    assert text.endswith("\r\x1b[K")


def test_known_share_is_printed():
    work = Work("Comparing")
    assert work.words.startswith("Comparing: 0 s")
    work.report(0.5)
    assert work.words.startswith("Comparing: 50 %, ")
