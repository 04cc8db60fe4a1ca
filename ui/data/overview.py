"""What a column looks like at one glance: a histogram, and its association with the outcome."""

import re
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data import Table
from rulekit.data.association import cramers_v
from ui.cache import kept

BARS = 10  # of a histogram: equal intervals of numbers and dates, the most frequent levels
MOST_ROWS = 10_000  # every k-th row of a longer table is counted
MOST_COLUMNS = 300  # wider tables show neither, so that the page comes at once
PROTECTED = frozenset(
    ("age", "citizenship", "disability", "ethnic", "ethnicity", "gender", "nationality", "race")
) | {"religion", "sex"}


def column_figures(table: Table) -> pd.DataFrame | None:
    """Return a histogram and the association of each column, in order; None for wide tables."""
    if table.n_columns > MOST_COLUMNS:
        return None
    key = f"{table.digest} {table.target}"
    return kept("column figures", key, lambda: _figures(table))


def _figures(table: Table) -> pd.DataFrame:
    frame = table.frame.iloc[:: -(-table.n_rows // MOST_ROWS)]
    found = pd.DataFrame({"spread": [_histogram(frame[c.name]) for c in table.columns]})
    found["association"] = np.nan
    if table.target is not None:
        known = frame[table.target].notna().to_numpy()
        others = [k for k, c in enumerate(table.columns) if c.name != table.target]
        rows = frame[known]
        strength = cramers_v(rows.iloc[:, others], rows[table.target].astype(str).to_numpy())
        found.loc[others, "association"] = strength
    return found


def _histogram(column: pd.Series) -> list[int]:
    """Count values in equal intervals, or those of the most frequent levels."""
    present = column.dropna()
    kind = present.dtype
    if pd.api.types.is_datetime64_any_dtype(kind):
        present = present.astype("int64")
    elif pd.api.types.is_bool_dtype(kind) or not pd.api.types.is_numeric_dtype(kind):
        return [int(n) for n in present.astype(str).value_counts().iloc[:BARS]]
    values = present.to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    return np.histogram(values, BARS)[0].tolist() if len(values) else []


def protected_features(table: Table) -> list[str]:
    """Return the features whose names say sex, race, age or another protected attribute."""
    return [c.name for c in table.columns if c.role == "feature" and looks_protected(c.name)]


def looks_protected(name: Any) -> bool:
    """Check whether a word of a column's name is that of a protected attribute."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", str(name))
    return not PROTECTED.isdisjoint(word.lower() for word in words)
