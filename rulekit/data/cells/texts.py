"""Distinct texts of a column, and patterns matched against them."""

# `texts` (u,) are the distinct, stripped cells of a column; ``texts[codes[i]]`` is that of row i,
# and -1 in `codes` (n,) a missing cell.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit.data.headers import quote


@dataclass(frozen=True)
class TextColumn:
    """One column of text, see the module."""

    name: str
    texts: pa.Array
    codes: NDArray[np.int64]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows that hold each distinct text, shape (u,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether each distinct text occurs in some row, shape (u,)."""
        return self.counts > 0

    @property
    def present_texts(self) -> pa.Array:
        """The distinct texts that occur in some row."""
        return select_texts(self.texts, self.present)

    def drop(self, texts: NDArray[np.bool_]) -> "TextColumn":
        """Return the column with some distinct texts missing; shapes: texts (u,)."""
        gone = np.append(texts, True)  # code -1 reads the last entry
        return replace(self, codes=np.where(gone[self.codes], -1, self.codes))

    def count(self, texts: NDArray[np.bool_]) -> int:
        """Count the rows that hold one of some distinct texts."""
        return int(self.counts[texts].sum())

    def first_cell(self, texts: NDArray[np.bool_]) -> str:
        """Describe the first row, from 1, that holds one of some distinct texts."""
        row = int(np.argmax(np.append(texts, False)[self.codes]))
        return f"first: row {row + 1}, {quote(self.texts[int(self.codes[row])].as_py())}"


def encode_cells(name: str, cells: pa.ChunkedArray) -> tuple[TextColumn, bool]:
    """Find the distinct texts of a column; also return whether spaces were removed."""
    encoded = cells.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    texts = pc.utf8_trim_whitespace(encoded.dictionary)
    column = TextColumn(name, texts, codes)
    if texts.equals(encoded.dictionary):
        return column, False
    changed = np.asarray(pc.not_equal(texts, encoded.dictionary))
    return column, bool((changed & column.present).any())


def encode_series(texts: pd.Series) -> TextColumn:
    """Find the distinct texts of a Series of text."""
    cells = pa.array(texts.astype(object).where(texts.notna(), None), pa.string())
    return encode_cells(str(texts.name), pa.chunked_array([cells]))[0]


def select_texts(texts: pa.Array, rows: NDArray[np.bool_]) -> pa.Array:
    """Return the texts where `rows` is true."""
    return texts if rows.all() else texts.filter(pa.array(rows))


def is_among(texts: pa.Array, words: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each text is one of some words."""
    return np.asarray(pc.is_in(texts, value_set=pa.array(list(words), pa.string())))


def match(texts: pa.Array, pattern: str) -> NDArray[np.bool_]:
    """Match a pattern against each text."""
    return np.asarray(pc.match_substring_regex(texts, pattern))


def match_among(texts: pa.Array, rows: NDArray[np.bool_], pattern: str) -> NDArray[np.bool_]:
    """Match a pattern where `rows` is true; False elsewhere."""
    matches = rows.copy()
    if rows.any():
        matches[rows] = match(select_texts(texts, rows), pattern)
    return matches


def extract_parts(texts: pa.Array, pattern: str) -> tuple[NDArray[np.bool_], dict[str, pa.Array]]:
    """Match a pattern with named groups; the groups of the matches, "" where a group is absent."""
    parts = pc.extract_regex(texts, pattern)
    matches = np.asarray(parts.is_valid())
    parts = parts.filter(pa.array(matches))
    fields = [part.name for part in parts.type]
    return matches, {name: pc.struct_field(parts, [name]) for name in fields}
