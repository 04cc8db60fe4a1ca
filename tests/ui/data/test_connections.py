"""Named connections: what the file may hold, and that no secret of it is ever told."""

import logging

import pytest

from rulekit.exceptions import DataError
from ui.data.sources import Connection, blot_secrets, connections

SECRET = "s3cr/et p@ss"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the file of connections."""

    def write(text):
        path = tmp_path / "tables.toml"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("RULEKIT_TABLES", str(path))
        return path

    return write


def test_connection_has_name_hidden_address_and_allowed_tables(written, monkeypatch):
    written('[sales]\nurl = "postgres://me:${PW}@h/db"\ntables = ["orders", "old.people"]\n')
    monkeypatch.setenv("PW", SECRET)
    (result,) = connections().values()
    assert (result.name, result.tables) == ("sales", ("orders", "old.people"))
    assert "postgres" not in repr(result)
    link = result.link("orders")
    assert link.address == "postgres://me:s3cr%2Fet%20p%40ss@h/db"  # any letter may be in it
    assert SECRET in link.secrets
    assert "s3cr" not in repr(link)
    with pytest.raises(DataError, match="'sales' has no table 'users'"):
        result.link("users")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a\n", r"must be TOML \(at line 1"),
        (
            "a = 1\n",
            "'a' in the file .* must hold “url” and “tables”, and nothing else; it holds a",
        ),
        ('[a]\nurl = "x://h"\n', "must hold “url” and “tables”.* it holds url"),
        ('[a]\nurl = "x://h"\ntables = ["t"]\npassword = "hush"\n', "holds password, tables, url"),
        ('[a]\nurl = 3\ntables = ["t"]\n', "must give its “url” as text"),
        ('[a]\nurl = "x://h"\ntables = []\n', "must list in “tables” the names"),
        ('[a]\nurl = "x://h"\ntables = "t"\n', "must list in “tables” the names"),
        ('[a]\nurl = "x://u:hush@h"\ntables = ["t"]\n', r"holds a secret; write \$\{NAME\}"),
        ('[a]\nurl = "x://h?apiKey=hush"\ntables = ["t"]\n', "holds a secret"),
        ('[a]\nurl = "x://u:pre${A}@h"\ntables = ["t"]\n', "holds a secret"),
    ],
)
def test_bad_file_is_one_sentence_without_its_content(written, text, message):
    written(text)
    with pytest.raises(DataError, match=message) as caught:
        connections()
    assert "hush" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_one_sentence(written, tmp_path, monkeypatch):
    written("").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"names cannot be read \(UnicodeDecodeError\)"):
        connections()
    monkeypatch.setenv("RULEKIT_TABLES", str(tmp_path / "nowhere" / "x.toml"))
    with pytest.raises(DataError, match=r"cannot be read \(FileNotFoundError\)") as caught:
        connections()
    assert "nowhere" not in str(caught.value)


def test_secrets_are_named_by_variable_and_never_shown(monkeypatch):
    monkeypatch.delenv("PW", raising=False)
    with pytest.raises(DataError, match="needs the environment variable PW, which is not set"):
        Connection("a", ("t",), "postgres://me:${PW}@h/db").link("t")
    assert blot_secrets("abcd ab", ("ab", "abcd")) == "*** ***"
    monkeypatch.delenv("RULEKIT_TABLES", raising=False)
    assert connections() == {}


def test_driver_messages_are_logged_without_secrets(monkeypatch, caplog):
    ibis = pytest.importorskip("ibis")
    requested = []

    def refused(address):
        requested.append(address)
        raise OSError(f"no way to {address} with {SECRET}")

    monkeypatch.setattr(ibis, "connect", refused)
    monkeypatch.setenv("PW", SECRET)
    with (
        caplog.at_level(logging.WARNING, "rulekit.dashboard"),
        pytest.raises(
            DataError, match=r"'t' of the connection 'a' cannot be opened \(OSError\)"
        ) as e,
        Connection("a", ("t",), "postgres://me:${PW}@h/db").link("t").open(),
    ):
        pass
    assert requested == ["postgres://me:s3cr%2Fet%20p%40ss@h/db"]
    assert e.value.__cause__ is None
    for result in (str(e.value), caplog.text):
        assert "s3cr" not in result
        assert "@h/db" not in result
    assert "no way to *** with ***" in caplog.text
