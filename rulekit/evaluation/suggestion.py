"""Which of many settings to take: `SweepResult.suggest`, and the reason it gives."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.evaluation.grid import Setting, identity
from rulekit.evaluation.metrics import MAXIMISED
from rulekit.solvers.choice import CONDITION_PRICE, cheapest, smoothed

#: Parameters that set how large a rule may be: settings next to each other in one of these, and
#: alike in all others, are neighbours. Of nested names the last part counts.
SIZE_KEYS = ("theta", "n_clauses", "max_literals", "max_features", "max_leaf_nodes")


def suggestion(rows: pd.DataFrame, settings: Sequence[Setting], y: str) -> dict[str, Any]:
    """Choose among settings; see `SweepResult.suggest`.

    Parameters
    ----------
    rows : DataFrame
        Rows of a summary that have the measure; column ``_worth`` holds it, small is good.
    settings : sequence of dict
        The parameters behind each number in column ``setting``.
    y : str
        The measure.

    Returns
    -------
    dict
    """
    best = rows.sort_values(["_worth", "n_literals", "n_clauses_used", "setting"]).iloc[0]
    error = best[f"{y}_se"] if np.isfinite(best[f"{y}_se"]) else 0.0
    near = rows[rows["_worth"] <= best["_worth"] + error + 1e-12]
    simplest = near.sort_values(["n_literals", "_worth", "n_clauses_used", "setting"]).iloc[0]
    rows = rows.sort_values(["n_clauses_used", "setting"])
    own = [settings[int(number)] for number in rows["setting"]]
    learners = rows["learner"].tolist() if "learner" in rows else [""] * len(rows)
    even = smoothed(rows["_worth"], neighbourhoods(own, learners))
    order = cheapest(even, rows["n_literals"], price_of_condition(rows, y))
    says = ~(rows["n_literals"].to_numpy(dtype=float) < 0.5)
    chosen = next((i for i in order if says[i]), order[0])
    default = rows.iloc[chosen]
    return {
        "default": int(default["setting"]),
        "simplest_within_1se": int(simplest["setting"]),
        "best": int(best["setting"]),
        "reason": _reason(best, simplest, default, settings, y)
        + ("" if chosen == order[0] else _about_the_empty(rows.iloc[order[0]], settings)),
    }


def neighbourhoods(
    settings: Sequence[Setting], learners: Sequence[str]
) -> list[tuple[list[Any], NDArray[np.float64]]]:
    """List, for each size parameter, the line a setting lies on and its place there.

    Returns
    -------
    list of (list, ndarray), for `rulekit.solvers.choice.smoothed`
        Without a value for a parameter (None: no limit) a setting stands last on its line.
    """
    names = dict.fromkeys(k for s in settings for k in s if k.rpartition("__")[2] in SIZE_KEYS)
    axes = []
    for name in names:
        lines = [
            (learner, name in setting, identity({k: v for k, v in setting.items() if k != name}))
            for setting, learner in zip(settings, learners, strict=True)
        ]
        values = [s.get(name) for s in settings]
        places = np.array([math.inf if v is None else float(v) for v in values])
        axes.append((lines, places))
    return axes


def price_of_condition(rows: pd.DataFrame, y: str) -> float:
    """Price of a condition in the unit of a measure.

    A share of rows as it is; a cost, which has no unit of its own, in shares of the greatest one.
    """
    return CONDITION_PRICE * (float(rows["_worth"].abs().max()) if y == "test_cost" else 1.0)


def _reason(best: Any, simplest: Any, default: Any, settings: Sequence[Setting], y: str) -> str:
    measure = y.replace("_", " ")
    named = {int(row["setting"]): _named(row, settings) for row in (best, simplest, default)}
    first = named[int(default["setting"])]
    told = (
        f"The default is {first} ({_figure(default, y)}). A single best figure among many is "
        f"partly luck, so each mean {measure} was averaged with those of settings of nearly the "
        f"same size and charged {_price(y)} for each literal; then no other is better"
    )
    if best["setting"] == default["setting"]:
        told += "; it also has the best mean of its own"
    else:
        told += f". The best mean of its own has {named[int(best['setting'])]} ({_figure(best, y)})"
    if simplest["setting"] not in (default["setting"], best["setting"]):
        told += (
            f"; within one standard error of it the simplest is "
            f"{named[int(simplest['setting'])]} ({_figure(simplest, y)})"
        )
    return f"{told}."


def _about_the_empty(row: Any, settings: Sequence[Setting]) -> str:
    return (
        f" An empty rule, {_named(row, settings)}, which gives every row the same answer, does no "
        "worse by that count; the default is the first setting that says something."
    )


def _price(y: str) -> str:
    if y == "test_cost":
        return f"{100 * CONDITION_PRICE:g} % of the greatest cost"
    return f"{CONDITION_PRICE:g}" if y in MAXIMISED else f"{100 * CONDITION_PRICE:g} points"


def _named(row: Any, settings: Sequence[Setting]) -> str:
    setting = settings[int(row["setting"])]
    return ", ".join(f"{k} = {v}" for k, v in setting.items()) or str(row["learner"])


def _figure(row: Any, y: str) -> str:
    value = f"{row[y]:.3f}" if y in MAXIMISED or y == "test_cost" else f"{100 * row[y]:.1f} %"
    return f"{value} with {row['n_literals']:.1f} literals"
