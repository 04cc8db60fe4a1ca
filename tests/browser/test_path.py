"""A person's path in a real browser: from a file to a rule that is read, asked and taken away."""

import io

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table
from tests.pages.driving import analysed, copied


def table(n=300, seed=0):
    """A file with a planted rule, and one row in twelve decided the other way."""
    rng = np.random.default_rng(seed)
    age, glucose = rng.integers(20, 80, n), rng.integers(70, 200, n)
    town = rng.choice(["Bonn", "Ulm"], n)
    holds = ((glucose > 126) & (age > 45)) | ((glucose > 180) & (town == "Ulm"))
    ill = np.where(holds ^ (rng.random(n) < 1 / 12), "yes", "no")
    lines = [f"{a},{g},{t},{i}" for a, g, t, i in zip(age, glucose, town, ill, strict=True)]
    return "\n".join(["age,glucose,town,ill", *lines]).encode()


@pytest.fixture(scope="session")
def analysis(tmp_path_factory):
    """The folder of an analysis of the planted table after a small run."""
    frame = pd.read_csv(io.BytesIO(table()))
    planted = Table.from_frame(frame, name="cases.csv")
    planted = planted.with_roles({"ill": "target"}, positive_label="yes")
    return analysed(tmp_path_factory.mktemp("ready"), planted, "0.5, 2, 8, 40")


@pytest.fixture
def modelling(server, shared_workspace, visit, analysis):
    """A visitor on Models who comes back to a copy of the analysis: its points are there."""
    path = f"/models?analysis={copied(analysis, shared_workspace)}"
    return swept(visit(path, height=2400))


def swept(visitor):
    """Wait until no run goes on and its points are drawn."""
    visitor.page.locator(".st-key-front_table").wait_for()
    visitor.page.locator(".st-key-cancel_run").wait_for(state="detached")
    visitor.page.locator(".js-plotly-plot .points path").first.wait_for()
    return visitor.ready()


def picked_rule(visitor):
    return visitor.page.locator("[data-testid=stCode]").last.inner_text()


def click_point(visitor, size):
    """Click the point of the front that is drawn first (``size=0``) or last (``-1``)."""
    before = figure(visitor)
    points = visitor.page.locator(".scatterlayer .trace").first.locator(".points path")
    boxes = [points.nth(k).bounding_box() for k in range(points.count())]
    solid = max(b["width"] for b in boxes)
    front = sorted((b for b in boxes if b["width"] > solid - 1), key=lambda b: b["x"])
    box = front[size]
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.until(lambda: figure(visitor) != before)  # whatever is picked is drawn anew
    return visitor.ready()


def figure(visitor):
    """The name of the curve that is drawn, which counts what has been picked."""
    return visitor.page.evaluate(
        "(document.querySelector('[class*=\"st-key-front_\"] .js-plotly-plot')"
        "?.closest('[class*=\"st-key-front_\"]').className)"
    )


def test_a_file_becomes_a_rule_that_is_read_asked_and_taken_away(visit):
    visitor = visit("/data", height=2400).upload("cases.csv", table())
    page = visitor.page
    target = page.get_by_role("combobox", name="Target column").first
    target.click()
    target.fill("ill")
    page.get_by_role("option", name="ill", exact=True).first.click()
    page.locator("label", has_text="yes (").first.click()
    visitor.turn_to("Models")
    page.get_by_text("Price grid, rounding").click()
    page.locator(".st-key-run_thetas input").fill("0.5, 2, 8, 40")
    page.keyboard.press("Enter")
    for key in ("run_against", "run_robust", "run_doubting", "run_baselines"):
        page.locator(f".st-key-{key} label").first.click()
    visitor.reads("20 settings in 10 folds: 200 fits")  # all that was asked for is set
    swept(visitor.ready())

    visitor.turn_to("Rules")
    visitor.reads("glucose >")
    visitor.reads("THEN yes")
    visitor.reads("test rows")

    visitor.turn_to("Explain")
    visitor.reads("The answer is")
    visitor.reads("The answer would be")

    visitor.turn_to("Export")
    visitor.page.get_by_role("radio", name="Text").click()
    page.locator("[data-testid=stCode]", has_text="# DNF").wait_for()
    visitor.reads("Checked: 300/300 rows")
    with visitor.page.expect_download() as download:
        visitor.page.locator(".st-key-download_format button").click()
    content = download.value.path().read_text("utf-8")
    assert content.startswith("# DNF")
    assert "THEN yes" in content
    assert download.value.suggested_filename.endswith(".txt")


def test_the_table_below_the_curve_picks_the_same_rules_as_its_points(modelling):
    visitor = modelling
    click_point(visitor, -1)
    click_point(visitor, 0)
    by_point = picked_rule(visitor)
    click_point(visitor, -1)
    canvas = visitor.page.locator(".st-key-front_table canvas").first
    box = canvas.bounding_box()
    visitor.page.mouse.click(box["x"] + 18, box["y"] + 52)
    visitor.until(lambda: picked_rule(visitor) == by_point)


def test_the_keyboard_alone_picks_a_row_of_the_table(modelling):
    visitor = modelling
    click_point(visitor, -1)
    before = picked_rule(visitor)
    visitor.page.locator(".st-key-front_table canvas").first.focus()
    for _ in range(3):
        with visitor.action():
            visitor.page.keyboard.press("ArrowUp")
    visitor.until(lambda: picked_rule(visitor) != before)


# Notes what stands on the page when the first points of a front are drawn.
FIRST_POINTS = """
window.first = null;
new MutationObserver(() => {
  if (window.first || !document.querySelector(".scatterlayer .points path")) return;
  window.first = {
    goesOn: !!document.querySelector(".st-key-cancel_run, [data-testid=stProgress]"),
    fails: !!document.querySelector("[data-testid=stException]"),
  };
}).observe(document, {subtree: true, childList: true});
"""


def test_the_first_front_is_seen_while_the_run_that_nobody_asked_for_goes_on(visit):
    visitor = visit("/data").press("sample_breast_cancer")
    visitor.page.evaluate(FIRST_POINTS)
    visitor.turn_to("Models")
    visitor.until(lambda: visitor.page.evaluate("window.first !== null"))
    assert visitor.page.evaluate("window.first") == {"goesOn": True, "fails": False}
    visitor.page.locator(".st-key-front_table").wait_for()
    assert visitor.page.locator("[data-testid=stException]").count() == 0
    assert visitor.page.locator("[data-testid=stAlertContentError]").count() == 0


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
    visitor.page.get_by_test_id("stTopNavLink").filter(has_text="Models").click()
    visitor.page.locator(".st-key-front_table").wait_for()
    visitor.ready()
    assert visitor.page.evaluate("window.mostCurves") == 1


def test_the_price_slider_shows_another_rule_at_once_and_it_is_kept_on_rules(modelling):
    visitor, page = modelling, modelling.page
    page.get_by_role("button", name="Pick this one").first.click()  # whatever was picked before
    for key in ("End", "Home"):
        before = picked_rule(visitor)
        page.get_by_role("slider", name="Price θ of a condition").focus()
        page.keyboard.press(key)
        visitor.until(lambda before=before: picked_rule(visitor) != before)
    last = picked_rule(visitor)
    visitor.turn_to("Rules")
    visitor.until(lambda: page.locator("[data-testid=stCode]").first.inner_text() == last)


def test_stop_ends_a_run_before_its_end_and_keeps_the_points(modelling):
    visitor, page = modelling, modelling.page
    page.get_by_text("Price grid, rounding").click()
    page.locator(".st-key-run_thetas input").fill(", ".join(str(0.1 * k) for k in range(1, 60)))
    page.keyboard.press("Enter")
    visitor.reads("These results are for other settings")
    page.locator(".st-key-run button").first.click()
    page.locator(".st-key-cancel_run button").first.click()
    visitor.reads("The run was stopped")
    visitor.reads("Resume takes up where it stopped")
    visitor.ready()
    assert page.locator(".js-plotly-plot .points path").count() > 0
    assert "Resume" in page.locator(".st-key-run").inner_text()
