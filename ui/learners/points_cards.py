"""What pages show of points to add up: the card itself, and one case's own points."""

from typing import cast

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import PointsReading, Wording, condition_text, read_points
from rulekit.explain.subject import row_values
from rulekit.learners import ScorecardClassifier
from rulekit.rules import PointsSplit
from ui.escape import md
from ui.rule_numbers import Rows


def split_of(model: ClassifierMixin) -> PointsSplit | None:
    """Return the scorecard of a model that is one, else None."""
    if not isinstance(model, ScorecardClassifier) or model.rule_set_.is_constant:
        return None
    return cast(PointsSplit, model.rule_set_.clauses[0].conditions[0])


def card_table(split: PointsSplit, words: Wording) -> pd.DataFrame:
    """Return the card to be filled in: a row a condition, the largest points first."""
    pairs = sorted(zip(split.points, split.conditions, strict=True), key=lambda pair: -pair[0])
    return pd.DataFrame(
        {
            "if": [condition_text(condition, words) for _, condition in pairs],
            "points": [points for points, _ in pairs],
        }
    )


def chance_table(model: ClassifierMixin) -> pd.DataFrame:
    """Return what each total stands for, in cases of a hundred."""
    chances = model.chances_
    return pd.DataFrame(
        {
            "total": chances["total"],
            f"of 100 such cases {model.positive_label_}": (100 * chances["chance"]).round(),
            "training rows": chances["weight"].round(),
        }
    ).astype(int)


def scorecard(model: ClassifierMixin, train: Rows, rows: Rows, words: Wording) -> None:
    """Show the card, and what its totals stand for."""
    split = split_of(model)
    if split is None:
        return
    left, right = st.columns(2)
    left.markdown("**The card**")
    left.table(card_table(split, words).set_index("if"))
    left.markdown(md(f"{split.total} or more points: {model.positive_label_}.", 200))
    right.markdown("**What a total stands for**")
    right.dataframe(chance_table(model), hide_index=True, alt="Totals and their chances.")
    right.caption("Chances are measured on rows that the card was not made from.")


def points_of_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Rows, words: Wording, *, plain: bool
) -> None:
    """Let one case's own points add up before the reader."""
    split = split_of(model)
    if split is None:
        return
    reading = read_points(split, row_values(model.read_columns(X), 0), wording=words)
    st.markdown("**The points of this case**")
    st.table(case_table(reading, words).set_index("if"))
    chance = round(100 * float(model.predict_proba(X)[0, _place(model)]))
    told = f"{reading.score} points; {split.total} are asked for."
    st.markdown(md(f"{told} Of 100 such cases, {chance} are {model.positive_label_}.", 300))


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


def _place(model: ClassifierMixin) -> int:
    return list(model.classes_).index(model.positive_label_)
