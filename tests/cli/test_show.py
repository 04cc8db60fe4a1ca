"""`show`, the rules that commands read, and the files they write."""

import json
import os
import stat

import pytest
from click import ClickException

from rulekit.cli.show import write_file
from rulekit.export import from_json, from_text, to_json
from tests.cli.conftest import RULE, printed


def test_show_prints_the_rule_as_text_and_json(run):
    text = run("show", "rule.json").stdout
    *lines, reads = text.splitlines()
    assert from_text("\n".join(lines)) == from_text(RULE)
    assert reads == "Reads age, sex, bmi."
    with open("rule.txt", "w") as file:
        file.write(text.replace(reads, ""))
    assert run("show", "rule.txt").stdout == text
    output = printed(run("show", "rule.json", "--json"))
    assert output["columns"] == ["age", "sex", "bmi"]
    assert (output["clauses"], output["conditions"]) == (2, 3)
    assert output["answers"] == ["ill", "well"]
    assert to_json(from_text(output["text"])) == to_json(from_text(RULE))
    assert from_json(json.dumps(output["rule"])) == from_text(RULE)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not JSON: Expecting property name"),
        ("[]", "A stored rule must be a dictionary"),
        ('{"schema": 9}', "must have schema 1 or 2, found 9"),
        ('{"x": 1}', "The JSON holds no rule"),
        ('{"schema": 1, "form": "dnf", "clauses": [[{}]], "labels": []}', "Clause 1, condition 1"),
        ('{"record": 1, "data": {}}', "This is a run record"),
        ('{"rule_json": null}', "holds no rule yet"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_non_rules_are_refused_in_words(refused, tmp_path, content, sentence):
    (tmp_path / "bad.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert sentence in refused("show", "bad.json")


def test_a_rule_is_read_from_input_or_a_saved_analysis(run, tmp_path):
    assert "bmi > 30" in run("show", "-", given=to_json(from_text(RULE))).stdout
    saved = {"version": 1, "rule_json": to_json(from_text(RULE))}
    (tmp_path / "analysis.json").write_text(json.dumps(saved))
    assert run("show", "analysis.json").stdout == run("show", "rule.json").stdout


def test_a_file_is_written_whole_with_the_rights_of_any_other(tmp_path, capsys, monkeypatch):
    (tmp_path / "plain").touch()
    write_file(str(tmp_path / "made.json"), b"abc")
    made = tmp_path / "made.json"
    assert made.read_bytes() == b"abc"
    assert stat.S_IMODE(made.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["made.json", "plain"]
    made.chmod(0o600)
    (tmp_path / "link").symlink_to("made.json")
    write_file(str(tmp_path / "link"), b"new")
    assert made.read_bytes() == b"new"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert (tmp_path / "link").is_symlink()
    monkeypatch.setattr(os, "replace", lambda *_: os.stat(tmp_path / "nothing"))
    for name in ("made.json", "new.json"):
        with pytest.raises(ClickException, match="was not written: No such file"):
            write_file(str(tmp_path / name), b"other")
    assert sorted(os.listdir(tmp_path)) == ["link", "made.json", "plain"]
    assert made.read_bytes() == b"new"


def test_non_files_and_unwritable_places_are_reported(tmp_path, refused):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(pipe), b"abc")
    assert os.read(reader, 9) == b"abc"
    os.close(reader)
    assert pipe.is_fifo()
    (tmp_path / "folder.csv").mkdir()
    assert "was not written: it is a folder" in refused(
        "score", "rule.json", "table.csv", "-o", "folder.csv"
    )
    result = refused("score", "rule.json", "table.csv", "-o", "none/a.csv")
    assert "'none/a.csv' was not written: No such file" in result
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]
