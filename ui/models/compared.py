"""The learners of comparisons as a table: one row each, with its suggested point."""

from typing import Any

import pandas as pd
import streamlit as st

from rulekit.learners.choice import COST
from rulekit.style.palette import Look
from ui.learners.offered import LEARNERS, PLACES, look_of
from ui.learners.spec import LEARNER_KEY, RunSpec
from ui.models.curve import choose
from ui.models.form import BUDGETS
from ui.models.points import RunResult
from ui.models.run import COMPARISON, latest
from ui.row_picker import pick_row
from ui.state import AppState, app_state


def compared_table(result: RunResult | None, spec: RunSpec) -> None:
    """Show each compared learner with its suggested point; choosing a row picks it."""
    runs = comparisons(app_state(), spec)
    if not runs:
        return
    table, numbers = learners_table(result or RunResult(), runs, _is_running())
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
    result: RunResult, runs: list[RunSpec], running: bool
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
