"""A real server and a real Chromium: each visit stays on this machine and meets no error."""

import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE, until
from ui.shell import PAGES

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# On a deep link Streamlit's own client asks for these below the page before it asks at the root.
PROBES = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")
# Counts the runs of the script that the browser has seen begin.
COUNT_RUNS = """
window.runsSeen = 0;
new MutationObserver(changes => {
  for (const change of changes)
    if (change.target.getAttribute("data-test-script-state") === "running") window.runsSeen += 1;
}).observe(document, {subtree: true, attributes: true,
                      attributeFilter: ["data-test-script-state"]});
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@contextmanager
def served(workspace: Path, script: str = "app.py") -> Iterator[str]:
    """Start the dashboard (or another script) on a free port and give its address.

    A visitor of it must have left by then (`Visitor.leave`), or it complains of the silence.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "RULEKIT_WORKSPACE": str(workspace),
        "PYTHONPATH": str(ROOT),
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    log = workspace.with_suffix(".log")
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers."""

    def answers() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"The dashboard did not start:\n{log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE):
                return True
        except OSError:
            return False

    until(answers, pause=0.1)


@dataclass
class Visitor:
    """One browser context (its own cookies and session) on one page of the dashboard."""

    page: Any
    address: str
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    runs: int = 0

    def watch(self) -> None:
        """Write down requests that leave the machine, failed answers, and console errors."""
        self.page.add_init_script(COUNT_RUNS)

        def asked(request):
            if not request.url.startswith((self.address, "data:", "blob:", "about:")):
                self.outside.append(request.url)

        def answered(response):
            if response.status >= 400 and not PROBES.search(response.url):
                self.complaints.append(f"{response.status} {response.url}")

        def said(message):
            if message.type == "error" and "404 (Not Found)" not in message.text:
                self.complaints.append(message.text)

        self.page.on("request", asked)
        self.page.on("response", answered)
        self.page.on("console", said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def go(self, path: str = "/") -> "Visitor":
        """Open a path and wait until the page stands."""
        self.page.goto(self.address + path)
        return self.ready()

    def ready(self) -> "Visitor":
        """Wait until the script has run and the page's title is there."""
        self.page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
        self.page.locator("h1").first.wait_for()
        self.runs = self.begun()
        return self

    def begun(self) -> int:
        """Return how many runs of the script this page has seen begin."""
        return self.page.evaluate("window.runsSeen")

    def press(self, key: str) -> "Visitor":
        """Press the button with a key and wait for the run that it starts."""
        self.runs = self.begun()
        self.page.locator(f".st-key-{key} button").first.click()
        return self.rerun()

    def rerun(self) -> "Visitor":
        """Wait until the run that an action starts has begun and is over."""
        self.until(lambda: self.begun() > self.runs)
        return self.ready()

    def turn_to(self, title: str) -> "Visitor":
        """Go to another page by the navigation."""
        question = next(q for name, q in PAGES.values() if name == title)
        self.page.get_by_test_id("stTopNavLink").filter(has_text=title).click()
        self.page.locator("h1", has_text=question).wait_for()
        return self.ready()

    def upload(self, name: str, content: bytes) -> "Visitor":
        """Put a file into the page's upload field."""
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.runs = self.begun()
        self.page.locator("input[type=file]").first.set_input_files(files=[file])
        return self.rerun()

    def reads(self, sentence: str) -> None:
        """Wait until a sentence stands on the page; the page's text is told if it never does.

        A run may be over before the browser has drawn its last words, so a look at one moment
        would say more about the machine's load than about the page.
        """
        try:
            self.until(lambda: sentence in self.text())
        except AssertionError:
            pytest.fail(f"{sentence!r} never stood on the page:\n{self.text()}")

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, while the page goes on."""
        until(lambda: holds() or self.page.wait_for_timeout(50), pause=0.0)

    def leave(self) -> None:
        """Close the visitor's browser context; what it met is kept."""
        self.page.context.close()

    def text(self) -> str:
        """Return what can be read on the page."""
        return self.page.locator("[data-testid=stMain]").inner_text().replace("\u2060", "")


@pytest.fixture(scope="session")
def chromium():
    """The browser; skips where there is none, unless RULEKIT_REQUIRE_BROWSER is set."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sentence = "no Chromium was found; install the package `chromium` to run this test"
        if os.environ.get("RULEKIT_REQUIRE_BROWSER"):
            pytest.fail(f"{sentence} (RULEKIT_REQUIRE_BROWSER is set)")
        pytest.skip(sentence)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared_workspace(tmp_path_factory) -> Path:
    """The folder of the analyses of the shared dashboard."""
    return tmp_path_factory.mktemp("served") / "workspace"


@pytest.fixture(scope="session")
def server(shared_workspace) -> Iterator[str]:
    """The address of a dashboard that all tests of this session share."""
    with served(shared_workspace) as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path) -> Iterator[str]:
    """The address of a dashboard that nobody has asked anything yet."""
    with served(tmp_path / "workspace") as address:
        yield address


@pytest.fixture
def visit(chromium, request):
    """Return a function that opens a path as a new visitor.

    ``visit("/rules")`` uses the shared server, ``visit("/", address=...)`` another one (ask for
    `fresh_server` before `visit`, so that it ends after the visitors have left). At the end of the
    test no visitor may have asked anything outside the machine, nor met an error.
    """
    visitors = []

    def opened(path="/", *, address=None, height=1400):
        context = chromium.new_context(viewport={"width": 1280, "height": height})
        context.set_default_timeout(PATIENCE * 1000)
        visitor = Visitor(context.new_page(), address or request.getfixturevalue("server"))
        visitor.watch()
        visitors.append(visitor)
        return visitor.go(path)

    yield opened
    for visitor in visitors:
        visitor.leave()
    assert [v.outside for v in visitors] == [[]] * len(visitors)
    assert [v.complaints for v in visitors] == [[]] * len(visitors)
