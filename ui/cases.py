"""Row names, and tables of rows with a rule's predictions."""

from typing import Any

import pandas as pd

from rulekit.rules import RuleSet
from ui.rule_numbers import Rows
from ui.state import AppState

ROW, TRUTH, ANSWER = "row", "actual", "predicted"


def row_number(position: Any) -> Any:
    """Return the display number of a row (or rows) of the table: the first one is 1."""
    return position + 1


def row_position(number: int) -> int:
    """Return the table's position for a display number."""
    return number - 1


def row_name(position: int, state: AppState) -> str:
    """Return a row's display name: its number, and its label if a column has labels."""
    name = f"Row {row_number(position)}"
    column = state.column_with_role("id")
    if column is None:
        return name
    label = state.table.frame[column].iloc[position]
    return name if pd.isna(label) else f"{name}, {state.label(column)} {label}"


def case_frame(rule: RuleSet, rows: Rows, state: AppState) -> pd.DataFrame:
    """List rows for display: `ROW`, `TRUTH`, `ANSWER`, features of the rule, then the others."""
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
