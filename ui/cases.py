"""What rows of the table are called."""

from typing import Any

import pandas as pd

from ui.state import AppState


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
