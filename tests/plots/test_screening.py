"""Figures of screening: every condition is drawn once."""

import pandas as pd

from rulekit.plots import screening_figure, screening_sentence, screening_table


def test_bars_and_the_sentence_count_all_conditions():
    row = {"conditions": 10, "simple": 3, "pairs": 4, "duality": 2, "kept": 1}
    rows = [row | {"column": f"column {k}"} for k in range(40)]
    nothing = {"column": "constant", "conditions": 0}
    hostile = {"column": "<b>x</b>", "conditions": 9, "simple": 1, "kept": 8}
    counts = pd.DataFrame([*rows, nothing, hostile]).fillna(0).astype({"kept": int})
    table = screening_table(counts)
    assert len(table) == 30
    assert table["column"][0] == "<b>x</b>"
    assert "constant" not in set(table["column"])
    figure = screening_figure(table)
    assert sum(trace.x.sum() for trace in figure.data) == table["conditions"].sum()
    assert "<b>" not in "".join(figure.data[0].y)
    sentence = screening_sentence(counts)
    assert sentence.startswith("Of 409 candidate conditions 48 may matter; removed: 121 because")
    assert sentence.endswith("Most are left of <b>x</b>: 8.")
    assert screening_sentence(counts[counts["conditions"] == 0]) == (
        "There are no candidate conditions."
    )
    few = counts.drop(columns="duality")
    assert [trace.name for trace in screening_figure(screening_table(few)).data] == [
        "may matter", "costs as much as it saves", "another does the same for no more",
    ]  # fmt: skip
    assert "every rule" not in screening_sentence(few)
