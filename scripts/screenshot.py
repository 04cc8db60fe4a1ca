"""Draw the pictures of guide and README, or every page in every size and theme for looking at.

Run as ``python -m scripts.screenshot [--out FOLDER] [--every-page]``; needs Chromium.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from rulekit.data import credit
from tests.browser.steps import CURVE, found_first, searched
from tests.browser.visitor import Visitor, chromium_at, chromium_path, served
from ui.shell import PAGES

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "guide" / "pictures"
FIRST_PAGE = ROOT / "ui" / "pictures"
SIZES = {"1440x900": (1440, 900), "1280x720": (1280, 720), "1920x1080": (1920, 1080),
         "narrow": (420, 900)}  # fmt: skip


def viewport(width: int, height: int) -> dict[str, int]:
    """Return a size as a viewport of the browser."""
    return {"width": width, "height": height}


def analyst(browser: Any, address: str) -> Visitor:
    """Open the credit sample."""
    visitor = Visitor.of(browser, address, viewport=viewport(*SIZES["1440x900"]))
    return visitor.go().press("sample_credit")


def draw(visitor: Visitor, file: Path) -> None:
    """Draw what a person sees, once the page stands and no button looks pressed."""
    visitor.page.mouse.move(5, 5)
    visitor.ready()
    file.parent.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=file, animations="disabled")
    print(f"Drawn: {file}")


def guide(visitor: Visitor, folder: Path) -> None:
    """Draw the way through the pages, as the guide shows it; the README shows two of these."""
    draw(visitor, folder / "data.png")
    found_first(visitor.turn_to("Models"))
    for title in ("Models", "Rules", "Explain", "Score", "Export"):
        if title != "Models":
            visitor.turn_to(title)
        if title == "Score":
            visitor.upload("next_month.csv", credit(300, random_state=1).frame.to_csv().encode())
        draw(visitor, folder / f"{title.lower()}.png")
    visitor.turn_to("Explain")
    visitor.press("presenter_on")
    draw(visitor, folder / "presenter.png")


def first_page(visitor: Visitor, folder: Path = FIRST_PAGE) -> None:
    """Draw what the first page shows beside the upload: the curve and where the rows go."""
    found_first(visitor.turn_to("Models"))
    for theme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=theme)
        for page, part, selector in (
            ("Models", "curve", CURVE),
            ("Rules", "flow", "[class*=st-key-flow_] .js-plotly-plot"),
        ):
            searched(visitor.turn_to(page).reload())
            figure = visitor.page.locator(selector).first
            figure.screenshot(path=folder / f"{part}-{theme}.png", animations="disabled")
            print(f"Drawn: {folder / part}-{theme}.png")


def every_page(visitor: Visitor, folder: Path) -> None:
    """Draw each page in each size, light and dark."""
    found_first(visitor.turn_to("Models"))
    for name, (title, _) in PAGES.items():
        visitor.page.set_viewport_size(viewport(*SIZES["1440x900"]))
        visitor.turn_to(title)
        for theme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=theme)
            searched(visitor.reload())
            for size, pixels in SIZES.items():
                visitor.page.set_viewport_size(viewport(*pixels))
                draw(visitor, folder / f"{name}-{size}-{theme}.png")


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description="Draw pictures of the dashboard.")
    parser.add_argument("--out", type=Path, default=PICTURES, metavar="FOLDER")
    parser.add_argument("--every-page", action="store_true", help="in every size and theme")
    chosen = parser.parse_args(arguments)
    if (path := chromium_path()) is None:
        sys.exit("No Chromium was found; install the package `chromium`.")
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium_at(path) as browser,
        served(Path(folder) / "workspace") as address,
    ):
        visitor = analyst(browser, address)
        (every_page if chosen.every_page else guide)(visitor, chosen.out)
        visitors = [visitor]
        if chosen.out == PICTURES:
            visitors.append(analyst(browser, address))
            first_page(visitors[-1])
        for visitor in visitors:
            visitor.leave()
            for complaint in visitor.complaints + visitor.outside:
                print(f"Met: {complaint}", file=sys.stderr)


if __name__ == "__main__":
    main()
