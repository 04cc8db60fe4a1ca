"""Small tables that the tests of estimators share."""

import numpy as np
import pandas as pd
import pyarrow as pa


def mixed_table(seed=0, n=240, noise=0.05, gaps=True):
    """Numbers, text, truth values and flags, with a planted rule of two clauses for "yes"."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "age": rng.integers(18, 80, n).astype(float),
            "smoker": rng.random(n) < 0.4,
            "bmi": rng.normal(27, 4, n).round(1),
            "flag": rng.integers(0, 2, n),
        }
    )
    holds = ((X["age"] > 50) & (X["bmi"] > 27)) | ((X["town"] == "Ulm") & X["smoker"])
    y = np.where(holds ^ (rng.random(n) < noise), "yes", "no")
    if gaps:
        X.loc[rng.random(n) < 0.08, "bmi"] = np.nan
        X["town"] = X["town"].where(rng.random(n) > 0.05, None)
    return X, y


def in_engine(frame):
    """Load a data frame into DuckDB."""
    import ibis

    return ibis.memtable(pa.Table.from_pandas(frame, preserve_index=False))
