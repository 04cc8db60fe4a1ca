"""Twenty visitors at once: each gets a curve of their own table, and nothing of them is left."""

import sys

import pytest

from tests.browser.crowd import memory, models_at_once, own_word, with_table, workers
from tests.browser.visitor import served

CROWD = 20
# The grace of a closed tab is a minute, and Streamlit's of a lost line two; here a second each.
# A module of this name on the path is the first that every Python process imports.
SHORT_GRACE = """
from importlib.abc import MetaPathFinder
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads processes from /proc")
def test_twenty_visitors_get_their_own_curves_and_leave_nothing_behind(chromium, tmp_path):
    with served(tmp_path / "workspace", STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as address:
        server, held = address.process, []
        for first in (0, CROWD):
            visitors = [with_table(chromium, address, first + k) for k in range(CROWD)]
            models_at_once(visitors)
            for k, visitor in enumerate(visitors, first):
                text = visitor.ready().page.locator("body").inner_text()
                assert own_word(k) in text
                others = set(range(first, first + CROWD)) - {k}
                assert not [n for n in others if own_word(n) in text]
                assert (visitor.complaints, visitor.outside) == ([], [])
            for visitor in visitors:
                visitor.leave()
            visitors[0].page
            held.append((workers(server), memory(server)))
            print(held)
