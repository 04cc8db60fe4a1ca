"""Cases to explain: which rows to list, in which order, and which one is chosen."""

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.explain import distance_to_boundary, ranges_of
from rulekit.rules import RuleSet
from ui.cases import row_number
from ui.row_picker import pick_row
from ui.rule_numbers import Rows
from ui.state import KEEP, AppState

SHOW = {"all": "all cases", "errors": "errors only", "near": "near the boundary"}
MAX_LISTED = 2000
NEAR = 0.05  # a case is near the boundary if a value moving by this share of its range decides


def case_table(rule: RuleSet, rows: Rows, train: Rows, state: AppState) -> int | None:
    """Let the reader choose a case; return its position among `rows`, None if none is listed."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    show = left.segmented_control(
        "Show",
        list(SHOW),
        format_func=SHOW.get,
        default="all",
        required=True,
        key="explain_show",
        **KEEP,
    )
    words = right.text_input("Search in any column, or a row number", key="explain_words", **KEEP)
    numbers = row_number(np.asarray(rows.X.index))
    frame = rows.X.reset_index(drop=True)
    frame.insert(0, "decided", rows.answers(rule).astype(str))
    frame.insert(0, "truly", rows.y.astype(str))
    frame.insert(0, "row", numbers)
    distance = distance_to_boundary(rule, rows.columns, ranges_of(train.columns))
    listed = case_list(frame, rule, show=show, words=words, distance=distance)
    if listed.empty:
        st.info("No case fits. Show all cases, or search for something else.")
        return None
    return _choose(listed.head(MAX_LISTED), len(listed), state)


def _choose(listed: pd.DataFrame, total: int, state: AppState) -> int:
    """Show the cases, one row always chosen, and return the chosen position."""
    positions = [int(k) for k in listed.index]
    wanted = st.session_state.get("explain_case", _asked(listed))
    place = positions.index(wanted) if wanted in positions else 0

    def remember(position: int) -> None:
        st.session_state["explain_case"] = positions[position]

    pick_row(
        listed.rename(columns=state.label),
        place,
        remember,
        key="explain_table",
        alt=f"{total} cases; choosing one explains it below",
        height=260,
    )
    if total > len(listed):
        st.caption(f"Listing the first {len(listed)} of {total} cases; search to find others.")
    return positions[place]


def _asked(listed: pd.DataFrame) -> int | None:
    """Return the position of the row named in the address (``?row=``), if it is listed."""
    asked = st.query_params.get("row", "")
    found = listed.index[listed["row"].astype(str) == asked]
    return int(found[0]) if len(found) else None


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
        From `rulekit.explain.distance_to_boundary`; orders the rows of "near", nearest first.

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
