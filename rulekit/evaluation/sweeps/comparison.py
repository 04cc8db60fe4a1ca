"""Result of a comparison of learners: points, progress, and joining."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rulekit.evaluation.sweeps.family import Family
from rulekit.evaluation.sweeps.result import EXTRAS, SweepResult, summarise, table_of
from rulekit.learners.choice import Setting

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of a comparison, during and after it.

    Parameters
    ----------
    families : tuple of Family
        Their settings are numbered through, in this order.
    n_folds : int
    folds_digest : str
        Fingerprint of rows, target, weights and folds; equal for what may stand on one curve.
    finished : tuple of dict
        A row for each finished fit, as `rulekit.evaluation.sweep` reports it, ``learner`` being
        the family's name.
    first_pass : tuple of dict
        The same of a first pass, in which settings are answered quickly and less well.
    part_of_rows : (int, int)
        From how many rows of a fold the first pass learned, and how many there are.
    models : mapping of int to classifier
        By number of setting, fitted on all rows, for families that keep their models.
    references : DataFrame or None
        Reference models on the same folds: ``name`` and the columns of `summarise`.
    """

    families: tuple[Family, ...]
    n_folds: int
    folds_digest: str
    finished: tuple[Row, ...] = ()
    first_pass: tuple[Row, ...] = ()
    part_of_rows: tuple[int, int] = (0, 0)
    models: Mapping[int, Any] = field(default_factory=dict)
    references: pd.DataFrame | None = None

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings behind the numbers, each with its learner's parameters."""
        return tuple(setting for family in self.families for setting in family.settings)

    @property
    def n_fits(self) -> int:
        """Number of requested fits: each setting in each fold."""
        return len(self.settings) * self.n_folds

    @property
    def is_draft(self) -> bool:
        """Whether some points come from a first pass."""
        return any("draft" in row for row in self.rows)

    @property
    def is_complete(self) -> bool:
        """Whether every requested fit is finished."""
        return len(self.finished) == self.n_fits

    @property
    def progress(self) -> dict[str, tuple[int, int]]:
        """Finished and requested fits of each family."""
        done = Counter(row["learner"] for row in self.finished)
        totals: Counter[str] = Counter()
        for family in self.families:
            totals[family.name] += len(family.settings) * self.n_folds
        return {name: (done[name], total) for name, total in totals.items()}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The current rows: those of the first pass unless replaced as a whole."""
        done = Counter(row["setting"] for row in self.finished)
        old = [row for row in self.first_pass if done[row["setting"]] < self.n_folds]
        waiting = {row["setting"] for row in old}
        new = [row for row in self.finished if row["setting"] not in waiting]
        return (*({**row, "draft": True} for row in old), *new)

    @cached_property
    def result(self) -> SweepResult:
        """The current rows as one result, for its front, its suggestion and its table."""
        names = list(dict.fromkeys(k for setting in self.settings for k in setting))
        return SweepResult(
            table=table_of([_plain(row) for row in self.rows], names),
            settings=self.settings,
            estimators=tuple(f.estimator for f in self.families for _ in f.settings),
            n_folds=self.n_folds,
            complete=self.is_complete,
            folds_digest=self.folds_digest,
        )

    def points(self, *, whole: bool = True) -> pd.DataFrame:
        """Average over folds: one row per setting, as in `rulekit.evaluation.summarise`.

        Parameters
        ----------
        whole : bool, default=True
            Leave out settings of which folds are missing: their means are over other rows than
            those of the rest, and move while a comparison runs.

        Returns
        -------
        DataFrame
        """
        if not self.rows:
            return pd.DataFrame()
        points = summarise([_plain(row) for row in self.rows])
        return points[points["folds"] == self.n_folds] if whole else points

    def join(self, *others: "Comparison") -> "Comparison":
        """Combine comparisons on the same folds; settings are numbered anew.

        Parameters
        ----------
        *others : Comparison
            A family may stand in several, with other settings.

        Returns
        -------
        Comparison
            Reference models are taken from the first that has them.

        Raises
        ------
        ValueError
            If one is of other rows or other folds: their errors cannot be compared.
        """
        everyone = (self, *others)
        for place, other in enumerate(others, start=1):
            if other.folds_digest != self.folds_digest:
                raise ValueError(
                    "Comparisons are joined when they are of the same rows, target, weights and "
                    f"folds; comparison {place} to be joined is not. Make it again with the same "
                    "`cv` and `random_state`."
                )
        shifts = [0, *np.cumsum([len(one.settings) for one in everyone[:-1]]).tolist()]
        pairs = list(zip(everyone, shifts, strict=True))
        return Comparison(
            families=tuple(family for one in everyone for family in one.families),
            n_folds=self.n_folds,
            folds_digest=self.folds_digest,
            finished=tuple(row for one, by in pairs for row in renumbered(one.finished, by)),
            first_pass=tuple(row for one, by in pairs for row in renumbered(one.first_pass, by)),
            part_of_rows=max(one.part_of_rows for one in everyone),
            models={
                number + by: model for one, by in pairs for number, model in one.models.items()
            },
            references=next(
                (one.references for one in everyone if one.references is not None), None
            ),
        )


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a comparison.

    Parameters
    ----------
    stage : {"first pass", "search", "references"}
        What is being done.
    family : str
        For which learner; empty for reference models.
    row : dict or None
        The fit that has just been finished; None at the end of a stage, when all that belongs to
        it is in `found` (of "references" at its beginning).
    found : Comparison
        All there is by now.
    """

    stage: str
    family: str
    row: Row | None
    found: Comparison


def renumbered(rows: Iterable[Row], by: int) -> list[Row]:
    """Return rows whose settings are numbered from another number on."""
    return [row | {"setting": row["setting"] + by} for row in rows]


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in (*EXTRAS, "draft")}
