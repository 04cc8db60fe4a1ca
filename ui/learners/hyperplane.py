"""Boxes from a plane as a learner of Models.

The price ``theta`` of a setting is ν here, the price of a unit of margin violation, and
``n_clauses`` the maximal number of boxes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.families.hyperplane import HyperplaneExplanation, explain_with_hyperplane
from rulekit.families.hyperplane.hyperplane import plane_prices
from rulekit.families.hyperplane.plots.hypercubes import (
    has_one_plane,
    intervals,
    number_names,
    numbers_of,
)
from rulekit.rules import Clause
from rulekit.style.phrases import Wording
from rulekit.style.wording import percent
from ui.escape import md
from ui.learners.hyperplane_cards import hypercubes, interval_view
from ui.learners.learner import CLAUSES_DIAL, Cards, Dial, Learner
from ui.learners.prices import as_entered, price_input
from ui.learners.spec import RunSpec
from ui.rule_numbers import Rows
from ui.state import KEEP, AppState
from ui.words import clause_words


def box_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Rows, words: Wording, *, plain: bool
) -> None:
    """Show the box around one case, its training rows, and the plane's confidence."""
    if plain or not has_one_plane(model):
        return
    used = np.flatnonzero(model.plane_.w)
    case = numbers_of(model, X)[0, used]
    if np.isnan(case).any():
        gap = number_names(model, words)[int(np.isnan(case).argmax())]
        st.info(f"The plane cannot place this case: it has no value in {md(gap, 60)}.")
        return
    explanation = explain_with_hyperplane(model, X)[0]
    if explanation.rule_prediction != explanation.prediction:
        text = (
            f"The rule answers {explanation.rule_prediction}, because none of its boxes holds this "
            f"case. The plane that the boxes were cut from answers {explanation.prediction}."
        )
        st.info(md(text, 300))
    elif explanation.rule is None and model.uncovered == "hyperplane":
        st.info("This case is in no box of the rule; the plane predicted it.")
    with st.expander("The box of this case, and how sure the plane is"):
        _figures(explanation)
        st.markdown(md(explanation.sentence_with(words), 900))
        table = intervals(model, explanation.prediction, explanation.faces, case, words)
        interval_view(table, "case_box")
        _covering(explanation, words)


def _figures(explanation: HyperplaneExplanation) -> None:
    columns = st.columns(4)
    sure = "—" if explanation.confidence is None else percent(explanation.confidence)
    columns[0].metric(
        "Confidence of the plane",
        sure,
        help="How often the plane is right at this distance and with this answer, measured on "
        "training rows it had not seen.",
    )
    rows = (
        f"{explanation.n_right} of {explanation.n_covered}" if explanation.n_covered else "no case"
    )
    columns[1].metric("Right in this box", rows)
    columns[2].metric(
        "Size of the box",
        percent(explanation.volume_ratio),
        help="Its volume, of the largest box that fits on this side of the plane.",
    )
    columns[3].metric(
        "Distance to the plane",
        f"{explanation.distance:.3g}",
        help="With every column's range in training as the unit.",
    )


def _covering(explanation: HyperplaneExplanation, words: Wording) -> None:
    """Show the rule's box that contains the case, or the one constructed for it."""
    held = explanation.covering
    clause: Clause = held.clause
    if held.rule is not None:
        text = f"Box {held.rule + 1} of {explanation.prediction} holds this case: "
    else:
        text = (
            "No box of the rule holds this case. Cutting further boxes where it lies, this one "
            "does: "
        )
    counts = (
        f"{held.n_covered} training cases are in it, {held.n_right} of them "
        f"{explanation.prediction}."
    )
    if not held.n_covered:
        counts = "no training case is in it."
    st.markdown(md(text + counts, 400))
    st.code(
        clause_words(clause, words) if clause.conditions else "everywhere", None, wrap_lines=True
    )


HYPERPLANE = "hyperplane"
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: numbers of boxes, and prices of the plane."""
    low, high = spec.clauses
    return {"max_rules": list(range(low, high + 1)), "linear__nu": list(spec.nus)}


def usual(X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    """Return default prices, in proportion to the rows."""
    return {"nus": as_entered(plane_prices(int(y.value_counts().min())))}


def finer_form(state: AppState, usual: RunSpec, learners: Sequence[str]) -> dict[str, Any] | None:
    """Show the form for prices and for rows outside all boxes."""
    if HYPERPLANE not in learners:
        return {}
    nus = price_input(
        "Prices ν of the plane's errors (from a linear model)",
        usual.nus,
        "ν",
        key="run_nus",
        help=PRICE_HELP,
    )
    answers = st.toggle(
        "From a linear model: the plane answers rows in no box",
        value=usual.plane_answers,
        key="run_plane_answers",
        help="The weighted sum is the last condition of the rule and counts one "
        "condition per column. If off, rows in no box get the other class, and the rule only "
        "has its boxes. Only for planes over columns of numbers.",
        **KEEP,
    )
    return None if nus is None else {"nus": nus, "plane_answers": answers}


BOXES_FROM_A_PLANE = Learner.of(
    HYPERPLANE,
    grid=grid,
    own_parameters=lambda spec, state, variant: {
        "uncovered": "hyperplane" if spec.plane_answers else "other",
    },
    reads=("clauses",),
    usual=usual,
    finer_form=finer_form,
    dials=lambda setting, n_rows: [
        Dial("theta", "Price ν of the plane's errors", PRICE_HELP),
        CLAUSES_DIAL,
    ],
    cards=Cards(pictures=hypercubes, explain=box_of_case),
)
