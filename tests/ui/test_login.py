"""Whether visitors have to log in, and a sentence where they could not."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from rulekit.data import load_sample
from ui import analyses, login, workspace

ROOT = Path(__file__).parents[2]
SECRETS = {
    "auth": {
        "redirect_uri": "http://127.0.0.1:8501/oauth2callback",
        "cookie_secret": "a long text that nobody guesses",
        "client_id": "rulekit",
        "client_secret": "secret",
        "server_metadata_url": "http://127.0.0.1:1/.well-known/openid-configuration",
    }
}


@pytest.fixture
def secrets(monkeypatch):
    """Set or remove the server's secrets."""

    def give(found):
        monkeypatch.setenv("RULEKIT_LOGIN", "on")
        known = SimpleNamespace(
            load_if_toml_exists=lambda: found is not None, get=(found or {}).get
        )
        monkeypatch.setattr("streamlit.auth_util.secrets_singleton", known)

    return give


def test_login_is_off_by_default_and_names_its_packages(monkeypatch):
    monkeypatch.delenv("RULEKIT_LOGIN", raising=False)
    assert not login.is_on()
    for setting in ("on", "off"):
        monkeypatch.setenv("RULEKIT_LOGIN", setting)
        assert login.is_on() == (setting == "on")
    monkeypatch.setenv("RULEKIT_LOGIN", "yes")
    with pytest.raises(ValueError, match="RULEKIT_LOGIN must be on or off; it is 'yes'"):
        login.is_on()
    monkeypatch.setattr("ui.login.importlib.util.find_spec", lambda name: None)
    assert login.trouble().startswith("RULEKIT_LOGIN=on needs authlib, which is not installed")


@pytest.mark.parametrize("left_out", [None, "auth", *SECRETS["auth"]])
def test_missing_login_settings_are_named(secrets, left_out):
    given = {k: v for k, v in SECRETS["auth"].items() if k != left_out}
    secrets(None if left_out == "auth" else {"auth": given})
    wrong = login.trouble()
    if left_out is None:
        assert wrong is None
    else:
        assert f"{left_out}" in wrong
        assert wrong.endswith("under [auth], or set RULEKIT_LOGIN=off.")


@pytest.mark.slow
def test_nobody_logs_in_without_secrets(secrets):
    secrets(None)
    seen = AppTest.from_file(str(ROOT / "app.py")).run(timeout=60)
    (message,) = (error.value for error in seen.error)
    assert "none is configured" in message
    assert not [*seen.title, *seen.button, *seen.exception]


def test_an_analysis_opens_for_the_person_it_belongs_to(session, monkeypatch):
    monkeypatch.setenv("RULEKIT_LOGIN", "on")
    session[login.OWNER] = "ada"
    workspace.begin(load_sample("iris"))
    analyses.claim()
    mine = workspace.analysis_id()
    for person, opens in (("ben", False), ("ada", True)):
        session.clear()
        session[login.OWNER] = person
        workspace.reopen(mine)
        assert (workspace.analysis_id() == mine) == opens
        assert ("another person's" in session.get("_message", "")) != opens
    monkeypatch.setenv("RULEKIT_LOGIN", "off")
    session.clear()
    workspace.reopen(mine)
    assert workspace.analysis_id() == mine


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "sentence"),
    [("on", "requires a login provider"), ("perhaps", "must be on or off; it is 'perhaps'")],
)
def test_server_on_which_login_is_impossible_does_not_start(tmp_path, setting, sentence):
    environment = {k: v for k, v in os.environ.items() if k != "STREAMLIT_SECRETS_FILES"}
    environment |= {"RULEKIT_LOGIN": setting, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ui.server"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
