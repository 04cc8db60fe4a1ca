"""Every trade-off of one fit: the best rule for each number of clauses and literals."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from rulekit.rules import RuleSet


@dataclass(frozen=True)
class PathEntry:
    """One rule of a path.

    Attributes
    ----------
    n_clauses, n_conditions : int
        Its size as the search counts it.
    loss : float
        Price of its wrong training rows, in rows, without the literals; the number of wrong rows
        where the prices are plain errors.
    train_error : float
        Share of the training weight that it gets wrong.
    rule_set : RuleSet
        The rule.
    """

    n_clauses: int
    n_conditions: int
    loss: float
    train_error: float
    rule_set: RuleSet

    def objective(self, theta: float) -> float:
        """Loss plus the price of the literals."""
        return self.loss + theta * self.n_conditions


@dataclass(frozen=True)
class RulePath:
    """The rules of one search, for any penalty and any limit of clauses.

    Parameters
    ----------
    entries : tuple of PathEntry
        By clauses and then literals.

    Examples
    --------
    >>> from rulekit import BoxSearchClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> learner = BoxSearchClassifier(n_perturbations=0, positive_label="malignant")
    >>> path = learner.path(X, y)
    >>> path.rule(theta=50.0).n_conditions <= path.rule(theta=1.0).n_conditions
    True
    """

    entries: tuple[PathEntry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[PathEntry]:
        return iter(self.entries)

    def entry(
        self, theta: float, n_clauses: int | None = None, max_conditions: int | None = None
    ) -> PathEntry:
        """Return the entry of the least objective.

        Parameters
        ----------
        theta : float
            Price of a literal, in training rows.
        n_clauses : int, optional
            Clauses at most; any number by default.
        max_conditions : int, optional
            Literals at most, as the search counts them; any number by default.

        Returns
        -------
        PathEntry
            Of equal objectives the one with fewer literals, then with fewer clauses.
        """
        allowed = [
            e
            for e in self.entries
            if (n_clauses is None or e.n_clauses <= n_clauses)
            and (max_conditions is None or e.n_conditions <= max_conditions)
        ]
        return min(
            allowed, key=lambda e: (round(e.objective(theta), 9), e.n_conditions, e.n_clauses)
        )

    def rule(
        self, theta: float, n_clauses: int | None = None, max_conditions: int | None = None
    ) -> RuleSet:
        """Return the rule of `entry`."""
        return self.entry(theta, n_clauses, max_conditions).rule_set

    def front(self, n_clauses: int | None = None) -> pd.DataFrame:
        """List the rules that no other beats in both loss and literals.

        Parameters
        ----------
        n_clauses : int, optional
            Clauses at most.

        Returns
        -------
        DataFrame
            Columns n_conditions, n_clauses, loss, train_error, rule_set; smallest rules first.
        """
        front: list[PathEntry] = []
        for entry in sorted(self.entries, key=lambda e: (e.n_conditions, e.loss, e.n_clauses)):
            fits = n_clauses is None or entry.n_clauses <= n_clauses
            if fits and (not front or entry.loss < front[-1].loss - 1e-9):
                front.append(entry)
        names = ("n_conditions", "n_clauses", "loss", "train_error", "rule_set")
        return pd.DataFrame([{n: getattr(e, n) for n in names} for e in front], columns=list(names))
