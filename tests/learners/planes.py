"""Tables that a plane nearly divides, for the learners of rules from planes."""

import numpy as np
import pandas as pd


def blobs(seed=0, n=160, gaps=False):
    """Two columns that matter in units of very different size, one that does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.normal(30_000, 8_000, n).round(0),
            "share": rng.normal(0.3, 0.1, n),
            "noise": rng.normal(size=n),
        }
    )
    score = (X["income"] - 30_000) / 8_000 - (X["share"] - 0.3) / 0.1 + rng.normal(0, 0.4, n)
    y = np.where(score > 0, "good", "bad").astype(object)
    if gaps:
        X.loc[::9, "share"] = np.nan
    return X, y


def with_levels(seed=0, n=160):
    """Numbers, text of two and of three levels, truth values."""
    X, _ = blobs(seed, n)
    rng = np.random.default_rng(seed + 1)
    X["town"] = rng.choice(["Bonn", "Köln", "Ulm"], n)
    X["owner"] = rng.random(n) < 0.5
    X["sex"] = rng.choice(["f", "m"], n)
    score = (X["income"] - 30_000) / 8_000 + 1.5 * (X["town"] == "Ulm") - 1.5 * X["owner"]
    return X, np.where(score + 0.5 * (X["sex"] == "m") > 0.3, 1, 0)
