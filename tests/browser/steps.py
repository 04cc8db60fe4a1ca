"""Steps of a person's path that several tests take, and where a page shows what."""

import numpy as np

CURVE, RULE = "[class*=st-key-front_] .js-plotly-plot", "[data-testid=stText]"
SIDES = ".st-key-two_columns > div > .stHorizontalBlock > .stColumn"
FAR_END = "slider => slider.value === slider.max ? 'Home' : 'End'"


def aimed_at(visitor, target, positive=None):
    """Choose the outcome on Data, and the class that the rule describes."""
    page = visitor.page
    box = page.get_by_role("combobox", name="Target column").first
    if box.input_value() != target:
        with visitor.action():
            box.click()
            box.fill(target)
            page.get_by_role("option", name=target, exact=True).first.click()
    if positive is not None:
        option = page.locator("label", has_text=f"{positive} (").first
        if not option.locator("input").is_checked():
            with visitor.action():
                option.click()


def found_first(visitor):
    """Wait on Models until the first pass is over: its points are drawn, its rule beside them."""
    visitor.page.locator(f"{CURVE} .points path").first.wait_for()
    visitor.page.locator(RULE).first.wait_for()
    return searched(visitor)


def searched(visitor):
    """Wait until no search goes on."""
    visitor.page.locator(".st-key-stop_run").wait_for(state="detached")
    return visitor.ready()


def rule(visitor):
    """The selected rule, as Models writes it."""
    return visitor.page.locator(RULE).first.inner_text()


def slide(visitor, key=None):
    """Press a key on the slider of conditions, or go to its far end; wait for another rule."""
    before = rule(visitor)
    slider = visitor.page.get_by_role("slider", name="Conditions at most")
    with visitor.action():
        visitor.until_sent(lambda: slider.press(key or slider.evaluate(FAR_END)), "the slider")
    visitor.until(lambda: rule(visitor) != before)
    return rule(visitor)


def edit_cut(visitor):
    """Open on Rules the first condition with a cut point; return its slider, None without one."""
    page = visitor.page
    for k in range(page.get_by_role("button", name="Edit", exact=True).count()):
        with visitor.action():
            page.locator(f".st-key-edit_{k} button").focus()
            page.keyboard.press("Enter")
        conditions = page.locator("[class*=st-key-conditions_]").get_by_role("radio")
        for i in range(conditions.count() - 1):
            if not conditions.nth(i).is_checked():
                with visitor.action():
                    conditions.nth(i).focus()
                    page.keyboard.press("Space")
            slider = page.locator("[class*=st-key-slide_]").get_by_role("slider")
            if slider.count():
                return slider.first
    return None


def move_cut(visitor, slider, key="ArrowRight"):
    """Press a key on the slider of a cut point; wait for the errors of the edited rule."""
    reported = visitor.page.locator("[class*=st-key-edited_errors_]")
    before = reported.inner_text()
    slider.focus()
    visitor.page.keyboard.press(key)
    visitor.until(lambda: reported.inner_text() != before)
    return reported.inner_text()


def downloaded(visitor):
    """Download the rule in the format that Export shows; return its text."""
    with visitor.page.expect_download() as download:
        visitor.page.locator(".st-key-download_format button").click()
    return download.value.path().read_text("utf-8")


def table(n=300, seed=0, outcome="ill", words=("yes", "no"), town=("Bonn", "Ulm")):
    """A file with a planted rule, and one row in twelve decided the other way."""
    rng = np.random.default_rng(seed)
    age, glucose = rng.integers(20, 80, n), rng.integers(70, 200, n)
    towns = rng.choice(town, n)
    holds = ((glucose > 126) & (age > 45)) | ((glucose > 180) & (towns == town[1]))
    ill = np.where(holds ^ (rng.random(n) < 1 / 12), *words)
    lines = [f"{a},{g},{t},{i}" for a, g, t, i in zip(age, glucose, towns, ill, strict=True)]
    return "\n".join([f"age,glucose,town,{outcome}", *lines]).encode()
