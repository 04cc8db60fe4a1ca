"""Scorecards as a learner of Models: one search finds every number of conditions."""

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import read_points
from rulekit.explain.splits import PointsReading
from rulekit.explain.subject import row_values
from rulekit.export import to_sheet
from rulekit.rules import PointsSplit, scorecard_of
from rulekit.style.phrases import Wording, condition_text
from ui.escape import md
from ui.learners.learner import Cards, Dial, Learner
from ui.rule_numbers import Rows


def split_of(model: ClassifierMixin) -> PointsSplit | None:
    """Return the points of a model whose rule is a scorecard, also an edited one; else None.

    If there are several bands, the one with the highest total is returned.
    """
    splits = scorecard_of(model.rule_set_)
    return splits[0] if splits else None


def card_table(split: PointsSplit, words: Wording) -> pd.DataFrame:
    """Return the card to fill in: one row per condition, the largest points first."""
    pairs = sorted(zip(split.points, split.conditions, strict=True), key=lambda pair: -pair[0])
    return pd.DataFrame(
        {
            "if": [condition_text(condition, words) for _, condition in pairs],
            "points": [points for points, _ in pairs],
        }
    )


def band_table(model: ClassifierMixin) -> pd.DataFrame:
    """Return the bands of totals, each with its share of cases if known."""
    splits = scorecard_of(model.rule_set_)
    lowest, highest = splits[0].span
    bands = getattr(model, "bands_", None)
    rule = model.rule_set_
    if bands is None:
        starts = [*(s.total for s in splits), lowest]
        ends = [highest, *(s.total - 1 for s in splits)]
        answers = [*rule.labels, rule.default]
        return pd.DataFrame({"total": map(_range, starts, ends), "answer": map(str, answers)})
    reached = bands["from_total"] >= splits[0].total
    return pd.DataFrame(
        {
            "total": list(map(_range, bands["from_total"], bands["to_total"])),
            "answer": [str(rule.labels[0] if r else rule.default) for r in reached],
            f"of 100 such cases {rule.labels[0]}": (100 * bands["chance"]).round().astype(int),
            "training rows": bands["weight"].round().astype(int),
        }
    )


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def scorecard(model: ClassifierMixin, train: Rows, rows: Rows, words: Wording) -> None:
    """Show the card and the meaning of its totals, with a sheet to fill in."""
    split = split_of(model)
    if split is None:
        return
    left, right = st.columns(2)
    left.markdown("**The card**")
    left.table(card_table(split, words).set_index("if"))
    right.markdown("**Meaning of a total**")
    right.table(band_table(model).set_index("total"))
    if hasattr(model, "bands_"):
        note = "Probabilities were measured on rows that the card was not learned from."
        right.caption(md(model.few_rows_hint_ or note, 400))
    right.download_button(
        "Sheet to print and fill in",
        data=to_sheet(model, title="Points to add up", wording=words),
        file_name="points.sheet.html",
        mime="text/html",
        on_click="ignore",
        key="points_sheet",
    )


def points_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Rows, words: Wording, *, plain: bool
) -> None:
    """Show how the points of one case add up."""
    split = split_of(model)
    if split is None:
        return
    reading = read_points(split, row_values(model.read_columns(X), 0), wording=words)
    st.markdown("**The points of this case**")
    st.table(case_table(reading, words).set_index("if"))
    st.markdown(md(points_sentence(model, X, reading), 400))


def points_sentence(model: ClassifierMixin, X: pd.DataFrame, reading: PointsReading) -> str:
    """Return the case's band, the points missing for the next one, and its probability."""
    rule, score = model.rule_set_, reading.score
    splits = scorecard_of(rule)
    above = [(s.total, v) for s, v in zip(splits, rule.labels, strict=True) if s.total > score]
    answer = rule.labels[len(above)] if len(above) < len(splits) else rule.default
    text = f"{_points(score)}: {answer}."
    if above:
        total, label = above[-1]
        text += f" {_points(total - score).capitalize()} short of {label}, which takes {total}."
    else:
        text += f" {splits[0].total} are required."
    if hasattr(model, "bands_"):
        chance = round(100 * float(model.predict_proba(X)[0, _class_index(model)]))
        text += f" Of 100 such cases, {chance} are {model.positive_label_}."
    return text


def _points(number: int) -> str:
    return f"{number} point{'s' * (abs(number) != 1)}"


def case_table(reading: PointsReading, words: Wording) -> pd.DataFrame:
    """Return each condition with the points of the case, and their running total."""
    given = sorted(reading.given, key=lambda one: -one.points)
    table = pd.DataFrame(
        {
            "if": [condition_text(one.condition, words) for one in given],
            "points": [one.points for one in given],
            "this case": [one.given for one in given],
        }
    )
    return table.assign(**{"so far": table["this case"].cumsum()})


def _class_index(model: ClassifierMixin) -> int:
    return list(model.classes_).index(model.positive_label_)


POINTS_TO_ADD_UP = Learner.of(
    "scorecard",
    grid=lambda spec: {"max_conditions": list(spec.limits)},
    dials=lambda setting, n_rows: [Dial("max_conditions", "Conditions allowed")],
    cards=Cards(pictures=scorecard, explain=points_of_case),
)
