"""The tabs "Operating points" and "Probabilities" of Rules."""

from typing import Any

import pandas as pd
import streamlit as st

from rulekit.evaluation import brier_score, operating_points, reliability, threshold_rule
from rulekit.evaluation.operating import clause_points
from rulekit.exceptions import RuleError
from rulekit.export import to_json
from rulekit.plots import (
    operating_figure,
    operating_sentence,
    reliability_figure,
    reliability_sentence,
)
from rulekit.rules import RuleSet
from ui.escape import md
from ui.learners.spec import RunSpec
from ui.rule_numbers import Rows
from ui.rules.editor import keep
from ui.shell import once
from ui.state import KEEP, AppState
from ui.theme import chart, selected_id
from ui.widgets import choice, pick_row

WAYS = {"clauses": "Clauses, one after another", "chances": "From a probability on"}
MOST = 20  # number of probabilities to choose from
SOURCE = "_operating_source"  # model whose points are shown while one of them is selected
# Column of `operating_points`: its title, and what it is the share of.
SHARES = {
    "called_positive": ("predicted", "Rows predicted {name}, of all rows."),
    "found": ("recall (true positive rate)", "Rows predicted {name}, of those that are {name}."),
    "false_alarms": ("false positive rate", "Rows predicted {name}, of those that are not {name}."),
    "precision": ("precision", "Rows that are {name}, of those predicted {name}."),
    "error": ("error", "Rows predicted wrongly, of all rows."),
}


def operating_card(model: Any, rows: Rows, state: AppState) -> None:
    """Show the operating points of the rule as a curve, and select one."""
    source, picked = _source(model, state)
    if state.several or len(source.classes_) != 2:
        st.caption("Operating points need two outcomes.")
        return
    by = choice("Points", WAYS, "clauses", "operating_by", label_visibility="collapsed")
    costs = RunSpec.from_dict(state.run_settings).error_costs(state.labels)
    try:
        points = operating_points(source, rows.X, rows.y, by=by, costs=costs)
    except RuleError as error:
        st.info(md(str(error), 400))
        return
    points = _few(points)
    places = {value: k for k, value in enumerate(points.iloc[:, 0])}
    at = places.get(picked, None if picked else (len(points) - 1 if by == "clauses" else None))
    name = str(source.positive_label_)
    sentence = operating_sentence(points, name)
    generation = st.session_state.get("_operating_turn", 0)

    def pick(position: int) -> None:
        once(lambda: _take(source, points.iloc[position, 0], by))()
        st.session_state["_operating_turn"] = generation + 1

    def clicked() -> None:
        position = selected_id(st.session_state.get(f"operating_{generation}"))
        if position is not None and int(position) < len(points):
            pick(int(position))

    figure = operating_figure(points, name, at)
    chart(figure, f"operating_{generation}", sentence, on_select=clicked)
    counted = f"Counted on {rows.name} rows; a selected point becomes the rule."
    st.caption(md(f"{sentence} {counted}", 400))
    pick_row(
        _point_table(points, by),
        at,
        pick,
        column_config={
            title: st.column_config.Column(help=text.format(name=f'"{md(name)}"'))
            for title, text in SHARES.values()
        },
        key=f"operating_table_{by}",
        alt="The operating points; selecting one makes it the rule",
    )


def _few(points: pd.DataFrame) -> pd.DataFrame:
    """Return at most MOST points, evenly spread, including both ends."""
    if len(points) <= MOST:
        return points
    indices = sorted({round(k * (len(points) - 1) / (MOST - 1)) for k in range(MOST)})
    return points.iloc[indices].reset_index(drop=True)


def _point_table(points: pd.DataFrame, by: str) -> pd.DataFrame:
    first = (
        [", ".join(map(str, on)) or "none" for on in points["clauses"]]
        if by == "clauses"
        else [f"{100 * t:.1f} %" if t < 1 else "never" for t in points["threshold"]]
    )
    table = {"clauses on" if by == "clauses" else "from": first}
    for measure, (title, _) in SHARES.items():
        table[title] = [f"{100 * v:.1f} %" if v == v else "—" for v in points[measure]]
    if "cost_per_100" in points:
        table["cost a 100"] = [f"{v:.4g}" for v in points["cost_per_100"]]
    return pd.DataFrame(table)


def _take(source: Any, value: Any, by: str) -> None:
    """Select a point as the rule; the points of the original rule stay visible."""
    if by == "clauses":
        rule: RuleSet = dict(clause_points(source))[value]
        words = f"clauses {', '.join(map(str, value))} of it" if value else "none of its clauses"
    else:
        rule = threshold_rule(source, value)
        words = "never" if value >= 1 else f"from a probability of {100 * value:.1f} % on"
    keep(rule, words)
    st.session_state[SOURCE] = source, value, to_json(rule)


def _source(model: Any, state: AppState) -> tuple[Any, Any]:
    """Return the model whose points are shown, and the selected point, if any."""
    source, value, rule_json = st.session_state.get(SOURCE, (None, None, None))
    if source is not None and rule_json == to_json(model.rule_set_):
        return source, value
    return model, None


def chances_card(model: Any, rows: Rows, state: AppState) -> None:
    """Show the rule's probabilities beside the observed shares on these rows."""
    labels = model.classes_.tolist()
    label = state.positive
    if state.several:
        label = st.selectbox("Outcome", labels, key="chances_outcome", **KEEP)
    if label not in labels:
        st.caption(md(f"The rule never predicts {label}.", 200))
        return
    chance = model.predict_proba(rows.columns)[:, labels.index(label)]
    true = rows.y == label
    table = reliability(true, chance)
    sentence = reliability_sentence(table, brier_score(true, chance), float(true.mean()))
    chart(reliability_figure(table, str(label)), f"reliability_{rows.name}", sentence)
    st.markdown(md(sentence + paying_sentence(state), 600))
    learned = rows.name == "training"
    flattered = " The rule was learned from these rows, which flatters it." if learned else ""
    st.caption(
        "A probability is the share of the outcome among training rows that meet the same "
        "conditions; few rows are drawn towards a logistic regression on the conditions. "
        "Class weights and costs play no part."
        f"{flattered}"
    )
    shown = pd.DataFrame(
        {
            "predicted": [f"{100 * a:.0f} to {100 * b:.0f} %" for a, b in _bounds(table)],
            "rows": table["rows"],
            "predicted on average": [f"{100 * v:.1f} %" for v in table["stated"]],
            "observed": [f"{100 * v:.1f} %" for v in table["share"]],
            "95 %": [
                f"{100 * a:.0f} to {100 * b:.0f} %"
                for a, b in zip(table["low95"], table["high95"], strict=True)
            ],
        }
    )
    st.dataframe(shown, hide_index=True, alt=sentence)


def paying_sentence(state: AppState) -> str:
    """Return the probability from which predicting the described outcome is cheaper."""
    costs = RunSpec.from_dict(state.run_settings).error_costs(state.labels)
    if costs is None or costs.matrix is None or len(state.labels) != 2:
        return ""
    positive, other = state.labels
    miss, alarm = costs.matrix[positive, other], costs.matrix[other, positive]
    share = 100 * alarm / (miss + alarm)
    return f" At the given costs, predicting {positive} is cheaper from {share:.1f} % on."


def _bounds(table: pd.DataFrame) -> list[tuple[float, float]]:
    return list(zip(table["low"], table["high"], strict=True))


#: The tabs, by their titles.
OPERATING = {"Operating points": operating_card, "Probabilities": chances_card}
