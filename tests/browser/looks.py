"""What is asked of a page's looks: where its boxes stand, which words meet, what axe finds."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.browser.wire import STEADY

AXE = Path(find_spec("axe_playwright_python").submodule_search_locations[0]) / "axe.min.js"

# Words of figures that meet other words or points, or leave their figure; words cut by their box.
COVERED = """() => {
  const found = [];
  const shown = e => {
    const b = e.getBoundingClientRect();
    return b.width > 0 && b.height > 0 && e.checkVisibility({visibilityProperty: true});
  };
  const slanted = e => {
    const turn = /rotate\\((-?[\\d.]+)/.exec(e.getAttribute("transform") ?? "");
    return turn !== null && Number(turn[1]) % 90 !== 0;
  };
  // What a drawing shows of a word: the box of the clip path it stands in, or all.
  const room = (e, whole) => {
    const clipped = e.closest("[clip-path]");
    const id = /#([^"')]+)/.exec(clipped?.getAttribute("clip-path") ?? "")?.[1];
    const rect = id && document.getElementById(id)?.querySelector("rect");
    if (!rect) return whole;
    const at = clipped.getScreenCTM();
    const [x, y, width, height] = ["x", "y", "width", "height"].map(
      name => Number(rect.getAttribute(name)));
    const left = at.e + at.a * x, top = at.f + at.d * y;
    return {left, top, right: left + at.a * width, bottom: top + at.d * height};
  };
  const meet = (a, b, by) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > by
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;
  for (const plot of document.querySelectorAll("[data-testid=stMain] .js-plotly-plot")) {
    if (!shown(plot)) continue;
    const whole = plot.querySelector(".main-svg").getBoundingClientRect();
    const words = [...plot.querySelectorAll("text")].filter(
      e => e.textContent.trim() && shown(e) && !e.closest(".hoverlayer, .modebar"));
    const boxes = words.map(e => e.getBoundingClientRect());
    const points = [...plot.querySelectorAll(".scatterlayer .points path")].filter(shown)
      .map(e => e.getBoundingClientRect());
    words.forEach((word, i) => {
      const said = word.textContent, box = boxes[i], inside = room(word, whole);
      if (box.left < inside.left - 1 || box.right > inside.right + 1
          || box.top < inside.top - 1 || box.bottom > inside.bottom + 1)
        found.push(`"${said}" leaves its figure`);
      for (let j = i + 1; j < words.length; j += 1)
        if (!(slanted(word) && slanted(words[j])) && meet(box, boxes[j], 1))
          found.push(`"${said}" meets "${words[j].textContent}"`);
      if (!word.closest(".legend, .xtick, .ytick") && points.some(p => meet(box, p, 2)))
        found.push(`"${said}" covers a point`);
    });
  }
  for (const e of document.querySelectorAll("[data-testid=stMain] *, .stAppHeader *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(e);
    if (own && shown(e) && style.overflowX !== "visible" && style.overflowX !== "auto"
        && e.clientWidth > 2 && e.scrollWidth > e.clientWidth + 1
        && !e.closest("[data-testid=stIconMaterial], [data-testid=stCode], input"))
      found.push(`"${e.textContent.trim()}" is cut`);
  }
  return found;
}"""


def find_covered(page: Any) -> list[str]:
    """Return, as sentences, which words of a page are cut or covered."""
    return sorted(set(page.evaluate(COVERED)))


def findings(page: Any) -> list[str]:
    """Return what axe-core calls serious or critical: the rule and where it is broken."""
    result = _judged(page)
    if result:  # a page that is drawn anew fades meanwhile, which lowers its contrast
        page.wait_for_function(STEADY)
        result = [one for one in _judged(page) if one in result]
    return result


def _judged(page: Any) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{output['id']}: {node['html'][:150]}"
        for output in result["violations"]
        if output["impact"] in ("serious", "critical")
        for node in output["nodes"]
    ]


def length(page: Any) -> float:
    """Return the height of all that a page holds, in pixels."""
    return page.get_by_test_id("stMain").evaluate("e => e.scrollHeight")


def box(page: Any, selector: str) -> dict[str, float]:
    """Return the box of the first visible element of a selector."""
    return page.locator(selector).locator("visible=true").first.bounding_box()


def within(box: dict[str, float], page: Any) -> bool:
    """Return whether the whole box is on the screen, without scrolling."""
    size = page.viewport_size
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"] + 1
        and box["y"] + box["height"] <= size["height"] + 1
    )
