"""Counts on all rows of a rule that was learned from a sample."""

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
    """Exact counts of a rule on one part of a table.

    Shapes: confusion (K, K), matched, right (n_clauses,).
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
        """Rows with a wrong prediction."""
        return self.n - int(np.trace(self.confusion))

    @property
    def error(self) -> float:
        """Share of wrong rows; NaN without rows."""
        return self.errors / self.n if self.n else float("nan")


@dataclass(frozen=True, eq=False)
class TableCertificate:
    """Counts of a rule on the training and held-out rows of a table."""

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
        """Return the counts as sentences."""
        who = "the whole row" if self.key is None else f"column {self.key!r}"
        n, last = self.training.n, self.steps.iloc[-1]
        lines = [
            f"Counted by {self.engine} on all {n:,} rows learned from: {self.training.errors:,} "
            f"wrong ({self.training.error:.4%})."
        ]
        if self.test.n:
            lines.append(
                f"Counted on all {self.test.n:,} rows held back, by a hash of {who} and the seed "
                f"{self.seed}: {self.test.errors:,} wrong ({self.test.error:.4%})."
            )
        if self.sample_rows >= n:
            return (*lines, "Conditions and cuts were learned from all of these rows.")
        lines.append(
            f"Conditions were learned from {int(last['round'])} sample(s) of about "
            f"{self.sample_rows:,} rows, drawn by a hash of {who}."
        )
        if (self.steps["step"] == "refined").any():
            lines.append("Cuts were moved, and conditions left out, by counts of all rows.")
        return tuple(lines)

    def __str__(self) -> str:
        """Return the sentences, one per line."""
        return "\n".join(self.sentences)


def tallies(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> tuple[Tally, Tally]:
    """Sum the counts of the training and of the held-out rows."""
    labels = tuple(classes)
    confusion = confusion_of(rule, kinds, labels)
    decides = Likeness(rule).levels(kinds.met)[1] == 0
    labels_of_clauses = rule.labels if rule.form == "dnf" else (rule.default,) * rule.n_clauses
    own = [labels.index(label) for label in labels_of_clauses[: rule.n_clauses]]
    found = []
    for part in range(2):
        counts = decides.T.astype(np.int64) @ kinds.counts[part]
        right = counts[np.arange(len(own)), own]
        found.append(Tally(labels, confusion[part], counts.sum(axis=1), right))
    return found[0], found[1]
