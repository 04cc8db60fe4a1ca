"""The counts of a Parquet file that does not fit into memory, asked of DuckDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.learners.ideal.columns import (
    Pair,
    Question,
    grouped,
    is_pair,
    questions_of_levels,
    questions_of_numbers,
)
from rulekit.learners.ideal.database import Database, number, text
from rulekit.learners.ideal.parquet_medians import MedianFinder, Split
from rulekit.solvers.truth_tables import (
    MULTIPLIERS,
    SALT,
    SHIFTS,
    WORD,
    Contingency,
    Counts,
    limit,
    mixed,
)

MAX_CELLS = 120  # planning a query takes longer than running it where many things are counted
MANY_LEVELS = 1_000_000  # text of more different values is not counted one by one


@dataclass(frozen=True)
class Column:
    """A column of the file.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"number", "boolean", "text"}
        As in `TrainingTable.kinds`.
    value : str
        Its value as SQL; gaps and NaN are NULL.
    """

    name: str
    kind: str
    value: str


class ParquetCounts:
    """A `CountSource` that asks a database.

    Parameters
    ----------
    database : Database
        Where to ask.
    columns : sequence of Column
        The columns.
    split : Split
        The rows, the class described, and the rows held out, as SQL.

    Attributes
    ----------
    questions : tuple of Question
        As in `TableCounts`.
    n_rows : int
        Rows of the file.
    """

    def __init__(self, database: Database, columns: Sequence[Column], split: Split) -> None:
        self._database, self._split = database, split
        self._columns = {column.name: column for column in columns}
        self.n_rows = split.n_rows
        self._level_counts: dict[str, dict[Any, NDArray[np.int64]]] = {}
        asked = self._asked_of_numbers() | self._asked_of_levels()
        found = [question for name in sorted(asked) for question in asked[name]]
        self.questions: tuple[Question, ...] = tuple(found)
        cut = [q.feature for q in found if q.kind == "cut"]
        finder = MedianFinder(database, split, {n: self._columns[n].value for n in cut})
        self._cuts = finder.find((0.2, 0.6))

    def pairs(self) -> NDArray[np.bool_]:
        """Say which columns stand for themselves and their complement alike: shape (d,)."""
        return is_pair(self.questions)

    def contingency(self) -> Contingency:
        """Count each column against the class, over the training part."""
        scanned = [j for j, q in enumerate(self.questions) if q.feature not in self._level_counts]
        cells = ["count(*)", "count_if(y)"]
        for j in scanned:
            holds = self._condition(j, 0)
            cells += [f"count_if({holds})", f"count_if({holds} AND y)"]
        split = self._split
        training = (
            f"(SELECT *, {split.described} AS y FROM {split.rows}) WHERE NOT {split.held_out}"
        )
        row = self._one_row(cells, "Counting each condition", (0.6, 0.7), training)
        table = np.zeros((len(self.questions), 2), dtype=np.int64)
        table[scanned] = np.array(row[2:], dtype=np.int64).reshape(len(scanned), 2)
        for j in set(range(len(self.questions))) - set(scanned):
            table[j] = self._of_levels(self.questions[j])
        return Contingency(int(row[0]), int(row[1]), table[:, 0], table[:, 1])

    def histograms(self, rankings: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the types of each ranking, by part: one GROUP BY for all rankings and sizes."""
        wanted = [tuple(int(j) for j in ranking) for ranking in rankings]
        distinct = list(dict.fromkeys(wanted))
        codes = [self._code(columns, 0, self._split.held_out) for columns in distinct]
        found = self._grouped(codes, "Counting the types of cases", (0.7, 0.9))
        known = {
            columns: cells.reshape(-1, 2, 2).transpose(1, 0, 2).copy()
            for columns, cells in zip(distinct, found, strict=True)
        }
        return [known[columns] for columns in wanted]

    def final(self, chosen: Sequence[int]) -> tuple[list[Pair], Counts]:
        """Cut anew on all rows; give what the columns then say, and their types' counts."""
        code = self._code(chosen, 1)
        found = self._grouped([code], "Counting the chosen types on all rows", (0.9, 1.0))[0]
        return [self.questions[j].literals(self._cut(j, 1)) for j in chosen], found.reshape(-1, 2)

    def _asked_of_numbers(self) -> dict[str, list[Question]]:
        """Look at the ends of each numeric column, and whether there is anything between."""
        names = [n for n, column in self._columns.items() if column.kind == "number"]
        if not names:
            return {}
        values = [self._columns[n].value for n in names]
        ends = self._one_row(
            [f"{what}({v})" for v in values for what in ("count", "min", "max")],
            "Looking at the numbers",
            (0.05, 0.12),
        ).reshape(-1, 3)
        for name, (_, low, high) in zip(names, ends, strict=True):
            if low is not None and not (np.isfinite(low) and np.isfinite(high)):
                raise DataError(
                    f"Column {name[:60]!r} must hold finite numbers or gaps; it is infinite (inf) "
                    "somewhere. Replace such values, or leave the column out with `features`."
                )
        apart = [j for j, (n, low, high) in enumerate(ends) if n and low < high]
        between = dict.fromkeys(range(len(names)), 0)
        if apart:
            tests = [
                f"count_if({values[j]} > {number(ends[j][1])} AND {values[j]} < "
                f"{number(ends[j][2])})"
                for j in apart
            ]
            counted = self._one_row(tests, "Looking for columns of two values", (0.12, 0.16))
            between |= dict(zip(apart, counted.tolist(), strict=True))
        return {
            name: questions_of_numbers(
                name,
                [] if not n else [low, high],
                two_valued=between[j] == 0,
                has_missing=n < self.n_rows,
            )
            for j, (name, (n, low, high)) in enumerate(zip(names, ends, strict=True))
        }

    def _one_row(
        self,
        cells: Sequence[str],
        what: str,
        span: tuple[float, float],
        rows: str | None = None,
    ) -> NDArray[np.object_]:
        """Ask for one row of answers over all rows of the file: shape (len(cells),)."""
        found: list[Any] = []
        for start in range(0, len(cells), MAX_CELLS):
            part = ", ".join(f"{c} AS a{i}" for i, c in enumerate(cells[start : start + MAX_CELLS]))
            sql = f"SELECT {part} FROM {rows or self._split.rows}"
            found += self._database.rows(sql, what, span)[0]
        return np.array(found, dtype=object)

    def _asked_of_levels(self) -> dict[str, list[Question]]:
        """Count the levels of each column of text or truth values, by part and class."""
        found = {}
        for name, column in self._columns.items():
            if column.kind == "number":
                continue
            levels = self._levels(column)
            self._level_counts[name] = levels
            sizes = {v: int(cells.sum()) for v, cells in levels.items() if v is not None}
            found[name] = questions_of_levels(
                name, grouped(name, sizes), has_missing=None in levels
            )
        return found

    def _levels(self, column: Column) -> dict[Any, NDArray[np.int64]]:
        """Count a column's levels: for each, shape (2, 2), by part and class."""
        split, what, span = self._split, f"Counting the levels of {column.name!r}", (0.16, 0.2)
        (about,) = self._one_row([f"approx_count_distinct({column.value})"], what, span)
        if about > MANY_LEVELS:
            raise DataError(
                f"Column {column.name[:60]!r} holds about {about:,} different texts, as a name or "
                "an identifier does, so no condition on it would say anything of new rows. Leave "
                "the column out with `features`."
            )
        rows = self._database.rows(
            f"SELECT {column.value} AS v, {split.held_out} AS h, {split.described} AS y, count(*) "
            f"FROM {split.rows} GROUP BY ALL",
            what,
            span,
        )
        found: dict[Any, NDArray[np.int64]] = {}
        for level, held, described, n in rows:
            cells = found.setdefault(level, np.zeros((2, 2), dtype=np.int64))
            cells[int(held), int(described)] = n
        return found

    def _of_levels(self, question: Question) -> tuple[int, int]:
        """Read a question's training counts off the counts of levels."""
        levels = self._level_counts[question.feature]
        group = (None,) if question.kind == "missing" else question.group
        negative, positive = sum(levels[level][0] for level in group)
        return int(negative + positive), int(positive)

    def _cut(self, j: int, part: int) -> float | None:
        """Give a column's cut: part 0 is the training part's, part 1 that of all rows."""
        question = self.questions[j]
        return self._cuts[question.feature][part] if question.kind == "cut" else None

    def _condition(self, j: int, part: int) -> str:
        """Write a column's question as SQL; a gap is answered no."""
        question = self.questions[j]
        value = self._columns[question.feature].value
        if question.kind == "missing":
            return f"({value} IS NULL)"
        if question.kind == "cut":
            cut = self._cut(j, part)
            return "false" if cut is None else f"coalesce({value} > {number(cut)}, false)"
        group = ", ".join(_sql(level) for level in question.group)
        return f"coalesce({value} IN ({group}), false)"

    def _code(self, columns: Sequence[int], part: int, *more: str) -> list[str]:
        """List the answers that a row is counted by: its type, what else, and its class."""
        return [*(self._condition(j, part) for j in columns), *more, self._split.described]

    def _grouped(
        self, codes: Sequence[Sequence[str]], what: str, span: tuple[float, float]
    ) -> list[Counts]:
        """Count the rows of each value of each code, all codes in one scan."""
        inner = ", ".join(f"{_binary(code)} AS k{i}" for i, code in enumerate(codes))
        names = [f"k{i}" for i in range(len(codes))]
        sets = ", ".join(f"({name})" for name in names)
        table = self._database.table(
            f"SELECT {', '.join(names)}, count(*) AS n FROM (SELECT {inner} FROM "
            f"{self._split.rows}) GROUP BY GROUPING SETS ({sets})",
            what,
            span,
        )
        counts = _whole(table.column("n"))
        found = []
        for i, code in enumerate(codes):
            place = table.column(f"k{i}")
            here = np.asarray(place.is_valid())
            cells = np.zeros(2 ** len(code), dtype=np.int64)
            cells[_whole(place.filter(pa.array(here)))] = counts[here]
            found.append(cells)
        return found


def held_out_sql(row: str, fraction: float, seed: int) -> str:
    """Write `truth_tables.held_out` as SQL over a column of row numbers."""
    salt = int(mixed(np.array([(SALT ^ seed) & WORD], dtype=np.uint64))[0])
    x = f"xor(CAST({row} AS UBIGINT), CAST({salt} AS UBIGINT))"
    for shift, factor in zip(SHIFTS, (*MULTIPLIERS, None), strict=True):
        x = f"xor({x}, {x} >> {shift})"
        if factor is not None:
            x = f"(({x} * {factor}) & {WORD})"
    return f"({x} < {limit(fraction)})"


def _binary(bits: Sequence[str]) -> str:
    """Write answers as one whole number, the first its highest bit."""
    places = range(len(bits) - 1, -1, -1)
    parts = [f"CAST({bit} AS INTEGER) * {2**k}" for bit, k in zip(bits, places, strict=True)]
    return " + ".join(parts)


def _sql(level: Any) -> str:
    if isinstance(level, bool):
        return "true" if level else "false"
    return text(level) if isinstance(level, str) else number(float(level))


def _whole(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)
