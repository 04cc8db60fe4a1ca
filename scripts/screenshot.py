"""Draw the README's picture: the dashboard after a sweep of the bundled breast cancer table.

Run as ``python -m scripts.screenshot [--out FILE] [--page NAME] [--dark]``; needs Chromium.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SAMPLE = "breast_cancer"
WIDTH, TALL, MARGIN = 1280, 2800, 10  # pixels
PATIENCE = 300_000  # milliseconds for the sweep, on a slow machine


@contextmanager
def dashboard() -> Iterator[str]:
    """Serve the dashboard on a free port, with nothing kept, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RULEKIT_WORKSPACE": folder}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        try:
            _wait_for(address)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit("The dashboard did not start within a minute.")


def ready(page: Page) -> None:
    """Wait until the page's script has run and its figures have settled."""
    page.wait_for_timeout(400)
    state = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    page.locator(state).wait_for(timeout=PATIENCE)
    page.wait_for_timeout(1000)


def turn_to(page: Page, title: str) -> None:
    """Go to a page by the sidebar."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title).click()
    page.locator("h1", has_text=title).wait_for()
    ready(page)


def sweep(page: Page, address: str) -> None:
    """Load the sample, open Models and wait for the end of its run."""
    page.goto(address)
    page.locator(f".st-key-sample_{SAMPLE} button").first.click(timeout=PATIENCE)
    ready(page)
    turn_to(page, "Models")  # where the run begins by itself
    page.locator(".st-key-cancel_run").wait_for(state="attached", timeout=PATIENCE)
    page.locator(".st-key-cancel_run").wait_for(state="detached", timeout=PATIENCE)
    ready(page)


def _crop(page: Page) -> dict[str, float] | None:
    """Return the part of Models from the curve's axes to the picked rule; None on other pages."""
    first, last = page.locator(".st-key-front_y"), page.get_by_test_id("stCode")
    if not first.count() or not last.count():
        return None
    top, end = first.first.bounding_box(), last.first.bounding_box()
    main = page.get_by_test_id("stMainBlockContainer").bounding_box()
    y, below = top["y"] - MARGIN, end["y"] + end["height"] + MARGIN
    width = main["width"] - 2 * MARGIN
    return {"x": main["x"] + MARGIN, "y": y, "width": width, "height": below - y}


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and draw the picture."""
    parser = argparse.ArgumentParser(description="Draw a picture of the dashboard.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "screenshot.png")
    parser.add_argument("--page", default="Models", help="title of the page to be drawn")
    parser.add_argument("--height", type=int, help="of the whole page; else Models is cropped")
    parser.add_argument("--dark", action="store_true", help="with the dark theme")
    chosen = parser.parse_args(arguments)
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.exit("No Chromium was found; install the package `chromium`.")
    with dashboard() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page: Any = browser.new_page(
            viewport={"width": WIDTH, "height": chosen.height or TALL},
            color_scheme="dark" if chosen.dark else "light",
        )
        sweep(page, address)
        if chosen.page != "Models":
            turn_to(page, chosen.page)
        page.mouse.move(5, 5)  # no button looks pressed
        page.wait_for_timeout(500)
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=chosen.out, clip=None if chosen.height else _crop(page))
        browser.close()
    print(f"Drawn: {chosen.out}")


if __name__ == "__main__":
    main()
