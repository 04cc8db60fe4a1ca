"""A dashboard that is served, a real Chromium, and a visitor who acts and waits in it."""

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
from playwright.sync_api import Error, sync_playwright

from tests.browser.wire import DRAWN, STEADY, Wire
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
BROKEN = "[data-testid=stException], [data-testid=stAlertContentError]"
# Streamlit's client does not know how deep its address is: on a deep link it asks for these below
# the page before it asks at the root, and Chromium writes each 404 to the console.
PROBES = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")


def chromium_path() -> str | None:
    """Find the browser on this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def chromium_at(path: str, *flags: str) -> Iterator[Any]:
    """Start the browser, and close it at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()


class Address(str):
    """Where a server answers; `process` is its number."""

    process: int


@contextmanager
def served(workspace: Path, script: str = "app.py", first: str = "") -> Iterator[Address]:
    """Start a script on a free port after running `first`; visitors must leave before the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "RULEKIT_WORKSPACE": str(workspace),
        "PYTHONPATH": str(ROOT),
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    log = workspace.with_suffix(f".{port}.log")
    program = f"{first}\nfrom streamlit.web.cli import main\nmain()"
    command = [sys.executable, "-c", program, "run", script, "--server.port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    address = Address(f"http://127.0.0.1:{port}")
    address.process = process.pid
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

    def __post_init__(self) -> None:
        self.wire = Wire(self.page)

    @classmethod
    def of(cls, browser: Any, address: str, **options: Any) -> "Visitor":
        """Open a separate browser context for a new visitor, for instance of a ``viewport``."""
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE * 1000)
        visitor = cls(context.new_page(), address)
        visitor.watch()
        return visitor

    def watch(self) -> None:
        """Write down requests that leave the machine, failed answers, and console errors."""

        def requested(request):
            if not request.url.startswith((self.address, "data:", "blob:", "about:")):
                self.outside.append(request.url)

        def answered(response):
            if response.status >= 400 and not PROBES.search(response.url):
                self.complaints.append(f"{response.status} {response.url}")

        def shown(message):
            if message.type == "error" and not PROBES.search(message.location["url"]):
                self.complaints.append(message.text)

        self.page.on("request", requested)
        self.page.on("response", answered)
        self.page.on("console", shown)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def go(self, path: str = "/") -> "Visitor":
        """Open a path and wait until the page stands."""
        self.wire.reset()
        self.page.goto(self.address + path)
        return self.ready()

    def reload(self) -> "Visitor":
        """Load the page again and wait until it stands."""
        self.wire.reset()
        self.page.reload()
        return self.ready()

    def ready(self) -> "Visitor":
        """Wait until what was asked for has been run and is drawn, with the page's title."""
        self.until(self.wire.still)
        self.page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
        title = self.page.locator("h1").first
        title.or_(self.page.locator(BROKEN)).first.wait_for()
        assert title.count(), f"No page stands here:\n{self.text()}"
        self.page.evaluate(DRAWN)
        self.page.wait_for_function(STEADY)
        return self

    @contextmanager
    def action(self) -> Iterator[None]:
        """Act on a page that stands; wait until the run that this asks for is over."""
        self.ready()
        before = self.wire.asked
        yield
        self.until(lambda: self.wire.asked > before)
        self.ready()

    def press(self, key: str) -> "Visitor":
        """Press the button with a key and wait for the run that it starts."""
        with self.action():
            self.click(key)
        return self

    def click(self, key: str) -> None:
        """Click the button with a key until the page sends the click to the server."""
        button = self.page.locator(f".st-key-{key} button:visible").first
        self.until_sent(button.click, f"the button {key!r}")

    def until_sent(self, act: Callable[[], Any], what: str) -> None:
        """Act, and once more if nothing is sent to the server."""
        # a click is lost if a timer's run replaces the button while the mouse is down
        before = self.wire.asked
        for _ in range(2):
            act()
            for _ in range(30):  # drawings: the page sends at once, or never
                if self.wire.asked > before:
                    return
                try:
                    self.page.evaluate(DRAWN)
                except Error:  # the page is left for the one that the click opens
                    if self.page.is_closed():
                        raise
        pytest.fail(f"Nothing was sent to the server, twice: {what}.")

    def turn_to(self, title: str) -> "Visitor":
        """Go to another page by the navigation."""
        question = next(q for name, q in PAGES.values() if name == title)
        with self.action():
            self.page.get_by_test_id("stTopNavLink").filter(has_text=title).click()
        self.page.locator("h1", has_text=question).wait_for()
        return self

    def upload(self, name: str, content: bytes) -> "Visitor":
        """Upload a file in the page's upload field."""
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        with self.action():
            self.page.locator("input[type=file]").first.set_input_files(files=[file])
        return self

    def reads(self, sentence: str) -> None:
        """Wait until the page shows a sentence, as a run may end before the page is drawn."""
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
