"""Conversion of text cells to numbers, truth values or text, one distinct text at a time.

`texts` (u,) are the distinct, stripped cells of a column; ``texts[codes[i]]`` is that of row i, and
-1 in `codes` (n,) a missing cell.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit.data.headers import few, shown
from rulekit.data.options import MISSING_AMONG_NUMBERS, ParseOptions
from rulekit.data.typed import DAY, EXACT, text_series, without_infinities
from rulekit.exceptions import DataError

_PLAIN = r"^[+-]?(\d+{d}?\d*|{d}\d+)([eE][+-]?\d+)?$"
_GROUPED = r"^[+-]?\d{{1,3}}(?:({t}\d{{3}})+|([ '’\x{{a0}}\x{{202f}}]\d{{3}})+)({d}\d+)?$"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_LEADING_ZERO = r"^[+-]?0\d"
_AMBIGUOUS = r"^[+-]?[1-9]\d{{0,2}}({d}\d{{3}})+$"
_MARK = {".": r"\.", ",": ","}
_OTHER = {".": ",", ",": "."}
VOTERS = 2_000  # distinct cells of a column from which its decimal mark is determined
AT_ONCE = 200_000  # distinct cells that are parsed in one call
TELLING_SHARE = 0.5  # from this share of numbers on, text in a column is worth a word


@dataclass(frozen=True)
class TextColumn:
    """One column of text, see the module."""

    name: str
    texts: pa.Array
    codes: NDArray[np.int64]

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Whether each distinct text occurs in some row, shape (u,)."""
        used = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))
        return used > 0


@dataclass(frozen=True)
class Numbers:
    """Distinct texts read as numbers; arrays of shape (u,)."""

    values: NDArray[np.float64]
    valid: NDArray[np.bool_]
    grouped: NDArray[np.bool_]
    leading_zero: NDArray[np.bool_]
    whole: NDArray[np.bool_]


@dataclass
class _Findings:
    """Counts from which the notes are made."""

    tokens: Counter[str] = field(default_factory=Counter)
    trimmed: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)
    leading: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


def typed_columns(
    columns: Mapping[str, pa.ChunkedArray], options: ParseOptions
) -> tuple[dict[str, pd.Series | NDArray[np.number]], list[str], str]:
    """Convert columns of text to columns of a table."""
    findings = _Findings()
    parts = [
        _text_column(name, cells, options.missing, findings) for name, cells in columns.items()
    ]
    decimal = options.decimal or _decimal_mark(parts, options.delimiter)
    typed = {
        part.name: _typed(part, numbers, findings)
        for part, numbers in zip(parts, _numbers_of(parts, decimal), strict=True)
    }
    return typed, _notes(findings, decimal), decimal


def _numbers_of(columns: Sequence[TextColumn], decimal: str) -> Iterator[Numbers]:
    """Yield each column's texts read as numbers; a call a column takes 1 ms more for each."""
    sizes = np.array([len(column.texts) for column in columns], dtype=int)
    parts = np.cumsum(sizes) // AT_ONCE  # few texts a call, since memory is taken for all of them
    for part in np.unique(parts):
        together = np.flatnonzero(parts == part).tolist()
        read = read_numbers(_joined([columns[k].texts for k in together]), decimal)
        ends = np.cumsum(sizes[together])
        for start, end in zip(ends - sizes[together], ends, strict=True):
            yield Numbers(*(getattr(read, part.name)[start:end] for part in fields(read)))


def read_numbers(texts: pa.Array, decimal: str) -> Numbers:
    """Parse texts as numbers; shapes: texts u."""
    marks = {"d": _MARK[decimal], "t": _MARK[_OTHER[decimal]]}
    plain = _matches(texts, _PLAIN.replace("{d}", marks["d"]))
    grouped = _matches_among(texts, ~plain, _GROUPED.format(**marks))
    infinite = _matches_among(texts, ~plain, _INFINITE)
    valid = plain | grouped | infinite
    values = np.full(len(texts), np.nan)
    if (plain | grouped).any():
        values[plain | grouped] = _parsed(texts.filter(pa.array(plain | grouped)), decimal)
    if infinite.any():
        signs = pc.starts_with(texts.filter(pa.array(infinite)), "-").to_numpy(False)
        values[infinite] = np.where(signs, -np.inf, np.inf)
    whole = valid & ~infinite & (values == np.floor(values))
    whole &= ~_matches_among(texts, whole, "[eE" + _MARK[decimal] + "]")
    return Numbers(values, valid, grouped, _matches(texts, _LEADING_ZERO), whole)


def _parsed(texts: pa.Array, decimal: str) -> NDArray[np.float64]:
    """Parse texts that are numbers, after removing signs and marks that only decorate."""
    decoration = r"[+ '’\x{a0}\x{202f}" + _OTHER[decimal] + "]"
    if _matches(texts, decoration).any():
        texts = pc.replace_substring_regex(texts, decoration, "")
    if decimal != ".":
        texts = pc.replace_substring(texts, decimal, ".")
    return np.asarray(pc.cast(texts, pa.float64()))


def numbers_in(texts: pd.Series) -> NDArray[np.float64]:
    """Parse a Series of text as numbers under its decimal mark; NaN for the rest."""
    cells = pa.array(texts.astype(object).where(texts.notna(), None), pa.string())
    column = _text_column(str(texts.name), pa.chunked_array([cells]), (), _Findings())
    numbers = read_numbers(column.texts, _decimal_mark([column], None))
    return np.append(numbers.values, np.nan)[column.codes]


#: The offset of a time from UTC, which summer time changes; the local time is read.
OFFSET = re.compile(r"(\d:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?:Z|[+-]\d{2}:?\d{2})$")


def dates_in(texts: pd.Series, name: str, day_first: bool | None) -> pd.Series:
    """Parse a Series of text as dates, NaT for the rest."""
    text = texts.astype(object).where(texts.notna(), None)
    parts = text.astype("string").str.extract(r"^(\d{1,2})[-/.](\d{1,2})[-/.]\d").astype(float)
    first, second = (parts[k].max() > 12 for k in (0, 1))
    unclear = (parts[0] != parts[1]).to_numpy() & parts[0].notna().to_numpy()
    if day_first is None and first == second and unclear.any():
        raise DataError(
            f"In column {shown(name)} day and month are ambiguous "
            f"({shown(text[unclear].iloc[0])}). Set which comes first (`day_first`)."
        )
    early = bool(first) if day_first is None else day_first
    local = text.astype("string").str.replace(OFFSET, r"\1", regex=True).astype(object)
    dates = pd.to_datetime(local, errors="coerce", format="mixed", dayfirst=early)
    if dates.isna().all():
        raise DataError(
            f"Column {shown(name)} holds no date such as 2024-03-01 or 31.12.2024. Keep it as it "
            "is."
        )
    return dates.dt.tz_localize(None)


def durations_in(texts: pd.Series, name: str) -> pd.Series:
    """Parse a Series of text as days, NaN for the rest; 06:30 is six hours and a half."""
    text = texts.astype("string").str.strip()
    text = text.str.replace(r"^([-+]?\d+:[0-5]\d)$", r"\1:00", regex=True)
    text = text.mask(text.str.fullmatch(r"[-+\d.,eE]+").fillna(False).astype(bool))
    days = pd.to_timedelta(text.astype(object), errors="coerce").dt.total_seconds() / DAY
    if days.isna().all():
        raise DataError(
            f"Column {shown(name)} holds no duration such as 06:30:00 or '2 days'. Keep it as "
            "it is."
        )
    return days


def _joined(parts: Sequence[pa.Array]) -> pa.Array:
    return pa.chunked_array(parts, pa.string()).combine_chunks()


def _matches(texts: pa.Array, pattern: str) -> NDArray[np.bool_]:
    matches = pc.match_substring_regex(texts, pattern)
    return np.asarray(matches.to_numpy(zero_copy_only=False), dtype=bool)


def _matches_among(texts: pa.Array, rows: NDArray[np.bool_], pattern: str) -> NDArray[np.bool_]:
    """Match a pattern where `rows` is true; False elsewhere."""
    matches = rows.copy()
    if rows.any():
        matches[rows] = _matches(texts if rows.all() else texts.filter(pa.array(rows)), pattern)
    return matches


def _text_column(
    name: str, cells: pa.ChunkedArray, missing: Sequence[str], findings: _Findings
) -> TextColumn:
    encoded = cells.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    texts = pc.utf8_trim_whitespace(encoded.dictionary)
    empty = pc.is_in(texts, value_set=pa.array(list(missing), pa.string())).to_numpy(False)
    column = TextColumn(name, texts, codes)
    if empty.any():
        column = _emptied(column, empty, findings)
    if not texts.equals(encoded.dictionary):
        changed = pc.not_equal(texts, encoded.dictionary).to_numpy(zero_copy_only=False)
        if (changed & column.present).any():
            findings.trimmed.append(name)
    return column


def _texts_of(column: TextColumn, chosen: NDArray[np.bool_]) -> pa.Array:
    return column.texts if chosen.all() else column.texts.filter(pa.array(chosen))


def _emptied(column: TextColumn, empty: NDArray[np.bool_], findings: _Findings) -> TextColumn:
    """Remove texts that mean "missing", and count them."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
    for index in np.flatnonzero(empty & (counts > 0)):
        text = column.texts[int(index)].as_py()
        if text:
            findings.tokens[text] += int(counts[index])
    gone = np.append(empty, True)  # code -1 reads the last entry
    return replace(column, codes=np.where(gone[column.codes], -1, column.codes))


def _decimal_mark(columns: Sequence[TextColumn], delimiter: str | None) -> str:
    """Return the decimal mark of most columns; only columns with unambiguous numbers vote."""
    voters = [_texts_of(c, c.present).slice(0, VOTERS) for c in columns]
    voters = [texts for texts in voters if len(texts)]
    sizes = np.array([len(texts) for texts in voters], dtype=int)
    starts, texts = np.cumsum(sizes) - sizes, _joined(voters)
    votes, unclear = {}, {}
    for mark in ".,":
        numbers = read_numbers(texts, mark).valid
        unclear[mark] = _matches(texts, _AMBIGUOUS.format(d=_MARK[mark]))
        clear = numbers & _matches(texts, _MARK[mark]) & ~unclear[mark]
        enough = np.add.reduceat(numbers.astype(int), starts) >= TELLING_SHARE * sizes
        votes[mark] = enough & np.logical_or.reduceat(clear, starts)
    commas = int((votes[","] & ~votes["."]).sum())
    points = int((votes["."] & ~votes[","]).sum())
    if commas or points:
        return "," if commas > points else "."
    either = (np.logical_or.reduceat(unclear[","], starts) & ~votes["."]).any()
    return "," if either and delimiter == ";" else "."


def _typed(
    column: TextColumn, numbers: Numbers, findings: _Findings
) -> pd.Series | NDArray[np.number]:
    column = _without_number_gaps(column, numbers, findings)
    present = column.present
    if not present.any():
        return np.full(len(column.codes), np.nan)
    if numbers.valid[present].all():
        exact = _numeric(column, numbers, present, findings)
        if exact is not None:
            return exact
    elif set(pc.utf8_lower(_texts_of(column, present)).to_pylist()) <= {"true", "false"}:
        return _truth(column)
    else:
        _note_text_column(column, numbers, findings)
    texts = np.append(column.texts.to_numpy(zero_copy_only=False).astype(object), [None])
    return text_series(texts[column.codes])


def _without_number_gaps(column: TextColumn, numbers: Numbers, findings: _Findings) -> TextColumn:
    """Treat "-", "." and the like as missing if all other cells are numbers."""
    present = column.present
    if numbers.valid[present].all():
        return column
    value_set = pa.array(MISSING_AMONG_NUMBERS, pa.string())
    gaps = pc.is_in(column.texts, value_set=value_set).to_numpy(zero_copy_only=False)
    others = present & ~gaps
    if (gaps & present).any() and others.any() and numbers.valid[others].all():
        return _emptied(column, gaps, findings)
    return column


def _numeric(
    column: TextColumn, numbers: Numbers, present: NDArray[np.bool_], findings: _Findings
) -> NDArray[np.number] | None:
    """Return the column as numbers; None if it must stay text."""
    if numbers.leading_zero[present].any():
        findings.leading.append(column.name)
        return None
    whole = bool(numbers.whole[present].all())
    if _loses_digits(column.texts, numbers, present):
        findings.large.append(column.name)
        return None
    if numbers.grouped[present].any():
        findings.grouped.append(column.name)
    values = np.append(numbers.values, np.nan)[column.codes]
    values, notes = without_infinities(values, column.name)
    findings.sentences += notes
    if whole and (column.codes >= 0).all():
        return values.astype(np.int64)
    return values


def _loses_digits(texts: pa.Array, numbers: Numbers, present: NDArray[np.bool_]) -> bool:
    """Return whether numbers above 2^53, written out, are whole throughout or no longer differ."""
    large = present & (np.abs(numbers.values) > EXACT) & np.isfinite(numbers.values)
    large &= ~_matches_among(texts, large, "[eE]")
    if not large.any():
        return False
    values = numbers.values[present]
    if (values == np.floor(values)).all():
        return not _matches_among(texts, present, "[eE]").any()
    written = {text.rstrip("0") for text in texts.filter(pa.array(large)).to_pylist()}
    return len(np.unique(numbers.values[large])) < len(written)


def _truth(column: TextColumn) -> pd.Series:
    true = pc.equal(pc.utf8_lower(column.texts), "true").to_numpy(zero_copy_only=False)
    answers: NDArray[Any] = np.append(true.astype(object), [None])[column.codes]
    return pd.Series(answers, dtype="boolean" if (column.codes < 0).any() else bool)


def _note_text_column(column: TextColumn, numbers: Numbers, findings: _Findings) -> None:
    present_rows = column.codes >= 0
    other = present_rows & ~np.append(numbers.valid, False)[column.codes]
    if other.sum() > (1 - TELLING_SHARE) * present_rows.sum():
        return
    row = int(np.argmax(other))
    text = column.texts[int(column.codes[row])].as_py()
    findings.sentences.append(
        f"Column {shown(column.name)} holds text in {int(other.sum())} of {len(column.codes)} rows "
        f"(first: row {row + 1}, {shown(text)}), so it is read as text. Correct these cells, or "
        "read the column as numbers, which makes them missing."
    )


def _notes(findings: _Findings, decimal: str) -> list[str]:
    notes = []
    if decimal == ",":
        notes.append("Commas are read as decimal commas.")
    if findings.tokens:
        counts = [
            f"{shown(t)} ({n} cell{'' if n == 1 else 's'})"
            for t, n in findings.tokens.most_common(8)
        ]
        notes.append(f"These cells are read as missing: {', '.join(counts)}.")
    for names, words in (
        (findings.grouped, "digits are grouped by thousands; they are read as numbers"),
        (findings.leading, "some numbers begin with a zero, as codes do; it is kept as text"),
        (
            findings.large,
            f"whole numbers exceed {EXACT}, and would not be exact; it is kept as text",
        ),
        (findings.trimmed, "spaces around cells are removed"),
    ):
        if names:
            columns = "column" if len(names) == 1 else "columns"
            notes.append(f"In {columns} {few([*map(shown, names)])}, {words}.")
    return notes + findings.sentences
