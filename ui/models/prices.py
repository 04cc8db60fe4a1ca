"""The tabs that compare learners, in a table, and sweep prices and clauses."""

from typing import Any

import pandas as pd
import streamlit as st

from rulekit.learners.choice import COST
from rulekit.plots import front_figure, front_sentence
from rulekit.style.palette import Look
from ui.learners.offered import LEARNERS, PLACES, learner_of, look_of, same_search
from ui.learners.spec import LEARNER_KEY, RunSpec
from ui.models.curve import cheapest_line, choose, draw, points_table
from ui.models.form import BUDGETS, comparison, price_sweep
from ui.models.points import Curve, reference_lines
from ui.models.run import COMPARISON, PRICES, latest, start
from ui.shell import once
from ui.state import AppState, app_state
from ui.widgets import choice, pick_row

SIZES = {"n_conditions": "conditions", "n_clauses_used": "clauses"}


def compared_table(result: Curve | None, spec: RunSpec) -> None:
    """Show each compared learner with its suggested point; choosing a row picks it."""
    runs = comparisons(app_state(), spec)
    if not runs:
        return
    table, numbers = learners_table(result or Curve(), runs, _is_running())
    picked = None if result is None else result.number_of_rule(app_state())

    def chosen(position: int) -> None:
        number = numbers[position]
        if result is not None and number is not None:
            choose(result, number)

    looks = [look_of({LEARNER_KEY: key}) for key in _compared(runs)]
    number = st.column_config.NumberColumn
    columns = {
        "error": number(
            format="%.1f %%", help="Cross-validated: mean over the folds, on rows not learned from."
        ),
        "cost a 100 cases": number(format="%.4g", help="Cross-validated, as the error is."),
        "± 1 SE": number(format="%.1f"),
        "seconds": number(format="%.1f", help="All fits of all folds together."),
    }
    pick_row(
        table,
        numbers.index(picked) if picked in numbers else None,
        chosen,
        key="compared_table",
        alt="The compared learners, each with its suggested point; choosing a row picks it",
        shown=coloured(table, looks),
        column_config={name: config for name, config in columns.items() if name in table},
    )


def comparisons(state: AppState, spec: RunSpec) -> list[RunSpec]:
    """Return the comparisons of learners that share the curve's settings."""
    runs = [RunSpec.from_dict(run) for run in state.runs]
    return [run for run in runs if run.budget is not None and run.shared == spec.shared]


def learners_table(
    result: Curve, runs: list[RunSpec], running: bool
) -> tuple[pd.DataFrame, list[int | None]]:
    """Return one row per compared learner, and the number of its suggested point."""
    seconds = max(run.budget or 0.0 for run in runs)
    missing = "not finished yet" if running else f"not finished in {BUDGETS.get(seconds, seconds)}"
    scale = 1.0 if result.measure == COST else 100.0
    rows, numbers = [], []
    for key in _compared(runs):
        of_learner = [k for k, s in enumerate(result.settings) if s[LEARNER_KEY] == key]
        best = result.suggested(of_learner)
        row = {"learner": LEARNERS[key].name, "mark": look_of({LEARNER_KEY: key}).words}
        if best is None:
            row["remark"] = missing
        else:
            point, measured = result.points.loc[best.number], result.points.loc[of_learner]
            row |= {
                "conditions at most": point["limit"],
                "cost a 100 cases" if result.measure == COST else "error": (
                    scale * point[result.measure]
                ),
                "± 1 SE": scale * point.get(f"{result.measure}_se", float("nan")),
                "seconds": float((measured["seconds"] * measured["folds"]).sum()),
                "remark": "always the same prediction" if point["n_conditions"] < 0.5 else None,
            }
        rows.append(row)
        numbers.append(None if best is None else best.number)
    table = pd.DataFrame(rows)
    ordered = [*table.columns.drop("remark"), "remark"]
    return table[ordered].dropna(axis="columns", how="all"), numbers


def coloured(table: pd.DataFrame, looks: list[Look]) -> Any:
    """Return the table with the words for a learner's mark on its colour."""
    filled = [f"background-color: {look.colour}; color: {look.ink}" for look in looks]
    return table.style.apply(lambda column: filled, subset=["mark"])


def _compared(runs: list[RunSpec]) -> list[str]:
    """Return the compared learners in the order of their looks."""
    return [key for key in PLACES if any(key in run.learners for run in runs)]


def _is_running() -> bool:
    job = latest(COMPARISON)
    return job is not None and job.active


def learners_tab(result: Curve | None, spec: RunSpec) -> None:
    """Show the form that compares learners on the folds of the curve, and their table."""
    run = comparison(app_state(), spec)
    if run is not None:
        _button(run, COMPARISON, "Compare learners", "compare_learners")
        st.caption(
            "Every learner has an equal part of the time, on the same folds. Its points join the "
            "curve when all their folds are in; what is there stays."
        )
    compared_table(result, spec)


def prices_tab(result: Curve | None, spec: RunSpec, y: str) -> None:
    """Show the sweep of prices and numbers of clauses, and its results."""
    run = price_sweep(app_state(), spec)
    if run is not None:
        _button(run, PRICES, "Sweep prices", "sweep_prices")
    if result is None or not any("theta" in s for s in result.settings):
        st.caption("No sweep of prices yet. Its points are shown here and on the curve above.")
        return
    x = choice("Measure size in", SIZES, "n_conditions", "front_x")
    shown = result.by_price(x, y)
    if not len(shown):
        st.caption("No point of the sweep has this measure.")
        return
    number = result.number_of_rule(app_state())
    _dials(result)
    lines = reference_lines(result.references, x, y) + cheapest_line(result, y)
    options = {"series": "series", "baselines": lines}
    figure = front_figure(shown, x=x, y=y, **options, selected=number)
    draw(result, figure, "prices", front_sentence(shown, x=x, y=y, unit=result.unit))
    rows = shown[shown["on_front"] | (shown.index == number)]
    alike = ["series", x, y, "n_conditions", "n_clauses_used", "train_error"]
    rows = rows.assign(other=rows.index != number).sort_values("other", kind="stable")
    rows = rows.drop_duplicates(alike)  # prices with the same rules are one line
    points_table(result, rows, x, y, "price_table")


def _button(spec: RunSpec, title: str, label: str, key: str) -> None:
    job = latest(title)
    st.button(
        label,
        type="primary",
        key=key,
        disabled=job is not None and job.active,
        on_click=once(lambda: start(spec, title)),
    )


def _dials(result: Curve) -> None:
    """Show sliders over prices and clauses; nothing is fitted."""
    setting = app_state().setting or {}
    if "theta" not in setting or result.number_of(setting) is None:
        return
    alike = [s for s in result.settings if same_search(s, setting)]
    dials = learner_of(setting).dials(setting, len(app_state().training[0]))
    generation = st.session_state.get("_picks", 0)
    for column, dial in zip(st.columns(len(dials)), dials, strict=True):
        options = sorted({s[dial.entry] for s in alike if dial.entry in s})
        with column:
            if len(options) > 1:
                key = f"slider_{dial.entry}_{generation}"
                st.select_slider(
                    dial.label,
                    options,
                    value=setting[dial.entry],
                    format_func=lambda value: f"{value:g}",
                    key=key,
                    on_change=_dialled,
                    args=(result, dial.entry, key),
                    help="Looks up what the sweep found; nothing is learned again.",
                )
            if dial.caption:
                st.caption(dial.caption)


def _dialled(result: Curve, entry: str, key: str) -> None:
    number = result.number_of({**app_state().setting, entry: st.session_state[key]})
    if number is not None:
        choose(result, number)
