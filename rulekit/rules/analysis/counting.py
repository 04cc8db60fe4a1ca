"""Clauses matched and class of each row, counted in memory or by a database.

All figures of a rule come from these counts, so a table in memory and one in a database, counted
there by one GROUP BY, are computed by the same code.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._engine import fetch, is_engine_table, read
from rulekit.exceptions import RuleError
from rulekit.rules.condition import columns_in
from rulekit.rules.expressions import ExpressionWriter
from rulekit.rules.rule_set import RuleSet

WORD = 60  # clauses in one whole number that rows are grouped by


@dataclass(frozen=True, slots=True, eq=False)
class CountedRows:
    """Counts of rows with the same matched clauses and the same class.

    Shapes: fired (g, n_clauses), truth (g,), n (g,), weight (g,).
    """

    fired: NDArray[np.bool_]
    truth: NDArray[np.object_]
    n: NDArray[np.int64]
    weight: NDArray[np.float64]


def counted_rows(rule: RuleSet, X: Any, y: Any, sample_weight: Any = None) -> CountedRows:
    """Count rows by matched clauses and class; see `clause_statistics` for parameters."""
    if is_engine_table(X):
        return _by_engine(rule, X, y, sample_weight)
    columns = columns_in(X, rule.features)
    weight, truth = _checked(columns, y, sample_weight)
    ones = np.ones(len(truth), dtype=np.int64)
    return CountedRows(rule.clauses_fired(columns), truth, ones, weight)


def _by_engine(rule: RuleSet, table: Any, y: Any, sample_weight: Any) -> CountedRows:
    """Count in the database: one GROUP BY of the matched clauses and the class."""
    import ibis

    writer = ExpressionWriter(table)
    clauses = writer.rule(rule)
    keys = {}
    for start in range(0, len(clauses), WORD):
        held = enumerate(clauses[start : start + WORD])
        keys[f"k{start // WORD}"] = sum(c.ifelse(ibis.literal(2**j, "int64"), 0) for j, c in held)
    problems = {f"p{k}": problem for k, problem in enumerate(writer.problems.values())}
    weighed = (
        {}
        if sample_weight is None
        else {"w": _own(table, sample_weight, "sample_weight").cast("float64")}
    )
    rows = table.select(y=_own(table, y, "y"), **weighed, **keys, **problems)
    sums = {name: rows[name].fill_null(False).sum() for name in problems}
    if weighed:
        bad = rows.w.isnull() | rows.w.isnan() | rows.w.isinf() | (rows.w < 0)
        sums |= {"w": rows.w.sum(), "bad": bad.sum()}
    found = fetch(rows.group_by("y", *keys).aggregate(n=rows.count(), **sums)).to_pydict()
    for name, problem in zip(problems, writer.problems, strict=True):
        if any(found[name]):
            raise RuleError(problem)
    if any(found.get("bad", ())):
        raise RuleError("Sample weights must be finite and not negative; correct or omit them.")
    truth = np.empty(len(found["y"]), dtype=object)
    truth[:] = found["y"]
    words = np.array([found[k] for k in keys], dtype=np.int64).reshape(len(keys), len(truth))
    places = np.arange(len(clauses))
    return CountedRows(
        ((words[places // WORD] >> (places % WORD)[:, None]) & 1 == 1).T,
        truth,
        np.array(found["n"], dtype=np.int64),
        np.array(found.get("w", found["n"]), dtype=float),
    )


def _own(table: Any, column: Any, what: str) -> Any:
    """Return a column by its name, or as given; whole numbers stay whole."""
    if isinstance(column, str):
        if column not in table.columns:
            raise RuleError(f"The table has no column {column!r}, which `{what}` names.")
        column = table[column]
    if not hasattr(column, "type"):
        raise RuleError(
            f"Of a table in a database `{what}` is the name of a column, or a column; got "
            f"{type(column).__name__}."
        )
    return column if column.type().is_integer() else read(column)


def _checked(
    columns: Any, y: Any, sample_weight: Any
) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    truth = np.asarray(y).astype(object)
    n = len(truth)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    wrong = {name: len(c) for name, c in columns.items() if len(c) != n}
    if wrong or weight.shape != (n,):
        found = next(iter(wrong.items()), ("sample_weight", len(weight)))
        raise RuleError(
            f"Columns, classes and weights must have one length; there are {n} classes, "
            f"but {found[0]!r} has {found[1]}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise RuleError("Sample weights must be finite and not negative; correct or omit them.")
    return weight, truth
