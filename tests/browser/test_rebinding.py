"""A foreign host name that resolves to this machine (DNS rebinding) reads nothing."""

import subprocess
import sys

from tests.browser.visitor import chromium_path

VISIT = """
import sys
from tests.browser.visitor import chromium_at
port, path = sys.argv[1:]
with chromium_at(path, "--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:
    for host in ("evil.test", "127.0.0.1"):
        page = browser.new_page()
        with page.expect_websocket() as opened:
            page.goto(f"http://{host}:{port}/")
        if host == "evil.test":
            opened.value.wait_for_event("close")
            print("foreign headings:", page.locator("h1").count())
        else:
            page.locator("h1").first.wait_for()
            print("own headings:", page.locator("h1").count())
"""


def test_a_foreign_name_for_this_machine_is_refused(server, chromium):
    """In a process of its own: one process drives one Playwright."""
    port = server.rpartition(":")[2]
    command = [sys.executable, "-c", VISIT, port, chromium_path()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == ["foreign headings: 0", "own headings: 1"]
