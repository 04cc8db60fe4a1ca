"""A condition is edited by the keyboard alone, in light and in dark."""

import pytest

from tests.browser import looks
from tests.browser.steps import edit_cut, found_first, move_cut

SCREEN = {"width": 1440, "height": 1000}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_cut_point_moves_by_keyboard_and_is_undone(visit, theme):
    visitor = visit("/", viewport=SCREEN, color_scheme=theme).press("sample_credit")
    found_first(visitor.turn_to("Models"))
    before = visitor.turn_to("Rules").text()
    slider = edit_cut(visitor)
    assert "change their prediction" in move_cut(visitor, slider)
    assert looks.findings(visitor.page) == []
    assert looks.covered(visitor.page) == []
    for key in ("score_edit", "undo_edit"):
        with visitor.action():
            visitor.page.locator(f".st-key-{key} button").focus()
            visitor.page.keyboard.press("Enter")
        assert ("edited by hand" in visitor.text()) == (key == "score_edit")
    verdict = next(line for line in before.split("\n") if line.startswith("Wrong for"))
    assert verdict in visitor.text()
