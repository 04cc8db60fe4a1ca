"""The one place that asks what errors weigh: all alike, by class, or by what they cost."""

import math
from itertools import permutations
from typing import Any

import pandas as pd
import streamlit as st

from ui.escape import md
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

COSTED = "costs"
WEIGHTS = {
    "none": "count every row alike",
    "balanced": "give all outcomes the same weight",
    COSTED: "by what they cost",
}
USUAL = 1.0  # of an error, before anything else is said


def asked_weights(state: AppState, usual: RunSpec) -> dict[str, Any]:
    """Ask what errors weigh; give the fields of a run that say so.

    Without two outcomes to name, or after a cost that is none, errors are counted, and a sentence
    says so.
    """
    n_pairs = len(state.labels) * (len(state.labels) - 1)
    known = usual.costs if len(usual.costs) == n_pairs else ()
    begins = COSTED if known else usual.class_weight or "none"
    asked = st.selectbox(
        "What errors weigh",
        list(WEIGHTS),
        list(WEIGHTS).index(begins),
        format_func=WEIGHTS.get,
        key="run_weight",
        help="In learning, in the choice among rules and in the curve. By what they cost: the "
        "curve and the figures then have a cost a 100 cases, too.",
        **KEEP,
    )
    plain: dict[str, Any] = {"class_weight": None, "costs": (), "cost_unit": ""}
    if asked != COSTED:
        return plain | {"class_weight": None if asked == "none" else asked}
    unit = st.text_input(
        "Counted in", usual.cost_unit, key="run_cost_unit", placeholder="EUR, points, ...", **KEEP
    ).strip()
    pairs = list(permutations(state.labels, 2))
    start = known or (USUAL,) * n_pairs
    if state.several:
        found = _matrix(state, dict(zip(pairs, start, strict=True)))
    else:
        found = tuple(
            st.number_input(
                f"One row of {md(true, 40)} answered {md(said, 40)} costs",
                min_value=0.0,
                value=start[k],
                key=f"run_cost_{k}",
                format="%g",
                **KEEP,
            )
            for k, (true, said) in enumerate(pairs)
        )
    wrong = [pair for pair, c in zip(pairs, found, strict=True) if not (math.isfinite(c) and c > 0)]
    if wrong:
        true, said = wrong[0]
        st.error(
            f"Every error must cost something; {md(true, 60)} answered {md(said, 60)} has no "
            "positive number. Errors are counted until it has one: a very small cost stands for an "
            "error that hardly matters."
        )
        return plain
    return plain | {"costs": found, "cost_unit": unit}


def _matrix(state: AppState, costs: dict[tuple[Any, Any], float]) -> tuple[float, ...]:
    """Ask for the cost of every pair in a table: true outcomes down, answers across."""
    names = [str(label) for label in state.labels]
    cells = [[costs.get((t, a), math.nan) for a in state.labels] for t in state.labels]
    table = pd.DataFrame(cells, index=pd.Index(names, name="true"), columns=names)
    given = st.data_editor(
        table,
        key=f"run_cost_table_{hash(tuple(names))}",
        alt="What a row of the outcome on the left costs when it is given the answer above",
    )
    places = permutations(range(len(names)), 2)
    return tuple(float(given.iloc[t, a]) for t, a in places)
