"""Tables that stay where they are: the one place that asks an engine, by expressions of ibis.

A column is brought to what rules read: numbers as doubles, truth values, or text, and NULL for
every gap. Nothing here imports ibis before somebody brought a table of it.
"""

import sys
import warnings
from typing import Any

from rulekit.exceptions import DataError

EXACT_DIGITS = 15  # decimals of more are turned into doubles by way of their text
THEIRS = r"(ibis|sqlglot|duckdb|pyspark)(\.|$)"
ISO_TEXT = "%Y-%m-%d %H:%M:%S"


def is_engine_table(X: Any) -> bool:
    """Say whether this is a table of an engine, that is, of ibis."""
    ibis = sys.modules.get("ibis")
    return ibis is not None and isinstance(X, ibis.Table)


def quiet() -> None:
    """Leave out what the libraries between here and an engine warn each other of.

    Set for the whole process, and of their modules alone: pages ask from threads, where to silence
    everything for a while (`warnings.catch_warnings`) is not safe.
    """
    warnings.filterwarnings("ignore", module=THEIRS)


def asked(expression: Any) -> Any:
    """Have the engine work an expression out; give an Arrow table.

    Raises
    ------
    DataError
        With the first line of what the engine says.
    """
    quiet()
    try:
        return expression.to_pyarrow()
    except Exception as error:  # every engine has its own
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"The table cannot be counted where it is: the database says {first!r}. Correct the "
            "table, or leave the column out."
        ) from error


def kind_of(column: Any) -> str:
    """Say what an engine's column is to a rule: "number", "boolean", "text" or "date".

    Raises
    ------
    DataError
        If it is none of them.
    """
    kind = column.type()
    if kind.is_boolean():
        return "boolean"
    if kind.is_numeric():
        return "number"
    if kind.is_string():
        return "text"
    if kind.is_date() or (kind.is_timestamp() and kind.timezone is None):
        return "date"
    raise DataError(
        f"Column {column.get_name()[:60]!r} must hold numbers, text, truth values or dates without "
        f"a time zone; it holds {kind}. Leave it out, or cast it."
    )


def read(column: Any) -> Any:
    """Give an engine's column as rules read it: doubles, truth values or text, NULL for a gap.

    Dates become ISO text, as `rulekit.data.columns_of` writes them.
    """
    kind, made = kind_of(column), column.type()
    if kind == "date":
        return column.strftime(ISO_TEXT)
    if kind == "number":
        return _double(column, made)
    return column


def _double(column: Any, made: Any) -> Any:
    import ibis

    if made.is_integer():
        return column.cast("float64")
    if made.is_decimal() and (made.precision or EXACT_DIGITS + 1) > EXACT_DIGITS:
        column = column.cast("string")
    found = column.cast("float64")
    return found.isnan().ifelse(ibis.null("float64"), found)


def number(value: float) -> Any:
    """Write a number to the last bit: many engines read bare digits as a decimal."""
    import ibis

    return ibis.literal(repr(float(value))).cast("float64")
