"""Gaps between groups of rows on inner folds, and the limits a rule must keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.groups import FEW, GROUP_MEASURES, RowGroups, row_groups
from rulekit.exceptions import DataError
from rulekit.learners.training import TrainingTable

Floats = NDArray[np.float64]
ODDS = ("found", "false_alarms")  # what a plain number limits
AMONG = ("rows", "positives", "negatives")
GAPS = ("gap", *(f"gap_{measure}" for measure in GROUP_MEASURES))  # columns of `Choice.table`
EXACT = 1e-12


@dataclass(frozen=True, eq=False)
class GroupGaps:
    """Counts predictions by group, and selects settings within the limits.

    Shapes: enough (groups,), y (n,), weight (n,).
    """

    groups: RowGroups
    limits: dict[str, float]
    enough: dict[str, NDArray[np.bool_]]
    y: NDArray[Any]
    label: Any
    weight: Floats

    @classmethod
    def of(
        cls,
        table: TrainingTable,
        name: str,
        max_gap: float | Mapping[str, float] | None,
        label: Any,
    ) -> Self:
        """Group training rows by a column."""
        if name in table.ignored:
            raise DataError(
                f"`groups` names column {name!r}, which holds too many different texts for groups; "
                "name another column."
            )
        if name not in table.columns:
            raise DataError(
                f"`groups` names column {name!r}, which the table does not have; correct the name."
            )
        groups = row_groups(table.frame[name], name)
        true = table.y == label
        among = dict(zip(AMONG, (np.ones(len(true), dtype=bool), true, ~true), strict=True))
        n = len(groups.labels)
        enough = {
            measure: np.bincount(groups.codes[among[whole]], minlength=n) >= FEW
            for measure, whole in GROUP_MEASURES.items()
        }
        limits = limits_of(max_gap)
        few = [measure for measure in limits if enough[measure].sum() < 2]
        if few:
            raise DataError(
                f"A gap is measured between groups of {FEW} rows or more, but by column {name!r} "
                f"fewer than two have that many {GROUP_MEASURES[few[0]]} for the measure "
                f"{few[0]!r}. Group by another column, or limit another measure."
            )
        return cls(groups, limits, enough, table.y, label, table.sample_weight)

    def __call__(self, answers: NDArray[Any], rows: NDArray[np.intp]) -> Floats:
        """Sum the weights of rows by group, shape (7 * groups,).

        All, positive and negative ones; wrong, found, falsely called and called positive ones.
        """
        true, called = self.y[rows] == self.label, answers == self.label
        masks = (
            *(np.ones(len(rows), dtype=bool), true, ~true),
            *(answers != self.y[rows], true & called, ~true & called, called),
        )
        codes, n, weight = self.groups.codes[rows], len(self.groups.labels), self.weight[rows]
        return np.concatenate([np.bincount(codes, weight * mask, n) for mask in masks])

    def of_settings(self, sums: Floats) -> dict[str, Floats]:
        """Compute the gaps of settings from their sums by fold, shape (settings,) each.

        Shapes: sums (folds, settings, 7 * groups).
        """
        total = np.nansum(sums, axis=0).reshape(sums.shape[1], 7, -1)
        whole = {name: total[:, k] for k, name in enumerate(AMONG)}
        gaps = {}
        for k, (measure, among) in enumerate(GROUP_MEASURES.items(), start=len(AMONG)):
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = (total[:, k] / whole[among])[:, self.enough[measure]]
            several_groups = shares.shape[1] > 1
            gaps[f"gap_{measure}"] = (
                np.ptp(shares, axis=1) if several_groups else np.full(len(shares), np.nan)
            )
        limited = [gaps[f"gap_{measure}"] for measure in self.limits or ODDS]
        return gaps | {"gap": np.max(limited, axis=0)}

    def kept(self, answers: NDArray[Any]) -> bool:
        """Return whether predictions for all rows keep the limits."""
        sums = self(answers, np.arange(len(self.y)))
        gaps = self.of_settings(sums[None, None])
        return all(gaps[f"gap_{m}"][0] <= most + EXACT for m, most in self.limits.items())

    def about_passed(self, n: int, left: pd.DataFrame) -> str:
        """Return how many settings were rejected, as a sentence."""
        if left.empty:
            raise DataError(
                f"No rule satisfies `max_gap` between the groups of {self.groups.name!r}: {n} "
                "settings satisfy it on the inner folds, but not their rules of all rows. Raise "
                "`max_gap`, or group by another column."
            )
        if not n:
            return ""
        return f" Of these {n} would have been taken, but what they learn from all rows does not."

    def allowed(self, summary: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """Return the settings within the limits, and a sentence on what that leaves."""
        if not self.limits:
            return summary, ""
        limits = pd.Series({f"gap_{name}": limit for name, limit in self.limits.items()})
        excess = (summary[limits.index] - limits).max(axis=1)
        within_limits = summary[excess <= EXACT]
        allowed = " and ".join(f"{limit:g} in {name!r}" for name, limit in self.limits.items())
        where = f"between the groups of {self.groups.name!r}"
        if within_limits.empty:
            near = summary.loc[excess.idxmin()]
            gaps = ", ".join(f"{near[f'gap_{name}']:.3g} in {name!r}" for name in self.limits)
            raise DataError(
                f"`max_gap` allows a gap of {allowed} {where}, but no rule satisfies it on the "
                f"inner folds; the closest has {gaps} and {_doing(near)}. Raise `max_gap`, or "
                "group by another column."
            )
        best = summary.loc[summary[_loss_in(summary)].idxmin()]
        note = (
            f" {len(within_limits)} of {len(summary)} settings keep the gap {where} within "
            f"{allowed} on the inner folds; without that limit the best one {_doing(best)}, with a "
            f"gap of {best['gap']:.3g}. On new rows gaps may be larger."
        )
        if not (within_limits["n_conditions"] >= 0.5).any():
            note += (
                " Only rules without conditions, which predict the same for every row, keep to it."
            )
        return within_limits, note


def limits_of(max_gap: float | Mapping[str, float] | None) -> dict[str, float]:
    """List what a `max_gap` limits."""
    if max_gap is None:
        return {}
    named = max_gap if isinstance(max_gap, Mapping) else dict.fromkeys(ODDS, max_gap)
    return {name: float(limit) for name, limit in named.items()}


def check_gaps(groups: str | None, max_gap: Any, positive_label: Any) -> None:
    """Reject a limit without groups, of an unknown measure, or without a named class."""
    if max_gap is not None and groups is None:
        raise ValueError(
            f"`max_gap` needs `groups`; got max_gap={max_gap!r} and groups=None. Set `groups` to "
            "the column whose groups are compared, or remove `max_gap`."
        )
    if not isinstance(max_gap, Mapping):
        return
    for name, limit in max_gap.items():
        number = isinstance(limit, Real) and not isinstance(limit, bool)
        if name not in GROUP_MEASURES or not number or not 0 <= limit < 1:
            raise ValueError(
                f"`max_gap` must map measures ({', '.join(map(repr, GROUP_MEASURES))}) to gaps "
                f"from 0 to below 1; got {name!r}: {limit!r}."
            )
        if name in ODDS and positive_label is None:
            raise ValueError(
                f"`max_gap` limits {name!r}, which is counted for one class. Set "
                "`positive_label`, or make `max_gap` a number, which limits both classes."
            )
    if not max_gap:
        raise ValueError("`max_gap` is empty. Add a measure, or remove it.")


def _loss_in(table: Any) -> str:
    """Return the measure of the comparison: the error, or the cost."""
    return "test_error" if "test_error" in table else "test_cost_per_100"


def _doing(row: pd.Series) -> str:
    if "test_error" in row:
        return f"is wrong in {100 * row['test_error']:.1f} % of the rows"
    return f"costs {row['test_cost_per_100']:.4g} a 100 cases"


def gap_curve(table: pd.DataFrame) -> pd.DataFrame:
    """List the settings not dominated in gap and error; see `Choice.gap_curve`."""
    if "gap" not in table:
        raise ValueError("No groups were compared; give `groups` to the learner.")
    rows = table[table["folds"] == table["folds"].max()].dropna(subset=["gap"])
    rows = rows.assign(_error=rows[_loss_in(rows)].round(12), _gap=rows["gap"].round(12))
    rows = rows.sort_values(["_gap", "_error", "n_conditions", "setting"])
    better = rows["_error"] < rows["_error"].cummin().shift(fill_value=np.inf)
    return rows[better].drop(columns=["_error", "_gap"]).reset_index(drop=True)
