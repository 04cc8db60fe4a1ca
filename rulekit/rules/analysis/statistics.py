"""Performance of clauses and of a whole rule set on rows with known classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._engine import fetch, is_engine_table, read
from rulekit.exceptions import RuleError
from rulekit.rules.expressions import ExpressionWriter
from rulekit.rules.rule_set import Clause, Label, RuleSet, rule_of

WORD = 60  # clauses in one whole number that rows are grouped by


#: Rows with the same matched clauses and class: fired (g, n_clauses), truth, n (g,).
CountedRows = tuple[NDArray[np.bool_], NDArray[np.object_], NDArray[np.int64]]


def _count_matched_rows(rule: RuleSet, X: Any, y: Any) -> CountedRows:
    """Count rows by matched clauses and class; see `clause_statistics` for parameters."""
    if is_engine_table(X):
        import ibis

        # in the database: one GROUP BY of the matched clauses and the class
        writer = ExpressionWriter(X)
        clauses = [writer.clause(c) for c in rule.clauses]
        keys = {}
        for start in range(0, len(clauses), WORD):
            held = enumerate(clauses[start : start + WORD])
            bits = (c.ifelse(ibis.literal(2**j, "int64"), 0) for j, c in held)
            keys[f"k{start // WORD}"] = sum(bits)
        problems = {f"p{k}": problem for k, problem in enumerate(writer.problems.values())}
        if isinstance(y, str):
            if y not in X.columns:
                raise RuleError(f"The table has no column {y!r}, which `y` names.")
            y = X[y]
        if not hasattr(y, "type"):
            found = type(y).__name__
            raise RuleError(
                f"For a table in a database `y` must be a column or its name; got {found}."
            )
        truth = y if y.type().is_integer() else read(y)  # whole numbers stay whole
        rows = X.select(y=truth, **keys, **problems)
        sums = {name: rows[name].fill_null(False).sum() for name in problems}
        counts = fetch(rows.group_by("y", *keys).aggregate(n=rows.count(), **sums)).to_pydict()
        for name, problem in zip(problems, writer.problems, strict=True):
            if any(counts[name]):
                raise RuleError(problem)
        classes = np.empty(len(counts["y"]), dtype=object)
        classes[:] = counts["y"]
        words = np.array([counts[k] for k in keys], dtype=np.int64).reshape(len(keys), len(classes))
        places = np.arange(len(clauses))
        fired = ((words[places // WORD] >> (places % WORD)[:, None]) & 1 == 1).T
        return fired, classes, np.array(counts["n"], dtype=np.int64)
    cells = y.to_list() if hasattr(y, "to_list") else y  # NumPy has not all types of polars
    columns, truth = rule.read(X), np.atleast_1d(np.asarray(cells).astype(object))
    for name, column in columns.items():
        if len(column) != len(truth):
            raise RuleError(
                f"Columns and classes must have one length; there are {len(truth)} classes, but "
                f"{name!r} has {len(column)}."
            )
    return rule.clauses_fired(columns), truth, np.ones(len(truth), dtype=np.int64)


Z_95 = 1.959963984540054  # two-sided 95 % point of the normal distribution


@dataclass(frozen=True, slots=True)
class ClauseStatistics:
    """Counts of one clause on a set of rows.

    Attributes
    ----------
    clause : Clause
    label : str, int, float or bool
        What the clause says of the rows it *matches*. A DNF's clause matches the rows it holds on
        and gives them its label. A CNF's clause matches the rows it *fails* on: these are what it
        decides, and they get the rule set's default.
    n_conditions : int
    n : int
        Rows matched.
    n_unique : int
        Rows matched by no other clause.
    positives : int
        Rows matched of the label.
    coverage : float
        Share of all rows that are matched.
    confidence : float
        Share of the matched rows that are of the label; NaN where none is matched.
    lift : float
        Confidence divided by the label's share of all rows; NaN where either is undefined.
    confidence_low, confidence_high : float
        Wilson's 95 % interval for the confidence; from 0 to 1 where no row is matched.
    """

    clause: Clause
    label: Label
    n_conditions: int
    n: int
    n_unique: int
    positives: int
    coverage: float
    confidence: float
    lift: float
    confidence_low: float
    confidence_high: float


@dataclass(frozen=True, slots=True, eq=False)
class RuleStatistics:
    """Counts of a rule set on a set of rows; shares are NaN without rows."""

    labels: tuple[Label, ...]  # that occur or can be predicted, sorted as text
    confusion: NDArray[np.int64]  # [i, j]: rows of labels[i] predicted as labels[j]
    n: int
    errors: int
    error: float
    precision: dict[Label, float]
    recall: dict[Label, float]
    coverage: float  # share of rows that a clause matches
    n_clauses: int
    n_conditions: int


def clause_statistics(
    model: Any, X: Any, y: Sequence[Label] | NDArray[Any]
) -> tuple[ClauseStatistics, ...]:
    """Count matches and classes for each clause.

    Parameters
    ----------
    model : RuleSet or fitted model
    X : data frame, mapping of str to ndarray of shape (n,), or ibis table
        The rows. A table of ibis is counted where it is, by one query of its engine.
    y : array of shape (n,), or str
        The true class of each row; of a table of ibis the name of its column, or that column.

    Returns
    -------
    tuple of ClauseStatistics
        One a clause, in order.

    Raises
    ------
    RuleError
        If there is no rule, the rows do not fit it, or lengths differ.

    Notes
    -----
    Cost is O(n m) for m literals. The interval is Wilson's (1927), without correction.

    Examples
    --------
    >>> from rulekit.rules import Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> age = np.array([60.0, 70.0, 40.0, 30.0])
    >>> (found,) = clause_statistics(rule, {"age": age}, ["ill", "well", "ill", "well"])
    >>> found.n, found.confidence, found.lift, found.coverage
    (2, 0.5, 1.0, 0.5)
    """
    rule_set = rule_of(model)
    fired, actual, counted = _count_matched_rows(rule_set, X, y)
    matched, labels = fired == (rule_set.form == "dnf"), rule_set.as_dnf.labels
    alone, total = matched.sum(axis=1) == 1, int(counted.sum())
    statistics = []
    for clause, label, rows in zip(rule_set.clauses, labels, matched.T, strict=False):
        is_label = np.array([v == label for v in actual], dtype=bool)
        n, positives = int(counted[rows].sum()), int(counted[rows & is_label].sum())
        confidence = _share(positives, n)
        lift = _share(confidence, _share(int(counted[is_label].sum()), total))
        counts = n, int(counted[rows & alone].sum()), positives
        shares = _share(n, total), confidence, lift, *wilson_interval(positives, n)
        statistics.append(ClauseStatistics(clause, label, clause.n_conditions, *counts, *shares))
    return tuple(statistics)


def rule_statistics(model: Any, X: Any, y: Sequence[Label] | NDArray[Any]) -> RuleStatistics:
    """Count errors and predictions of a rule set.

    Parameters
    ----------
    model, X, y
        As for `clause_statistics`, which raises the same errors.

    Examples
    --------
    >>> from rulekit.rules import Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> age = np.array([60.0, 70.0, 40.0, 30.0])
    >>> found = rule_statistics(rule, {"age": age}, ["ill", "well", "ill", "well"])
    >>> found.errors, found.precision["ill"], found.confusion.tolist()
    (2, 0.5, [[1, 1], [1, 1]])
    """
    rule_set = rule_of(model)
    fired, actual, n = _count_matched_rows(rule_set, X, y)
    answers = rule_set.answers(fired)
    labels = tuple(sorted({*actual.tolist(), *rule_set.classes}, key=lambda v: (str(v), repr(v))))
    code_of = {label: k for k, label in enumerate(labels)}
    places = tuple(np.array([code_of[v] for v in side], dtype=int) for side in (actual, answers))
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(confusion, places, n)
    right, total = np.diagonal(confusion), int(n.sum())
    held = fired.any(axis=1) if rule_set.form == "dnf" else fired.all(axis=1)
    errors = total - int(right.sum())
    precision, recall = (
        dict(zip(labels, map(_share, right, confusion.sum(axis=axis)), strict=True))
        for axis in (0, 1)
    )
    counts, coverage = (total, errors, _share(errors, total)), _share(int(n[held].sum()), total)
    sizes = rule_set.n_clauses, rule_set.n_conditions
    return RuleStatistics(labels, confusion, *counts, precision, recall, coverage, *sizes)


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a proportion.

    Parameters
    ----------
    successes, n : float
        How many of how many.

    Returns
    -------
    (low, high) : tuple of float
        Within 0 and 1; (0, 1) where n is 0.

    Examples
    --------
    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if n <= 0:
        return 0.0, 1.0
    share, z = successes / n, Z_95
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle = share + z * z / (2 * n)
    scale = 1 + z * z / n
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else math.nan
