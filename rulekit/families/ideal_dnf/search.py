"""Selection of conditions from counts, shared by all settings of the ideal DNF."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._validation import class_factors
from rulekit.binning import Binarizer
from rulekit.exceptions import DataError
from rulekit.families.ideal_dnf.counts import MatrixCounts, PackedCounts, TableCounts
from rulekit.families.ideal_dnf.formula import IdealFormula
from rulekit.families.ideal_dnf.solver.relevance import (
    SCORES,
    ValidationCurve,
    rankings,
    validation_curve,
)
from rulekit.learners.training import TrainingTable

Factors = tuple[float, float]

VALIDATION_FRACTION = 0.3  # of the rows, to select the number of conditions
WORD = 0xFFFFFFFF
MULTIPLIERS = (0x7FEB352D, 0x846CA68B)  # of C. Wellons' search for hashes of low bias
SALT = 0x9E3779B9


@dataclass(frozen=True)
class Search:
    """Validation results of every number of conditions of every ranking."""

    source: PackedCounts
    ranked: tuple[NDArray[np.intp], ...]
    curve: ValidationCurve
    factors: Factors | None = None
    joined: Factors | None = None
    _formulas: dict[Any, IdealFormula] = field(default_factory=dict, repr=False)

    def chosen(self, tolerance: float, max_variables: int) -> tuple[str | None, list[int]]:
        """Select the fewest conditions that suffice, and their ranking."""
        k = self.curve.smallest_sufficient(tolerance, max_variables)
        if k == 0:
            return None, []
        best = self.curve.best_ranking(k)
        return SCORES[best], self.ranked[best][:k].tolist()

    def formula(
        self, chosen: Sequence[int], labels: tuple[Any, Any], **fields: Any
    ) -> IdealFormula:
        """Count the chosen conditions on all rows; `labels` are the class described and the other.

        The conditions are cut anew, at the medians of all rows.
        """
        key = (tuple(chosen), tuple(sorted(fields.items())))
        if key not in self._formulas:
            pairs, rows = self.source.final(chosen)
            counts = rows if self.factors is None else rows * np.array(self.factors)
            seen = None if self.joined is not None else rows
            factors = self.joined or self.factors or (1.0, 1.0)
            self._formulas[key] = IdealFormula(
                tuple(pairs), counts, seen, factors, *labels, **fields
            )
        return self._formulas[key]

    def history(self, max_variables: int, chosen: int) -> list[dict[str, Any]]:
        """Return the curve: a dictionary for each number of conditions."""
        total = max(self.curve.n_held_out, 1)
        rows = []
        for k in range(1, min(max_variables, self.curve.max_columns) + 1):
            best = self.curve.best_ranking(k)
            shares = (self.curve.right[k - 1] / total).tolist()
            each = {f"accuracy_{s}": a for s, a in zip(SCORES, shares, strict=True)}
            errors = float(self.curve.errors[k - 1, best])
            row = {"k": k, "accuracy": shares[best], "score": SCORES[best], **each}
            rows.append(row | {"training_errors": errors, "chosen": k == chosen})
        return rows


@dataclass(frozen=True)
class CountPlan:
    """How a table is counted: see `IdealDNFClassifier` for the parameters.

    `positive` is the number of the class described, `depth` the length of a ranking, `forbidden`
    the columns that are left out.
    """

    positive: int
    depth: int
    seed: int
    class_weight: Any = None
    binarizer: Binarizer | None = None
    forbidden: tuple[str, ...] = ()


def search(
    source: PackedCounts,
    plan: CountPlan,
    factors: Factors | None,
    *,
    joined: Factors | None = None,
) -> Search:
    """Rank the conditions and evaluate each number of them."""
    if plan.positive == 0:
        factors = None if factors is None else (factors[1], factors[0])
        joined = None if joined is None else (joined[1], joined[0])
    counts = source.contingency()
    if factors is not None:
        counts = counts.weighted(*factors)
    # of two complements chi-square prefers the rarer; the other two scores do not care
    rarer = counts.flipped(source.pairs() & (2 * counts.ones > counts.n))
    ranked = rankings(rarer, SCORES, plan.depth)
    tables = source.histograms([ranking.tolist() for ranking in ranked])
    if factors is not None:
        tables = [table * np.array(factors) for table in tables]
    curve = validation_curve(tables)
    return Search(source, ranked, curve, factors, joined)


def search_table(table: TrainingTable, plan: CountPlan) -> Search:
    """Count a table in memory and evaluate each number of conditions."""
    validation = held_out(len(table.codes), VALIDATION_FRACTION, plan.seed)
    given = table.sample_weight
    one_each = bool((given == given[0]).all())
    weight = None if one_each else table.weights(plan.class_weight)
    source = _source(table, plan, validation, weight)
    if weight is not None:
        heavy, plain = (np.bincount(table.codes, w) for w in (weight, table.weights(None)))
        return search(source, plan, None, joined=(heavy[0] / plain[0], heavy[1] / plain[1]))
    ones = int(table.codes.sum())
    sizes = (len(table.codes) - ones, ones)
    return search(source, plan, class_factors(plan.class_weight, table.classes, sizes))


def _source(
    table: TrainingTable,
    plan: CountPlan,
    validation: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
) -> PackedCounts:
    """Return the source of counts."""
    described = table.codes == plan.positive
    columns = {n: v for n, v in table.columns.items() if n not in plan.forbidden}
    if plan.binarizer is None:
        return TableCounts(columns, described, validation, weight)
    if validation.all():
        raise DataError(
            f"All {len(validation)} rows are held out, so none is left to compute cuts from. Add "
            "rows."
        )
    frame = table.frame.drop(columns=list(plan.forbidden))
    if not columns:
        return TableCounts({}, described, validation, weight)
    binarizer = table.binarizer(plan.binarizer).fit(frame[~validation], table.y[~validation])
    return MatrixCounts(binarizer.transform(frame), described, validation, weight)


def held_out(n_rows: int, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Select a share of the rows by a hash of row number and seed: shape (n_rows,).

    Further rows change nothing for earlier ones.
    """
    rows = np.arange(n_rows, dtype=np.uint64)
    salt = _mixed(np.array([(SALT ^ seed) & WORD], dtype=np.uint64))
    return _mixed(rows ^ salt) < np.uint64(round(fraction * 2**32))


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 32-bit words, each in a 64-bit cell so that products do not overflow."""
    x = x ^ (x >> np.uint64(16))
    x = (x * np.uint64(MULTIPLIERS[0])) & np.uint64(WORD)
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(MULTIPLIERS[1])) & np.uint64(WORD)
    return x ^ (x >> np.uint64(16))
