"""The Binning page's charts of several outcomes, each with its name and colour."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.plots.outcomes import (
    outcome_bins,
    outcome_bins_figure,
    outcome_levels,
    outcome_levels_figure,
    outcome_sentence,
    outcome_shares,
)
from rulekit.plots.thresholds import MAX_LEVELS, interval_signs
from ui.state import AppState
from ui.theme import chart

ROWS, HALF = 8, 285  # longest table shown as a whole, and the height in pixels of a scrolling one


def numeric_outcomes(
    state: AppState,
    name: str,
    values: NDArray[Any],
    cuts: NDArray[np.float64],
    between: Callable[[], None],
) -> None:
    """Show a numeric column by outcome: chart, then the call of `between`, then numbers."""
    numbers, codes, labels = values.astype(float), state.outcome_codes, state.labels
    table = outcome_bins(numbers, codes, len(labels), cuts)
    figure = outcome_bins_figure(numbers, codes, cuts, name=_axis(state, name), labels=labels)
    sentence = outcome_sentence(table, name=state.label(name), labels=labels)
    chart(figure, "binning_chart", sentence)
    between()
    signs = [interval_signs(row) for _, row in table.iterrows()]
    shares_table(signs, table["rows"], outcome_shares(table), labels, "between the cut points")


def level_outcomes(state: AppState, name: str, values: NDArray[Any]) -> None:
    """Show a category by outcome: picture, then numbers."""
    labels = state.labels
    table = outcome_levels(list(values), state.outcome_codes, len(labels))
    if len(table):
        figure = outcome_levels_figure(table, name=_axis(state, name), labels=labels)
        sentence = outcome_sentence(table, name=state.label(name), labels=labels)
        chart(figure, "binning_levels_chart", sentence)
        if len(table) > MAX_LEVELS:
            st.caption(f"Drawn are the {MAX_LEVELS} commonest of {len(table):,} levels.")
    shares_table(table["level"], table["rows"], outcome_shares(table), labels, "in each level")


def shares_table(
    values: Sequence[Any],
    rows: Sequence[Any],
    shares: Any,
    labels: Sequence[Any],
    where: str,
) -> None:
    """Show the number of rows and the share of each outcome in per cent, one column each."""
    percent = np.reshape(100 * np.asarray(shares, dtype=float), (len(values), len(labels)))
    names = [f"{label}, %" for label in labels]
    frame = pd.DataFrame({"values": list(values), "rows": list(rows)})
    frame = pd.concat([frame, pd.DataFrame(percent, columns=names)], axis=1)
    st.dataframe(
        frame,
        hide_index=True,
        height="content" if len(frame) <= ROWS else HALF,
        column_config={n: st.column_config.NumberColumn(n, format="%.0f") for n in names},
        alt=f"Rows and the share of each outcome {where}.",
    )


def _axis(state: AppState, name: str) -> str:
    unit = state.unit(name)
    return f"{state.label(name)} ({unit})" if unit else state.label(name)
