"""What was counted where: of a rule that was learned from a sample and measured on every row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.learners.from_table.counts import Kinds, confusion_of
from rulekit.learners.shares import Likeness
from rulekit.rules import RuleSet

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """A rule counted on one part of a table, to the row.

    Attributes
    ----------
    labels : tuple of label
        The classes, sorted.
    confusion : ndarray of int, shape (K, K)
        Rows of class ``labels[i]`` that are answered ``labels[j]``.
    matched, right : ndarray of int, shape (n_clauses,)
        Rows each clause matches, and those of them whose class is what it says of them; as in
        `rulekit.rules.clause_statistics`.
    """

    labels: tuple[Any, ...]
    confusion: Counts
    matched: Counts
    right: Counts

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        """Rows given a wrong label."""
        return self.n - int(np.trace(self.confusion))

    @property
    def error(self) -> float:
        """Share of wrong rows; NaN without rows."""
        return self.errors / self.n if self.n else float("nan")


@dataclass(frozen=True, eq=False)
class TableCertificate:
    """What was counted where.

    Attributes
    ----------
    engine : str
        What counted: "duckdb", "postgres", ...
    n_rows : int
        Rows of the table.
    sample_rows : int
        Rows of the first sample; all rows learned from, where they are no more.
    key : str or None
        The column by whose hash rows were drawn and held back; None for the whole row.
    seed : int
        Of that hash.
    training, test : Tally
        The rule on all rows learned from, and on all rows held back; the latter took no part in
        learning.
    steps : DataFrame
        A row a time that a rule was counted on all rows learned from: `round`, `step` ("sample":
        as it was learned, "refined": cuts moved and conditions left out by what was counted),
        `sample_rows`, `conditions`, `wrong` rows, their share `error`, `loss` by weight, and
        `value`: the loss in rows of a sample, plus the price of the conditions.
    """

    engine: str
    n_rows: int
    sample_rows: int
    key: str | None
    seed: int
    training: Tally
    test: Tally
    steps: pd.DataFrame

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say it in words."""
        who = "the whole row" if self.key is None else f"column {self.key!r}"
        n, last = self.training.n, self.steps.iloc[-1]
        told = [
            f"Counted by {self.engine} on all {n:,} rows learned from: {self.training.errors:,} "
            f"wrong ({self.training.error:.4%})."
        ]
        if self.test.n:
            told.append(
                f"Counted on all {self.test.n:,} rows held back, by a hash of {who} and the seed "
                f"{self.seed}: {self.test.errors:,} wrong ({self.test.error:.4%})."
            )
        if self.sample_rows >= n:
            return (*told, "Conditions and cuts were learned from all of these rows.")
        told.append(
            f"Conditions were learned from {int(last['round'])} sample(s) of about "
            f"{self.sample_rows:,} rows, drawn by a hash of {who}."
        )
        if (self.steps["step"] == "refined").any():
            told.append("Cuts were moved, and conditions left out, by what all rows say.")
        return tuple(told)

    def __str__(self) -> str:
        """Write the sentences, a line each."""
        return "\n".join(self.sentences)


def tallies(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> tuple[Tally, Tally]:
    """Sum up what was counted: of the rows learned from, and of those held back."""
    labels = tuple(classes)
    confusion = confusion_of(rule, kinds, labels)
    decides = Likeness(rule).levels(kinds.met)[1] == 0
    said = rule.labels if rule.form == "dnf" else (rule.default,) * rule.n_clauses
    own = [labels.index(label) for label in said[: rule.n_clauses]]
    found = []
    for part in range(2):
        counts = decides.T.astype(np.int64) @ kinds.counts[part]
        right = counts[np.arange(len(own)), own]
        found.append(Tally(labels, confusion[part], counts.sum(axis=1), right))
    return found[0], found[1]
