"""Input of an explanation: the rule of a model, and a table as the rule's columns."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import columns_of
from rulekit.data.typed import as_pandas
from rulekit.exceptions import DataError
from rulekit.rules import Columns, RuleSet
from rulekit.rules.rule_set import rule_of


@dataclass(frozen=True)
class Subject:
    """A rule, and a DNF with the same predictions: itself, or a CNF's mirror image (De Morgan).

    Clause k of the mirror image holds exactly where clause k of the CNF fails.
    """

    rule: RuleSet
    dnf: RuleSet

    @property
    def mirrored(self) -> bool:
        """Whether `dnf` is the mirror image."""
        return self.rule.form == "cnf"


def subject_of(rule: RuleSet) -> Subject:
    """Return a rule with its DNF."""
    return Subject(rule, rule if rule.form == "dnf" else rule.negated())


def columns_for(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """Read a table as the model's columns, or unchanged for a bare rule set."""
    if isinstance(X, Mapping):
        return _present(rule_of(model), {str(k): np.asarray(v) for k, v in X.items()})
    if not isinstance(model, RuleSet) and hasattr(model, "read_columns"):
        return dict(model.read_columns(_drop_unread(model, X)))
    X = as_pandas(X)
    if not isinstance(X, pd.DataFrame):
        raise DataError(
            "A rule set reads columns by name. Give a data frame or a mapping of column names to "
            f"arrays, not {type(X).__name__}."
        )
    return _present(rule_of(model), columns_of(X))


def _drop_unread(model: Any, X: Any) -> Any:
    """Return a frame's columns that the rule reads, and the model's other columns as missing."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or not isinstance(X, pd.DataFrame):
        return X
    read = rule_of(model).features
    _refuse_absent(read, X.columns)
    return X[list(read)].reindex(columns=[str(name) for name in names])


def _refuse_absent(read: Iterable[str], given: Collection[str]) -> None:
    """Raise DataError if a column that the rule reads is absent."""
    if absent := [name for name in read if name not in given]:
        more = f" (nor {len(absent) - 1} more)" if len(absent) > 1 else ""
        raise DataError(
            f"The rule reads column {absent[0]!r}, which the table does not have{more}; add it, or "
            "rename the one that holds the same."
        )


def _present(rule: RuleSet, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    _refuse_absent(rule.features, columns)
    return columns


def value_at(column: NDArray[Any], row: int) -> Any:
    """Return one cell as bool, float or str; None if missing."""
    value = column[row]
    if value is None or value != value:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return value if isinstance(value, str) else float(value)


def row_values(columns: Columns, row: int) -> dict[str, Any]:
    """Return one row of a table as plain values, None for missing ones."""
    return {f: value_at(column, row) for f, column in columns.items()}


def rows_with(row: Mapping[str, Any], values: Mapping[str, Sequence[Any]]) -> Columns:
    """Build columns that repeat one row, with the values of some columns replaced."""
    n = len(next(iter(values.values()), (None,)))
    return {f: as_column(values.get(f, [cell] * n)) for f, cell in row.items()}


def as_column(values: Sequence[Any]) -> NDArray[Any]:
    """Build a column of values: float64 if all present ones are numbers, else objects."""
    present = [v for v in values if v is not None]
    if present and all(isinstance(v, float) and not isinstance(v, bool) for v in present):
        return np.array([np.nan if v is None else v for v in values])
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
