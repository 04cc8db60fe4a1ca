"""Boxes from a plane as a learner of Models."""

# The price ``theta`` of a setting is ν here, the price of a unit of margin violation, and
# ``n_clauses`` the maximal number of boxes.

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.families import HyperplaneRuleClassifier, hyperplane
from rulekit.families.family import Setting
from rulekit.families.hyperplane.hyperplane import COLUMNS as PLANE_COLUMNS
from rulekit.families.hyperplane.hyperplane import plane_price
from rulekit.families.hyperplane.plots import hypercubes
from rulekit.style.phrases import Wording
from rulekit.style.wording import percent, plural
from ui.escape import md
from ui.learners.learner import CLAUSES_DIAL, Cards, Learner, as_entered, price_input
from ui.learners.spec import RunSpec
from ui.rule_numbers import Cases, row_number
from ui.state import KEEP, AppState, app_state
from ui.widgets import SHARE, chart, choice, rule_text
from ui.words import clause_words

COLUMNS = {
    "name": "column",
    "words": "required by the box",
    "value": "this case",
    "low": "least in training",
    "high": "greatest in training",
}


def boxes_card(model: ClassifierMixin, train: Cases, rows: Cases, words: Wording) -> None:
    """Show the boxes of a plane: one column by column, in two columns, and all by size."""
    if not hypercubes.has_one_plane(model):
        return
    with st.expander("The boxes on the plane's sides"):
        _sides_card(model, train, words)
    counts, totals = hypercubes.curves(model)
    if not any(counts.values()):
        return
    with st.expander("What each further box covers"):
        sentence = hyperplane.coverage_sentence(counts, totals)
        figure = hyperplane.coverage_figure(counts, totals, classes=app_state().classes)
        chart(figure, "cubes_coverage", sentence)
        text = md(f"{sentence} Of the described class, boxes of single rows included, ", 500)
        st.caption(f"{text}{percent(model.coverage_all_)} could be covered.")
        table = hypercubes.coverage_table(model)
        covered = [c for c in table.columns if c.startswith("covered")]
        st.dataframe(
            table, hide_index=True, column_config=dict.fromkeys(covered, SHARE), alt=sentence
        )


def _sides_card(model: ClassifierMixin, train: Cases, words: Wording) -> None:
    """Show a box of either side, column by column and in two columns."""
    described = md(str(model.positive_label_), 60)
    st.caption(f"These clauses were cut from one side of a plane. A row of {described} is where")
    rule_text(hypercubes.plane_words(model, words))
    n_boxes = len(model.boxes_[model.positive_label_])
    fired = model.rule_set_.clauses_fired(train.columns)[:, :n_boxes]
    outside = int((~fired.any(axis=1)).sum())
    answer = f"the rule predicts {model.default_label_} for them, independent of the plane."
    if model.uncovered == "hyperplane":
        answer = "the plane predicts them."
    st.caption(md(f"{outside:,} of {len(fired):,} training rows are in no box; {answer}", 300))
    if model.n_incomplete_:
        n_rows = plural(model.n_incomplete_, "training row")
        st.caption(f"{n_rows} with a gap took no part in learning.")
    label, chosen = _box(model)
    if chosen is None:
        st.info(f"No box of {md(str(label), 60)} contains enough rows to be kept.")
    else:
        _one_box(model, train, label, chosen, words)


def _box(model: HyperplaneRuleClassifier) -> tuple[Any, int | None]:
    """Show a choice of a side and one of its boxes; return both."""
    labels = sorted(model.boxes_, key=lambda label: label != model.positive_label_)
    left, right = st.columns(2, vertical_alignment="bottom")
    sides = {k: md(str(label), 60) for k, label in enumerate(labels)}
    text = "The rule has the boxes of the described class only; those of the other side serve "
    text += "explanations."
    side = choice("Side of the plane", sides, 0, "cubes_side", place=left, help=text)
    boxes = model.boxes_[labels[side]]
    if not len(boxes):
        return labels[side], None
    rows = [plural(int(n), "training row") for n in boxes.n_points]
    names = [f"Box {k}: {words}" for k, words in enumerate(rows, start=1)]
    places, key = range(len(names)), f"cubes_box_{side}_{len(names)}"
    return labels[side], right.selectbox("Box, largest first", places, 0, names.__getitem__, key)


def _one_box(
    model: HyperplaneRuleClassifier, train: Cases, label: Any, chosen: int, words: Wording
) -> None:
    """Show a box beside a training row, drawn as a tick; by default one in the box."""
    half, boxes = hypercubes.side_of(model, label), model.boxes_[label]
    rows = hypercubes.numbers_of(model, train.X)[:, half.columns]
    complete = np.flatnonzero(~np.isnan(rows).any(axis=1))
    inside = boxes.members(rows[complete] * half.signs)[:, chosen]
    numbers = np.asarray(row_number(np.asarray(train.X.index)))
    number = st.number_input(
        "Training row shown beside the box",
        int(numbers.min()),
        int(numbers.max()),
        int(numbers[complete[inside.argmax()]]),
        key=f"cubes_case_{label}_{chosen}",
        help="By its number in the table. For a row that is no training row, or has a gap in the "
        "plane's columns, the next one is shown.",
    )
    later = complete[numbers[complete] >= number]
    position = int(later[0]) if len(later) else int(complete[-1])
    st.caption(f"Showing row {numbers[position]}, actual: {md(str(train.y[position]), 60)}.")
    case, faces = rows[position], (boxes.lower[chosen], boxes.upper[chosen])
    table = hypercubes.intervals(model, label, faces, case, words)
    interval_view(table, f"cube_{label}_{chosen}")
    names = hypercubes.number_names(model, words)
    if len(names) < 2:
        return
    left, right = st.columns(2)
    places = range(len(names))
    a = left.selectbox("Across", places, format_func=names.__getitem__, key="cubes_x", **KEEP)
    rest = [k for k in places if k != a]
    b = right.selectbox("Up", rest, format_func=names.__getitem__, key=f"cubes_y_{a}")
    shown = hypercubes.projection(model, label, chosen, (a, b), case, names)
    other = next(v for v in model.boxes_ if v != label)
    sentence = hyperplane.projection_sentence(shown, str(label))
    classes = app_state().classes
    figure = hyperplane.projection_figure(shown, str(label), str(other), classes=classes)
    chart(figure, f"projection_{label}_{chosen}_{a}_{b}", sentence)
    st.caption(md(f"{sentence} {hypercubes.others_words(table, (a, b))}", 500))
    if shown.line is None:
        st.caption("With the other columns as in this case, the plane does not pass through here.")


def interval_view(table: pd.DataFrame, key: str) -> None:
    """Show a box column by column, in bars, in words and as a table."""
    sentence = hyperplane.interval_sentence(table)
    chart(hyperplane.interval_figure(table), key, sentence)
    st.caption(md(sentence, 400))
    shown = table.rename(columns=COLUMNS)[list(COLUMNS.values())]
    shown["inside"] = np.where(table["met"], "✓ yes", "✗ no")
    st.dataframe(shown, hide_index=True, alt=sentence)


def box_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording, *, plain: bool
) -> None:
    """Show the box around one case, its training rows, and the plane's confidence."""
    if plain or not hypercubes.has_one_plane(model):
        return
    case = hypercubes.numbers_of(model, X)[0, np.flatnonzero(model.plane_.w)]
    if np.isnan(case).any():
        gap = hypercubes.number_names(model, words)[int(np.isnan(case).argmax())]
        st.info(f"The plane cannot place this case: it has no value in {md(gap, 60)}.")
        return
    explanation = hyperplane.explain_with_hyperplane(model, X)[0]
    if explanation.rule_prediction != explanation.prediction:
        text = (
            f"The rule predicts {explanation.rule_prediction}, because none of its boxes contains "
            f"this case. The plane that the boxes were cut from predicts {explanation.prediction}."
        )
        st.info(md(text, 300))
    elif explanation.rule is None and model.uncovered == "hyperplane":
        st.info("This case is in no box of the rule; the plane predicted it.")
    with st.expander("The box of this case, and how sure the plane is"):
        sure = "How often the plane is right at this distance and with this answer, measured on "
        sure += "training rows it had not seen."
        volume = "Its volume, of the largest box that fits on this side of the plane."
        unit = "With every column's range in training as the unit."
        n_right, n = explanation.n_right, explanation.n_covered
        confidence = explanation.confidence
        share = "—" if confidence is None else percent(confidence)
        columns = st.columns(4)
        columns[0].metric("Confidence of the plane", share, help=sure)
        columns[1].metric("Right in this box", f"{n_right:,} of {n:,}" if n else "no case")
        columns[2].metric("Size of the box", percent(explanation.volume_ratio), help=volume)
        columns[3].metric("Distance to the plane", f"{explanation.distance:.3g}", help=unit)
        st.markdown(md(explanation.sentence_with(words), 900))
        table = hypercubes.intervals(model, explanation.prediction, explanation.faces, case, words)
        interval_view(table, "case_box")
        # the rule's box that contains the case, or the one constructed for it
        held, label = explanation.covering, explanation.prediction
        text = "No box of the rule holds this case. Cutting further boxes where it lies, this one "
        text += "does:"
        if held.rule is not None:
            text = f"Box {held.rule + 1} of {label} holds this case:"
        counts = "no training case is in it."
        if held.n_covered:
            counts = f"{held.n_covered:,} training cases are in it, {held.n_right:,} of them "
            counts += f"{label}."
        st.markdown(md(f"{text} {counts}", 400))
        rule_text(clause_words(held.clause, words) if held.clause.conditions else "everywhere")


HYPERPLANE = "hyperplane"
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def own_parameters(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return what decides outside the boxes; boxes alone may describe either class."""
    own: dict[str, Any] = {"uncovered": "hyperplane" if spec.plane_answers else "other"}
    return own | ({"positive_label": None} if spec.against and not spec.plane_answers else {})


def form(usual: RunSpec) -> dict[str, Any] | None:
    """Show the form for prices and for rows outside all boxes."""
    title = "Prices ν of the plane's errors (from a linear model)"
    nus = price_input(title, usual.nus, "ν", key="run_nus", help=PRICE_HELP)
    words = (
        "The weighted sum is the last condition of the rule and counts one condition per column. "
        "If off, rows in no box get the other class, and the rule only has its boxes. Only for "
        "planes over columns of numbers."
    )
    title = "From a linear model: the plane predicts rows in no box"
    answers = st.toggle(title, usual.plane_answers, "run_plane_answers", words, **KEEP)
    return None if nus is None else {"nus": nus, "plane_answers": answers}


BOXES_FROM_A_PLANE = Learner.from_family(
    HYPERPLANE,
    grid=lambda spec: {
        "max_rules": list(range(spec.clauses[0], spec.clauses[1] + 1)),
        "max_columns": list(PLANE_COLUMNS),
        "linear__nu": list(spec.nus),
    },
    own_parameters=own_parameters,
    reads=("clauses",),
    usual=lambda X, y: {"nus": as_entered([plane_price(int(y.value_counts().min()))])},
    form=form,
    dials=lambda setting, n_rows: {
        "max_columns": ("Columns of the plane", ""),
        "theta": ("Price ν of the plane's errors", PRICE_HELP),
        "n_clauses": CLAUSES_DIAL,
    },
    cards=Cards(pictures=boxes_card, explain=box_of_case),
)
