"""Many visitors at once, each with a table of their own; what the server holds meanwhile."""

import time
from contextlib import suppress
from pathlib import Path

from tests.browser.steps import CURVE, RULE, table
from tests.browser.visitor import Visitor

ROWS = 1000


def own_word(number):
    """The word that is in the table of one visitor and in no other's."""
    return f"ill{number:03d}x"


def with_table(browser, address, number):
    """A visitor on Data, with a table of their own that is ready to be learned from."""
    visitor = Visitor.of(browser, address, viewport={"width": 1440, "height": 900})
    word = own_word(number)
    town = (f"Bonn{word}", f"Ulm{word}")
    content = table(ROWS, number, word, (f"yes{word}", f"no{word}"), town)
    return visitor.go().upload(f"{word}.csv", content).press("use_suggestion")


def models_at_once(visitors):
    """Click Models in all browsers; return the seconds to the last first curve."""
    for visitor in visitors:
        visitor.page.get_by_test_id("stTopNavLink").filter(has_text="Models").click()
    clicked = time.monotonic()
    for visitor in visitors:
        visitor.page.locator(f"{CURVE} .points path").first.wait_for()
        visitor.page.locator(RULE).first.wait_for()
    return time.monotonic() - clicked


def workers(server):
    """Return how many processes for long work a server has now."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            if b"forkserver" in status.with_name("cmdline").read_bytes():
                parents[status.parent.name] = status.read_text().rpartition(")")[2].split()[1]
    return sum(parents.get(parent) == str(server) for parent in parents.values())


def memory(server):
    """Return the bytes of memory that a server itself holds, without its workers."""
    status = Path(f"/proc/{server}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return 1024 * int(line.split()[1])
