"""The frame in a real browser: addresses, sessions, reloads, a server that has just started."""

import re

from tests.browser.visitor import served
from tests.waiting import until
from ui.shell import PAGES


def test_server_answers_deep_links_and_the_bare_address(visit):
    visitor = visit("/")
    assert "/data" in visitor.page.url
    for name in PAGES:
        check_frame(visitor.go(f"/{name}?theta=0.4"), name)
        assert "theta=0.4" in visitor.page.url
    visitor.page.get_by_test_id("stTopNavLink").first.focus()
    visitor.page.keyboard.press("Tab")
    ring = "[document.activeElement.innerText, getComputedStyle(document.activeElement).outline]"
    title, outline = visitor.page.evaluate(ring)
    assert (title, outline[-9:]) == ("Binning", "solid 2px")


def check_frame(visitor, name):
    """Check the title, the navigation and the address of a page."""
    assert visitor.page.locator("h1").first.inner_text() == PAGES[name][1]
    links = visitor.page.get_by_test_id("stTopNavLink").all_inner_texts()
    assert links == [title for title, _ in PAGES.values()]
    assert f"/{name}" in visitor.page.url


def test_an_analysis_survives_a_reload_and_a_restart(visit, shared_workspace):
    visitor = visit("/").press("sample_iris").turn_to("Binning")
    visitor.page.wait_for_url(re.compile("analysis="))
    path = visitor.page.url.removeprefix(visitor.address)
    visitor.reload()
    visitor.page.get_by_text("Candidate conditions", exact=True).wait_for()
    with served(shared_workspace) as address:
        again = visit(path, address=address)  # a deep link to a server that has just started
        again.page.get_by_text("Candidate conditions", exact=True).wait_for()
        check_frame(again, "binning")
        again.leave()


WATCHED = """
import pathlib
import threading
import time
import streamlit as st
from tests.ui.tasks import Counting
from ui.runs import jobs

registry = jobs.registry()
registry.grace = 0.5

def tell():
    while registry.get("me") is not None:
        tabs, timers = registry._tabs.get("me"), len(registry._timers)
        pathlib.Path(r"{alive}").write_text(f"{{tabs}} tabs, {{timers}} timers")
        time.sleep(0.05)
    pathlib.Path(r"{ended}").touch()

jobs.watch("me")
if registry.get("me") is None:
    registry.start("me", "endless", Counting(pathlib.Path(r"{alive}").with_name("count")))
    threading.Thread(target=tell, daemon=True).start()
st.title("Watched")
"""


def test_closing_the_last_tab_ends_the_job_after_the_grace(visit, tmp_path):
    alive, ended, script = (tmp_path / name for name in ("alive", "ended", "watched.py"))
    script.write_text(WATCHED.format(alive=alive, ended=ended))
    with served(tmp_path / "workspace", str(script)) as address:
        first, second = visit("/", address=address), visit("/", address=address)
        until(lambda: alive.exists() and alive.read_text() == "2 tabs, 0 timers")
        first.leave()
        until(lambda: alive.exists() and alive.read_text() == "1 tabs, 0 timers")
        assert not ended.exists()
        second.leave()
        until(ended.exists)
