"""The command as a person gets it: a wheel, installed into an environment of its own."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pandas as pd
import pytest

from rulekit import from_json, load_sample
from scripts.oldest import installer
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]
NOT_SOURCE = (".git", ".venv", ".*_cache", "__pycache__", "build", "dist", "*.egg-info", ".rulekit")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with an environment in it that has nothing but the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT, folder / "clone", ignore=shutil.ignore_patterns(*NOT_SOURCE))
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = ["wheel", "--no-deps", "--wheel-dir", folder, folder / "clone"]
    subprocess.run([*pip, *wheel], check=True)
    shutil.rmtree(folder / "clone")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    (built,) = folder.glob("*.whl")
    install = installer(str(folder / "env" / "bin" / "python"))
    subprocess.run([*install, f"{built}[app]"], check=True)
    return folder


def ran(place, *words, code=0):
    command = [place / "env" / "bin" / "rulekit", *map(str, words)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.slow
def test_installed_command_runs_all_subcommands(place):
    requested = ["--target", "risk", "--learner", "one-clause", "--json"]  # compiles few kernels
    learned = json.loads(ran(place, "learn", "sample:credit", *requested, "-o", "rule.json").stdout)
    rule = from_json((place / "rule.json").read_text())
    frame = load_sample("credit").frame
    frame.to_csv(place / "credit.csv", index=False)
    wrong = (rule.predict(frame) != frame["risk"]).sum()
    assert wrong == learned["training"]["wrong"] + learned["test"]["wrong"]
    assert "THEN high" in ran(place, "show", "rule.json").stdout
    assert "Predicted " in ran(place, "explain", "rule.json", "credit.csv", "--row", 5).stdout
    ran(place, "score", "rule.json", "credit.csv", "-o", "out.xlsx")
    scored = pd.read_excel(place / "out.xlsx", engine="calamine")
    assert scored["answer"].tolist() == rule.predict(frame).tolist()
    words = ("export", "rule.json", "--format", "duckdb", "--table", "credit.csv")
    assert "Checked: 1,000/1,000 rows" in ran(place, *words).stderr
    assert json.loads(ran(place, "compare", "rule.json", "rule.json", "--json").stdout)["same"]


def as_in_a_terminal():
    """Allow Ctrl-C to end a program even if the tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_installed_dashboard_is_served_until_it_is_interrupted(place, ending):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place / "ui").mkdir(exist_ok=True)  # a folder of this name is not the dashboard
    command = [place / "env" / "bin" / "rulekit", "app", f"--port={port}"]
    reported = {"cwd": place, "stderr": subprocess.PIPE, "text": True}
    reported["preexec_fn"] = as_in_a_terminal
    with subprocess.Popen(command, **reported) as server:

        def answers():
            assert server.poll() is None, server.stderr.read()
            try:
                address = f"http://127.0.0.1:{port}/_stcore/health"
                return urllib.request.urlopen(address, timeout=PATIENCE).read() == b"ok"
            except OSError:
                return False

        try:
            until(answers)
            server.send_signal(ending)
            assert server.wait(PATIENCE) == 0
        finally:
            server.terminate()
        assert "Traceback" not in server.stderr.read()
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
