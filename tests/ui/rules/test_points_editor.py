"""A scorecard is changed on the page: what is written there is the card that is scored."""

import numpy as np
import pytest

from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from ui.rule_numbers import Rows
from ui.rules import points_editor
from ui.rules.editor import obstacle
from ui.state import AppState

TESTS = (Literal("age", ">", 60.0), Literal("bp", ">", 140.0))
CARD = RuleSet(
    tuple(Clause((PointsSplit(TESTS, (3, 2), t),)) for t in (5, 2)), ("ill", "watch"), "dnf", "well"
)


@pytest.fixture
def train():
    columns = {"age": np.array([70.0, 50.0]), "bp": np.array([150.0, 120.0])}
    return Rows("training", None, np.array(["ill", "well"]), columns)


def written(monkeypatch, change, totals, pressed=True):
    requested = iter(totals)
    st = points_editor.st
    monkeypatch.setattr(st, "data_editor", lambda rows, **_: change(rows))
    monkeypatch.setattr(st, "number_input", lambda *_, value, **__: next(requested) or value)
    monkeypatch.setattr(st, "button", lambda *_, **__: pressed)


def test_written_points_and_totals_equal_the_card(monkeypatch, train):
    written(monkeypatch, lambda rows: rows.assign(points=[4, 1]), [None, 4])
    assert obstacle(CARD) == ""
    edited = points_editor.edited_card(CARD, train, AppState())
    assert [(s.points, s.total) for s in scorecard_of(edited)] == [((4, 1), 5), ((4, 1), 4)]
    assert edited.labels == CARD.labels


def test_nothing_changes_before_the_card_is_to_be_scored(monkeypatch, train):
    written(monkeypatch, lambda rows: rows.assign(points=[0, 0]), [None, None], pressed=False)
    assert points_editor.edited_card(CARD, train, AppState()) is None


def test_unreachable_total_gives_a_sentence(monkeypatch, train):
    written(monkeypatch, lambda rows: rows, [9, None])
    with pytest.raises(RuleError, match="no row can reach 9"):
        points_editor.edited_card(CARD, train, AppState())
