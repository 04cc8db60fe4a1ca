"""The walk of acceptance: from a table to a rule taken away, every page looked at on its way."""

import pytest

from tests.browser import looks
from tests.browser.steps import CURVE, RULE, SIDES, aimed_at, downloaded, found_first, rule
from tests.browser.visitor import BROKEN, ROOT
from tests.outside import OUTSIDE, outside_file
from ui.shell import PAGES

SCREEN = {"width": 1440, "height": 900}
LONGEST = 1800  # pixels of a page in its first state


def looked_at(visitor, name):
    """Find nothing wrong with how a page looks in its first state."""
    page = visitor.page
    assert page.locator(BROKEN).all_inner_texts() == []
    assert looks.find_covered(page) + looks.findings(page) == []
    assert looks.length(page) <= LONGEST, name
    if name == "models":
        assert looks.within(looks.box(page, CURVE), page)
        assert looks.within(looks.box(page, RULE), page)
    if name in ("rules", "explain", "export"):
        sides = page.locator(SIDES)
        assert sides.count() == 2
        for k in range(2):
            box = sides.nth(k).bounding_box()
            assert 0 <= box["y"] <= SCREEN["height"] / 2
            assert box["x"] + box["width"] <= SCREEN["width"]


def walked(visitor, file):
    """Go from Data to a rule downloaded from Export, scoring `file`; return the rule's text."""
    looked_at(visitor, "data")
    for name, (title, _) in list(PAGES.items())[1:]:
        visitor.turn_to(title)
        if name == "models" and "ALWAYS" in rule(found_first(visitor)):
            visitor.reads("No rule found beats always predicting")
        if name == "explain":
            visitor.reads("Predicted ")
            visitor.reads("The prediction is ")
        looked_at(visitor, name)
        if name == "score":
            visitor.upload(file.name, file.read_bytes()).reads("The rule still holds")
            looked_at(visitor, name)
    return downloaded(visitor)


@pytest.mark.parametrize(
    ("name", "theme"),  # numbers, mixed, 3 outcomes
    [("breast_cancer", "light"), ("credit", "dark"), ("iris", "light")],
)
def test_sample_becomes_an_exported_rule_on_orderly_pages(visit, name, theme):
    visitor = visit("/", viewport=SCREEN, color_scheme=theme)
    assert looks.findings(visitor.page) == []
    file = ROOT / "sample_data" / f"{name}.csv"
    assert "OTHERWISE" in walked(visitor.press(f"sample_{name}"), file)


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTSIDE)
def test_real_table_becomes_an_exported_rule_on_orderly_pages(visit, name):
    file, facts = outside_file(name), OUTSIDE[name]
    visitor = visit("/", viewport=SCREEN).upload(file.name, file.read_bytes())
    positive = facts["positive_label"] if facts["task"] == "binary" else None
    aimed_at(visitor, facts["target"], positive)
    assert "OTHERWISE" in walked(visitor, file)


def test_the_keyboard_alone_goes_from_a_sample_to_a_downloaded_rule(visit):
    visitor = visit("/", viewport=SCREEN)
    press = visitor.page.keyboard.press

    def reach(words):
        """Tab to what is called so."""
        for _ in range(150):
            press("Tab")
            if called(visitor) == words:
                return
        pytest.fail(f"Tab never came to {words!r}.")

    def take(words, key="Enter"):
        """Press a key where something is called so, and wait for the run that it starts."""
        visitor.ready()
        reach(words)
        with visitor.action():
            press(key)

    take("Try it on this table")
    take("Models")
    before = rule(found_first(visitor))
    take("Conditions at most", "ArrowLeft")
    visitor.until(lambda: rule(visitor) != before)
    for title in ("Rules", "Explain", "Export"):
        take(title)
        question = next(q for name, q in PAGES.values() if name == title)
        visitor.page.locator("h1", has_text=question).wait_for()
    visitor.ready()
    reach("Download Text")
    with visitor.page.expect_download() as download:
        press("Enter")
    assert "OTHERWISE" in download.value.path().read_text("utf-8")


def called(visitor):
    """What the element that has the keyboard is called."""
    return visitor.page.evaluate(
        "(e => (e.getAttribute('aria-label') ?? e.innerText).trim())(document.activeElement)"
    )
