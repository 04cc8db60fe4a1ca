"""The conditions of a table as ends of intervals on ordered axes.

A column gives an axis for its cuts, one for each level or word, and one for its tests of
missingness. In a clause of a DNF, the value on an axis lies in an interval of its bins, or is
missing; each end of an interval is a condition of the table.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import BinnedTable, Bools
from rulekit.rules import Literal
from rulekit.rules.scales import GAPS

End = tuple[int, str, int, bool]  # axis, "low" | "high" | "test", bin, missing accepted
MEMBER = ("==", "in", "contains")
Found = list[tuple[Literal, int]]
Kinds = tuple[dict[int, Found], Found, Found]


class Axes:
    """The axes of the DNF that a rule of this form is, over the table of its conditions.

    Axis f reads the feature ``source[f]`` of the table, whose bin c lies in bin ``bins[f][c]`` of
    the axis; the bin ``n_bins[f]`` is that of missing values. An interval may begin at bin k where
    ``may_start[f, k]``, and end there where ``may_end[f, k]``. `condition_of` maps each end of an
    interval to its condition.

    Shapes: n_bins, may_test_missing (p,), may_start, may_end (p, largest n_bins).
    """

    def __init__(self, table: BinnedTable, form: str) -> None:
        self.table = table.as_dnf(form)
        self.source: list[int] = []
        self.bins: list[NDArray[np.integer]] = []
        self.condition_of: dict[End, int] = {}
        self._sizes: list[int] = []
        self._lacking: dict[int, bool] = {}
        for cuts, levels, tests in _by_column(table, form).values():
            for source, ends in cuts.items():
                self._add_cuts(source, ends)
            if levels:
                self._add_levels(levels)
            if tests:
                self._add_tests(tests)
        self.n_bins = np.array(self._sizes, dtype=np.int64)
        self.may_start, self.may_end = self._allowed("low"), self._allowed("high")
        # the search needs both tests of missingness of a column, or uses neither
        found = self.condition_of
        both = [all((f, "test", k, k == 1) in found for k in (0, 1)) for f in range(len(self.bins))]
        self.may_test_missing: Bools = np.array(both, dtype=bool)

    @property
    def are_complete(self) -> bool:
        """Whether every condition is an end that an interval may have."""
        tests = np.repeat(self.may_test_missing[:, None], 2, axis=1)
        allowed = {"low": self.may_start, "high": self.may_end, "test": tests}
        return all(allowed[kind][f, k] for f, kind, k, _ in self.condition_of)

    def _add_cuts(self, source: int, conditions: Found) -> None:
        """Add a column of positions, with the cuts of its literals."""
        encoding, table = self.table.encodings[source], self.table
        rank_of = table.rank[[j for _, j in conditions]]
        ranks = np.unique(rank_of)  # a cell lies above the cuts of smaller ranks than its own
        bins = np.searchsorted(ranks, np.arange(encoding.n_cells))
        n_present = encoding.n_cells - 1 if encoding.cuts is not None else len(encoding.groups)
        bins[n_present:] = len(ranks) + 1
        f = self._add(source, bins, len(ranks) + 1)
        for (literal, j), k in zip(
            conditions, np.searchsorted(ranks, rank_of).tolist(), strict=True
        ):
            accepts = literal.missing and self._lacks(source)
            above = table.side[j] > 0
            self.condition_of[(f, "low", k + 1, accepts) if above else (f, "high", k, accepts)] = j

    def _add_levels(self, conditions: Found) -> None:
        """Add, for each level or word that literals name, a feature of two bins: others, this."""
        keys = {(lit.scale, lit.value): (lit, j) for lit, j in conditions}
        values = [keys[k] for k in sorted(keys, key=repr)]
        inside = [self._level(*value) for value in values]
        one_kind = len({lit.op in MEMBER for lit, _ in conditions}) == 1
        # of two levels, "this one" is equivalent to "not the other one"
        pair = one_kind and len(values) == 2 and self._opposed(*inside)
        ends: dict[Any, Found] = {}
        for literal, j in conditions:
            ends.setdefault((literal.scale, literal.value), []).append((literal, j))
        for (value, _), read in list(zip(values, inside, strict=True))[: 1 if pair else None]:
            f = self._add(*read, 2)
            key = (value.scale, value.value)
            for literal, j in conditions if pair else ends[key]:
                same = (literal.scale, literal.value) == key
                accepts = literal.missing and self._lacks(self.source[f])
                if (literal.op in MEMBER) == same:
                    self.condition_of[f, "low", 1, accepts] = j
                else:
                    self.condition_of[f, "high", 0, accepts] = j

    def _add_tests(self, conditions: Found) -> None:
        """Add the tests of missingness of a column as a feature of one bin."""
        source = int(self.table.feature[conditions[0][1]])
        if not self._lacks(source):
            return
        last = self.table.encodings[source].n_cells - 1
        f = self._add(source, (np.arange(last + 1) == last).astype(np.int64), 1)
        for literal, j in conditions:
            only_missing = literal.op == "missing"
            self.condition_of[f, "test", int(only_missing), only_missing] = j

    def _lacks(self, source: int) -> bool:
        """Whether some row has no value that an encoding reads."""
        if source not in self._lacking:
            last = self.table.encodings[source].n_cells - 1
            self._lacking[source] = bool((self.table.codes[:, source] == last).any())
        return self._lacking[source]

    def _allowed(self, kind: str) -> Bools:
        """Return at which bins an interval may begin or end: where all its literals exist."""
        allowed = np.zeros((len(self.n_bins), int(self.n_bins.max(initial=1))), bool)
        for f, bins in enumerate(self.n_bins.tolist()):
            both = self._lacks(self.source[f])
            for k in range(bins):
                there = (f, kind, k, False) in self.condition_of
                allowed[f, k] = there and (not both or (f, kind, k, True) in self.condition_of)
        return allowed

    def _level(self, literal: Literal, j: int) -> tuple[int, NDArray[np.integer]]:
        """Return for each bin whether it holds a literal's level; the last one has no value."""
        source = int(self.table.feature[j])
        held = _level_test(literal).mask_of(self.table.encodings[source].representatives())
        bins = held.astype(np.int64)
        bins[-1] = 2
        return source, bins

    def _opposed(self, one: Any, other: Any) -> bool:
        """Whether each row that has a value is of exactly one of two levels."""
        codes = self.table.codes
        a, b = (bins[codes[:, source]] for source, bins in (one, other))
        return bool(((a == 2) | (a != b)).all())

    def _add(self, source: int, bins: NDArray[np.integer], n_bins: int) -> int:
        self.source.append(source)
        self.bins.append(bins)
        self._sizes.append(n_bins)
        return len(self.bins) - 1


def _level_test(literal: Literal) -> Literal:
    """Return the test whether a value is the level, or among the levels, of a literal."""
    return replace(literal if literal.op in MEMBER else literal.negated(), missing=False)


def _by_column(table: BinnedTable, form: str) -> dict[str, Kinds]:
    """Group the literals of the DNF by column: cuts of each source, levels, missingness tests."""
    parts: dict[str, Kinds] = {}
    for j, condition in enumerate(table.literals):
        literal = condition if form == "dnf" else condition.negated()
        kinds = parts.setdefault(literal.feature, ({}, [], []))
        if literal.op in GAPS:
            kinds[2].append((literal, j))
        elif table.side[j]:
            kinds[0].setdefault(int(table.feature[j]), []).append((literal, j))
        else:
            kinds[1].append((literal, j))
    return parts
