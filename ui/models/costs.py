"""Form for the weights of errors: equal, by class, or by cost."""

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
USUAL = 1.0  # default cost of an error


def weight_fields(state: AppState, usual: RunSpec) -> dict[str, Any]:
    """Show the form for error weights and return the matching fields of a run.

    After an invalid cost an error message is shown, and errors are counted.
    """
    n_pairs = len(state.labels) * (len(state.labels) - 1)
    usual_costs = usual.costs if len(usual.costs) == n_pairs else ()
    begins = COSTED if usual_costs else usual.class_weight or "none"
    selected = st.selectbox(
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
    if selected != COSTED:
        return plain | {"class_weight": None if selected == "none" else selected}
    unit = st.text_input(
        "Counted in", usual.cost_unit, key="run_cost_unit", placeholder="EUR, points, ...", **KEEP
    ).strip()
    pairs = list(permutations(state.labels, 2))
    start = usual_costs or (USUAL,) * n_pairs
    if state.several:
        weights = _matrix(state, dict(zip(pairs, start, strict=True)))
    else:
        weights = tuple(
            st.number_input(
                f"Cost of predicting {md(predicted, 40)} for {md(true, 40)}",
                min_value=0.0,
                value=start[k],
                key=f"run_cost_{k}",
                format="%g",
                **KEEP,
            )
            for k, (true, predicted) in enumerate(pairs)
        )
    wrong = [
        pair for pair, c in zip(pairs, weights, strict=True) if not (math.isfinite(c) and c > 0)
    ]
    if wrong:
        true, predicted = wrong[0]
        st.error(
            f"Every cost must be a positive number; predicting {md(predicted, 60)} for "
            f"{md(true, 60)} has none. Errors are counted until it has one; use a very small cost "
            "for an error that hardly matters."
        )
        return plain
    return plain | {"costs": weights, "cost_unit": unit}


def _matrix(state: AppState, costs: dict[tuple[Any, Any], float]) -> tuple[float, ...]:
    """Show a table of costs (rows: actual, columns: predicted) and return its values."""
    names = [str(label) for label in state.labels]
    cells = [[costs.get((t, a), math.nan) for a in state.labels] for t in state.labels]
    table = pd.DataFrame(cells, index=pd.Index(names, name="true"), columns=names)
    given = st.data_editor(
        table,
        key=f"run_cost_table_{hash(tuple(names))}",
        alt="Cost of predicting the outcome of the column for a row of the outcome on the left",
    )
    places = permutations(range(len(names)), 2)
    return tuple(float(given.iloc[t, a]) for t, a in places)
