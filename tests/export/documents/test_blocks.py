"""What every document of a rule says."""

import numpy as np

from rulekit.export import clause_numbers, from_text, to_html, to_markdown, to_text


def test_scorecards_are_counted_in_conditions_and_named_by_totals():
    text = (
        "1. IF POINTS [2 if a > 1, 1 if b > 1] >= 3 THEN x\n"
        "2. IF POINTS [2 if a > 1, 1 if b > 1] >= 1 THEN y\nOTHERWISE z"
    )
    rule = from_text(text)
    size = "2 conditions: add up the points; the total decides."
    assert to_text(rule).startswith(f"# {size}\n")
    numbers = clause_numbers(
        rule, {"a": np.array([2.0, 2.0]), "b": np.array([2.0, 0.0])}, ["x"] * 2
    )
    for written in (to_markdown(rule, numbers=numbers), to_html(rule, numbers=numbers)):
        assert size in written
        assert "Total from 3: decides 1 training row" in written
        assert "Total from 1 to 2: decides 1 training row" in written
