"""The two-level paper's protocol: its methods, its prices, its published figures.

Stratified shuffled 10-fold cross-validation, 10 quantile thresholds a feature from the training
fold, a DNF of the positive class, 18 prices of a literal; the figure is the least mean test error
over the prices. It is published for one split; ours is the mean of it over several seeds, as the
figure moves by one to two points from split to split.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import BenchTable
from rulekit.evaluation import Comparison, Progress, sweep
from rulekit.evaluation.sweeps.grid import THETA_GRID
from rulekit.learners import BoxSearchClassifier, TwoLevelRuleClassifier

CLAUSES = (1, 2, 3, 4, 5)
QUICK_THETAS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)

#: The paper's abbreviations, and its settings here.
METHODS: dict[str, dict[str, Any]] = {
    "SCS": {"method": "set_cover", "rounding": "threshold"},
    "SCN": {"method": "set_cover"},
    "TLP": {"method": "lp"},
    "BCD": {"method": "block_coordinate"},
    "AM": {"method": "alternating"},
    "AM refined": {"method": "alternating", "refine": True},
}

SEARCH = "search"  # the box search, which the paper does not have, for comparison

#: Least mean test error in percent for R = 1 .. 5 (Table 1); one split.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "sonar": {
        "SCS": (30.3, 29.8, 26.0, 25.5, 28.4),
        "SCN": (25.5, 23.6, 22.1, 23.6, 23.6),
        "TLP": (25.5, 28.4, 30.8, 29.8, 29.8),
        "BCD": (25.5, 25.5, 25.5, 20.2, 23.6),
        "AM": (25.5, 21.2, 24.0, 22.6, 18.3),
    },
    "liver": {
        "SCS": (42.0, 40.6, 40.3, 39.7, 39.4),
        "SCN": (42.0, 40.9, 41.4, 40.6, 40.6),
        "TLP": (39.7, 41.4, 40.9, 42.0, 41.7),
        "BCD": (42.0, 35.7, 36.8, 37.1, 33.9),
        "AM": (42.0, 34.2, 33.6, 34.2, 33.0),
    },
    "pima": {
        "SCS": (26.6, 26.7, 27.5, 27.5, 27.5),
        "SCN": (26.7, 26.2, 26.4, 27.1, 27.1),
        "TLP": (25.4, 28.0, 26.7, 26.3, 25.1),
        "BCD": (26.7, 24.9, 25.7, 25.7, 25.7),
        "AM": (26.7, 22.7, 23.7, 24.1, 24.9),
    },
    "parkinsons": {
        "SCS": (15.9, 13.8, 14.4, 14.4, 14.4),
        "SCN": (15.9, 13.8, 14.4, 14.4, 14.4),
        "TLP": (14.4, 14.9, 14.4, 14.9, 14.9),
        "BCD": (15.9, 12.8, 12.3, 13.3, 13.3),
        "AM": (15.9, 14.4, 13.8, 14.9, 15.4),
    },
}


def protocol_sweep(
    table: BenchTable,
    methods: Iterable[str],
    clauses: Sequence[int],
    seed: int,
    *,
    thetas: Sequence[float] = THETA_GRID,
    n_jobs: int | None = None,
    store: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **fixed: Any,
) -> Comparison:
    """Run the protocol for one seed with some of `METHODS`, or `SEARCH` alone."""
    sizes = {"n_clauses": list(clauses), "theta": list(thetas)}
    if list(methods) == [SEARCH]:
        learner = BoxSearchClassifier(positive_label=table.positive, random_state=0, **fixed)
        grid = [sizes]
    else:
        learner = TwoLevelRuleClassifier(positive_label=table.positive, **fixed)
        grid = [{k: [v] for k, v in METHODS[name].items()} | sizes for name in methods]
    return sweep(
        learner, table.X, table.y, grid=grid, cv=10, random_state=seed, n_jobs=n_jobs,
        store=store, on_progress=on_progress,
    )  # fmt: skip


def method_of(result: Comparison, number: int) -> str:
    """Return the name of the paper's method that a setting belongs to."""
    setting = result.setting(number)
    parameters = {k: v for k, v in setting.items() if k not in ("theta", "n_clauses")}
    return next(name for name, parts in METHODS.items() if parts == parameters)


def least_errors(result: Comparison) -> pd.DataFrame:
    """Select the ``theta`` of least mean test error (%) per method and R; ties: fewer literals."""
    rows = result.summary.assign(method=[method_of(result, n) for n in result.summary["setting"]])
    best = rows.sort_values(["test_error", "n_conditions"]).groupby(["method", "n_clauses"]).first()
    best = best.reset_index()
    return pd.DataFrame(
        {
            "method": best["method"],
            "R": best["n_clauses"].astype(int),
            "error": 100 * best["test_error"],
            "literals": best["n_conditions"],
            "theta": best["theta"],
        }
    )


def over_seeds(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Average the least errors of several seeds; ``sd`` is their standard deviation."""
    joined = pd.concat(tables)
    groups = joined.groupby(["method", "R"])
    spread = groups["error"].std() if len(tables) > 1 else groups["error"].first() * np.nan
    return pd.DataFrame(
        {"error": groups["error"].mean(), "sd": spread, "literals": groups["literals"].mean()}
    ).reset_index()


def published(table: str, method: str, n_clauses: int) -> float | None:
    """Look up the paper's figure, in percent; None where it has none."""
    row = PUBLISHED.get(table, {}).get(method)
    return None if row is None or n_clauses > len(row) else row[n_clauses - 1]
