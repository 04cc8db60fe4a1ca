"""Bands of totals: runs of totals of a scorecard, and the probability of each of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.rules import Clause, PointsSplit, RuleSet
from rulekit.search.sums import exp

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST_SHARE = 0.05  # of all rows, in each of several bands of a side: of fewer nothing is known
SAME = 1e-9  # deviances that differ by less, relative to the rows, are equal but for rounding


@dataclass(frozen=True)
class Chances:
    """Probability of the described class by total; it grows with the total."""

    slope: float
    intercept: float

    def of(self, totals: Ints) -> Floats:
        """Return the probability of the described class, shape (n,)."""
        odds: Floats = self.slope * totals.astype(float) + self.intercept
        return 1.0 / (1.0 + exp(-odds))


def bands_of(chances: pd.DataFrame, split: PointsSplit, most: int) -> pd.DataFrame:
    """Group the totals of a scorecard into bands, none across the total that decides.

    Notes
    -----
    Of all ways to cut, the one whose shares fit the training rows best (least deviance), with no
    more bands than lower it; where a side has several, each holds a twentieth of all rows or more.
    Between totals that rows have, a band begins halfway, rounded up. O(most * totals ** 2).
    """
    totals = chances["total"].to_numpy()
    weight, share = chances["weight"].to_numpy(), chances["share"].to_numpy()
    decides = int(np.searchsorted(totals, split.total))
    starts = _starts(weight, weight * share, decides, most)
    first = [split.total if k == decides else _halfway(totals[k - 1], totals[k]) for k in starts]
    lowest, highest = split.span
    ends = [*starts[1:], len(totals)]
    rows = []
    for k, (a, b) in enumerate(zip(starts, ends, strict=True)):
        held = weight[a:b]
        chance = float(held @ chances["chance"].to_numpy()[a:b] / held.sum())
        rows.append(
            {
                "from_total": lowest if k == 0 else first[k],
                "to_total": highest if k + 1 == len(starts) else first[k + 1] - 1,
                "weight": float(held.sum()),
                "share": float(held @ share[a:b] / held.sum()),
                "chance": chance,
            }
        )
    return pd.DataFrame(rows[::-1])


def rule_of_bands(bands: pd.DataFrame, split: PointsSplit) -> RuleSet:
    """Write bands as a rule of one clause each, whose answers are cases of a hundred.

    Neighbours with the same number are merged.
    """
    labels = [f"{round(100 * chance)} of 100" for chance in bands["chance"]]
    clauses, answers = [], []
    for k in range(len(labels) - 1):
        if labels[k] != labels[k + 1]:
            total = int(bands["from_total"].iloc[k])
            clauses.append(Clause((PointsSplit(split.conditions, split.points, total),)))
            answers.append(labels[k])
    return RuleSet(tuple(clauses), tuple(answers), "dnf", labels[-1])


def _halfway(below: int, above: int) -> int:
    return int(-(-(below + above) // 2))


def _starts(weight: Floats, described: Floats, decides: int, most: int) -> list[int]:
    """Return at which total each band begins, lowest first; one begins at `decides`."""
    n = len(weight)
    least = LEAST_SHARE * weight.sum() * (1.0 - SAME)
    sums = np.concatenate([[0.0], np.cumsum(weight)]), np.concatenate([[0.0], np.cumsum(described)])

    def cost(a: int, b: int) -> float:
        """Deviance of totals a to b as one band, infinite where it may not be one."""
        if a < decides < b:
            return np.inf
        mass, hits = (s[b] - s[a] for s in sums)
        whole_side = (a, b) in ((0, decides), (decides, n))
        if mass < least and not whole_side:
            return np.inf
        parts = np.array([hits, mass - hits])
        parts = parts[parts > 0]
        return float(-(parts * np.log(parts / mass)).sum())

    costs = {(a, b): cost(a, b) for a in range(n) for b in range(a + 1, n + 1)}
    # (bands, totals covered): deviance, and where bands begin
    best: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {(0, 0): (0.0, ())}
    for k in range(1, min(most, n) + 1):
        for b in range(1, n + 1):
            ways = [
                (best[k - 1, a][0] + costs[a, b], (*best[k - 1, a][1], a))
                for a in range(b)
                if (k - 1, a) in best and costs[a, b] < np.inf
            ]
            if ways:
                best[k, b] = min(ways)
    found = best[2, n]
    for k in range(3, min(most, n) + 1):
        if (k, n) in best and best[k, n][0] < found[0] - SAME * weight.sum():
            found = best[k, n]
    return list(found[1])
