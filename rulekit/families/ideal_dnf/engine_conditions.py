"""Boolean columns of a table in a database: cut by its engine, or by a binarizer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rulekit._engine import fetch, number
from rulekit.binning import Binarizer
from rulekit.binning.thresholds import short_cuts, usual_value
from rulekit.exceptions import DataError
from rulekit.families.ideal_dnf.columns import (
    Pair,
    Question,
    grouped,
    is_pair,
    questions_of_levels,
    questions_of_numbers,
)
from rulekit.families.ideal_dnf.counts import pairs_of
from rulekit.learners.from_table.drawing import limit
from rulekit.learners.from_table.order import SAMPLE_ROWS, values_at
from rulekit.learners.from_table.rows import TableRows

AT_ONCE = 40  # columns that one query looks at
MANY_LEVELS = 1_000_000  # text of more different values is not counted one by one
LEAST_SHARE = 1 / 400  # of a table's rows: of 10**8 numbers a scan then brings some 10**6
SAMPLE = 1  # purpose of the rows' numbers
Floats = NDArray[np.float64]
Progress = Callable[[float, str], None]


class EngineConditions(Protocol):
    """Conditions with their negations, numbered from 0 to d - 1."""

    @property
    def pairs(self) -> Sequence[Pair]:
        """The conditions, cut on the training part."""

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Which of them are equivalent to their complement, shape (d,)."""

    def final(self, chosen: Sequence[int]) -> list[Pair]:
        """Return some of them with thresholds from all rows."""


class Numbers:
    """Numeric columns of a table: number of values, ends, and any rank."""

    def __init__(self, rows: TableRows, names: Sequence[str]) -> None:
        self._rows, self.names = rows, list(names)
        expressions = {f"v{j}": rows.value(name) for j, name in enumerate(self.names)}
        self._table = rows.all.select(h=rows.held, s=rows.number(SAMPLE), **expressions)
        self._columns = dict(zip(self.names, expressions, strict=True))
        self._ends, self._drawn = self._computed_ends(), self._drawn_sample()

    def _computed_ends(self) -> dict[str, Floats]:
        """Count present values and find the ends, shape (2, 3) each, by part."""
        ends_of: dict[str, Floats] = {}
        for start in range(0, len(self.names), AT_ONCE):
            names = self.names[start : start + AT_ONCE]
            cells: dict[str, Any] = {}
            for j, name in enumerate(names):
                v = self._table[self._columns[name]]
                cells |= {f"n{j}": v.count(), f"a{j}": v.min(), f"b{j}": v.max()}
            for row in fetch(self._table.group_by("h").aggregate(**cells)).to_pylist():
                for j, name in enumerate(names):
                    ends = ends_of.setdefault(name, np.array([[0, np.nan, np.nan]] * 2))
                    ends[int(row["h"])] = [row[f"{part}{j}"] for part in "nab"]
        for name, ends in ends_of.items():
            if np.isinf(ends).any():
                raise DataError(
                    f"Column {name[:60]!r} must hold finite numbers or gaps; it is infinite (inf) "
                    "somewhere. Replace such values, or leave the column out with `features`."
                )
        return ends_of

    def _drawn_sample(self) -> dict[str, NDArray[Any]]:
        """Fetch sample rows, all of a small table; `h` marks held-out rows."""
        table, n_rows = self._table, self._rows.n_rows
        if n_rows > SAMPLE_ROWS:
            table = table.filter(table.s < limit(max(SAMPLE_ROWS / 4 / n_rows, LEAST_SHARE)))
        sampled = fetch(table.drop("s"))
        return {name: sampled[name].to_numpy() for name in sampled.column_names}

    def ends(self, name: str, part: int | None = None) -> tuple[int, float, float]:
        """Count the present values of a part, None for all rows, and return the ends."""
        ends = self._ends[name] if part is None else self._ends[name][[part]]
        n = int(ends[:, 0].sum())
        if n == 0:
            return 0, np.nan, np.nan
        return n, float(np.nanmin(ends[:, 1])), float(np.nanmax(ends[:, 2]))

    def two_valued(self) -> set[str]:
        """List the columns that hold only their smallest and their largest value.

        A value between them in the sample decides; for the other columns the engine is queried.
        """
        cells = {}
        for name in self.names:
            _, low, high = self.ends(name)
            drawn = self._sample(name, None)
            if low < high and not ((drawn > low) & (drawn < high)).any():
                v = self._table[self._columns[name]]
                cells[name] = ((v > number(low)) & (v < number(high))).sum()
        return {name for name, n in self._one_row(self._table, cells).items() if not n}

    def at(
        self, ranks: Mapping[str, Sequence[int]], part: int | None
    ) -> dict[tuple[str, int], float]:
        """Return the values of some ranks, from 0, among the present values of a part."""
        if not ranks:
            return {}
        names = {self._columns[name]: name for name in ranks}
        sample = {c: self._sample(name, part) for c, name in names.items()}
        n = {c: self.ends(name, part)[0] for c, name in names.items()}
        wanted = {c: ranks[name] for c, name in names.items()}
        values = values_at(
            self._table, sample, wanted, n, held=None if part is None else bool(part)
        )
        return {(names[c], rank): value for (c, rank), value in values.items()}

    def _sample(self, name: str, part: int | None) -> Floats:
        """Return the sampled values of a column in a part, None for all rows."""
        drawn = self._drawn[self._columns[name]]
        drawn = drawn if part is None else drawn[self._drawn["h"] == bool(part)]
        present: Floats = drawn[~np.isnan(drawn)]
        return present

    def medians(self, names: Sequence[str], part: int | None) -> dict[str, float | None]:
        """Compute the thresholds: `lower_median` of a part."""
        ranks = {name: (self.ends(name, part)[0] - 1) // 2 for name in names}
        present = {name: [rank] for name, rank in ranks.items() if rank >= 0}
        present = {name: rank for name, rank in present.items() if self.ends(name, part)[0]}
        medians = self.at(present, part)
        cuts: dict[str, float | None] = dict.fromkeys(names)
        cuts |= {name: medians[name, rank[0]] for name, rank in present.items()}
        below = {}
        for name in present:
            _, low, high = self.ends(name, part)
            if cuts[name] == high and low < high:
                v = self._table[self._columns[name]]
                inside = v < number(high)
                if part is not None:
                    inside &= self._table.h == bool(part)
                below[name] = v.max(where=inside)
        return cuts | self._one_row(self._table, below)

    def _one_row(self, table: Any, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Fetch one row of results, named by column."""
        if not cells:
            return {}
        row = fetch(table.aggregate(**{f"a{j}": c for j, c in enumerate(cells.values())}))
        return {name: row[f"a{j}"][0].as_py() for j, name in enumerate(cells)}


class MedianConditions:
    """Boolean columns without a binarizer: above the median or not."""

    def __init__(self, rows: TableRows, names: Sequence[str], on_progress: Progress) -> None:
        on_progress(0.1, "Looking at the numbers")
        self._numbers = Numbers(rows, [n for n in names if rows.kinds[n] == "number"])
        questions = self._number_questions(rows.n_rows)
        for name in names:
            if rows.kinds[name] != "number":
                on_progress(0.2, f"Counting the levels of {name!r}")
                questions[name] = _level_questions(rows, name)
        self._questions = [question for name in sorted(questions) for question in questions[name]]
        on_progress(0.3, "Finding the medians")
        cut = [q.feature for q in self._questions if q.kind == "cut"]
        self.pairs = self._written(self._questions, self._numbers.medians(cut, 0))

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Which of them are equivalent to their complement, shape (d,)."""
        return is_pair(self._questions)

    def final(self, chosen: Sequence[int]) -> list[Pair]:
        """Return some of them with thresholds from all rows."""
        questions = [self._questions[j] for j in chosen]
        cut = [q.feature for q in questions if q.kind == "cut"]
        return self._written(questions, self._numbers.medians(cut, None))

    def _number_questions(self, n_rows: int) -> dict[str, list[Question]]:
        two_valued, questions = self._numbers.two_valued(), {}
        for name in self._numbers.names:
            n, low, high = self._numbers.ends(name)
            questions[name] = questions_of_numbers(
                name,
                [low, high] if n else [],
                two_valued=name in two_valued,
                has_missing=n < n_rows,
            )
        return questions

    @staticmethod
    def _written(questions: Sequence[Question], cuts: Mapping[str, float | None]) -> list[Pair]:
        """Return Boolean columns as literals; one without a threshold is false for every value."""
        written = []
        for question in questions:
            cut = cuts.get(question.feature)
            if question.kind == "cut" and cut is None:
                cut = np.finfo(float).max
            written.append(question.literals(cut))
        return written


class BinnedConditions:
    """A binarizer's conditions; of two complements one is kept.

    The binarizer is fitted to a sample of the training part, of at most 2**18 rows; of a larger
    table quantiles and medians are then computed by the engine.
    """

    def __init__(
        self, rows: TableRows, names: Sequence[str], binarizer: Binarizer, on_progress: Progress
    ) -> None:
        on_progress(0.1, "Drawing a sample to make conditions from")
        share = min(1.0, SAMPLE_ROWS / rows.n_rows)
        frame, codes, _ = rows.drawn(SAMPLE, np.full(len(rows.classes), share))
        frame = frame[list(names)]
        fitted = clone(binarizer).fit(frame, codes)
        if (
            share < 1
            and fitted.n_thresholds is not None
            and fitted.method in ("quantile", "median")
        ):
            on_progress(0.3, "Finding the quantiles")
            names = [n for n in fitted.cuts_ if n not in (fitted.thresholds or {})]
            if (
                fitted.method == "quantile"
            ):  # the sample says where a value that most rows hold ends
                names = [n for n in names if usual_value(np.sort(frame[n].dropna())) is None]
            exact = _exact_cuts(rows, fitted, names)
            fitted.set_params(thresholds=dict(fitted.thresholds or {}) | exact).fit(frame, codes)
        matrix = fitted.transform(frame[:1])
        self.pairs = [pair for _, pair in pairs_of(matrix.literals, matrix.complement)]

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Return which of them are equivalent to their complement: all of them, shape (d,)."""
        return np.ones(len(self.pairs), dtype=bool)

    def final(self, chosen: Sequence[int]) -> list[Pair]:
        """Return some of them; their thresholds do not change."""
        return [self.pairs[j] for j in chosen]


def _level_questions(rows: TableRows, name: str) -> list[Question]:
    """Count the levels of a text or Boolean column, and list its Boolean columns."""
    levels = rows.all.select(v=rows.value(name))
    about = int(fetch(levels.v.approx_nunique()).as_py())
    if about > MANY_LEVELS:
        raise DataError(
            f"Column {name[:60]!r} holds about {about:,} different texts, like a name or an "
            "identifier. No condition on it would apply to new rows, so leave the "
            "column out with `features`."
        )
    counted = fetch(levels.group_by("v").aggregate(n=levels.count())).to_pylist()
    sizes = {row["v"]: row["n"] for row in counted}
    has_missing = sizes.pop(None, 0) > 0
    return questions_of_levels(name, grouped(name, sizes), has_missing=has_missing)


def _exact_cuts(rows: TableRows, binarizer: Binarizer, names: list[str]) -> dict[str, list[float]]:
    """Compute the quantiles or medians of columns over the training part.

    Cuts lie between the same rows as in `rulekit.binning.thresholds`.
    """
    numbers = Numbers(rows, names)
    parts = 2 if binarizer.method == "median" else int(binarizer.n_thresholds or 1) + 1
    places, ranks = np.arange(1, parts), {}
    for name in numbers.names:
        below = places * (numbers.ends(name, 0)[0] - 1) // parts
        ranks[name] = [int(r) for b in below for r in (b, b + 1)]
    values = numbers.at(ranks, 0)
    cuts: dict[str, list[float]] = {}
    for name in numbers.names:
        n, _, high = numbers.ends(name, 0)
        below, rest = np.divmod(places * (n - 1), parts)
        cuts[name] = []
        for b, r in zip(below.tolist(), rest.tolist(), strict=True):
            first, second = values[name, b], values[name, b + 1]
            raw = first if r == 0 else first * (1 - r / parts) + second * (r / parts)
            if first < second:
                raw = float(short_cuts(np.array([raw]), np.array([first, second]))[0])
            if raw < high:
                cuts[name].append(raw)
    return {name: sorted(set(of_column)) for name, of_column in cuts.items() if of_column}
