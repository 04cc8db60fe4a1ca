"""Counts of a table in a database."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._engine import fetch
from rulekit.families.ideal_dnf.columns import Pair
from rulekit.families.ideal_dnf.engine_conditions import EngineConditions
from rulekit.families.ideal_dnf.solver.row_types import Contingency, Counts
from rulekit.learners.from_table.rows import TableRows

AT_ONCE = 60  # planning a query takes longer than running it where many things are counted
TOGETHER = 16  # columns whose types are counted in one query: at most 2**16, by part and class
Progress = Callable[[float, str], None]


class EngineCounts:
    """A `CountSource` that queries an engine."""

    def __init__(
        self, rows: TableRows, conditions: EngineConditions, positive: int, on_progress: Progress
    ) -> None:
        self._rows, self._conditions, self._report = rows, conditions, on_progress
        self._described = rows.label == positive
        self._types: Counts | None = None  # of all conditions, where they are few

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._rows.n_rows

    def pairs(self) -> NDArray[np.bool_]:
        """Return which columns are equivalent to their complement, shape (d,)."""
        return self._conditions.alike

    def contingency(self) -> Contingency:
        """Count each column against the class, over the training part."""
        self._report(0.6, "Counting each condition")
        d = len(self._conditions.pairs)
        if d > TOGETHER:
            return self._counted_alone()
        self._types = self._typed(self._conditions.pairs, self._rows.held)
        counts = [_marginal(self._types, range(d), [j])[0, 1] for j in range(d)]
        return _contingency(self._types[0].sum(axis=0), np.array(counts).reshape(d, 2))

    def _counted_alone(self) -> Contingency:
        holds = [self._rows.writer.write(yes) for yes, _ in self._conditions.pairs]
        counts, sizes = np.zeros((len(holds), 2), dtype=np.int64), np.zeros(2, dtype=np.int64)
        for start in range(0, len(holds), AT_ONCE):
            part = {f"c{j}": c for j, c in enumerate(holds[start : start + AT_ONCE])}
            selected = self._rows.all.select(y=self._described, h=self._rows.held, **part)
            cells = {name: selected[name].sum() for name in part}
            groups = selected.group_by("h", "y").aggregate(n=selected.count(), **cells)
            for row in fetch(groups).to_pylist():  # to filter by a hash costs more
                if not row["h"]:
                    sizes[int(row["y"])] = row["n"]
                    counts[start : start + len(part), int(row["y"])] = [row[c] for c in part]
        return _contingency(sizes, counts)

    def histograms(self, rankings: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the types of each ranking, by part: one GROUP BY, or one per wide ranking."""
        self._report(0.7, "Counting the types of cases")
        wanted = [tuple(int(j) for j in ranking) for ranking in rankings]
        pairs = self._conditions.pairs
        joined: Sequence[int] = sorted({j for ranking in wanted for j in ranking})
        types = self._types
        if types is not None:
            joined = range(len(pairs))
        elif len(joined) <= TOGETHER:
            types = self._typed([pairs[j] for j in joined], self._rows.held)
        if types is not None:
            return [_marginal(types, joined, ranking) for ranking in wanted]
        counts = {
            ranking: self._typed([pairs[j] for j in ranking], self._rows.held)
            for ranking in dict.fromkeys(wanted)
        }
        return [counts[ranking] for ranking in wanted]

    def final(self, chosen: Sequence[int]) -> tuple[list[Pair], Counts]:
        """Recompute thresholds on all rows; return the literals and the counts of types."""
        import ibis

        self._report(0.9, "Counting the chosen types on all rows")
        pairs = self._conditions.final(chosen)
        return pairs, self._typed(pairs, ibis.literal(False))[0]

    def _typed(self, pairs: Sequence[Pair], part: Any) -> Counts:
        """Count the rows of each type, by part and class: shape (2, 2**k, 2)."""
        import ibis

        k = len(pairs)
        bits = [self._rows.writer.write(yes) for yes, _ in pairs]
        code = sum(
            (b.ifelse(2 ** (k - 1 - j), 0) for j, b in enumerate(bits)),
            start=ibis.literal(0, "int64"),
        )
        selected = self._rows.all.select(y=self._described, h=part, code=code)
        groups = fetch(selected.group_by("code", "y", "h").aggregate(n=selected.count()))
        counts = np.zeros((2, 2**k, 2), dtype=np.int64)
        at = (groups[name].to_numpy().astype(np.int64) for name in ("h", "code", "y"))
        counts[tuple(at)] = groups["n"].to_numpy()
        return counts


def _contingency(sizes: NDArray[np.int64], counts: NDArray[np.int64]) -> Contingency:
    """Combine the rows of each class, shape (2,), with those that meet conditions, (d, 2)."""
    return Contingency(int(sizes.sum()), int(sizes[1]), counts.sum(axis=1), counts[:, 1])


def _marginal(counts: Counts, columns: Sequence[int], remaining: Sequence[int]) -> Counts:
    """Sum the types of some columns to those of fewer, in another order."""
    k = len(columns)
    indices = np.arange(2**k)
    code = np.zeros_like(indices)
    for j in remaining:
        code = 2 * code + ((indices >> (k - 1 - columns.index(j))) & 1)
    marginal = np.zeros((2, 2 ** len(remaining), 2), dtype=np.int64)
    for part in (0, 1):
        np.add.at(marginal[part], code, counts[part])
    return marginal
