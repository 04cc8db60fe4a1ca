"""A counted formula: a few conditions, the counts of their types, and the predictions."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.families.ideal_dnf.counts import Pair
from rulekit.families.ideal_dnf.solver.prime_implicants import MinimumForm, minimum_dnf
from rulekit.families.ideal_dnf.solver.row_types import Counts, majority
from rulekit.learners.shares import Patterns, Shares, first_clause
from rulekit.rules import Clause, Columns, RuleSet
from rulekit.rules.analysis.simplify import simplify_clause

MODES = ("paper", "compact")
MINIMISE_SECONDS = 3.0


@dataclass(frozen=True, eq=False)
class IdealFormula:
    """The best formula over k conditions.

    Shapes: counts (2**k, 2).
    """

    pairs: tuple[Pair, ...]
    counts: Counts
    rows: Counts | None
    factors: tuple[float, float]
    positive: Any
    default: Any
    time_limit: float | None = None
    _forms: dict[str, MinimumForm] = field(default_factory=dict, repr=False)

    def minimised(self, mode: str) -> MinimumForm:
        """Write the formula as short as possible; see `IdealDNFClassifier` for the modes."""
        if mode not in self._forms:
            on = majority(self.counts)
            off = self.counts[:, 0] > self.counts[:, 1] if mode == "compact" else ~on
            limit = MINIMISE_SECONDS if self.time_limit is None else self.time_limit
            self._forms[mode] = minimum_dnf(on, off, time_limit=limit)
        return self._forms[mode]

    def rule(self, mode: str) -> RuleSet:
        """Convert the formula to a rule, each term with as few literals per column as possible."""
        clauses = [self._clause(cube.tolist()) for cube in self.minimised(mode).cubes]
        return RuleSet(tuple(clauses), (self.positive,) * len(clauses), "dnf", self.default)

    def _clause(self, cube: list[int]) -> Clause:
        read = zip(self.pairs, cube, strict=True)
        clause = Clause(tuple(pair[1 - answer] for pair, answer in read if answer >= 0))
        # a term holds on a type that occurs, so it cannot be a contradiction
        return simplify_clause(clause) or clause

    def types_of(self, columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return each row's type, and whether every condition is defined for it."""
        n = len(next(iter(columns.values())))
        codes, met = np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
        for yes, no in self.pairs:
            holds = yes.mask(columns)
            met &= holds ^ no.mask(columns)
            codes = 2 * codes + holds
        return codes, met

    def seen(self, columns: Columns) -> NDArray[np.bool_]:
        """Return which rows are of a type that occurs, shape (n,)."""
        codes, met = self.types_of(columns)
        occurring: NDArray[np.bool_] = met & (self.counts[codes].sum(axis=1) > 0)
        return occurring

    def shares(self, mode: str) -> Shares:
        """Count each type."""
        form, weighed = self.minimised(mode), np.array(self.factors)
        types = np.flatnonzero(self.counts.sum(axis=1) > 0)
        held = [MinimumForm(cube[None, :], 0, 0).holds()[types] for cube in form.cubes]
        fired = np.array(held, dtype=bool).reshape(len(held), len(types)).T
        counts = (self.counts / weighed if self.rows is None else self.rows)[types]
        features = np.column_stack([fired, self.answers_of(types), np.ones(len(types))])
        share = [1, 0] if self.positive < self.default else [0, 1]  # in the order of the classes
        likeness = TypeLikeness(self, self.rule(mode))
        return Shares(likeness, features.astype(np.int64), counts[:, share], weighed[share])

    def answers_of(self, types: Counts) -> NDArray[np.int64]:
        """Return the answers to the conditions of types, 0 or 1, shape (types, k)."""
        k = len(self.pairs)
        return (types[:, None] >> np.arange(k - 1, -1, -1)) & 1

    def frame(self, mode: str) -> pd.DataFrame:
        """List the types that occur: conditions, rows of each class, prediction."""
        occurring = np.flatnonzero(self.counts.sum(axis=1) > 0)
        answers = self.answers_of(occurring) == 1
        names = [str(yes) for yes, _ in self.pairs]
        counts = (self.counts if self.rows is None else self.rows)[occurring]
        predicted = np.where(self.minimised(mode).holds()[occurring], 0, 1)
        labels = np.array([self.positive, self.default], dtype=object)
        return pd.DataFrame(answers, columns=names).assign(
            rows_positive=counts[:, 1], rows_default=counts[:, 0], answer=labels[predicted]
        )


@dataclass(frozen=True, eq=False)
class TypeLikeness:
    """Groups rows by their type and the clause that decides them."""

    formula: IdealFormula
    rule: RuleSet

    def kinds(self, columns: Columns) -> tuple[Patterns, NDArray[np.intp]]:
        """Sort rows into kinds, as `Likeness.kinds` does; rows of no type are a kind apart."""
        codes, met = self.formula.types_of(columns)
        fired = self.rule.clauses_fired(columns)
        both = np.column_stack([fired, self.formula.answers_of(codes), met]).astype(np.int64)
        features, kind = np.unique(both, axis=0, return_inverse=True)
        decides = features[:, : self.rule.n_clauses] == 1
        return (first_clause(decides), features), kind.reshape(-1)
