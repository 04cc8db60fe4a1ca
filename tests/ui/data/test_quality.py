import numpy as np
import pandas as pd

from rulekit.data import Table, read_table
from ui.data.quality import left_out, proposals

ROWS = 300


def test_ignored_dates_and_phrases_are_offered_and_nothing_else():
    rng = np.random.default_rng(0)
    words = np.array(["late", "paid", "heavy", "cold", "gift", "sent", "lost", "new"])
    columns = {
        "order_id": [f"order {k}" for k in range(ROWS)],
        "day": [f"2024-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(ROWS)],
        "note": [" ".join(rng.permutation(words)[:4]) for _ in range(ROWS)],
        "ticket": [f"X{k * 7919 % 10007}" for k in range(ROWS)],
        "grade": ["good", "poor"] * (ROWS // 2),
        "outcome": ["a", "b", "c"] * (ROWS // 3),
    }
    lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
    table = read_table("\n".join([",".join(columns), *lines]).encode(), name="orders")
    table = table.with_roles({"outcome": "target"})
    assert left_out(table) == {"day": "dates", "note": "words"}
    assert left_out(table.with_roles({"day": "feature", "note": "feature"})) == {}
    assert left_out(table, ignored=["day"]) == {"note": "words"}


def test_grades_are_proposed_with_their_order_until_they_have_it():
    n = 60
    frame = pd.DataFrame(
        {
            "size": ["M", "S", "L"] * (n // 3),
            "grade": ["high", "low", "medium"] * (n // 3),
            "town": ["Ulm", "Bonn", "Kiel"] * (n // 3),
            "outcome": ["a", "b"] * (n // 2),
        }
    )
    table = Table.from_frame(frame).with_roles({"outcome": "target"})
    assert [(p.name, p.order) for p in proposals(table)] == [
        ("size", ("S", "M", "L")),
        ("grade", ("low", "medium", "high")),
    ]
    assert proposals(table)[1].reads == "the order low < medium < high"
    ordered = table.with_order("size", ["S", "M", "L"])
    assert [p.name for p in proposals(ordered)] == ["grade"]
    assert [p.name for p in proposals(ordered.with_roles({"grade": "ignore"}))] == []
