"""Past cases: outcomes of rows with the same decision, and the rows most like a given one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data.typed import read_labels
from rulekit.exceptions import DataError
from rulekit.explain.boundary import ranges_of, whole_bounds
from rulekit.explain.subject import Bounds, Ranges, columns_for, row_values, rows_with
from rulekit.rules import Columns, RuleSet, scorecard_of
from rulekit.rules.condition import missing_in
from rulekit.rules.rule_set import rule_of, stack_masks
from rulekit.style.phrases import PLAIN, Wording, label_text, whole_percent, write_outcome
from rulekit.style.scorecard import clause_names


@dataclass(frozen=True, eq=False)
class Training:
    """Past rows, if there are any, with their true labels; shapes: columns (n,), labels (n,)."""

    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    labels: NDArray[Any] | None = None
    ranges: Ranges = field(default_factory=dict)  # of the columns of numbers
    whole: Bounds = field(default_factory=dict)  # of the columns that the rule reads


def training_rows(model: Any, training: Any) -> Training:
    """Read past rows, given as a table, as a pair of table and labels, or None."""
    if training is None:
        return Training()
    X, y = training if isinstance(training, tuple) else (training, None)
    columns = columns_for(model, X)
    labels = None if y is None else read_labels(y).astype(object)
    n = len(next(iter(columns.values()), ()))
    if labels is not None and len(labels) != n:
        raise DataError(
            f"`training` must hold one label a row; it has {n} rows and {len(labels)} labels."
        )
    numbers = {name: column for name, column in columns.items() if column.dtype != object}
    read = {f: columns[f] for f in rule_of(model).features}
    return Training(columns, labels, ranges_of(numbers), whole_bounds(read))


@dataclass(frozen=True)
class PastCases:
    """Past rows of the deciding clause, or of none: `n_same` of `n` had the predicted label."""

    n: int
    n_same: int
    label: Any
    sentence: str


def list_past_cases(
    dnf: RuleSet, columns: Columns, past: Training, wording: Wording = PLAIN
) -> list[PastCases | None]:
    """Count the past cases of the clause that decides each row; None without known labels."""
    deciding = deciding_clause(dnf, columns)
    if past.labels is None:
        return [None] * len(deciding)
    counted, answers = deciding_clause(dnf, past.columns), (*dnf.labels, dnf.default)
    names = [name.capitalize() for name in clause_names(dnf, wording.clause)]
    names[-1] += "" if scorecard_of(dnf) else " matches"  # of no clause
    cases, noun = {}, "past case" if wording.spoken else "training row"
    for k in map(int, np.unique(deciding)):
        labels, label = past.labels[counted == k], answers[k]
        n, same = len(labels), int(sum(v == label for v in labels))
        rows = f"{same:,} of {n:,} {noun}{'s' * (n != 1)}"
        if wording.spoken:
            text = f"In {rows} with the same reason it was {label_text(label, wording)}."
            text = text if n else "No past case has this reason."
        elif n:
            text = f"{names[k]}: {write_outcome(label)} in {rows} ({whole_percent(same, n)})."
        else:
            text = f"{names[k]}: no training row."
        cases[k] = PastCases(n, same, label, text)
    return [cases[int(k)] for k in deciding]


def deciding_clause(dnf: RuleSet, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
    """Return the index of the clause that decides each row, -1 for none."""
    first = dnf.clauses_deciding(columns)
    return np.asarray(np.column_stack([~first.any(axis=1), first]).argmax(axis=1) - 1)


@dataclass(frozen=True)
class SimilarCase:
    """A past row that is like the explained one."""

    row: int  # position in the training rows
    label: Any
    agreement: float  # share of the rule's conditions with the same result for both rows
    distance: float  # mean over columns: share of the range, at most 1, or 1 if unequal
    values: dict[str, Any]


def similar_cases(
    rule: RuleSet, training: Training, values: Mapping[str, Any], k: int = 5
) -> tuple[SimilarCase, ...]:
    """Find the past rows most like a row, as the rule sees them; none for a constant rule."""
    if rule.is_constant or k < 1 or not training.columns:
        return ()
    conditions = tuple(dict.fromkeys(x for c in rule.conditions for x in (c.tests or (c,))))
    here = stack_masks(conditions, rows_with({f: values[f] for f in rule.features}, {}))
    agreement = np.mean(stack_masks(conditions, training.columns) == here, axis=1)
    differences = []  # of each column, from 0 (equal) to 1
    for feature in rule.features:
        column, value = training.columns[feature], values[feature]
        absent, width = missing_in(column), training.ranges.get(feature)
        if value is None:
            unlike: Any = 1.0
        elif width is None:
            unlike = (column != value).astype(float)
        else:
            unlike = np.minimum(np.abs(column - value) / width, 1.0)
        differences.append(np.where(absent, float(value is not None), unlike))
    distance = np.mean(differences, axis=0)
    read = {f: training.columns[f] for f in rule.features}
    labels = [None] * len(agreement) if training.labels is None else training.labels
    return tuple(
        SimilarCase(i, labels[i], float(agreement[i]), float(distance[i]), row_values(read, i))
        for i in np.lexsort((distance, -agreement))[:k].tolist()
    )
