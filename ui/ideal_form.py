"""The ideal DNF's own settings of a run, and the folds that a small table is offered."""

import streamlit as st

from ui.learners import IDEAL, RunSpec

KEEP = {"persist_state": "session"}
SMALL = 100  # training rows below which each row can be left out in turn
CUTS = {"median": "cut at its median (the paper's way)", "binning": "cut as on Binning"}
MODES = {
    "compact": "whatever makes the formula shortest",
    "paper": "the other class (the paper's way)",
}


def ideal_options(learners: list[str], usual: RunSpec) -> dict[str, str]:
    """Ask for the ideal DNF's settings where it is among the learners of a run."""
    if IDEAL not in learners:
        return {}
    left, right = st.columns(2)
    cuts = left.selectbox(
        "Ideal DNF: a number becomes a condition",
        list(CUTS),
        list(CUTS).index(usual.ideal_cuts),
        format_func=CUTS.get,
        key="run_ideal_cuts",
        **KEEP,
    )
    mode = right.selectbox(
        "Ideal DNF: cases the table tells nothing about get",
        list(MODES),
        list(MODES).index(usual.ideal_mode),
        format_func=MODES.get,
        key="run_ideal_mode",
        help="Types of cases that do not occur, or occur with both classes equally often.",
        **KEEP,
    )
    st.caption(
        "The ideal DNF is asked for 1 to 10 conditions; shape, clauses, prices and rounding are "
        "not asked of it, and of the constraints it keeps “must not appear” alone."
    )
    return {"ideal_cuts": cuts, "ideal_mode": mode}


def fold_choices(n_rows: int, n_least: int) -> dict[int, str]:
    """Name the numbers of folds to choose from.

    Of a small table also one for each row; no more than the rarest class has rows, as each fold
    needs a row of it (two, where a class has but one: the run then says what is wrong).
    """
    choices = {10: "10 folds", 5: "5 folds (quick)"}
    fewest = max(2, n_least)
    fitting = {k: words for k, words in choices.items() if k <= n_least}
    choices = fitting or {fewest: f"{fewest} folds, as the rarest class has few rows"}
    return choices | ({n_rows: "leave one out"} if 10 < n_rows < SMALL else {})
