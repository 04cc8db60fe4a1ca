"""Row names, and tables of rows with a rule's predictions."""

from typing import Any

import pandas as pd

from rulekit.rules import RuleSet
from ui.rule_numbers import Rows
from ui.state import AppState

ROW, TRUTH, ANSWER = "row", "actual", "predicted"


def row_number(position: Any) -> Any:
    """Return what people call a row (or rows) of the table: the first one below the header is 1."""
    return position + 1


def row_position(number: int) -> int:
    """Return where the table has the row of a number that people use."""
    return number - 1


def row_name(position: int, state: AppState) -> str:
    """Return what a row is called: its number, and its label where a column holds labels."""
    name = f"Row {row_number(position)}"
    column = state.column_with_role("id")
    if column is None:
        return name
    label = state.table.frame[column].iloc[position]
    return name if pd.isna(label) else f"{name}, {state.label(column)} {label}"


def case_frame(rule: RuleSet, rows: Rows, state: AppState) -> pd.DataFrame:
    """List rows as people read them.

    Returns
    -------
    DataFrame
        `ROW`, `TRUTH` and `ANSWER`, then the features under their business names, those the rule
        reads first. Indexed from 0 on, as `rows` are.
    """
    used = [f for f in rule.features if f in rows.X.columns]
    frame = rows.X[[*used, *[c for c in rows.X.columns if c not in used]]].reset_index(drop=True)
    names: list[str] = [ROW, TRUTH, ANSWER]
    for column in frame.columns:
        name = state.label(column)
        names.append(name if name not in names else f"{name} ({column})")
    frame.insert(0, "", rows.answers(rule).astype(str), allow_duplicates=True)
    frame.insert(0, "", rows.y.astype(str), allow_duplicates=True)
    frame.insert(0, "", row_number(rows.X.index.to_numpy()), allow_duplicates=True)
    return frame.set_axis(names, axis=1)
