"""Several visitors at once: each gets a curve of their own table, and nothing of them is left."""

import sys

import pytest

from tests.browser.crowd import memory, models_at_once, own_word, with_table, workers
from tests.browser.visitor import served
from tests.waiting import until

WARMING, CROWD = 4, 8  # `bench_workbench` measures twenty at once and fifty in a row
# The grace of a closed tab is a minute, and Streamlit's of a lost line two; a second each here.
SHORT = """
from functools import partial
from ui.runs import jobs
jobs.JobRegistry = partial(jobs.JobRegistry, grace=1.0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads processes from /proc")
def test_visitors_at_once_get_their_own_curves_and_all_jobs_end(chromium, tmp_path, monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "1")
    with served(tmp_path / "workspace", first=SHORT) as address:
        server = address.process
        crowd(chromium, address, 0, WARMING)
        until(lambda: not workers(server))
        before = memory(server)
        crowd(chromium, address, WARMING, CROWD)
        until(lambda: not workers(server))
        until(lambda: memory(server) <= 1.1 * before, pause=0.2)


def crowd(chromium, address, first, size):
    """Open Models with several visitors; check that each has a curve and only its own words."""
    visitors = [with_table(chromium, address, k) for k in range(first, first + size)]
    models_at_once(visitors)
    for k, visitor in enumerate(visitors, first):
        text = visitor.ready().page.locator("body").inner_text()
        assert own_word(k) in text
        assert not [n for n in range(first + size) if n != k and own_word(n) in text]
    for visitor in visitors:
        visitor.leave()
    assert [v.complaints + v.outside for v in visitors] == [[]] * size
