"""Sampling of rows by an engine: by a seeded hash of a key, or of the whole row.

A row's number depends only on its content, on the seed and on the purpose:
the engine draws the same rows each time, in whatever order it reads them, and rows of one key are
always on one side of a split. Engines hash differently, so the rows drawn differ between them.
"""

from collections.abc import Sequence
from typing import Any

WORDS = 2**32  # numbers a row can have: from 0; even Spark's hash of 32 bits has as many
NATIVE = ("duckdb", "pyspark", "snowflake", "clickhouse")  # their hash takes whole numbers, too
GAP = "\x1a"  # for a cell that is missing, as no text is
BETWEEN = "\x1f"


class RowNumbers:
    """Pseudo-random numbers of rows, independent for each purpose."""

    def __init__(self, engine: str, seed: int) -> None:
        self._engine, self._seed = engine, seed

    def base(self, table: Any, columns: Sequence[str]) -> Any:
        """Return the hash of a row's key as an expression.

        `columns` are a key, or all columns: rows that are equal throughout have one number then.
        """
        import ibis

        if self._engine == "duckdb":
            return ibis.struct({f"c{j}": table[name] for j, name in enumerate(columns)}).hash()
        # the hash of some engines takes nothing but text
        cells = [table[name].cast("string").fill_null(GAP) for name in columns]
        return ibis.literal(BETWEEN).join(cells).hash()

    def of(self, base: Any, purpose: int) -> Any:
        """Return a number from 0 to `WORDS` - 1 for each row, as an expression."""
        import ibis

        salt = (self._seed * 0x9E3779B1 + purpose * 0x85EBCA77 + 1) % WORDS
        # hashed twice: a seed that entered the first hash alone could leave two purposes alike
        if self._engine in NATIVE:
            again = (base ^ ibis.literal(salt, "int64")).hash()
        else:
            again = (base.cast("string") + ibis.literal(f"{BETWEEN}{salt}")).hash()
        return again.cast("int64") & ibis.literal(WORDS - 1, "int64")


def limit(share: float) -> int:
    """Return the number below which a share of the rows is drawn."""
    return round(share * WORDS)
