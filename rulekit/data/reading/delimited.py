"""Text files: encoding, delimiter, header, and rows that do not fit."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

import pyarrow as pa

from rulekit.data.headers import check_width, chosen_columns, repaired_headers, shown
from rulekit.data.options import DELIMITERS, Limits, ParseOptions
from rulekit.exceptions import DataError

SAMPLE = 65_536  # characters looked at to find the delimiter
CHUNK = 1_000  # rows turned into columns at once
PREFERENCE = "\t;|,"  # among delimiters that fit equally well
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True)
class RawTable:
    """Cells of the requested columns, as in the file, by normalised name."""

    columns: dict[str, pa.ChunkedArray]
    notes: list[str]
    options: ParseOptions


def read_delimited(raw: bytes, options: ParseOptions, limits: Limits) -> RawTable:
    """Split a text file into cells."""
    text, encoding, notes = decoded(raw, options.encoding)
    text, hinted, skipped = _without_hint(text)
    if not text.strip():
        raise DataError("The file is empty. Give a table with a header and rows.")
    delimiter = options.delimiter or hinted or sniffed_delimiter(text[:SAMPLE])
    options = replace(options, delimiter=delimiter, encoding=encoding)
    records = _records(text, delimiter, skipped, limits.max_cell_length)
    line, first = next(records)
    check_width(len(first), limits)
    if options.header is None:
        numeric = all(_NUMBER.fullmatch(cell) for cell in first)
        options = replace(options, header=not numeric)
        if numeric:
            notes.append(
                f"Line {line} holds numbers only, so it is read as data and the columns are "
                "numbered; if it is a header, say so."
            )
    ahead = [] if options.header else [(line, first)]
    names, repairs = repaired_headers(first if options.header else [""] * len(first), limits)
    chosen = chosen_columns(names, options.columns, limits)
    columns = _columns(chain(ahead, records), names, chosen, delimiter, limits)
    if delimiter != ",":
        notes.append(f"Cells are separated by a {DELIMITERS.get(delimiter, shown(delimiter))}.")
    notes += repairs if options.header else []
    return RawTable(columns, notes, options)


def decoded(raw: bytes, encoding: str | None) -> tuple[str, str, list[str]]:
    """Decode a text file: by its byte order mark, else UTF-8, else Windows-1252 with a note."""
    if encoding is not None:
        return _decoded_as(raw, encoding), encoding, []
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return _decoded_as(raw, name), name, []
    if b"\0" in raw[:SAMPLE]:
        raise DataError(
            "The file contains zero bytes, so it is not UTF-8 text. Save it as CSV in UTF-8, or "
            "set its encoding (such as 'utf-16-le')."
        )
    try:
        return raw.decode("utf-8"), "utf-8", []
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        note = (
            f"The file is not UTF-8 (first seen in line {line}) and is read as Windows-1252; if "
            "letters look wrong, name another encoding."
        )
        return _decoded_as(raw, "cp1252"), "cp1252", [note]


def _decoded_as(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise DataError(
            f"There is no text encoding {shown(encoding)}. Name one such as 'utf-8' or 'cp1252'."
        ) from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"The file is not text in {encoding}: byte {error.start + 1}, in line {line}, does not "
            "fit. Save it in UTF-8, or name its encoding."
        ) from error


def sniffed_delimiter(sample: str) -> str:
    """Find the delimiter under which most rows have as many cells as the first; comma last."""
    if len(sample) >= SAMPLE and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    best, best_share = ",", 0.0
    for candidate in PREFERENCE:
        try:
            reader = csv.reader(io.StringIO(sample, newline=""), delimiter=candidate)
            widths = [len(record) for record in reader if record]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        share = Counter(widths)[widths[0]] / len(widths)
        if share > best_share:
            best, best_share = candidate, share
    return best


def _without_hint(text: str) -> tuple[str, str | None, int]:
    """Remove the line "sep=;" that spreadsheets write; return text, delimiter, lines removed."""
    hint = re.match(r"sep=([^\w\s\"]|\t)\r?\n", text, re.IGNORECASE)
    return (text[hint.end() :], hint[1], 1) if hint else (text, None, 0)


def _records(text: str, delimiter: str, skipped: int, most: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each non-empty record begins, and its cells."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = skipped + 1
    try:
        for record in reader:
            if record and not (len(record) == 1 and not record[0].strip()):
                yield line, record
            line = skipped + reader.line_num + 1
    except csv.Error as error:
        raise DataError(_csv_sentence(str(error), line, delimiter, most)) from error


def _csv_sentence(error: str, line: int, delimiter: str, most: int) -> str:
    if "unexpected end of data" in error:
        return (
            f"A quotation that begins in the row of line {line} is never closed; close it with a "
            'second ", or double a " that belongs to the text.'
        )
    if "expected after" in error:
        return (
            f"In the row that begins in line {line}, a cell goes on after its closing quotation "
            f'mark, where {shown(delimiter)} was expected; double a " that belongs to the text.'
        )
    if "field larger" in error:
        return (
            f"A cell may hold {most:,} characters at most; one in line {line} holds more than "
            f"{csv.field_size_limit():,}. Shorten it, or leave the column out."
        )
    return f"Line {line} cannot be split into cells ({error}). Correct it."


def check_size(n_rows: int, n_columns: int, limits: Limits) -> None:
    """Raise DataError if there are more rows or cells than allowed."""
    if n_rows > limits.max_rows:
        raise DataError(
            f"A table may have {limits.max_rows:,} rows at most; this one has {n_rows:,}. "
            "Draw a sample of the rows."
        )
    if n_rows * n_columns > limits.max_cells:
        raise DataError(
            f"A table may have {limits.max_cells:,} cells at most; this one has {n_rows:,} rows "
            f"times {n_columns:,} columns. Draw a sample of the rows, or leave out columns."
        )


def check_cell(text: str, row: int, column: str, limits: Limits) -> None:
    """Raise DataError if a cell is longer than allowed; `row` counts from 1."""
    if len(text) > limits.max_cell_length:
        raise DataError(
            f"A cell may hold {limits.max_cell_length:,} characters at most; row {row} of column "
            f"{shown(column)} holds {len(text):,}. Shorten it, or leave the column out."
        )


def _columns(
    records: Iterator[tuple[int, list[str]]],
    names: list[str],
    chosen: list[int],
    delimiter: str,
    limits: Limits,
) -> dict[str, pa.ChunkedArray]:
    """Turn records into the chosen columns, `CHUNK` rows at once."""
    most = min(limits.max_rows, limits.max_cells // len(chosen))
    columns: dict[str, list[pa.Array]] = {names[i]: [] for i in chosen}
    n_rows = 0
    while True:
        rows = []
        for line, record in islice(records, CHUNK):
            if len(record) != len(names):
                raise DataError(_ragged_sentence(line, record, records, len(names), delimiter))
            rows.append(record)
        if not rows:
            return {name: pa.chunked_array(parts, pa.string()) for name, parts in columns.items()}
        if len(chosen) < len(names):
            rows = [[row[i] for i in chosen] for row in rows]
        if n_rows + len(rows) > most:
            check_size(n_rows + len(rows) + sum(1 for _ in records), len(chosen), limits)
        for (name, parts), cells in zip(columns.items(), zip(*rows, strict=True), strict=True):
            if max(map(len, cells)) > limits.max_cell_length:
                for row, cell in enumerate(cells, start=n_rows + 1):
                    check_cell(cell, row, name, limits)
            parts.append(pa.array(cells, pa.string()))
        n_rows += len(rows)


def _ragged_sentence(
    line: int, record: list[str], rest: Iterator[tuple[int, list[str]]], width: int, delimiter: str
) -> str:
    wrong, count = [(line, record)], 1
    for at, other in rest:
        if len(other) != width:
            count += 1
            if count <= 3:
                wrong.append((at, other))
    examples = "; ".join(
        f"line {at} has {len(r)}: {shown(delimiter.join(r), 80)}" for at, r in wrong
    )
    more = f" ({count} such rows in all)" if count > 3 else ""
    return (
        f"Every row must have {width} cells, as the header has; {examples}{more}. Correct these "
        f'lines, put cells that hold {shown(delimiter)} in quotation marks ("), or name another '
        "delimiter."
    )
