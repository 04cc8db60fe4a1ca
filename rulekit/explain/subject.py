"""Input of an explanation: the rule of a model, and a table as the rule's columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data.columns.conform import RuleColumns, refuse_absent
from rulekit.rules import Columns, RuleSet
from rulekit.rules.condition import ReadColumns, as_column
from rulekit.rules.rule_set import rule_of

Row = Mapping[str, Any]
Ranges = Mapping[str, float]  # widths of columns
Bounds = Mapping[str, tuple[float, float]]  # see `whole_bounds`


def columns_for(model: Any, X: Any) -> RuleColumns:
    """Read a table as the columns of a model or rule; DataError if one is missing."""
    if isinstance(X, RuleColumns):
        return X
    if not isinstance(model, RuleSet) and hasattr(model, "read_columns"):
        read = model.read_columns(X)
    else:
        rule = rule_of(model)
        read = rule.read(X)
        refuse_absent(rule.features, read)
    return read if isinstance(read, RuleColumns) else RuleColumns(read)


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


def rows_with(row: Row, values: Mapping[str, Sequence[Any]]) -> Columns:
    """Build columns that repeat one row, with the values of some columns replaced."""
    n = len(next(iter(values.values()), (None,)))
    return ReadColumns((f, as_column(values.get(f, [cell] * n))) for f, cell in row.items())
