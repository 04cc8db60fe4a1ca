"""Access to tables in a database through ibis; the only module that queries engines."""

# A column is brought to what rules read: numbers as doubles, truth values, or text, and NULL for
# every gap. Nothing here imports ibis before a table of it is passed.

import sys
import warnings
from typing import Any

from rulekit.exceptions import DataError

EXACT_DIGITS = 15  # decimals of more are turned into doubles by way of their text
THEIRS = r"(ibis|sqlglot|duckdb|pyspark)(\.|$)"
ISO_TEXT = "%Y-%m-%d %H:%M:%S"


def is_engine_table(X: Any) -> bool:
    """Return whether this is an ibis table."""
    ibis = sys.modules.get("ibis")
    return ibis is not None and isinstance(X, ibis.Table)


def quiet() -> None:
    """Silence the warnings of the libraries between rulekit and an engine, process-wide."""
    # `catch_warnings` is not safe here: pages call this from threads
    warnings.filterwarnings("ignore", module=THEIRS)


def fetch(expression: Any) -> Any:
    """Execute an expression in the engine and return an Arrow table."""
    quiet()
    try:
        return expression.to_pyarrow()
    except Exception as error:  # every engine has its own
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"The database cannot count the table: {first!r}. Correct the table, or leave the "
            "column out."
        ) from error


def kind_of(column: Any) -> str:
    """Return the type of an engine's column for a rule: "number", "boolean", "text" or "date"."""
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
    """Return an engine's column as rules read it: doubles, truth values or text, NULL if absent."""
    kind, dtype = kind_of(column), column.type()
    if kind == "date":
        # midnight as the day alone, like `moment_text`
        return column.strftime(ISO_TEXT).re_replace(" 00:00:00$", "")
    if kind != "number":
        return column
    if dtype.is_integer():
        return column.cast("float64")
    import ibis

    if dtype.is_decimal() and (dtype.precision or EXACT_DIGITS + 1) > EXACT_DIGITS:
        column = column.cast("string")
    double = column.cast("float64")
    return double.isnan().ifelse(ibis.null("float64"), double)


def number(value: float) -> Any:
    """Write a number exactly: many engines read bare digits as a decimal."""
    import ibis

    return ibis.literal(repr(float(value))).cast("float64")
