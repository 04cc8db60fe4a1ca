"""Overview of a column: a histogram, and its association with the outcome."""

import numpy as np
import pandas as pd

from rulekit.binning.views import is_dates
from rulekit.data import Table, columns_of
from rulekit.data.association import cramers_v
from rulekit.rules.scales import positions_in
from ui.cache import kept
from ui.protected import looks_protected

BARS = 10  # bins of a histogram: equal intervals of numbers and dates, the most frequent levels
MOST_ROWS = 10_000  # in a longer table every k-th row is counted
MOST_COLUMNS = 300  # wider tables have neither, so that the page loads fast


def sampled(table: Table) -> str:
    """Return a sentence on the rows that are counted; empty if all are."""
    step = _step(table)
    return f" Values and association are counted in one of {step} rows." if step > 1 else ""


def _step(table: Table) -> int:
    return -(-table.n_rows // MOST_ROWS)


def column_figures(table: Table) -> pd.DataFrame | None:
    """Return a histogram and the association of each column, in order; None for wide tables."""
    if table.n_columns > MOST_COLUMNS:
        return None
    key = f"{table.digest} {table.target}"
    return kept("column figures", key, lambda: _figures(table))


def _figures(table: Table) -> pd.DataFrame:
    frame = table.frame.iloc[:: _step(table)]
    figures = pd.DataFrame({"spread": [_histogram(frame[c.name], c.kind) for c in table.columns]})
    figures["association"] = np.nan
    if table.target is not None:
        present = frame[table.target].notna().to_numpy()
        others = [k for k, c in enumerate(table.columns) if c.name != table.target]
        rows = frame[present]
        strength = cramers_v(rows.iloc[:, others], rows[table.target].astype(str).to_numpy())
        figures.loc[others, "association"] = strength
    return figures


def _histogram(column: pd.Series, kind: str) -> list[int]:
    """Count values in equal intervals, or those of the most frequent levels."""
    (values,) = columns_of(column.to_frame()).values()
    if kind == "date" and is_dates(values):
        values = positions_in(str(column.name), values, "date", None)
    if kind == "boolean" or values.dtype == object:
        return column.dropna().astype(str).value_counts().iloc[:BARS].tolist()
    values = values[np.isfinite(values)]
    return np.histogram(values, BARS)[0].tolist() if len(values) else []


def protected_features(table: Table) -> list[str]:
    """Return the features whose names contain sex, race, age or another protected attribute."""
    return [c.name for c in table.columns if c.role == "feature" and looks_protected(c.name)]
