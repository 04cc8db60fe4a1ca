"""Light and dark: a condition edited by the keyboard alone, and presenter mode with its print."""

import re

import pytest

from tests.browser import looks
from tests.browser.steps import CURVE, edit_cut, found_first, move_cut, searched


@pytest.fixture(scope="module", params=["light", "dark"])
def modelled(visit_once, request):
    """A visitor in one of the themes, after the first pass over a sample."""
    screen = {"width": 1440, "height": 900}
    visitor = visit_once("/", viewport=screen, color_scheme=request.param).press("sample_credit")
    return found_first(visitor.turn_to("Models"))


def test_cut_point_moves_by_keyboard_and_is_undone(modelled):
    visitor = modelled
    before = visitor.turn_to("Rules").text()
    slider = edit_cut(visitor)
    visitor.page.locator(".st-key-edit_0 button").focus()
    assert looks.findings(visitor.page) == []
    assert "change their prediction" in move_cut(visitor, slider)
    assert looks.findings(visitor.page) + looks.find_covered(visitor.page) == []
    for key in ("score_edit", "undo_edit"):
        with visitor.action():
            visitor.page.locator(f".st-key-{key} button").focus()
            visitor.page.keyboard.press("Enter")
        assert ("edited by hand" in visitor.text()) == (key == "score_edit")
    verdict = next(line for line in before.split("\n") if line.startswith("Wrong for "))
    assert verdict in visitor.text()


def test_compared_learners_are_a_table_with_a_legend_of_two_lines(modelled):
    visitor = modelled.turn_to("Models")
    with visitor.action():
        visitor.page.get_by_role("tab", name="Learners", exact=True).click()
    with visitor.action():
        visitor.page.get_by_text("10 s", exact=True).click()
    searched(visitor.press("compare_learners"))
    visitor.page.locator(f"{CURVE} .legend2 .traces").first.wait_for()
    names = visitor.page.locator(f"{CURVE} .legend2 .traces")
    heights = names.evaluate_all("all => all.map(e => Math.round(e.getBoundingClientRect().y))")
    assert len(heights) > 1
    assert len(set(heights)) <= 2
    assert visitor.page.locator(".st-key-compared_table canvas").count()
    assert looks.findings(visitor.page) + looks.find_covered(visitor.page) == []
    screen = visitor.page.viewport_size
    visitor.page.set_viewport_size({"width": 390, "height": 900})
    assert looks.find_covered(visitor.ready().page) == []
    visitor.page.set_viewport_size(screen)


def test_presenter_mode_hides_navigation_and_prints_one_page(modelled):
    visitor = modelled
    visitor.turn_to("Explain")
    case = visitor.page.locator("h2").first.inner_text()
    visitor.press("presenter_on")
    assert visitor.page.locator("h1").inner_text() == case
    visitor.reads("the limit is")
    links = visitor.page.get_by_test_id("stTopNavLink")
    assert not any(link.is_visible() for link in links.all())
    assert not visitor.page.get_by_role("tab").count()
    assert looks.findings(visitor.page) + looks.find_covered(visitor.page) == []

    visitor.page.emulate_media(media="print")
    assert not visitor.page.locator("button:visible").count()

    def styles(selector, name):
        values = f"all => all.map(e => getComputedStyle(e).{name})"
        return set(visitor.page.locator(selector).evaluate_all(values))

    assert styles("body", "backgroundColor") == {"rgb(255, 255, 255)"}
    assert styles("h1", "color") == styles(".svg-container text", "fill") == {"rgb(0, 0, 0)"}
    assert styles(".main-svg, .gl-container", "backgroundColor") == {"rgba(0, 0, 0, 0)"}
    assert len(re.findall(rb"/Type\s*/Page\b", visitor.page.pdf())) == 1
    visitor.page.emulate_media(media="screen")

    visitor.press("presenter_off")
    assert visitor.page.locator("h2").first.inner_text() == case
    assert links.first.is_visible()
