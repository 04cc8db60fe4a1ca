"""The card of a plane and its boxes on Explain: the box of one case, and how sure the plane is."""

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.families.hyperplane import HyperplaneExplanation, explain_with_hyperplane
from rulekit.families.hyperplane.plots.hypercube_tables import (
    has_one_plane,
    intervals,
    number_names,
    numbers_of,
)
from rulekit.rules import Clause
from rulekit.style.phrases import Wording
from rulekit.style.wording import percent
from ui.escape import md
from ui.learners.hyperplane_cards import interval_view
from ui.rule_numbers import Rows
from ui.words import clause_words


def box_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Rows, words: Wording, *, plain: bool
) -> None:
    """Show the box around one case, what training says of it, and how sure the plane is."""
    if plain or not has_one_plane(model):
        return
    used = np.flatnonzero(model.plane_.w)
    case = numbers_of(model, X)[0, used]
    if np.isnan(case).any():
        gap = number_names(model, words)[int(np.isnan(case).argmax())]
        st.info(f"The plane cannot place this case: it has no value in {md(gap, 60)}.")
        return
    found = explain_with_hyperplane(model, X)[0]
    if found.rule_prediction != found.prediction:
        text = (
            f"The rule answers {found.rule_prediction}, because none of its boxes holds this "
            f"case. The plane that the boxes were cut from answers {found.prediction}."
        )
        st.info(md(text, 300))
    elif found.rule is None and model.uncovered == "hyperplane":
        st.info("No box of the rule holds this case; the plane answered it.")
    with st.expander("The box of this case, and how sure the plane is"):
        _figures(found)
        st.markdown(md(found.sentence_with(words), 900))
        table = intervals(model, found.prediction, found.faces, case, words)
        interval_view(table, "case_box")
        _covering(found, words)


def _figures(found: HyperplaneExplanation) -> None:
    place = st.columns(4)
    sure = "—" if found.confidence is None else percent(found.confidence)
    place[0].metric(
        "Confidence of the plane",
        sure,
        help="How often the plane is right at this distance and with this answer, measured on "
        "training rows it had not seen.",
    )
    rows = f"{found.n_right} of {found.n_covered}" if found.n_covered else "no case"
    place[1].metric("Right in this box", rows)
    place[2].metric(
        "Size of the box",
        percent(found.volume_ratio),
        help="Its volume, of the largest box that fits on this side of the plane.",
    )
    place[3].metric(
        "Distance to the plane",
        f"{found.distance:.3g}",
        help="With every column's range in training as the unit.",
    )


def _covering(found: HyperplaneExplanation, words: Wording) -> None:
    """Show the rule's box that contains the case, or the one found for it."""
    held = found.covering
    clause: Clause = held.clause
    if held.rule is not None:
        text = f"Box {held.rule + 1} of {found.prediction} holds this case: "
    else:
        text = (
            "No box of the rule holds this case. Cutting further boxes where it lies, this one "
            "does: "
        )
    counts = (
        f"{held.n_covered} training cases are in it, {held.n_right} of them {found.prediction}."
    )
    if not held.n_covered:
        counts = "no training case is in it."
    st.markdown(md(text + counts, 400))
    st.code(
        clause_words(clause, words) if clause.conditions else "everywhere", None, wrap_lines=True
    )
