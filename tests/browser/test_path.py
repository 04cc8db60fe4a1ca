"""A person's path in a real browser: from a file to a rule that is read, asked and taken away."""

import re

import pytest

from tests.browser.steps import CURVE, SIDES, downloaded, found_first, rule, searched, slide, table
from tests.browser.visitor import BROKEN

CENTRES = """marks => marks.map(mark => mark.getBoundingClientRect())
  .map(box => [box.x + box.width / 2, box.y + box.height / 2])"""
TEXT_BEGINS = re.compile(r"# \d+ conditions? in \d+ lines?: ")


@pytest.fixture(scope="module")
def uploaded(visit_once):
    """A visitor on Models after the first pass over a planted table, clicks, and their number."""
    visitor = visit_once("/", height=2400)
    clicks = []
    visitor.page.expose_function("clicked", lambda words: clicks.append(words))
    visitor.page.evaluate("addEventListener('click', e => clicked(e.target.textContent), true)")
    visitor.upload("cases.csv", table()).press("use_suggestion").turn_to("Models")
    return found_first(visitor), clicks, len(clicks)


@pytest.fixture
def modelling(uploaded):
    """The visitor, on Models."""
    return uploaded[0].turn_to("Models")


def click_point(visitor, place):
    """Click the first (``place=0``) or last (``-1``) point of the curve, and wait for its rule."""
    before = figure(visitor)
    points = visitor.page.locator(f"{CURVE} .scatterlayer .trace:has(.points path)").first
    points = points.locator(".points path")

    def click():
        visitor.until(lambda: points.count() > 0)  # a chart that changes its size is drawn anew
        visitor.page.mouse.click(*sorted(points.evaluate_all(CENTRES))[place])

    visitor.until_sent(click, "a point of the curve")
    visitor.until(lambda: figure(visitor) != before)  # whatever is picked is drawn anew
    return visitor.ready()


def figure(visitor):
    """The name of the curve that is drawn, which counts what has been picked."""
    return visitor.page.evaluate(
        "(document.querySelector('[class*=\"st-key-front_\"] .js-plotly-plot')"
        "?.closest('[class*=\"st-key-front_\"]').className)"
    )


def test_a_file_becomes_an_exported_rule_in_five_clicks(uploaded):
    visitor, clicks, to_models = uploaded
    visitor.turn_to("Models")
    before, page = len(clicks), visitor.page
    assert "glucose" in rule(visitor)
    described = "yes" if "THEN yes" in rule(visitor) else "no"  # of either side the better one
    visitor.turn_to("Export")
    content = downloaded(visitor)
    assert 1 <= to_models + len(clicks) - before <= 5
    assert TEXT_BEGINS.match(content)
    assert f"THEN {described}" in content
    page.locator(".st-key-preview").get_by_label("Copy to clipboard").wait_for()
    page.locator("[data-testid=stCode]", has_text=TEXT_BEGINS).wait_for()
    visitor.reads("Checked: 300/300 rows")
    visitor.turn_to("Rules")
    visitor.reads("glucose")
    visitor.reads(f"{described} if")
    visitor.turn_to("Explain")
    visitor.reads("Predicted ")
    visitor.reads("The prediction would be")


def test_a_narrow_screen_has_the_columns_one_below_the_other(modelling):
    screen = modelling.page.viewport_size
    modelling.page.set_viewport_size({"width": 880, "height": 900})
    sides = modelling.ready().page.locator(SIDES)
    left, right = sides.nth(0).bounding_box(), sides.nth(1).bounding_box()
    modelling.page.set_viewport_size(screen)
    modelling.ready()
    assert right["y"] >= left["y"] + left["height"]
    assert right["x"] == left["x"]


def test_the_table_below_the_curve_picks_the_same_rules_as_its_points(modelling):
    visitor = modelling
    click_point(visitor, -1)
    click_point(visitor, 0)
    by_point = rule(visitor)
    click_point(visitor, -1)
    assert rule(visitor) != by_point
    canvas = visitor.page.locator(".st-key-front_table canvas").first
    box = canvas.bounding_box()
    visitor.page.mouse.click(box["x"] + 18, box["y"] + 52)
    visitor.until(lambda: rule(visitor) == by_point)


def test_the_keyboard_alone_picks_a_row_of_the_table(modelling):
    visitor = modelling
    click_point(visitor, -1)
    before = rule(visitor)
    visitor.page.locator(".st-key-front_table canvas").first.focus()
    for _ in range(11):
        with visitor.action():
            visitor.page.keyboard.press("ArrowUp")
        if rule(visitor) != before:
            return
    pytest.fail("Eleven rows up, and the rule was still that of the last row.")


def test_unknown_level_typed_into_a_condition_is_refused_in_a_sentence(modelling):
    visitor, page = modelling, modelling.page
    slide(visitor, "End")
    visitor.turn_to("Rules")
    town = page.locator("[data-testid=stHorizontalBlock]", has_text="town is 'Bonn'").last
    edit = town.get_by_role("button", name="Edit")
    with visitor.action():
        visitor.until_sent(edit.click, "Edit")
    conditions = page.locator("[class*=st-key-conditions_]")
    words = conditions.locator("label p").all_inner_texts()
    with visitor.action():
        conditions.get_by_role("radio").last.focus()
        page.keyboard.press("Space")
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    row = words[1:].index("town is 'Bonn'")
    page.mouse.dblclick(box["x"] + 0.45 * box["width"], box["y"] + 31 * (row + 1.5))
    page.locator("textarea.gdg-input").fill("Rome")
    with visitor.action():
        page.keyboard.press("Enter")
    visitor.press("score_edit")
    visitor.reads("'town' has no value 'Rome'. Choose one of 'Bonn', 'Ulm'.")
    visitor.reads("town is 'Bonn'")
    assert page.get_by_role("button", name="Undo").count() == 0  # nothing was applied


# Notes the most curves seen at a time, and red boxes, also those that are gone at once.
NOTED = """broken => {
  window.mostCurves = 0;
  window.boxes = [];
  new MutationObserver(() => {
    const curves = "[data-testid=stMain] [class*=st-key-front_] .js-plotly-plot";
    const all = [...document.querySelectorAll(curves)];
    const seen = all.filter(one => one.getBoundingClientRect().height > 0);
    window.mostCurves = Math.max(window.mostCurves, seen.length);
    for (const box of document.querySelectorAll(broken)) window.boxes.push(box.innerText);
  }).observe(document, {subtree: true, childList: true, attributes: true});
}"""


def test_rule_picked_during_a_run_stays_selected(modelling):
    modelling.page.evaluate(NOTED, BROKEN)
    visitor = modelling.press("search_longer")
    seen = {slide(visitor) for _ in range(3)}
    assert len(seen) > 1  # the run may find better rules meanwhile
    last = rule(visitor)
    assert rule(searched(visitor)) == last
    assert visitor.page.evaluate("[window.mostCurves, window.boxes]") == [1, []]
    visitor.turn_to("Rules").turn_to("Models")
    assert rule(visitor) == last
