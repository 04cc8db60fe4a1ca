"""Cases to explain: which rows to list, in which order, and which one is chosen."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from rulekit.explain import distance_to_boundary, ranges_of
from rulekit.rules import RuleSet
from ui.cases import ANSWER, ROW, TRUTH
from ui.row_picker import pick_row
from ui.rule_numbers import Rows, matches
from ui.state import KEEP, AppState
from ui.words import value_words

SHOW = {"all": "all", "errors": "wrong only", "near": "near the boundary"}
PART, SHOWN = "explain_part", "explain_show"
ANY = "any"
MAX_LISTED = 2000
MAX_VALUES = 20  # columns of more values are searched, not filtered
NEAR = 0.05  # a case is near the boundary if a value moving by this share of its range decides
Mask = NDArray[np.bool_]


def ask_which(place: DeltaGenerator, parts: Sequence[str]) -> None:
    """Show the choice of a part of the table and of its cases; see `which`."""
    parted = {part: f"{part} rows" for part in parts}
    with place.container(horizontal=True):
        for label, key, words in (("Rows", PART, parted), ("Show", SHOWN, SHOW)):
            st.segmented_control(
                label,
                list(words),
                format_func=words.get,
                default=next(iter(words)),
                required=True,
                key=key,
                label_visibility="collapsed",
                width="content",
                **KEEP,
            )


def which(parts: Sequence[str]) -> tuple[str, str]:
    """Return the part of the table and the kind of cases chosen, also without widgets."""
    part = st.session_state.get(PART)
    return part if part in parts else parts[0], st.session_state.get(SHOWN, "all")


def case_table(
    frame: pd.DataFrame, show: str, rule: RuleSet, rows: Rows, train: Rows, state: AppState
) -> int | None:
    """Show the list of cases; return the chosen position among `rows`, None if none is listed.

    `frame` is what `ui.cases.case_frame` makes of the rows; for `show` see `case_list`.
    """
    search, *narrow = st.columns([4, 3, 3, 3], vertical_alignment="bottom")
    words = search.text_input("Search in any column, or a row number", key="explain_words", **KEEP)
    keep = _narrowed(narrow, rule, rows, state)
    distance = distance_to_boundary(rule, rows.columns, ranges_of(train.columns))
    listed = case_list(frame[keep], show=show, words=words, distance=distance[keep])
    if listed.empty:
        st.info("No case fits. Show all cases, or search for something else.")
        return None
    return _choose(listed.head(MAX_LISTED), len(listed))


def _narrowed(places: Sequence[DeltaGenerator], rule: RuleSet, rows: Rows, state: AppState) -> Mask:
    """Show the filters by clause and group; return which cases are left."""
    fired = matches(rule, rows)
    verb = "holds" if rule.form == "dnf" else "fails"
    clauses = {f"clause {k + 1} {verb}": fired[:, k] for k in range(rule.n_clauses)}
    clauses[f"no clause {verb}"] = ~fired.any(axis=1)
    clause = places[0].selectbox("Clause", [ANY, *clauses], key=f"explain_clause_{rule.n_clauses}")
    keep = clauses.get(clause, np.ones(len(rows.y), dtype=bool))
    columns = [c for c in rows.X.columns if rows.X[c].nunique() <= MAX_VALUES]
    column = places[1].selectbox(
        "Group",
        [None, *columns],
        format_func=lambda c: ANY if c is None else state.label(c),
        key="explain_group",
        help=f"A column of at most {MAX_VALUES} values, and one of these.",
    )
    if column is None:
        return keep
    cells = rows.X[column].astype(object)
    values = sorted(cells.dropna().unique(), key=lambda v: (isinstance(v, str), v))
    chosen = places[2].selectbox(
        "Value", values, format_func=value_words, key=f"explain_group_{column}"
    )
    return keep & (cells == chosen).to_numpy()


def _choose(listed: pd.DataFrame, total: int) -> int:
    """Show the cases, one row always chosen, and return the chosen position."""
    positions = [int(k) for k in listed.index]
    wanted = chosen_case(listed)
    place = positions.index(wanted)

    def remember(position: int) -> None:
        st.session_state["explain_case"] = positions[position]

    pick_row(
        listed,
        place,
        remember,
        key="explain_table",
        alt=f"{total} cases; choosing one explains it beside the table",
        height=540,
    )
    more = f"Listing the first {len(listed):,}; search to find others. " * (total > len(listed))
    wrong = int((listed[TRUTH] != listed[ANSWER]).sum())
    st.caption(f"{total:,} cases. {more}The prediction is wrong for {wrong:,} of those listed.")
    return positions[place]


def chosen_case(listed: pd.DataFrame) -> int:
    """Return the position of the case chosen before, or named in the address, or the first."""
    addressed = listed.index[listed[ROW].astype(str) == st.query_params.get("row", "")]
    wanted = st.session_state.get("explain_case", int(addressed[0]) if len(addressed) else None)
    return int(wanted if wanted in listed.index else listed.index[0])


def case_list(
    frame: pd.DataFrame, *, show: str, words: str, distance: NDArray[np.float64]
) -> pd.DataFrame:
    """Choose the rows to list.

    Parameters
    ----------
    frame : DataFrame
        Of `ui.cases.case_frame`, or a part of it.
    show : {"all", "errors", "near"}
    words : str
        Every word has to occur in some cell of the row (or be its number), whatever its case.
    distance : ndarray of shape (n,)
        From `rulekit.explain.distance_to_boundary`; orders the rows of "near", nearest first.

    Returns
    -------
    DataFrame
        Rows of `frame`.
    """
    keep = np.ones(len(frame), dtype=bool)
    if show == "errors":
        keep = (frame[TRUTH] != frame[ANSWER]).to_numpy()
    elif show == "near":
        keep = distance <= NEAR
    for word in words.lower().split():
        cells = frame.loc[keep].astype(str)
        found = cells.apply(lambda column, w=word: column.str.lower().str.contains(w, regex=False))
        hit = found.drop(columns=ROW).any(axis=1) | (cells[ROW] == word)
        keep[np.flatnonzero(keep)] = hit.to_numpy()
    listed = frame[keep]
    if show == "near":
        listed = listed.iloc[np.argsort(distance[keep], kind="stable")]
    return listed
