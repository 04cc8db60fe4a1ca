"""Scorecards as a learner of Models: one search finds every number of conditions."""

import math
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import rank_reasons, read_points
from rulekit.explain.checks import PointsReading
from rulekit.explain.subject import row_values
from rulekit.export import to_sheet
from rulekit.families import ScorecardClassifier, scale_points
from rulekit.plots import case_sentence
from rulekit.plots.case import points_figure
from rulekit.rules import PointsSplit, scorecard_of
from rulekit.style.phrases import Wording, show_value
from rulekit.style.scorecard import (
    bands_of_totals,
    count_lines,
    count_per_hundred,
    reading_notes,
    scale_note,
    scales_of,
)
from rulekit.style.wording import percent
from ui.escape import file_name, md
from ui.learners.learner import Cards, Learner
from ui.rule_numbers import Cases
from ui.state import app_state
from ui.widgets import chart
from ui.workspace import change, make_key

SCALE = (  # parameter of `scale_points`, title, value
    ("base_score", "Base score", 600),
    ("base_odds", "Odds at the base score, to 1", 50),
    ("points_to_double", "Points that double the odds", 20),
)


def card_table(split: PointsSplit, words: Wording, rows: Cases, label: Any) -> pd.DataFrame:
    """Return the card: a row for each range of a column, with its share of rows and of a label."""
    lines = count_lines(split, rows.columns, rows.y == label, words)
    heads = ["if", "points", f"{rows.name} rows", f"of these, {label}"]
    table = pd.DataFrame(lines, columns=heads)
    for head in heads[2:]:
        table[head] = ["" if math.isnan(v) else percent(v) for v in table[head]]
    return table


def band_table(model: ClassifierMixin) -> pd.DataFrame:
    """Return the bands of totals, each with its share of cases if known."""
    bands = bands_of_totals(model)
    cells = [(band.total, str(band.label)) for band in bands]
    table = pd.DataFrame(cells, columns=["total", "prediction"])
    if bands[0].chance is not None:
        table[f"of 100 such cases, {bands[0].label}"] = list(map(count_per_hundred, bands))
        table["training rows"] = [round(b.weight or 0.0) for b in bands]
    return table


def has_odds(model: ClassifierMixin) -> bool:
    """Return whether a model is a learned scorecard, whose totals have odds."""
    card = getattr(model, "learner_", model)
    return isinstance(card, ScorecardClassifier) and not card.rule_set_.is_constant


def scaled(model: ClassifierMixin) -> ClassifierMixin:
    """Return a scorecard on the scale that is set on Rules; without one, the model as it is."""
    if (scale := app_state().scale) is None or not has_odds(model):
        return model
    known = scale["label"] in (model.positive_label_, model.default_label_)
    return scale_points(model, **scale if known else {**scale, "label": None})


def scorecard(model: ClassifierMixin, words: Wording, rows: Cases) -> None:
    """Show a lender's scale, the card, the meaning of its totals, and a sheet to fill in."""
    few_rows = getattr(model, "few_rows_hint_", None)
    if has_odds(model):
        saved = app_state().scale
        before, labels = saved or {}, [model.positive_label_, model.default_label_]
        with st.popover("Scale of points"):
            text = "Scores then mean odds, as on a lender's scorecard. Predictions stay the same. "
            text += "Exports use this scale, too."
            is_on = st.toggle("Score by odds", saved is not None, make_key("scale_on"), text)
            scale: Any = {}
            for name, title, default in SCALE:
                now, key = before.get(name, default), make_key(f"scale_{name}")
                scale[name] = st.number_input(title, 1, 10_000, now, key=key)
            place = labels.index(before["label"]) if before.get("label") in labels else 0
            label = "Outcome whose odds grow with the score"
            scale["label"] = st.radio(label, labels, place, key=make_key("scale_label"))
        if (new := scale if is_on else None) != saved:
            change(scale=new)
        model = scaled(model)
    split = scorecard_of(model.rule_set_)[0]
    left, right = st.columns(2)
    left.table(card_table(split, words, rows, model.rule_set_.labels[0]).set_index("if"))
    notes = [reading_notes(scales_of(split, words)), scale_note(model)]
    left.caption(md(" ".join(filter(None, notes)), 400))
    right.table(band_table(model).set_index("total"))
    if hasattr(model, "bands_"):
        note = "Probabilities were measured on rows that the card was not learned from."
        right.caption(md(few_rows or note, 400))
    sheet = to_sheet(model, title="Points to add up", wording=words)
    label = "Sheet to print and fill in"
    file = file_name("points", "sheet.html", app_state().table.name)
    right.download_button(label, sheet, file, "text/html", "points_sheet", on_click="ignore")


def points_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording, *, plain: bool
) -> None:
    """Show how the points of one case add up."""
    if not (splits := scorecard_of(model.rule_set_)):
        return
    row, clause = model.read_columns(X), model.rule_set_.clauses[0]  # of the highest total
    reading = read_points(splits[0], row_values(row, 0), wording=words)
    st.markdown("**The points of this case**")
    chart(points_figure(splits, row, words), "case_points", case_sentence(clause, row))
    st.table(case_table(reading, words).set_index("if"))
    reasons = rank_reasons(model, X, wording=words)[0]
    st.markdown("\n".join(f"- {md(reason.text, 200)}" for reason in reasons))


def chance_sentence(model: ClassifierMixin, X: pd.DataFrame) -> str:
    """Return the probability that a scorecard gives a case; empty if it gives none."""
    if not hasattr(model, "bands_"):
        return ""
    chance = model.predict_proba(X)[0, list(model.classes_).index(model.positive_label_)]
    return f" Of 100 such cases, {round(100 * float(chance))} are {model.positive_label_}."


def case_table(reading: PointsReading, words: Wording) -> pd.DataFrame:
    """Return each scale with the points of the case, and their running total."""
    given = {one.condition: one for one in reading.given}
    rows = [
        (
            scale.name,
            scale.points,
            show_value(given[scale.conditions[0]].value, wording=words),
            sum(given[condition].given for condition in scale.conditions),
        )
        for scale in scales_of(reading.split, words)
    ]
    table = pd.DataFrame(rows, columns=["if", "points", "value", "this case"])
    return table.assign(**{"so far": table["this case"].cumsum()})


POINTS_TO_ADD_UP = Learner.from_family(
    "scorecard",
    grid=lambda spec: {"max_conditions": list(spec.limits)},
    cards=Cards(explain=points_of_case),
)
