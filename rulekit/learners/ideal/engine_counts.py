"""The counts of a table that stays where it lives, asked of its engine."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulekit._engine import asked
from rulekit.learners.from_table.rows import TableRows
from rulekit.learners.ideal.columns import Pair
from rulekit.learners.ideal.engine_conditions import EngineConditions
from rulekit.solvers.truth_tables import Contingency, Counts

AT_ONCE = 60  # planning a query takes longer than running it where many things are counted
TOGETHER = 16  # columns whose types are counted in one query: at most 2**16, by part and class
Tell = Callable[[float, str], None]


class EngineCounts:
    """A `CountSource` that asks an engine.

    Parameters
    ----------
    rows : TableRows
        The table; what it holds back judges.
    conditions : EngineConditions
        What is counted.
    positive : int
        Number of the class that the rule describes.
    tell : callable
        Called with the share done, and what is being done.
    """

    def __init__(
        self, rows: TableRows, conditions: EngineConditions, positive: int, tell: Tell
    ) -> None:
        self._rows, self._conditions, self._tell = rows, conditions, tell
        self._marks = {"y": rows.label == positive, "h": rows.held}

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return self._rows.n_rows

    def pairs(self) -> NDArray[np.bool_]:
        """Say which columns stand for themselves and their complement alike: shape (d,)."""
        return self._conditions.alike

    def contingency(self) -> Contingency:
        """Count each column against the class, over the training part."""
        self._tell(0.6, "Counting each condition")
        holds = [self._rows.writer.write(yes) for yes, _ in self._conditions.pairs]
        counted = []
        for start in range(0, max(len(holds), 1), AT_ONCE):
            part = {f"c{j}": c for j, c in enumerate(holds[start : start + AT_ONCE])}
            made = self._rows.all.select(**self._marks, **part)
            made = made.filter(~made.h)
            cells = {"n": made.count(), "ones": made.y.sum()}
            for name in part:
                cells |= {f"{name}n": made[name].sum(), f"{name}y": (made[name] & made.y).sum()}
            counted.append(asked(made.aggregate(**cells)).to_pylist()[0])
        table = [v or 0 for row in counted for v in list(row.values())[2:]]
        found = np.array(table, dtype=np.int64).reshape(len(holds), 2)
        n, ones = (int(counted[0][name] or 0) for name in ("n", "ones"))
        return Contingency(n, ones, found[:, 0], found[:, 1])

    def histograms(self, rankings: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the types of each ranking, by part: one GROUP BY, of wide rankings one each."""
        self._tell(0.7, "Counting the types of cases")
        wanted = [tuple(int(j) for j in ranking) for ranking in rankings]
        joined = tuple(sorted({j for ranking in wanted for j in ranking}))
        pairs = self._conditions.pairs
        known: dict[tuple[int, ...], Counts] = {}
        for columns in [joined] if len(joined) <= TOGETHER else dict.fromkeys(wanted):
            known[columns] = self._typed([pairs[j] for j in columns])
        return [
            _marginal(known[joined], joined, ranking) if joined in known else known[ranking]
            for ranking in wanted
        ]

    def final(self, chosen: Sequence[int]) -> tuple[list[Pair], Counts]:
        """Cut anew on all rows; give what the columns then say, and their types' counts."""
        self._tell(0.9, "Counting the chosen types on all rows")
        pairs = self._conditions.final(chosen)
        return pairs, self._typed(pairs).sum(axis=0)

    def _typed(self, pairs: Sequence[Pair]) -> Counts:
        """Count the rows of each type, by part and class: shape (2, 2**k, 2)."""
        import ibis

        k = len(pairs)
        bits = [self._rows.writer.write(yes) for yes, _ in pairs]
        code = sum(
            (b.ifelse(2 ** (k - 1 - j), 0) for j, b in enumerate(bits)),
            start=ibis.literal(0, "int64"),
        )
        made = self._rows.all.select(**self._marks, code=code)
        found = asked(made.group_by("code", "y", "h").aggregate(n=made.count()))
        counts = np.zeros((2, 2**k, 2), dtype=np.int64)
        at = (found[name].to_numpy().astype(np.int64) for name in ("h", "code", "y"))
        counts[tuple(at)] = found["n"].to_numpy()
        return counts


def _marginal(counts: Counts, columns: Sequence[int], kept: Sequence[int]) -> Counts:
    """Sum the types of some columns to those of fewer, in another order."""
    k = len(columns)
    place = np.arange(2**k)
    code = np.zeros_like(place)
    for j in kept:
        code = 2 * code + ((place >> (k - 1 - columns.index(j))) & 1)
    found = np.zeros((2, 2 ** len(kept), 2), dtype=np.int64)
    for part in (0, 1):
        np.add.at(found[part], code, counts[part])
    return found
