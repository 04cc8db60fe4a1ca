"""The Binning page's card on how many of the candidate conditions can matter."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.learners import ConditionScreening, screen_conditions
from rulekit.plots import screening_figure, screening_sentence, screening_table
from ui.escape import md
from ui.runs.background import answer_of
from ui.runs.worker import Reporter
from ui.state import KEEP, AppState
from ui.theme import chart

AT_ONCE = 400_000  # largest table in values that is screened without a button
LISTED = 1000
LAST = "duality"  # the slowest test
TESTS = {
    "simple": (
        "costs as much as it saves",
        "it and the rows it decides wrongly weigh as much as all rows it decides rightly.",
    ),
    "pairs": (
        "another does the same for no more",
        "another cut point of the column can stand in its place in every rule.",
    ),
    "duality": (
        "every rule with it is worse",
        "the linear program proves that each rule holding it costs more than a known rule.",
    ),
}


def screening_card(state: AppState, n_conditions: int) -> None:
    """Show how many conditions are not needed by some best rule of one clause, by test."""
    if state.several:
        st.caption("How many conditions can matter is proved for rules of one class only.")
        return
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    theta = left.number_input(
        "Price θ of a condition, in rows",
        0.0,
        None,
        1.0,
        step=0.5,
        format="%g",
        key="screening_theta",
        help="A condition must save this many training rows to be worth having.",
        **KEEP,
    )
    right.caption(
        "For a rule of one clause (one AND), many conditions can be ruled out before anything is "
        "learned: a best rule is proved to do without them. Each removal has a certificate that "
        "can be checked by plain counting. In rules of several clauses they may still matter."
    )
    key = repr((state.fit_key, theta))
    large = state.training[0].size > AT_ONCE
    task = partial(screen, replace(state, sweep=None, model=None), float(theta))
    words = f"Screen the {n_conditions:,} conditions" if large else None
    screening = answer_of("screening", "Screening", key, task, offer=words)
    if screening is None:
        return
    if not len(screening.counts[screening.counts["test"] == LAST]):
        st.caption("What counting removes. The linear program may remove more.")
    _numbers(screening)
    _picture(screening, state)
    with st.expander("Why each condition was removed"):
        _certificates(screening, key)


def screen(state: AppState, theta: float, reporter: Reporter) -> ConditionScreening:
    """Screen by counting (fast), then by the linear program (minutes on large tables), as a job."""
    X, y = state.training
    options = {
        "theta": theta,
        "positive_label": state.positive,
        "binarizer": state.binning.binarizer(),
        "sample_weight": state.training_weight,
    }
    reporter.report(interim=screen_conditions(X, y, how="counting", **options))
    return screen_conditions(X, y, how="duality", **options)


def check(found: ConditionScreening, reporter: Reporter) -> list[Any]:
    """Return the certificates that do not hold on the table, as a job."""
    return found.unproved()


def _numbers(screening: ConditionScreening) -> None:
    left = screening.n_conditions - screening.n_removed
    container = st.container(horizontal=True, gap="large")
    share = screening.n_removed / max(1, screening.n_conditions)
    container.metric(
        "Removed with proof", f"{screening.n_removed:,} ({share:.1%})", width="content"
    )
    container.metric("May matter", f"{left:,}", width="content")
    shown = screening.counts.assign(test=[TESTS[name][0] for name in screening.counts["test"]])
    st.dataframe(
        shown[["test", "first", "alone"]].rename(
            columns={"test": "removed because", "first": "removed first", "alone": "by itself"}
        ),
        hide_index=True,
        column_config={
            "removed because": st.column_config.TextColumn(width="large"),
            "removed first": st.column_config.NumberColumn(
                help="by this test and by none above it", format="localized"
            ),
            "by itself": st.column_config.NumberColumn(
                help="whatever the other tests remove", format="localized"
            ),
        },
        alt="How many conditions each test removes.",
    )
    for name in screening.counts["test"]:
        short, long = TESTS[name]
        st.caption(f"**{short[0].upper()}{short[1:]}:** {long}")


def _picture(screening: ConditionScreening, state: AppState) -> None:
    columns = screening.per_column()
    columns["column"] = [state.label(name) for name in columns["column"]]
    table = screening_table(columns)
    sentence = screening_sentence(columns)
    chart(screening_figure(table), "screening_chart", sentence)
    st.caption(md(sentence, 500))
    if (more := int((columns["conditions"] > 0).sum()) - len(table)) > 0:
        st.caption(f"{more} more columns with fewer remaining conditions are not shown.")


def _certificates(screening: ConditionScreening, key: str) -> None:
    """List certificates, and check them all on demand."""
    listed: pd.DataFrame = screening.certificates(limit=LISTED)
    if not len(listed):
        st.caption("No condition was removed.")
        return
    if screening.n_removed > LISTED:
        st.caption(f"The first {LISTED:,} of {screening.n_removed:,}.")
    st.dataframe(
        listed[["condition", "sentence"]],
        hide_index=True,
        column_config={"sentence": st.column_config.TextColumn("why", width="large")},
        alt="Each condition removed, and the numbers that prove it.",
    )
    offer = "Check every certificate on the table"
    checked = f"{key}{screening.n_removed}"
    wrong = answer_of("certificates", "Checking", checked, partial(check, screening), offer=offer)
    if wrong:
        st.error(f"{len(wrong):,} certificates do not hold; please report this table.")
    elif wrong is not None:
        st.success(f"All {screening.n_removed:,} certificates hold.")
