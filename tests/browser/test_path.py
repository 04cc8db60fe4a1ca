"""A person's path in a real browser: from a file to a rule that is read, asked and taken away."""

import time

import numpy as np
import pytest

DONE = 120_000  # a busy machine may take this many milliseconds for the small sweep


def table(n=300, seed=0):
    """A file with a planted rule, and one row in twelve decided the other way."""
    rng = np.random.default_rng(seed)
    age, glucose = rng.integers(20, 80, n), rng.integers(70, 200, n)
    town = rng.choice(["Bonn", "Ulm"], n)
    holds = ((glucose > 126) & (age > 45)) | ((glucose > 180) & (town == "Ulm"))
    ill = np.where(holds ^ (rng.random(n) < 1 / 12), "yes", "no")
    lines = [f"{a},{g},{t},{i}" for a, g, t, i in zip(age, glucose, town, ill, strict=True)]
    return "\n".join(["age,glucose,town,ill", *lines]).encode()


@pytest.fixture
def modelling(visit):
    """A visitor on Models with the planted table, target and class chosen, a small grid set."""
    visitor = visit("/data", height=2400).upload("cases.csv", table())
    page = visitor.page
    choose(visitor, "Target column", "ill")
    page.locator("label", has_text="yes (").first.click()
    visitor.settled()
    visitor.turn_to("Models")
    page.get_by_text("Price grid, rounding").click()
    page.locator(".st-key-run_thetas input").fill("0.5, 2, 8, 40")
    page.keyboard.press("Enter")
    visitor.settled()
    for key in ("run_against", "run_robust", "run_doubting", "run_baselines"):
        page.locator(f".st-key-{key} label").first.click()
        visitor.settled()
    return visitor


def choose(visitor, label, value):
    """Choose a value in the box with a label that begins so."""
    box = visitor.page.get_by_role("combobox", name=label).first
    box.click()
    box.fill(value)
    visitor.page.get_by_role("option", name=value, exact=True).first.click()
    visitor.settled()


def swept(visitor):
    """Wait for the end of the run that goes by itself."""
    visitor.page.locator(".st-key-front_table").wait_for(timeout=DONE)
    visitor.page.locator(".st-key-cancel_run").wait_for(state="detached", timeout=DONE)
    visitor.page.locator(".js-plotly-plot .points path").first.wait_for(timeout=DONE)
    return visitor.settled()


def picked_rule(visitor):
    return visitor.page.locator("[data-testid=stCode]").last.inner_text()


def click_point(visitor, size):
    """Click the point of the front that is drawn first (``size=0``) or last (``-1``)."""
    points = visitor.page.locator(".scatterlayer .trace").first.locator(".points path")
    boxes = [points.nth(k).bounding_box() for k in range(points.count())]
    solid = max(b["width"] for b in boxes)
    front = sorted((b for b in boxes if b["width"] > solid - 1), key=lambda b: b["x"])
    box = front[size]
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.page.wait_for_timeout(500)
    return visitor.settled()


def test_a_file_becomes_a_rule_that_is_read_asked_and_taken_away(modelling):
    visitor = swept(modelling)
    click_point(visitor, 0)
    short = picked_rule(visitor)
    click_point(visitor, -1)
    visitor.until(lambda: picked_rule(visitor) != short)

    visitor.turn_to("Rules")
    visitor.reads("glucose >")
    visitor.reads("THEN yes")
    visitor.reads("test rows")

    visitor.turn_to("Explain")
    visitor.reads("The answer is")
    visitor.reads("The answer would be")

    visitor.turn_to("Export")
    visitor.page.get_by_role("radio", name="Text").click()
    visitor.settled()
    visitor.reads("Checked: 300/300 rows")
    with visitor.page.expect_download() as download:
        visitor.page.locator(".st-key-download_format button").click()
    content = download.value.path().read_text("utf-8")
    assert content.startswith("# DNF")
    assert "THEN yes" in content
    assert download.value.suggested_filename.endswith(".txt")


def test_the_table_below_the_curve_picks_the_same_rules_as_its_points(modelling):
    visitor = swept(modelling)
    click_point(visitor, 0)
    by_point = picked_rule(visitor)
    click_point(visitor, -1)
    canvas = visitor.page.locator(".st-key-front_table canvas").first
    box = canvas.bounding_box()
    visitor.page.mouse.click(box["x"] + 18, box["y"] + 52)
    visitor.page.wait_for_timeout(500)
    visitor.settled()
    visitor.until(lambda: picked_rule(visitor) == by_point)


def test_the_keyboard_alone_picks_a_row_of_the_table(modelling):
    visitor = swept(modelling)
    click_point(visitor, -1)
    before = picked_rule(visitor)
    visitor.page.locator(".st-key-front_table canvas").first.focus()
    for _ in range(3):
        visitor.page.keyboard.press("ArrowUp")
        visitor.page.wait_for_timeout(700)
        visitor.settled()
    visitor.until(lambda: picked_rule(visitor) != before)


# Tells the seconds from a click to the first picture that shows what is waited for.
CLOCK = """
window.clock = what => {
  window.took = null;
  let began = null;
  document.addEventListener("click", () => { began = performance.now(); },
                            {capture: true, once: true});
  const watcher = new MutationObserver(() => {
    if (began === null || !document.querySelector(what)) return;
    watcher.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.took = (performance.now() - began) / 1000;
    }));
  });
  watcher.observe(document, {subtree: true, childList: true});
};
"""


def drawn(visitor, title, what):
    """Turn to a page and return how many seconds pass until what is asked for can be seen."""
    visitor.page.wait_for_timeout(1000)  # whatever the page before still has to do
    visitor.page.evaluate("what => window.clock(what)", what)
    visitor.page.get_by_test_id("stSidebarNav").get_by_role("link", name=title).click()
    visitor.page.wait_for_function("window.took !== null", timeout=DONE)
    return visitor.page.evaluate("window.took")


def test_the_first_front_is_seen_in_a_second_or_as_soon_as_any_figure(visit, record_property):
    fronts, usual = [], []
    for _ in range(4):
        visitor = visit("/data").press("sample_breast_cancer")
        visitor.page.evaluate(CLOCK)
        fronts.append(drawn(visitor, "Models", ".scatterlayer .points path"))
        visitor.page.locator(".st-key-front_table").wait_for(timeout=DONE)
        if visitor.page.locator(".st-key-cancel_run button").count():
            visitor.press("cancel_run")
        visitor.turn_to("Data")
        usual.append(drawn(visitor, "Binning", ".st-key-binning_chart .main-svg"))
    record_property("seconds to the first front, and to Binning's figure", (fronts, usual))
    # a second is met with room to spare on a machine that has a core free; where others take
    # both, Binning, which learns nothing, is measured beside it
    assert min(fronts) < max(1.0, 1.3 * min(usual)), (fronts, usual)


def test_the_growing_curve_and_the_finished_one_are_never_seen_together(visit):
    visitor = visit("/data").press("sample_breast_cancer")
    visitor.page.evaluate(
        """
        window.mostCurves = 0;
        new MutationObserver(() => {
          const all = [...document.querySelectorAll("[data-testid=stMain] .js-plotly-plot")];
          const seen = all.filter(one => one.getBoundingClientRect().height > 0);
          window.mostCurves = Math.max(window.mostCurves, seen.length);
        }).observe(document, {subtree: true, childList: true, attributes: true});
        """
    )
    visitor.page.get_by_test_id("stSidebarNav").get_by_role("link", name="Models").click()
    visitor.page.locator(".st-key-front_table").wait_for(timeout=DONE)
    visitor.settled()
    assert visitor.page.evaluate("window.mostCurves") == 1


def test_the_price_slider_shows_another_rule_at_once_and_it_is_kept_on_rules(modelling):
    visitor = swept(modelling)
    page = visitor.page
    page.get_by_role("button", name="Pick this one").first.click()  # whatever was picked before
    visitor.settled()
    for key in ("End", "Home"):
        before = picked_rule(visitor)
        page.get_by_role("slider", name="Price θ of a condition").focus()
        page.keyboard.press(key)
        visitor.settled()
        visitor.until(lambda before=before: picked_rule(visitor) != before)
    last = picked_rule(visitor)
    visitor.turn_to("Rules")
    visitor.until(lambda: page.locator("[data-testid=stCode]").first.inner_text() == last)


def test_stop_takes_at_most_a_second_more_than_any_click_and_keeps_the_points(modelling):
    visitor, page = modelling, modelling.page
    page.locator(".st-key-run_thetas input").fill(", ".join(str(0.1 * k) for k in range(1, 60)))
    page.keyboard.press("Enter")
    visitor.settled()
    titles = page.locator(".js-plotly-plot .xtitle").filter(visible=True)
    titles.filter(has_text="Conditions").wait_for(timeout=DONE)
    began = time.monotonic()
    page.locator(".st-key-front_x").get_by_text("clauses").click()
    titles.filter(has_text="Clauses").wait_for(timeout=DONE)
    usual = time.monotonic() - began  # what any click takes on this machine just now
    began = time.monotonic()
    page.locator(".st-key-cancel_run button").first.click()
    page.get_by_text("was stopped").first.wait_for(timeout=20_000)
    assert time.monotonic() - began < 1.0 + usual
    visitor.settled()
    visitor.reads("The points of the first pass stay")
    assert page.locator(".js-plotly-plot .points path").count() > 0
    assert "Resume" in page.locator(".st-key-run").inner_text()
