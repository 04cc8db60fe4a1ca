"""Presenter mode of Explain: one calm screen, printed on one page, with a way back."""

import re

import pytest

from tests.browser import looks
from tests.browser.steps import found_first


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_presenter_mode_hides_navigation_and_prints_one_page(visit, theme):
    screen = {"width": 1440, "height": 900}
    visitor = visit("/", viewport=screen, color_scheme=theme).press("sample_credit")
    found_first(visitor.turn_to("Models"))
    visitor.turn_to("Explain")
    case = visitor.page.locator("h2").first.inner_text()
    visitor.press("presenter_on")
    assert visitor.page.locator("h1").inner_text() == case
    visitor.reads("the limit is")
    links = visitor.page.get_by_test_id("stTopNavLink")
    assert not any(link.is_visible() for link in links.all())
    assert not visitor.page.get_by_role("tab").count()
    assert looks.findings(visitor.page) == []
    assert looks.covered(visitor.page) == []

    visitor.page.emulate_media(media="print")
    assert not visitor.page.locator("button:visible").count()
    body = visitor.page.locator("body")
    assert body.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    heading = visitor.page.locator("h1")
    assert heading.evaluate("e => getComputedStyle(e).color") == "rgb(0, 0, 0)"
    assert len(re.findall(rb"/Type\s*/Page\b", visitor.page.pdf())) == 1
    visitor.page.emulate_media(media="screen")

    visitor.press("presenter_off")
    assert visitor.page.locator("h2").first.inner_text() == case
    assert links.first.is_visible()
