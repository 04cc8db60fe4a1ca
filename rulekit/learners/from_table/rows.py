"""A table in a database as a learner sees it: classes, parts, samples and counts."""

# The engine samples by a seeded hash of a key, or of the whole row: the rows drawn depend on their
# content, the seed and the engine, not on their order, and rows of one key stay together.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._engine import fetch, is_engine_table, kind_of, read
from rulekit.binning.binned_table import Floats
from rulekit.data.columns.kinds import describe_column
from rulekit.exceptions import DataError, RuleError
from rulekit.learners.from_table.counts import Kinds
from rulekit.learners.shares import Likeness
from rulekit.rules import RuleSet
from rulekit.rules.expressions import ExpressionWriter, join_expressions
from rulekit.rules.schema import MOST_LEVELS, ColumnSchema

WORDS = 2**32  # numbers a row can have: from 0; even Spark's hash of 32 bits has as many
NATIVE = ("duckdb", "pyspark", "snowflake", "clickhouse")  # their hash takes whole numbers, too
GAP = "\x1a"  # for a cell that is missing, as no text is
BETWEEN = "\x1f"


@dataclass(frozen=True)
class RowNumbers:
    """Pseudo-random numbers of rows, independent for each purpose."""

    engine: str
    seed: int

    def base(self, table: Any, columns: Sequence[str]) -> Any:
        """Return the hash of a row's key as an expression."""
        import ibis

        if self.engine == "duckdb":
            return ibis.struct({f"c{j}": table[name] for j, name in enumerate(columns)}).hash()
        # the hash of some engines takes nothing but text
        cells = [table[name].cast("string").fill_null(GAP) for name in columns]
        return ibis.literal(BETWEEN).join(cells).hash()

    def make_numbers(self, base: Any, purpose: int) -> Any:
        """Return a number from 0 to `WORDS` - 1 for each row, as an expression."""
        import ibis

        salt = (self.seed * 0x9E3779B1 + purpose * 0x85EBCA77 + 1) % WORDS
        # hashed twice: a seed that entered the first hash alone could leave two purposes alike
        if self.engine in NATIVE:
            again = (base ^ ibis.literal(salt, "int64")).hash()
        else:
            again = (base.cast("string") + ibis.literal(f"{BETWEEN}{salt}")).hash()
        return again.cast("int64") & ibis.literal(WORDS - 1, "int64")


def limit(share: float) -> int:
    """Return the number below which a share of the rows is drawn."""
    return round(share * WORDS)


MAX_CLASSES = 100
BITS = 60  # conditions whose answers are joined in one number
TEST = 0  # purposes of the rows' numbers: the test part, then one for each sample


@dataclass(frozen=True)
class Parts:
    """Which rows are training rows: a key, the held-out share, and the seed."""

    key: str | None = None
    test_share: float = 0.0
    seed: int = 0


class TableRows:
    """Samples and counts of a table in an engine; no row of it is kept."""

    def __init__(
        self, table: Any, target: str, features: Sequence[str] | None, parts: Parts
    ) -> None:
        if not is_engine_table(table):
            raise ValueError(
                f"`table` must be a table of ibis, got {type(table).__name__}; make one of a file "
                "with `rulekit.data.tables.open_table(path)`, or use `fit` for rows in memory."
            )
        import ibis

        names = list(table.columns)
        aside = {target, parts.key}
        wanted = [n for n in names if n not in aside] if features is None else list(features)
        names_used = [target, *wanted] if parts.key is None else [target, *wanted, parts.key]
        if absent := [name for name in names_used if name not in names]:
            some = ", ".join(repr(n[:60]) for n in names[:5]) + " ..." * (len(names) > 5)
            raise DataError(f"The table has no column {absent[0]!r}; it has {some}.")
        if twice := [n[:60] for n in wanted if wanted.count(n) > 1]:
            raise DataError(f"`features` must name each column once; {twice[0]!r} is named twice.")
        if target in wanted:
            raise DataError(f"The class {target!r} cannot be a feature. Remove it from `features`.")
        if not wanted:
            raise DataError("The table has no column except the class. Add a column to learn from.")
        self.features, self.target, self.parts = tuple(wanted), target, parts
        self.engine = str(table.get_backend().name)
        label, held, base = (_free(name, names) for name in ("label", "held", "base"))
        self._base = base
        self._numbers = RowNumbers(self.engine, parts.seed)
        keyed = sorted(names) if parts.key is None else [parts.key]
        kinds = {name: kind_of(table[name]) for name in wanted}
        self.kinds = {name: "text" if kind == "date" else kind for name, kind in kinds.items()}
        selected = table.select(*wanted, target, **{base: self._numbers.base(table, keyed)})
        part: Any = ibis.literal(False)
        if parts.test_share:
            part = self._numbers.make_numbers(selected[base], TEST) < limit(parts.test_share)
        selected = selected.mutate(**{held: part, label: read(selected[target])})
        counted = selected.group_by([label, held]).aggregate(n=selected.count())
        counts = fetch(counted.limit(4 * MAX_CLASSES)).to_pandas()
        counts = counts.set_axis(["label", "held", "n"], axis=1)
        self.classes, self.sizes = _classes(counts, target, table[target].type())
        codes = [(selected[label] == name, code) for code, name in enumerate(self.classes.tolist())]
        self.all = selected.mutate(**{label: ibis.cases(*codes, else_=-1).cast("int64")})
        self.writer = ExpressionWriter(self.all)
        # whether a row is held out, and the number of its class, as expressions
        self.held, self.label = self.all[held], self.all[label]
        self.learning = self.all.filter(~self.held)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.sizes.sum())

    def value(self, name: str) -> Any:
        """Return a column's value as rules read it, as an expression."""
        return self.writer.column(name)

    def answer(self, rule: RuleSet, held: Mapping[tuple[int, int], Any] | None = None) -> Any:
        """Return the class number that a rule predicts, as an expression."""
        import ibis

        held, codes = held or {}, {label: k for k, label in enumerate(self.classes.tolist())}
        clauses = []
        for k, clause in enumerate(rule.clauses):
            parts = [
                held[k, i] if (k, i) in held else self.writer.write(condition)
                for i, condition in enumerate(clause.conditions)
            ]
            clauses.append(join_expressions(parts, clause.op))
        if rule.form == "cnf":
            every = join_expressions(clauses, "and")
            return every.ifelse(codes[rule.labels[0]], codes[rule.default]).cast("int64")
        if not clauses:
            return ibis.literal(codes[rule.default], "int64")
        cases = [(c, codes[label]) for c, label in zip(clauses, rule.labels, strict=True)]
        return ibis.cases(*cases, else_=codes[rule.default]).cast("int64")

    def count_kinds(self, rule: RuleSet) -> Kinds:
        """Count all training and held-out rows by what decides them: one GROUP BY."""
        import ibis

        conditions = Likeness(rule).conditions
        bits = [self.writer.write(c) for c in conditions]
        if rule.form == "cnf":
            bits = [~bit for bit in bits]
        weights = [ibis.literal(2 ** (j % BITS), "int64") for j in range(len(bits))]
        parts = [bit.ifelse(weight, 0) for bit, weight in zip(bits, weights, strict=True)]
        codes = {f"code{k}": reduce(add, parts[k : k + BITS]) for k in range(0, len(bits), BITS)}
        refused = list(self.writer.problems)
        marks = {f"p{j}": self.writer.problems[text] for j, text in enumerate(refused)}
        selected = self.all.select(label=self.label, held=self.held, **codes, **marks)
        sums = {name: selected[name].sum() for name in marks}
        groups = selected.group_by(["label", "held", *codes]).aggregate(n=selected.count(), **sums)
        counted = fetch(groups).to_pandas()
        for j, text in enumerate(refused):
            if counted[f"p{j}"].sum():
                raise RuleError(text)
        if not codes:
            counted = counted.assign(code0=0)
        keys = counted[list(codes) or ["code0"]].to_numpy(dtype=np.int64)
        kinds, index = np.unique(keys, axis=0, return_inverse=True)
        counts = np.zeros((2, len(kinds), len(self.classes)), dtype=np.int64)
        held, label, n = (counted[k].to_numpy(dtype=np.int64) for k in ("held", "label", "n"))
        np.add.at(counts, (held, index.reshape(-1), label), n)
        met = [(kinds[:, j // BITS] >> (j % BITS)) & 1 == 1 for j in range(len(conditions))]
        return Kinds(np.array(met, dtype=bool).reshape(len(conditions), len(kinds)).T, counts)

    def describe(self, column: ColumnSchema) -> ColumnSchema:
        """Add the levels or the range of all training rows to a column, and whether it has gaps."""
        cells = self.all.select(held=self.held, value=self.value(column.name))
        cells = cells.filter(~cells["held"]).select("value")
        (n_gaps,) = fetch(cells.aggregate(n=cells["value"].isnull().sum()))["n"].to_pylist()
        present = cells.filter(cells["value"].notnull())
        if column.kind in ("number", "date"):
            ends = present.aggregate(low=present["value"].min(), high=present["value"].max())
            found = [end for values in fetch(ends).to_pydict().values() for end in values]
        else:
            found = fetch(present.distinct().limit(MOST_LEVELS + 1))["value"].to_pylist()
        values = np.array([v for v in found if v is not None], dtype=object)
        if column.kind == "number":
            kind = "whole number" if self.all[column.name].type().is_integer() else "number"
            low, high = map(float, values) if len(values) else (None, None)
            return replace(column, kind=kind, gaps=n_gaps > 0, low=low, high=high)
        return replace(describe_column(column, values), gaps=n_gaps > 0)

    def draw(
        self, purpose: int, shares: Floats, rule: RuleSet | None = None
    ) -> tuple[pd.DataFrame, NDArray[np.intp], NDArray[np.intp]]:
        """Draw training rows; shapes: shares (K,); result (n, p), (n,), (n,)."""
        import ibis

        wrong: Any = ibis.literal(0, "int64")
        if rule is not None:
            wrong = (self.answer(rule) != self.label).ifelse(1, 0)
        columns = {f"c{j}": self.value(name) for j, name in enumerate(self.features)}
        number = self._numbers.make_numbers(self.all[self._base], purpose)
        of_row = {"label": self.label, "held": self.held, "wrong": wrong, "number": number}
        selected = self.all.select(**of_row, **columns)
        most = [
            ((selected.label == k) & (selected.wrong == w), limit(float(share)))
            for (k, w), share in np.ndenumerate(shares.reshape(len(self.classes), -1))
        ]
        drawn = selected.filter(~selected.held & (selected.number < ibis.cases(*most, else_=0)))
        sample = fetch(drawn.drop("held")).to_pandas()
        sample = sample.sort_values(list(sample.columns)[2:], kind="stable", ignore_index=True)
        frame = sample[list(columns)].set_axis(list(self.features), axis=1)
        return frame, sample["label"].to_numpy(dtype=np.intp), sample["wrong"].to_numpy(np.intp)


def _free(name: str, taken: Sequence[str]) -> str:
    """Return a name that no column has, ignoring case."""
    lower = {other.lower() for other in taken}
    while name in lower:
        name += "_"
    return name


def _classes(
    counted: pd.DataFrame, target: str, kind: Any
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes and the training and held-out rows of each."""
    if (gaps := counted["label"].isna()).any():
        raise DataError(
            f"The class {target!r} is missing in {int(counted.loc[gaps, 'n'].sum()):,} rows. "
            "Leave these rows out with `filter`."
        )
    labels = sorted(set(counted["label"].tolist()))
    if not 2 <= (n := len(labels)) <= MAX_CLASSES:
        many = n if n <= MAX_CLASSES else f"more than {MAX_CLASSES}"
        raise DataError(
            f"The class {target!r} must take 2 to {MAX_CLASSES} values; it takes {many}."
        )
    if kind.is_numeric():
        if not all(float(label).is_integer() for label in labels):
            raise DataError(
                f"The class {target!r} must hold whole numbers, text or truth values; it holds "
                f"{labels[0]!r}. Make it text."
            )
        classes = np.array(labels, dtype=np.int64 if kind.is_integer() else np.float64)
    else:
        classes = np.array(labels, dtype=bool if kind.is_boolean() else object)
    sizes = np.zeros((2, len(labels)), dtype=np.int64)
    at = counted["held"].to_numpy(dtype=int), counted["label"].map(labels.index).to_numpy(dtype=int)
    np.add.at(sizes, at, counted["n"].to_numpy(dtype=np.int64))
    if not sizes[0].all():
        label = classes.tolist()[int(sizes[0].argmin())]
        raise DataError(
            f"Every class needs rows to learn from; all rows of {label!r} are held back for the "
            "test. Give another `key`, or a smaller `test_share`."
        )
    return classes, sizes
