"""Performance of clauses and of a whole rule set on rows with known classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._engine import fetch, is_engine_table, read
from rulekit.exceptions import RuleError
from rulekit.rules.condition import columns_in
from rulekit.rules.expressions import ExpressionWriter
from rulekit.rules.rule_set import Clause, Label, RuleSet, rule_of

WORD = 60  # clauses in one whole number that rows are grouped by


@dataclass(frozen=True, slots=True, eq=False)
class CountedRows:
    """Rows with the same matched clauses and class: fired (g, n_clauses), truth, n, weight (g,)."""

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
        else {"w": _table_column(table, sample_weight, "sample_weight").cast("float64")}
    )
    rows = table.select(y=_table_column(table, y, "y"), **weighed, **keys, **problems)
    sums = {name: rows[name].fill_null(False).sum() for name in problems}
    if weighed:
        bad = rows.w.isnull() | rows.w.isnan() | rows.w.isinf() | (rows.w < 0)
        sums |= {"w": rows.w.sum(), "bad": bad.sum()}
    counts = fetch(rows.group_by("y", *keys).aggregate(n=rows.count(), **sums)).to_pydict()
    for name, problem in zip(problems, writer.problems, strict=True):
        if any(counts[name]):
            raise RuleError(problem)
    if any(counts.get("bad", ())):
        raise RuleError("Sample weights must be finite and not negative. Correct or omit them.")
    truth = np.empty(len(counts["y"]), dtype=object)
    truth[:] = counts["y"]
    words = np.array([counts[k] for k in keys], dtype=np.int64).reshape(len(keys), len(truth))
    places = np.arange(len(clauses))
    return CountedRows(
        ((words[places // WORD] >> (places % WORD)[:, None]) & 1 == 1).T,
        truth,
        np.array(counts["n"], dtype=np.int64),
        np.array(counts.get("w", counts["n"]), dtype=float),
    )


def _table_column(table: Any, column: Any, parameter: str) -> Any:
    """Return a column by its name, or as given; whole numbers stay whole."""
    if isinstance(column, str):
        if column not in table.columns:
            raise RuleError(f"The table has no column {column!r}, which `{parameter}` names.")
        column = table[column]
    if not hasattr(column, "type"):
        raise RuleError(
            f"For a table in a database `{parameter}` must be a column or its name; got "
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
        wrong_argument = next(iter(wrong.items()), ("sample_weight", len(weight)))
        raise RuleError(
            f"Columns, classes and weights must have one length; there are {n} classes, "
            f"but {wrong_argument[0]!r} has {wrong_argument[1]}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise RuleError("Sample weights must be finite and not negative. Correct or omit them.")
    return weight, truth


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
    n_first : int
        Rows matched by no earlier clause: in a DNF, those whose answer this clause is.
    positives, negatives : int
        Rows matched of the label, and of any other class.
    weight, positive_weight, negative_weight : float
        The same three by sample weight.
    coverage : float
        Share of all rows that are matched, by weight.
    unique_coverage : float
        Share of all rows that are matched by no other clause, by weight.
    support : float
        Share of all rows that are matched and of the label, by weight.
    confidence : float
        Share of the matched rows that are of the label, by weight; NaN where none is matched.
    lift : float
        Confidence divided by the label's share of all rows; NaN where either is undefined.
    confidence_low, confidence_high : float
        Wilson's 95 % interval for the confidence, from the unweighted counts (weights are no
        further evidence); from 0 to 1 where no row is matched.
    """

    clause: Clause
    label: Label
    n_conditions: int
    n: int
    n_unique: int
    n_first: int
    positives: int
    negatives: int
    weight: float
    positive_weight: float
    negative_weight: float
    coverage: float
    unique_coverage: float
    support: float
    confidence: float
    lift: float
    confidence_low: float
    confidence_high: float


@dataclass(frozen=True, slots=True, eq=False)
class RuleStatistics:
    """Counts of a rule set on a set of rows; shares are by sample weight, NaN without rows.

    ``confusion[i, j]`` counts rows of class ``labels[i]`` that are predicted as ``labels[j]``;
    `labels` are the classes that occur or can be predicted, sorted as text. `coverage` is the share
    of rows that a clause matches.
    """

    labels: tuple[Label, ...]
    confusion: NDArray[np.int64]
    weighted_confusion: NDArray[np.float64]
    n: int
    errors: int
    error: float
    precision: dict[Label, float]
    recall: dict[Label, float]
    coverage: float
    n_clauses: int
    n_conditions: int


def clause_statistics(
    model: Any,
    X: Any,
    y: Sequence[Label] | NDArray[Any],
    sample_weight: Sequence[float] | NDArray[Any] | None = None,
) -> tuple[ClauseStatistics, ...]:
    """Count matches and classes for each clause.

    Parameters
    ----------
    model : RuleSet or fitted model
    X : data frame, mapping of str to ndarray of shape (n,), or ibis table
        The rows. A table of ibis is counted where it is, by one query of its engine.
    y : array of shape (n,), or str
        The true class of each row; of a table of ibis the name of its column, or that column.
    sample_weight : array of shape (n,), or str, optional
        Not negative; all rows count one by default. Of a table of ibis as `y`.

    Returns
    -------
    tuple of ClauseStatistics
        One a clause, in order.

    Raises
    ------
    RuleError
        If there is no rule, the rows do not fit it, lengths differ, or weights are negative or not
        finite.

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
    counted = counted_rows(rule_set, X, y, sample_weight)
    matched, labels = counted.fired, rule_set.labels
    if rule_set.form == "cnf":
        matched, labels = ~matched, (rule_set.default,) * rule_set.n_clauses
    times = matched.sum(axis=1)
    free = np.ones(len(times), dtype=bool)  # rows that no earlier clause matches
    statistics = []
    for k, clause in enumerate(rule_set.clauses):
        rows = matched[:, k]
        matches = _Matches(rows, rows & (times == 1), rows & free)
        statistics.append(_of_clause(clause, labels[k], matches, counted))
        free &= ~rows
    return tuple(statistics)


def rule_statistics(
    model: Any,
    X: Any,
    y: Sequence[Label] | NDArray[Any],
    sample_weight: Sequence[float] | NDArray[Any] | None = None,
) -> RuleStatistics:
    """Count errors and predictions of a rule set.

    Parameters
    ----------
    model, X, y, sample_weight
        As for `clause_statistics`.

    Raises
    ------
    RuleError
        As for `clause_statistics`.

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
    counted = counted_rows(rule_set, X, y, sample_weight)
    actual, n, weight = counted.truth, counted.n, counted.weight
    answers = rule_set.answers(counted.fired)
    labels = tuple(sorted({*actual.tolist(), *rule_set.classes}, key=lambda v: (str(v), repr(v))))
    code_of = {label: k for k, label in enumerate(labels)}
    confusion_index = np.array([code_of[v] for v in actual], dtype=int) * len(labels)
    confusion_index += np.array([code_of[v] for v in answers], dtype=int)
    shape, size = (len(labels), len(labels)), len(labels) ** 2
    confusion = np.zeros(size, dtype=np.int64)
    np.add.at(confusion, confusion_index, n)
    confusion = confusion.reshape(shape)
    weighted: NDArray[np.float64] = (
        np.bincount(confusion_index, weight, size).astype(float).reshape(shape)
    )
    right = np.diagonal(weighted)
    total = float(weighted.sum())
    held = counted.fired.any(axis=1) if rule_set.form == "dnf" else counted.fired.all(axis=1)
    return RuleStatistics(
        labels=labels,
        confusion=confusion,
        weighted_confusion=weighted,
        n=int(n.sum()),
        errors=int(confusion.sum() - np.trace(confusion)),
        error=_share(float(total - right.sum()), total),
        precision=_shares(labels, right, weighted.sum(axis=0)),
        recall=_shares(labels, right, weighted.sum(axis=1)),
        coverage=_share(float(weight[held].sum()), total),
        n_clauses=rule_set.n_clauses,
        n_conditions=rule_set.n_conditions,
    )


def wilson_interval(successes: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Compute Wilson's interval of a proportion.

    Parameters
    ----------
    successes, n : float
        How many of how many.
    z : float, default=1.96
        Quantile of the normal distribution; the default gives 95 %.

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
    share = successes / n
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle = share + z * z / (2 * n)
    scale = 1 + z * z / n
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True, slots=True)
class _Matches:
    """Rows that a clause matches: at all, alone, and before any other clause."""

    rows: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    first: NDArray[np.bool_]


def _of_clause(
    clause: Clause,
    label: Label,
    matches: _Matches,
    counted: CountedRows,
) -> ClauseStatistics:
    rows, weight, is_label = counted.n, counted.weight, _is_label(counted.truth, label)
    right = matches.rows & is_label
    n, positives = int(rows[matches.rows].sum()), int(rows[right].sum())
    matched_weight, right_weight = float(weight[matches.rows].sum()), float(weight[right].sum())
    total = float(weight.sum())
    confidence = _share(right_weight, matched_weight)
    low, high = wilson_interval(positives, n)
    return ClauseStatistics(
        clause=clause,
        label=label,
        n_conditions=clause.n_conditions,
        n=n,
        n_unique=int(rows[matches.alone].sum()),
        n_first=int(rows[matches.first].sum()),
        positives=positives,
        negatives=n - positives,
        weight=matched_weight,
        positive_weight=right_weight,
        negative_weight=float(weight[matches.rows & ~is_label].sum()),
        coverage=_share(matched_weight, total),
        unique_coverage=_share(float(weight[matches.alone].sum()), total),
        support=_share(right_weight, total),
        confidence=confidence,
        lift=_share(confidence, _share(float(weight[is_label].sum()), total)),
        confidence_low=low,
        confidence_high=high,
    )


def _is_label(actual: NDArray[np.object_], label: Label) -> NDArray[np.bool_]:
    return np.array([v == label for v in actual], dtype=bool)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _shares(
    labels: Sequence[Label], part: NDArray[np.float64], whole: NDArray[np.float64]
) -> dict[Label, float]:
    return {v: _share(float(part[k]), float(whole[k])) for k, v in enumerate(labels)}
