"""`app`: what it starts, and what it says where it cannot; see also `test_installed.py`."""

import os
import sys
from pathlib import Path

import pytest

from rulekit.cli import app

ROOT = Path(__file__).parents[2]


class Server:
    """Replacement for the process that serves the pages."""

    def __init__(self, command, path, ends):
        self.command, self.path, self.ends = command, path, list(ends)

    def wait(self):
        end = self.ends.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end

    def terminate(self):
        self.ends[0] = 0


@pytest.mark.parametrize(("ends", "code"), [([0], 0), ([1], 1), ([KeyboardInterrupt(), None], 0)])
def test_dashboard_is_served_at_the_given_address_and_ended(run, monkeypatch, ends, code):
    servers = []

    def start(command, env):
        servers.append(Server(command, env["PYTHONPATH"], ends))
        return servers[0]

    monkeypatch.setattr(app.subprocess, "Popen", start)
    monkeypatch.setattr(app.signal, "signal", lambda *_: None)
    run("app", "--port", 8600, code=code)
    assert servers[0].command == [
        *(sys.executable, "-P", "-m", "ui.server"),
        *("--server.port=8600", "--server.address=127.0.0.1"),
    ]
    assert servers[0].path.split(os.pathsep)[0] == str(ROOT)
    assert not servers[0].ends


@pytest.mark.parametrize("absent", ["streamlit", "plotly"])
def test_missing_packages_are_named(refused, monkeypatch, absent):
    monkeypatch.setattr(app.importlib.util, "find_spec", lambda name: None if name == absent else 1)
    result = refused("app")
    assert f"The dashboard needs {absent}, which is not installed" in result
    assert 'pip install "rulekit-dashboard[app]"' in result


def test_missing_pages_and_invalid_ports_are_reported(refused, monkeypatch, tmp_path):
    monkeypatch.setattr(app.rulekit, "__file__", str(tmp_path / "rulekit" / "__init__.py"))
    assert "pages are gone. Install rulekit-dashboard anew" in refused("app")
    assert "70000 is not in the range" in refused("app", "--port", 70000, code=2)
