"""The curve of error against the number of conditions: chart, table, and selection of a point."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.learners.choice import COST
from rulekit.plots import Baseline, front_figure, front_sentence
from rulekit.plots.pareto import AXIS_NAMES
from rulekit.style.palette import plain
from rulekit.style.wording import capital, measured, percent
from ui.escape import md
from ui.learners.spec import QUICK
from ui.models.points import AGAINST, Curve, reference_lines
from ui.models.run import noted_suggestion
from ui.picked import model_key, pick
from ui.shell import once
from ui.state import app_state
from ui.theme import chart, selected_id
from ui.widgets import pick_row

FOLD_WORDS = {5: "five", 10: "ten"}


def curve(result: Curve, y: str) -> None:
    """Draw the curve; a click selects the point."""
    picked = result.number_of_rule(app_state())
    shown = result.curve(y, picked)
    suggested = result.suggestion
    notes = {} if suggested is None or y != result.measure else {suggested.number: "suggested"}
    lines = reference_lines(result.references, "limit", y) + cheapest_line(result, y)
    options = {"x": "limit", "y": y, "series": "series", "baselines": lines}
    figure = front_figure(shown, **options, notes=notes, selected=picked)
    draw(result, figure, "front", front_sentence(shown, x="limit", y=y, unit=result.unit))


def sides_curve(result: Curve, y: str) -> None:
    """Draw the rules of each outcome as a separate line, if both were searched."""
    if not any("describes" in s for s in result.settings):
        return
    picked = result.number_of_rule(app_state())
    shown = _with_sides_named(result.curve(y, picked, sides=True))
    figure = front_figure(shown, x="limit", y=y, series="series", selected=picked)
    draw(result, figure, "sides", front_sentence(shown, x="limit", y=y, unit=result.unit))


def cheapest_line(result: Curve, y: str) -> list[Baseline]:
    """Return the cheapest constant prediction on the training rows, as a line."""
    state = app_state()
    costs = result.specs[0].error_costs(state.labels) if result.specs and y == COST else None
    if costs is None:
        return []
    truth = state.training[1]
    counts = [int((truth == label).sum()) for label in state.labels]
    answer, cost = costs.cheapest(state.labels, counts)
    return [Baseline(f"always {answer}", cost)]


def _with_sides_named(points: pd.DataFrame) -> pd.DataFrame:
    """Add the described outcome to the names of lines if there are lines of both outcomes."""
    state, against = app_state(), points["series"].str.endswith(AGAINST)
    plain = points["series"].isin(points["series"][against].str.removesuffix(AGAINST))
    named = points["series"].where(~plain, points["series"] + f" for {state.positive}")
    other = points["series"].str.removesuffix(AGAINST) + f" for {state.other_label}"
    return points.assign(series=named.where(~against, other))


def draw(result: Curve, figure: Any, name: str, sentence: str) -> None:
    """Show a figure of points; a click selects one, and the figure is drawn again."""
    if result.unit and figure.layout.yaxis.title.text == AXIS_NAMES[COST]:
        figure.update_yaxes(title=f"{AXIS_NAMES[COST]} ({plain(result.unit)})")
    key = f"{name}_{st.session_state.setdefault('_picks', 0)}"
    chart(figure, key, sentence, on_select=lambda: _clicked(result, key))


def suggestion_line(result: Curve) -> None:
    """Show the suggestion and its reason in one line; details behind a button."""
    suggested = result.suggestion
    if suggested is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        by = " by the quick search" * (QUICK in result.settings[suggested.number])
        words = f"**Suggested{by}: {suggested.words}.** {md(capital(suggested.why), 400)}"
        st.markdown(words, width="content")
        with st.popover("Why this one?", type="tertiary"):
            st.markdown(md(suggested.reason, 900))
        if result.number_of_rule(app_state()) != suggested.number:
            st.button(
                "Use this rule",
                key="pick_suggested",
                type="tertiary",
                on_click=choose,
                args=(result, suggested.number),
            )


def error_words(row: pd.Series) -> str:
    """Return a point's mean error with its standard error over the folds, if known."""
    spread = row.get("test_error_se", float("nan"))
    beside = f" ± {100 * spread:.1f}" if spread == spread else ""
    return f"{percent(row['test_error'])}{beside}"


def cost_words(result: Curve, row: pd.Series) -> str:
    """Return the cost of a point's errors; empty without costs."""
    if not result.measures(COST):
        return ""
    return f", {measured(row[COST], COST, result.unit)} a 100 cases"


def fold_words(row: pd.Series) -> str:
    """Return the number of folds in which a point was measured."""
    n = int(row["folds"])
    return f"{FOLD_WORDS.get(n, n)} folds"


def choose(result: Curve, number: int, *, by_slider: bool = False) -> None:
    """Select a setting after a click on a point or row, or from a widget."""
    once(lambda: pick(result.settings[number], result.specs[number], by_slider=by_slider))()
    noted_suggestion(result)


def _clicked(result: Curve, key: str) -> None:
    number = selected_id(st.session_state.get(key))
    if number is not None and int(number) in result.points.index:
        choose(result, int(number))


def points_table(result: Curve, shown: pd.DataFrame, x: str, y: str, key: str) -> None:
    """List points with exactly one selected row; for selection by keyboard."""
    rows = shown.sort_values([x, y])
    numbers = [int(k) for k in rows.index]
    settings = [result.settings[number] for number in numbers]
    scale = 1 if y == COST else 100
    table = pd.DataFrame(
        {
            "conditions at most": rows["limit"],
            "clauses": [_clauses(result, setting) for setting in settings],
            "cost a 100 cases" if y == COST else "error": scale * rows[y],
            "± 1 SE": scale * rows.get(f"{y}_se", pd.Series(float("nan"), rows.index)),
            "error, training folds": 100 * rows["train_error"],
            "gap": [100 * result.gaps[k] if result.gaps else float("nan") for k in numbers],
            "learner" if x == "limit" else "setting": rows["label"],
        }
    ).reset_index(drop=True)
    table = table.dropna(axis="columns", how="all")
    if rows["label"].nunique() == 1:
        table = table.drop(columns="learner", errors="ignore")
    picked = result.number_of_rule(app_state())
    pick_row(
        table,
        numbers.index(picked) if picked in numbers else None,
        lambda position: choose(result, numbers[position]),
        key=key,
        alt="The points of the curve; choosing a row picks it",
        column_config={k: v for k, v in _columns().items() if k in table},
    )


def _clauses(result: Curve, setting: Mapping[str, Any]) -> float | None:
    """Return how many clauses the rule of a setting has, if it was learned by its run."""
    model = result.models.get(model_key(setting))
    return None if model is None else model.rule_set_.n_clauses


def _columns() -> dict[str, Any]:
    """Return the formats and explanations of the columns of a table of points."""
    number = st.column_config.NumberColumn
    return {
        "conditions at most": number(
            help="What the setting allows; where it names no number, what the rules of all folds "
            "stay within."
        ),
        "clauses": number(help="Of the rule learned from all training rows.", format="%d"),
        "error": number(format="%.1f %%", help="Mean over the folds, on rows not learned from."),
        "cost a 100 cases": number(
            format="%.4g",
            help="What wrong answers to a hundred cases cost: mean over the folds, on rows not "
            "learned from.",
        ),
        "± 1 SE": number(
            format="%.1f",
            help="One standard error of that mean (of an error in percentage points): how far it "
            "may be off by the luck of the folds.",
        ),
        "error, training folds": number(
            format="%.1f %%", help="Mean over the folds, on the rows learned from: optimistic."
        ),
        "gap": number(format="%.1f", help="Between the groups at the side, on training rows."),
        "setting": st.column_config.TextColumn(width=320),
    }
