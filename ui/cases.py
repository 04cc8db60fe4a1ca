"""Cases to explain: which rows to list, in which order, and which one is chosen."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.rules import Columns, Literal, PowerLawSplit, RuleSet
from rulekit.rules.literal import missing_in
from ui.state import AppState

NEAR = 0.05  # a case is near the boundary if a value moving by this share of its range decides
ORDERED = ("<=", "<", ">=", ">")


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


def distance_to_boundary(
    rule: RuleSet, columns: Columns, ranges: dict[str, float]
) -> NDArray[np.float64]:
    """Return how far each row is from another answer, moving one value across one threshold.

    Parameters
    ----------
    rule : RuleSet
        Conditions that are not literals on numbers are not moved.
    columns : mapping of column name to array of shape (n,)
    ranges : dict of str to float
        Width of each numeric column's range, the unit of distance.

    Returns
    -------
    ndarray of shape (n,)
        Share of a range; infinite where no single threshold decides. For a sum of power laws its
        distance from the bound, as a share of the width of most rows' sums. One pass over the rows
        for each literal and clause.
    """
    answers = rule.predict(columns)
    distance = np.full(len(answers), np.inf)
    literals = dict.fromkeys(
        x for c in rule.clauses for x in c.literals if x.op in ORDERED and ranges.get(x.feature)
    )
    for literal in literals:
        column = np.asarray(columns[literal.feature], dtype=float)
        gap = np.abs(column - literal.value) / ranges[literal.feature]
        moved = dict(columns)
        moved[literal.feature] = _across(literal, column)
        flips = rule.predict(moved) != answers
        known = ~missing_in(column)
        distance = np.where(flips & known, np.fmin(distance, gap), distance)
    for split in dict.fromkeys(c for k in rule.clauses for c in k.conditions):
        if isinstance(split, PowerLawSplit) and not split.is_band:
            distance = np.fmin(distance, _from_bound(split, columns))
    return distance


def _from_bound(split: PowerLawSplit, columns: Columns) -> NDArray[np.float64]:
    """Return how far each row's sum is from its bound, as a share of the width of most sums."""
    margin = split.margin(columns)
    known = margin[np.isfinite(margin)]
    width = np.subtract(*np.quantile(known, [0.95, 0.05])) if len(known) else 0.0
    return np.where(np.isfinite(margin) & (width > 0), np.abs(margin) / (width or 1.0), np.inf)


def case_list(
    frame: pd.DataFrame, rule: RuleSet, *, show: str, words: str, distance: NDArray[np.float64]
) -> pd.DataFrame:
    """Choose the rows to list.

    Parameters
    ----------
    frame : DataFrame
        Columns ``row`` (number in the table), ``truly``, ``decided``, then the features.
    rule : RuleSet
    show : {"all", "errors", "near"}
    words : str
        Every word has to occur in some cell of the row (or be its number), whatever its case.
    distance : ndarray of shape (n,)
        From `distance_to_boundary`; orders the rows of "near", nearest first.

    Returns
    -------
    DataFrame
        Rows of `frame`, the rule's columns first.
    """
    keep = np.ones(len(frame), dtype=bool)
    if show == "errors":
        keep = (frame["truly"] != frame["decided"]).to_numpy()
    elif show == "near":
        keep = distance <= NEAR
    for word in words.lower().split():
        cells = frame.loc[keep].astype(str)
        found = cells.apply(lambda column, w=word: column.str.lower().str.contains(w, regex=False))
        hit = found.drop(columns="row").any(axis=1) | (cells["row"] == word)
        keep[np.flatnonzero(keep)] = hit.to_numpy()
    used = [f for f in rule.features if f in frame.columns]
    rest = [c for c in frame.columns if c not in ("row", "truly", "decided", *used)]
    listed = frame.loc[keep, ["row", "truly", "decided", *used, *rest]]
    if show == "near":
        listed = listed.iloc[np.argsort(distance[keep], kind="stable")]
    return listed


def ranges_of(columns: Columns) -> dict[str, float]:
    """Return the width of each numeric column's range, where it is positive and finite."""
    found = {}
    for name, column in columns.items():
        if column.dtype != object:
            numbers = np.asarray(column, dtype=float)
            numbers = numbers[np.isfinite(numbers)]
            if len(numbers) and numbers.max() > numbers.min():
                found[name] = float(numbers.max() - numbers.min())
    return found


def _across(literal: Literal, column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move every value just to the other side of a threshold; missing ones stay missing."""
    threshold = float(literal.value)  # type: ignore[arg-type]
    above = np.nextafter(threshold, np.inf)
    below = np.nextafter(threshold, -np.inf)
    if literal.op in ("<=", ">"):
        moved = np.where(column <= threshold, above, threshold)
    else:
        moved = np.where(column < threshold, threshold, below)
    return np.where(np.isnan(column), np.nan, moved)
