"""Text files: encoding, delimiter, header, and rows that do not fit."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from typing import Any

import pyarrow as pa

from rulekit.data.cells.numbers import numbers_in
from rulekit.data.headers import check_width, quote, repair_headers, select_columns
from rulekit.data.options import DELIMITERS, Limits, ParseOptions
from rulekit.data.reading.layout import (
    COMMENT,
    MARKS,
    TAIL,
    WINDOW,
    Row,
    TableLayout,
    count_after,
    describe_comments,
    ends_with_total,
    find_layout,
)
from rulekit.exceptions import DataError

SAMPLE = 65_536  # characters looked at to find the delimiter
CHUNK = 300  # rows turned into columns at once; 700 lists would start Python's garbage collection
MOST_SEEN = 20_000  # cells looked at to find where the table begins
PREFERENCE = "\t;|,"  # among delimiters that fit equally well
BLANKS = " "  # as a delimiter: runs of blanks
MANY_CONTROLS = 5  # kinds of control characters that no text has
_CONTROLS = {*range(1, 9), *range(14, 26), *range(28, 32)}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_RUN = re.compile(r'("(?:[^"]|"")*")|[ \t]+')
#: lines below the header, or around a table, of Markdown and of terminals
_DASHES = r"\s*(:?-{2,}:?|={2,}|:-:?|-:)\s*"
_WRAPPED = re.compile(r'"(?:[^"]|"")*[,;\t](?:[^"]|"")*"\s*')  # a row as one cell
_RULE = re.compile(rf"\s*[|+]?({_DASHES}[|+])+({_DASHES})?\s*")


@dataclass(frozen=True)
class RawTable:
    """Cells of the requested columns, as in the file, by normalised name."""

    columns: dict[str, Any]
    notes: list[str]
    options: ParseOptions
    units: dict[str, str] = field(default_factory=dict)
    layout: TableLayout | None = None


def read_delimited(raw: bytes, options: ParseOptions, limits: Limits) -> RawTable:
    """Split a text file into cells."""
    stream, encoding, notes = open_text(raw, options.encoding)
    head: list[str] = []  # from which delimiter and layout are found
    size = 0
    while (size <= SAMPLE or len(head) <= WINDOW) and (line := next(stream, "")):
        head.append(line)
        size += len(line)
    hint = re.match(r"sep=([^\w\s\"]|\t)\r?\n", head[0], re.IGNORECASE) if head else None
    number = 2 if hint else 1  # spreadsheets write the line "sep=;"
    del head[: number - 1]
    if not any(line.strip() for line in head):
        raise DataError("The file is empty. Give a table with a header and rows.")
    if all(_WRAPPED.fullmatch(line) for line in head if line.strip()):
        head, stream = list(map(_unwrap, head)), map(_unwrap, stream)
        notes.append("Each row is in quotation marks as a whole; they are left out.")
    text = _Text(head, stream, number, limits.max_cell_length)
    hinted = options.delimiter or (hint[1] if hint else None)
    text.delimiter = hinted or text.markdown() or sniff_delimiter(head)
    options = replace(options, delimiter=text.delimiter, encoding=encoding)
    layout = find_layout(text.first_records(), options)
    records = text.records(layout, options.skip_rows)
    check_width(len(layout.names), limits)
    names, repairs = repair_headers(layout.names, limits)
    chosen = select_columns(names, options.columns, limits)
    rows = _Rows(layout, names, chosen, limits)
    rows.read(records, text)
    notes += [*layout.notes, *rows.cut_end(options, text.delimiter), *rows.drop_unnamed(options)]
    if text.delimiter != ",":
        mark = DELIMITERS.get(text.delimiter, quote(text.delimiter))
        notes.append(f"Cells are separated by a {mark}.")
    notes += rows.notes()
    notes += repairs if layout.header is not None else []
    if not len(next(iter(rows.columns.values()))):
        raise DataError("It has a header but no rows. Give at least one row of data.")
    options = replace(options, header=layout.header is not None)
    units = {names[k]: unit for k, unit in layout.units.items()}
    begin = [(n, line.rstrip("\r\n")) for n, line in enumerate(head, number)]
    end = [(n, text.delimiter.join(record)) for n, record in (*rows.last, *rows.after)]
    layout = layout.with_lines(begin, end, rows.n_cut, [*(options.skip_rows or ()), *rows.comments])
    return RawTable(rows.columns, notes, options, units, layout)


def open_text(raw: bytes, encoding: str | None) -> tuple[Iterator[str], str, list[str]]:
    """Open a text file: by its byte order mark, else UTF-8, else Windows-1252 with a note."""
    notes = []
    if encoding is None:
        encoding = next((name for mark, name in _BOMS if raw.startswith(mark)), None)
    if encoding is None:
        encoding = "utf-8"
        raw = raw.removesuffix(b"\x1a")  # the end of a file under DOS
        _check_is_text(raw[:SAMPLE])
        if (line := _undecodable(raw, encoding)) is not None:
            encoding = "cp1252"
            notes.append(
                f"The file is not UTF-8 (first seen in line {line[1]}) and is read as "
                "Windows-1252; if letters look wrong, name another encoding."
            )
    if (place := _undecodable(raw, encoding)) is not None:
        raise DataError(
            f"The file is not text in {encoding}: byte {place[0]}, in line {place[1]}, does not "
            "fit. Save it in UTF-8, or name its encoding."
        )
    stream = io.TextIOWrapper(io.BytesIO(raw), encoding, newline="")
    first = next(stream, "").removeprefix("\ufeff")
    return chain([first], stream), encoding, notes


def _check_is_text(raw: bytes) -> None:
    """Raise DataError for the bytes of a program, and for UTF-16 without a byte order mark."""
    even, odd = b"\0" in raw[0::2], b"\0" in raw[1::2]
    if even != odd:
        name = "utf-16-be" if even else "utf-16-le"
        with suppress(UnicodeDecodeError):
            codecs.getincrementaldecoder(name)().decode(raw)
            raise DataError(
                "The file contains zero bytes, so it is not UTF-8 text. Save it as CSV in UTF-8, "
                f"or set its encoding (such as {name!r})."
            )
    if even or odd or len(_CONTROLS & set(raw)) >= MANY_CONTROLS:
        raise DataError("It is not text but bytes of a program. Save its table as CSV or XLSX.")


def _undecodable(raw: bytes, encoding: str) -> tuple[int, int] | None:
    """Return byte and line, from 1, where a text does not fit its encoding; None if it does."""
    try:
        raw.decode(encoding)
    except LookupError as error:
        raise DataError(
            f"There is no text encoding {quote(encoding)}. Name one such as 'utf-8' or 'cp1252'."
        ) from error
    except UnicodeDecodeError as error:
        return error.start + 1, raw.count(b"\n", 0, error.start) + 1
    return None


def sniff_delimiter(lines: Sequence[str]) -> str:
    """Find the delimiter under which most rows have as many cells; comma last."""
    lines = [line for line in lines if line.strip() and not COMMENT.match(line)] or list(lines)
    best, best_share = ",", 0.0
    for candidate in PREFERENCE:
        widths = [len(record) for record in _split(lines, candidate)]
        share = Counter(widths).most_common(1)[0][1] / len(widths) if widths else 0.0
        if share > best_share and Counter(widths).most_common(1)[0][0] >= 2:
            best, best_share = candidate, share
    if best == "\t" and all(re.search(r"\S {2,}\S", line) for line in lines):
        best_share = 0.0  # one tab before the last cell, blanks between the others
    if best_share < 1.0 and (best == "\t" or best_share < 0.5) and _is_aligned(lines, best_share):
        return BLANKS
    return best


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Split lines into cells; return no record if that fails."""
    try:
        return [record for record in csv.reader(lines, delimiter=delimiter) if record]
    except csv.Error:
        return []


def _is_aligned(lines: Sequence[str], share: float) -> bool:
    """Return whether lines split at runs of blanks have as many cells each, one of them numbers."""
    if not (rows := _split([split_runs(line) for line in lines], "\t")):
        return False
    width, count = Counter(map(len, rows[1:] or rows)).most_common(1)[0]
    if width < 2 or count / max(1, len(rows) - 1) <= max(share, 0.9):
        return False
    body = [row for row in rows if len(row) == width]
    columns = zip(*body, strict=True)
    n_numbers = [sum(bool(_NUMBER.fullmatch(c.strip('"'))) for c in column) for column in columns]
    return max(n_numbers) >= 0.8 * len(body)


def split_runs(line: str) -> str:
    """Replace runs of blanks outside quotes by one tab."""
    return _RUN.sub(lambda match: match[1] or "\t", line.strip()) + "\n"


class _Text:
    """The lines of a text file, the first ones of which were looked at."""

    def __init__(self, head: list[str], rest: Iterator[str], number: int, most: int) -> None:
        self.head, self.rest, self.number, self.most = head, rest, number, most
        self.delimiter = ","
        self.is_markdown = False
        self.lines: list[int] = []

    def markdown(self) -> str | None:
        """Return "|" if the first lines are a table of Markdown, or of a database's terminal."""
        self.is_markdown = any(
            "|" in first + second and (_RULE.fullmatch(first) or _RULE.fullmatch(second))
            for first, second in pairwise(self.head[:61])
        )
        return "|" if self.is_markdown else None

    def _reader(self, lines: Iterable[str], strict: bool) -> Any:
        """Return a reader that splits lines into cells."""
        if self.delimiter == BLANKS:
            return csv.reader(map(split_runs, lines), delimiter="\t", strict=strict)
        mark = self.delimiter
        if self.is_markdown:
            bare = map(_strip_frame, lines)
            return csv.reader(bare, delimiter=mark, quoting=csv.QUOTE_NONE, strict=strict)
        end = re.escape(mark)
        if any('\\"' in line for line in self.head):  # an escape, unless the cell ends with it
            lines = (re.sub(rf'\\"(?!\s*(?:{end}|$))', '""', line) for line in lines)
        if any(map(re.compile(rf'(^|{end}) +"[^"]*" *({end}|\s*$)').search, self.head)):
            blanks = re.compile(rf'(^|(?<={end})) +(?=")|(?<=") +(?={end}|$)')
            lines = (blanks.sub("", line) for line in lines)
        return csv.reader(lines, delimiter=mark, strict=strict)

    def first_records(self) -> list[Row]:
        """Return the first records; quotes that do not fit, as in a title, are no error here."""
        records: list[Row] = []
        number, size = self.number, 0
        reader = self._reader(self.head, strict=False)
        try:
            for record in reader:
                records.append((number, record))
                number = self.number + reader.line_num
                size += len(record)
                if len(records) >= WINDOW or (size > MOST_SEEN and len(records) > 5):
                    break
        except csv.Error as error:
            raise DataError(_csv_sentence(str(error), number, self.delimiter, self.most)) from error
        return records

    def records(self, layout: TableLayout, skip_rows: Sequence[int] | None) -> Iterator[list[str]]:
        """Yield the cells of each non-empty record of data; the line it begins on is in `lines`."""
        begin = layout.header or layout.first
        lines = chain(self.head[begin - self.number :], self.rest)
        reader = self._reader(lines, strict=True)
        line, first, skip, add = begin, layout.first, set(skip_rows or ()), self.lines.append
        alone = len(layout.names) == 1  # then "" in quotation marks is a row, a blank line is not
        try:
            for record in reader:
                is_read = line >= first and line not in skip
                full = len(record) > 1 or any(map(str.strip, record)) or (alone and record == [""])
                if is_read and full:
                    add(line)
                    yield record
                line = begin + reader.line_num
        except csv.Error as error:
            raise DataError(_csv_sentence(str(error), line, self.delimiter, self.most)) from error


def _unwrap(line: str) -> str:
    return line.strip()[1:-1].replace('""', '"') + "\n"


def _strip_frame(line: str) -> str:
    """Remove the outer bars of a line of Markdown, and the line below the header."""
    if _RULE.fullmatch(line):
        return "\n"
    return re.sub(r" *\| *", "|", line.strip().removeprefix("|").removesuffix("|")).strip() + "\n"


def _csv_sentence(error: str, line: int, delimiter: str, most: int) -> str:
    if "unexpected end of data" in error:
        return (
            f"A quotation that begins in the row of line {line} is never closed; close it with a "
            'second ", or double a " that belongs to the text.'
        )
    if "expected after" in error:
        return (
            f"In the row that begins in line {line}, a cell goes on after its closing quotation "
            f'mark, where {quote(delimiter)} was expected; double a " that belongs to the text.'
        )
    if "field larger" in error:
        return (
            f"A cell may hold {most:,} characters at most; one in line {line} holds more than "
            f"{csv.field_size_limit():,}. Shorten it, or leave the column out."
        )
    return f"Line {line} cannot be split into cells ({error}). Correct it."


def check_size(n_rows: int, n_columns: int, limits: Limits) -> None:
    """Raise DataError if there are more rows or cells than allowed."""
    rows, sample = f"this one has {n_rows:,}", "Draw a sample of the rows"
    if n_rows > limits.max_rows:
        raise DataError(f"A table may have {limits.max_rows:,} rows at most; {rows}. {sample}.")
    if n_rows * n_columns > limits.max_cells:
        raise DataError(
            f"A table may have {limits.max_cells:,} cells at most; {rows} rows times "
            f"{n_columns:,} columns. {sample}, or leave out columns."
        )


def check_cells(cells: Iterable[Any], column: str, limits: Limits, row: int = 1) -> None:
    """Raise DataError if a text among cells is longer than allowed; `row` is that of the first."""
    for number, text in enumerate(cells, start=row):
        if isinstance(text, str) and len(text) > limits.max_cell_length:
            raise DataError(
                f"A cell may hold {limits.max_cell_length:,} characters at most; row {number} of "
                f"column {quote(column)} holds {len(text):,}. Shorten it, or leave the column out."
            )


class _Rows:
    """The chosen columns of the records, read `CHUNK` rows at once."""

    def __init__(
        self, layout: TableLayout, names: list[str], chosen: list[int], limits: Limits
    ) -> None:
        self.layout, self.names, self.chosen, self.limits = layout, names, chosen, limits
        first = str(layout.cells[0]).strip().casefold() if len(layout.cells) > 1 else ""
        self.first = f"\n{first}\n"  # of a repeated header
        self.n_rows = self.n_headers = self.n_trimmed = self.n_cut = 0
        self.comments: list[int] = []  # lines inside the table
        self.last: list[Row] = []  # the last rows, with all cells
        self.after: list[Row] = []  # rows of another width at the end
        self.columns: dict[str, pa.ChunkedArray] = {}

    def read(self, records: Iterator[list[str]], text: _Text) -> None:
        """Read all records; those from the first of another width on are kept aside."""
        chosen, limits = self.chosen, self.limits
        most = min(limits.max_rows, limits.max_cells // len(chosen))
        parts: dict[str, list[pa.Array]] = {self.names[i]: [] for i in chosen}
        subset = len(chosen) < len(self.names)
        while not self.after and (rows := list(islice(records, CHUNK))):
            starts = "\n" + "\n".join([row[0] for row in rows]) + "\n"
            if (
                any(f"\n{mark}" in starts for mark in MARKS)
                or set(map(len, rows)) - {len(self.names)}
                or self.first in starts.casefold()
            ):
                rows = self._repair(rows, records, text.lines)
            self.last = [*self.last, *zip(text.lines[-TAIL:], rows[-TAIL:], strict=True)][-TAIL:]
            text.lines.clear()
            if not rows:
                continue
            if self.n_rows + len(rows) > most:
                total = self.n_rows + len(rows) + sum(1 for _ in records)
                check_size(total, len(chosen), limits)
            kept = ([row[i] for i in chosen] for row in rows) if subset else rows
            for (name, arrays), cells in zip(parts.items(), zip(*kept, strict=True), strict=True):
                if max(map(len, cells)) > limits.max_cell_length:
                    check_cells(cells, name, limits, self.n_rows + 1)
                arrays.append(pa.array(cells, pa.string()))
            self.n_rows += len(rows)
        if len(self.after) > TAIL:
            self._refuse([(0, record) for record in records], text.delimiter)
        self.columns = {n: pa.chunked_array(arrays, pa.string()) for n, arrays in parts.items()}

    def _repair(
        self, rows: list[list[str]], records: Iterator[list[str]], lines: list[int]
    ) -> list[list[str]]:
        """Return rows (and `lines`) without headers, comments and cells beyond the last column."""
        width, kept = len(self.names), {}
        for position, (line, record) in enumerate(zip(lines, rows, strict=True)):
            if self.layout.is_header(record):
                self.n_headers += 1
            elif self.layout.is_comment(record):
                self.comments.append(line)
            elif len(record) > width and not any(map(str.strip, record[width:])):
                kept[line] = record[:width]
                self.n_trimmed += 1
            elif len(record) == width:
                kept[line] = record
            else:
                rest = [*rows[position:], *islice(records, TAIL)]
                self.after = list(zip(lines[position:], rest, strict=True))
                break
        lines[:] = kept
        return list(kept.values())

    def cut_end(self, options: ParseOptions, delimiter: str) -> list[str]:
        """Remove totals, notes and empty rows at the end; return a note on them."""
        rows = [*self.last, *self.after]
        self.n_cut, notes = count_after(rows, options, self._adds_up)
        if self.n_cut < len(self.after):
            self._refuse([], delimiter)
        n_rows = max(0, self.n_rows - (self.n_cut - len(self.after)))
        self.columns = {name: cells.slice(0, n_rows) for name, cells in self.columns.items()}
        return notes

    def _adds_up(self, position: int, how: str, n_after: int) -> bool:
        """Return whether the last cell but some of a column is the sum or mean of those above."""
        n_rows = self.n_rows - n_after + len(self.after)
        if position not in self.chosen or not 1 < n_rows <= self.n_rows:
            return False
        cells = self.columns[self.names[position]].slice(0, n_rows)
        return ends_with_total(numbers_in(cells.to_pandas()), how)

    def drop_unnamed(self, options: ParseOptions) -> list[str]:
        """Remove columns without a name that are empty, as of a delimiter at the end of rows."""
        names, raw = self.names, self.layout.names
        if options.columns is not None or self.n_rows == 0:
            return []
        at_ends = {0, len(names) - 1} if self.layout.header is None else set(range(len(names)))
        nameless = [names[k] for k in at_ends if not str(raw[k]).strip()]
        return drop_empty(
            self.columns,
            nameless,
            lambda c: not any(any(map(str.strip, part.to_pylist())) for part in c.chunks),
            names[-1],
        )

    def notes(self) -> list[str]:
        """Return sentences on what was read otherwise than it is written."""
        repeated = f"{self.n_headers} lines repeat the header and are not read."
        repeated = "1 line repeats the header and is not read." if self.n_headers == 1 else repeated
        beyond = f"In {self.n_trimmed} rows, empty cells beyond the last column are not read."
        notes = describe_comments(self.comments, "Line")
        notes += [repeated] if self.n_headers else []
        return notes + ([beyond] if self.n_trimmed else [])

    def _refuse(self, rest: Sequence[Row], delimiter: str) -> None:
        width = len(self.names)
        wrong = [(line, row) for line, row in (*self.after, *rest) if len(row) != width]
        rows = [f"line {n} has {len(r)}: {quote(delimiter.join(r), 80)}" for n, r in wrong[:3]]
        more = f" ({len(wrong)} such rows in all)" if len(wrong) > 3 else ""
        raise DataError(
            f"Every row must have {width} cells, as the header has; {'; '.join(rows)}{more}. "
            f'Correct these lines, put cells that hold {quote(delimiter)} in quotation marks ("), '
            "or set another delimiter or row of the header."
        )


def drop_empty(
    columns: dict[str, Any], names: Iterable[str], is_gap: Callable[[Any], bool], last: str = ""
) -> list[str]:
    """Remove those of some columns without a name that have no cells; return a note on them."""
    empty = [name for name in names if is_gap(columns[name])]
    if not empty or len(empty) == len(columns):
        return []
    for name in empty:
        del columns[name]
    if empty == [last]:
        return ["The last column has no name and no cells (rows end with a delimiter); not read."]
    which = "A column" if len(empty) == 1 else f"{len(empty)} columns"
    return [f"{which} without name and cells {'is' if len(empty) == 1 else 'are'} not read."]
