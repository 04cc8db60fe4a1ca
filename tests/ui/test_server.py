"""The server: a page of another site is refused, and nobody is asked anything for it."""

import base64
import http.client
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.waiting import until
from ui import server
from ui.server import host_options, list_hosts

ROOT = Path(__file__).parents[2]
WATCH = """
import os, socket
looked_up, reached = socket.getaddrinfo, socket.create_connection
def note(host):
    with open(os.environ["LOOKUPS"], "a") as file:
        file.write(f"{host}\\n")
def getaddrinfo(host, *rest, **named):
    note(host)
    return looked_up(host, *rest, **named)
socket.getaddrinfo = getaddrinfo
"""


@pytest.fixture
def started(tmp_path):
    """Start the server by a command, note every name it looks up: (port, file of names)."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    running = []

    def start(*command):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        names = tmp_path / "names"
        names.touch()
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
            "LOOKUPS": str(names),
            "RULEKIT_WORKSPACE": "off",
            "RULEKIT_HOSTS": "rules.example.org",
        }
        process = subprocess.Popen(
            [sys.executable, *command, "--server.port", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        running.append(process)
        until(lambda: process.poll() is not None or is_up(port))
        return port, names

    yield start
    for process in running:
        process.kill()
        process.wait()


def is_up(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health") as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


def upgrade(port, origin, host=None):
    """Request a websocket as a page of `origin` does, under a host name; return the status."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Origin": origin,
    } | ({} if host is None else {"Host": host})
    connection.request("GET", "/_stcore/stream", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def outside(names):
    known = ("", "None", "127.0.0.1", "localhost", "0.0.0.0", "::1")
    return [name for name in names.read_text().splitlines() if name not in known]


@pytest.mark.slow
def test_a_page_of_another_site_is_refused_without_network_lookups(started):
    port, names = started("-m", "ui.server")
    for origin in ("http://evil.test", "null", "http://localhost.evil.test"):
        assert upgrade(port, origin) == 403
    assert upgrade(port, f"http://localhost:{port}") == 101
    assert outside(names) == []
    evil = f"evil.test:{port}"
    assert upgrade(port, f"http://{evil}", evil) == 403
    proxy = f"rules.example.org:{port}"
    assert upgrade(port, f"http://{proxy}", proxy) == 101


@pytest.mark.slow
def test_the_names_that_a_server_looks_up_are_counted(started):
    """Without our start, Streamlit asks: should it cease to, `ui.server` can go."""
    port, names = started("-m", "streamlit", "run", "app.py")
    evil = f"evil.test:{port}"
    assert upgrade(port, f"http://{evil}", evil) == 403  # a foreign name for this machine
    assert upgrade(port, "http://evil.test") == 403
    assert outside(names) != []


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ([], {}, ["localhost", "127.0.0.1", "::1"]),
        (["--server.address=192.0.2.7"], {}, ["localhost", "127.0.0.1", "::1", "192.0.2.7"]),
        (["--server.address", "box"], {}, ["localhost", "127.0.0.1", "::1", "box"]),
        (
            [],
            {"RULEKIT_HOSTS": "a.org, b.org"},
            ["localhost", "127.0.0.1", "::1", "a.org", "b.org"],
        ),
        (["--server.allowedHosts=*"], {}, []),
        ([], {"STREAMLIT_SERVER_ALLOWED_HOSTS": "a.org"}, []),
    ],
)
def test_host_names_follow_from_the_address(arguments, environment, expected):
    options = [f"--server.allowedHosts={name}" for name in expected]
    assert host_options(arguments, environment) == options


def test_a_server_on_all_interfaces_answers_to_its_own_name():
    assert socket.gethostname() in list_hosts("0.0.0.0")


def test_workers_start_before_the_modules_of_all_pages_are_imported(monkeypatch):
    begun = []
    jobs = SimpleNamespace(registry=lambda: begun.append("workers"))
    monkeypatch.setattr(server.importlib, "import_module", lambda name: begun.append(name) or jobs)
    server.warm_up()
    assert begun[:2] == ["ui.runs.jobs", "workers"]
    assert {"ui.data.load", "ui.models.run", "ui.rules.cards", "ui.export.formats"} < set(begun)
    assert not any(name.startswith("pages") for name in begun)
