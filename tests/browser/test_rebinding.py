"""A foreign host name that resolves to this machine (DNS rebinding) reads nothing."""

import subprocess
import sys

from tests.browser.visitor import chromium_path

VISIT = """
import sys
from tests.browser.visitor import chromium_at
port, path = sys.argv[1:]
with chromium_at(path, "--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:
    page, errors, frames = browser.new_page(), [], []
    def watch(socket):
        socket.on("socketerror", lambda error: errors.append(error))
        socket.on("framereceived", lambda frame: frames.append(frame))
    page.on("websocket", watch)
    page.goto(f"http://evil.test:{port}/")
    while not errors and not frames:
        page.wait_for_timeout(50)
    print("foreign:", errors[0].rpartition(": ")[2], len(frames), page.locator("h1").count())
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.locator("h1").first.wait_for()
    print("own:", page.locator("h1").count())
"""


def test_a_foreign_name_for_this_machine_is_refused(server, chromium):
    """In a process of its own: one process drives one Playwright."""
    port = server.rpartition(":")[2]
    command = [sys.executable, "-c", VISIT, port, chromium_path()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["foreign: 403 0 0", "own: 1"], done.stderr
